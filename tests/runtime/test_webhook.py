"""Words that are posted: until the answer is 2xx, also over TLS, whatever answers; and functions
that are called with them.

The certificate in tests/data/tls is for localhost and for tests alone; its key is no secret.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import hmac
import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from choreomon.agent_files.verdict_json import verdict_line
from choreomon.core.live import LiveVerdict
from choreomon.runtime.delivery.dead_letters import DeadLetters
from choreomon.runtime.delivery.http_client import RequestFailed, Response, request
from choreomon.runtime.delivery.sinks import SinkFailed, SinkRefused, Sinks
from choreomon.runtime.delivery.webhook import Callback, Webhook
from tests.agent_files.live_verdicts import BY_HAND
from tests.runtime.conftest import Run

TLS = Path(__file__).parents[1] / "data" / "tls"
LINE = verdict_line(BY_HAND)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
Answering: TypeAlias = Callable[[bytes], bytes | None]


class Receiver:
    """A port, what was posted to it, and what it answers; `None`: nothing, and it hangs."""

    def __init__(self, answers: list[bytes | None]) -> None:
        self.answers = answers
        self.requests: list[tuple[bytes, bytes]] = []
        self.port = 0
        self._hangs = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = 0
            for line in head.split(b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.requests.append((head, await reader.readexactly(length)))
            answer = self.answers.pop(0)
            if answer is None:
                await self._hangs.wait()
            else:
                writer.write(answer)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def end(self) -> None:
        self._hangs.set()


@asynccontextmanager
async def receiving(*answers: bytes | None, tls: bool = False) -> AsyncIterator[Receiver]:
    receiver = Receiver([*answers])
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(TLS / "localhost.pem", TLS / "localhost.key")
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=context)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        receiver.end()
        server.close()
        await server.wait_closed()


async def test_a_word_is_posted_with_its_id(run: Run) -> None:
    async with receiving(OK) as receiver:
        url = f"http://me:p%40ss@127.0.0.1:{receiver.port}/hook/a?b=c#d"
        await Webhook(url).take([BY_HAND])
        ((head, body),) = receiver.requests
        first, *lines = head.decode().rstrip().split("\r\n")
        assert first == "POST /hook/a?b=c HTTP/1.1"
        fields = dict(line.split(": ", 1) for line in lines)
        assert fields["Host"] == f"127.0.0.1:{receiver.port}"
        assert fields["Content-Type"] == "application/json"
        assert fields["Idempotency-Key"] == BY_HAND.id
        assert base64.b64decode(fields["Authorization"].removeprefix("Basic ")) == b"me:p@ss"
        assert json.loads(body) == json.loads(LINE)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_any_2xx_takes_it(run: Run, status: int) -> None:
    async with receiving(f"HTTP/1.1 {status} x\r\n\r\n".encode()) as receiver:
        await Webhook(f"http://127.0.0.1:{receiver.port}").take([BY_HAND])


@pytest.mark.parametrize("status", [301, 302, 304, 408, 425, 429, 500, 501, 503])
async def test_any_other_answer_does_not(run: Run, status: int) -> None:
    moved = f"HTTP/1.1 {status} x\r\nLocation: /\r\nContent-Length: 0\r\n\r\n".encode()
    async with receiving(moved, OK) as receiver:
        with pytest.raises(SinkFailed, match=f"it answers {status}"):
            await Webhook(f"http://127.0.0.1:{receiver.port}").take([BY_HAND])
        assert len(receiver.requests) == 1  # no redirection is followed


async def test_what_is_said_before_the_answer_is_none(run: Run) -> None:
    early = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    async with receiving(early + OK, early + b"HTTP/1.1 500 x\r\n\r\n") as receiver:
        webhook = Webhook(f"http://127.0.0.1:{receiver.port}")
        await webhook.take([BY_HAND])
        with pytest.raises(SinkFailed, match="500"):
            await webhook.take([BY_HAND])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "the connection ended"),
        (b"HTTP/1.1 200 OK\r\n", "the connection ended"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 two OK\r\n\r\n", "does not speak HTTP"),
        (b"x" * 100_000, "does not speak HTTP"),
        (None, "no answer within 0.05 s"),
    ],
)
async def test_what_is_no_answer_does_not_take_it(
    run: Run, answer: bytes | None, told: str
) -> None:
    async with receiving(answer) as receiver:
        timeout = 0.05 if answer is None else 60.0
        with pytest.raises(SinkFailed, match=told):
            await Webhook(f"http://127.0.0.1:{receiver.port}", timeout).take([BY_HAND])


async def test_where_nobody_listens_it_is_not_taken(run: Run) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        with pytest.raises(SinkFailed, match="Connection refused"):
            await Webhook(f"http://127.0.0.1:{port}").take([BY_HAND])


async def test_over_tls_only_who_has_a_trusted_certificate_takes_it(run: Run) -> None:
    async with receiving(OK, OK, tls=True) as receiver:
        url = f"https://localhost:{receiver.port}/hook"
        with pytest.raises(SinkFailed, match="its certificate is not trusted"):
            await Webhook(url, 5.0).take([BY_HAND])
        assert receiver.requests == []
        trusted = ssl.create_default_context(cafile=TLS / "localhost.pem")
        await Webhook(url, 5.0, tls=trusted).take([BY_HAND])
        assert len(receiver.requests) == 1


async def test_tls_to_what_has_none_is_told(run: Run) -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(SinkFailed, match="TLS: "):
        await Webhook(f"https://localhost:{port}/hook", 5.0).take([BY_HAND])
    server.close()
    await server.wait_closed()


# --- refused for good ---------------------------------------------------------------


def answer_of(status: int) -> bytes:
    return f"HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n".encode()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 413, 415, 422, 451, 499])
async def test_what_is_refused_for_good_is_put_to_the_dead_letters(
    run: Run, tmp_path: Path, status: int
) -> None:
    path = tmp_path / "letters"
    async with receiving(answer_of(status)) as receiver:
        url = f"http://me:hidden@127.0.0.1:{receiver.port}/hidden"
        webhook = Webhook(url, dead_letters=DeadLetters(path), wall=lambda: 1e9)
        with pytest.raises(SinkRefused, match=f"it answers {status}; kept in ") as refused:
            await webhook.take([BY_HAND])
        assert refused.value.ids == (BY_HAND.id,)
        await webhook.close()
    (line,) = path.read_text().splitlines()
    assert json.loads(line) == {
        "time": "2001-09-09T01:46:40.000Z",
        "sink": f"webhook http://127.0.0.1:{receiver.port}",
        "why": f"it answers {status}",
        "verdict": json.loads(LINE),
    }
    assert "hidden" not in line


async def test_without_dead_letters_it_is_refused_all_the_same(run: Run) -> None:
    async with receiving(answer_of(400)) as receiver:
        with pytest.raises(SinkRefused, match=r"^it answers 400$"):
            await Webhook(f"http://127.0.0.1:{receiver.port}").take([BY_HAND])


async def test_what_cannot_be_put_to_the_dead_letters_is_not_given_up(
    run: Run, tmp_path: Path
) -> None:
    letters = DeadLetters(tmp_path / "gone" / "letters")
    async with receiving(answer_of(400), answer_of(400)) as receiver:
        webhook = Webhook(f"http://127.0.0.1:{receiver.port}", dead_letters=letters)
        with pytest.raises(SinkFailed, match="cannot be written"):
            await webhook.take([BY_HAND])
        (tmp_path / "gone").mkdir()
        with pytest.raises(SinkRefused):
            await webhook.take([BY_HAND])
        await webhook.close()


async def test_a_verdict_that_is_refused_for_good_does_not_block_the_next(
    run: Run, tmp_path: Path
) -> None:
    refused: list[tuple[str, str, str]] = []
    delivered: list[str] = []
    done = asyncio.Event()
    verdicts = [dataclasses.replace(BY_HAND, id=f"id {number}") for number in range(3)]

    def deliver(ids: list[str]) -> None:
        delivered.extend(ids)
        if len(delivered) == len(verdicts):
            done.set()

    async with receiving(OK, answer_of(422), OK) as receiver:
        letters = DeadLetters(tmp_path / "letters")
        sinks = Sinks(
            [Webhook(f"http://127.0.0.1:{receiver.port}", dead_letters=letters)],
            loop=asyncio.get_running_loop(),
            delivered=deliver,
            untold=list,
            failed=lambda sink, why: pytest.fail(f"{sink}: {why}"),
            refused=lambda *told: refused.append(told),
        )
        for verdict in verdicts:
            sinks.tell(verdict)
        await done.wait()
        assert delivered == ["id 0", "id 1", "id 2"]
        assert [id for _, id, _ in refused] == ["id 1"]
        assert [json.loads(body)["id"] for _, body in receiver.requests] == delivered
        await sinks.close()


# --- who posts, and what ------------------------------------------------------------

SECRET = bytes(range(32))


def fields_of(head: bytes) -> dict[str, str]:
    _, *lines = head.decode().rstrip().split("\r\n")
    return dict(line.split(": ", 1) for line in lines)


def secret_in(path: Path, content: str) -> Path:
    path.write_text(content)
    path.chmod(0o600)
    return path


async def test_headers_of_a_file_go_along_and_may_be_changed_meanwhile(
    run: Run, tmp_path: Path
) -> None:
    path = secret_in(tmp_path / "headers", "Authorization: Bearer one\nX-Tenant: 7\n")
    async with receiving(OK, OK) as receiver:
        webhook = Webhook(f"http://127.0.0.1:{receiver.port}", headers_file=path)
        await webhook.take([BY_HAND])
        secret_in(path, "Authorization: Bearer two\n")
        await webhook.take([BY_HAND])
        await webhook.close()
        one, two = (fields_of(head) for head, _ in receiver.requests)
    assert (one["Authorization"], one["X-Tenant"]) == ("Bearer one", "7")
    assert two["Authorization"] == "Bearer two"
    assert "X-Tenant" not in two


async def test_a_file_that_is_not_right_any_more_holds_verdicts_up_and_shows_nothing(
    run: Run, tmp_path: Path
) -> None:
    path = secret_in(tmp_path / "headers", "Bearer hidden\n")
    async with receiving(OK) as receiver:
        webhook = Webhook(f"http://127.0.0.1:{receiver.port}", headers_file=path)
        with pytest.raises(SinkFailed, match="headers:1: not understood") as failed:
            await webhook.take([BY_HAND])
        assert "hidden" not in str(failed.value)
        assert receiver.requests == []
        secret_in(path, "Authorization: Bearer hidden\n")
        await webhook.take([BY_HAND])
        await webhook.close()


async def test_a_name_and_password_in_the_url_allow_no_other_authorization(
    run: Run, tmp_path: Path
) -> None:
    path = secret_in(tmp_path / "headers", "authorization: Bearer x\n")
    webhook = Webhook("http://me:word@127.0.0.1:1", headers_file=path)
    with pytest.raises(SinkFailed, match="in the URL"):
        await webhook.take([BY_HAND])
    await webhook.close()


async def test_what_is_posted_is_signed_over_id_time_and_body(run: Run, tmp_path: Path) -> None:
    verdict = dataclasses.replace(BY_HAND, id="9f0c/eu.shop/1/violated")
    secret = base64.b64encode(SECRET).decode()
    path = secret_in(tmp_path / "secret", f"whsec_{secret}\n")
    async with receiving(OK) as receiver:
        webhook = Webhook(
            f"http://127.0.0.1:{receiver.port}", secret_file=path, wall=lambda: 1614265330.9
        )
        await webhook.take([verdict])
        await webhook.close()
        ((head, body),) = receiver.requests
    fields = fields_of(head)
    assert fields["webhook-id"] == fields["Idempotency-Key"] == "9f0c/eu%2Eshop/1/violated"
    assert fields["webhook-timestamp"] == "1614265330"
    signed = f"{fields['webhook-id']}.1614265330.".encode() + body
    wanted = base64.b64encode(hmac.digest(SECRET, signed, "sha256")).decode()
    assert fields["webhook-signature"] == f"v1,{wanted}"


async def test_without_a_secret_nothing_is_signed(run: Run) -> None:
    async with receiving(OK) as receiver:
        await Webhook(f"http://127.0.0.1:{receiver.port}").take([BY_HAND])
        assert not [name for name in fields_of(receiver.requests[0][0]) if "webhook" in name]


async def test_a_verdict_may_be_posted_as_a_cloud_event(run: Run) -> None:
    async with receiving(OK) as receiver:
        url = f"http://127.0.0.1:{receiver.port}"
        await Webhook(url, format="cloudevents").take([BY_HAND])
        ((head, body),) = receiver.requests
    fields = fields_of(head)
    assert fields["Content-Type"] == "application/cloudevents+json"
    assert fields["Idempotency-Key"] == BY_HAND.id
    event = json.loads(body)
    assert (event["specversion"], event["id"]) == ("1.0", BY_HAND.id)
    assert event["data"] == json.loads(LINE)


# --- bodies of answers --------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", b"abc"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
            b"abc",
        ),
        (b"HTTP/1.0 200 OK\r\n\r\nabc", b"abc"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
)
async def test_bodies_come_in_three_ways(run: Run, answer: bytes, body: bytes) -> None:
    async with receiving(answer) as receiver:
        response = await request(f"http://127.0.0.1:{receiver.port}/", timeout=60)
        assert response == Response(response.status, body)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nabcdefghijk", "at most 10 are accepted"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "at most 10"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "the connection ended"),
        (b"HTTP/1.1 200 OK\r\n\r\nabcdefghijk", "at most 10"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nabcdefghijk\r\n", "at most"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "does not speak"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc", "does not speak"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", "at most|speak"),
    ],
)
async def test_bodies_that_are_none_are_told(run: Run, answer: bytes, told: str) -> None:
    async with receiving(answer) as receiver:
        with pytest.raises(RequestFailed, match=told):
            await request(f"http://127.0.0.1:{receiver.port}/", timeout=60, most=10)


# --- functions ----------------------------------------------------------------------


async def test_functions_get_the_verdict(run: Run) -> None:
    seen: list[LiveVerdict] = []

    async def waits(verdict: LiveVerdict) -> None:
        await asyncio.sleep(0)
        seen.append(verdict)

    await Callback(seen.append).take([BY_HAND])
    await Callback(waits).take([BY_HAND])
    assert seen == [BY_HAND, BY_HAND]


async def test_a_function_that_raises_has_not_taken_it(run: Run) -> None:
    def sync(_: LiveVerdict) -> None:
        raise KeyError("x")

    async def later(_: LiveVerdict) -> None:
        await asyncio.sleep(0)
        raise ValueError("y")

    with pytest.raises(SinkFailed, match="KeyError: 'x'"):
        await Callback(sync).take([BY_HAND])
    with pytest.raises(SinkFailed, match="ValueError: y"):
        await Callback(later).take([BY_HAND])
