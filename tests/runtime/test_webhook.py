"""Words that are posted: until the answer is 2xx, also over TLS, whatever answers; and functions
that are called with them.

The certificate in tests/data/tls is for localhost and for tests alone; its key is no secret.
"""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from choreomon.core.live import LiveVerdict
from choreomon.formats.verdict_json import verdict_line
from choreomon.runtime.http_client import RequestFailed, Response, request
from choreomon.runtime.sinks import SinkFailed
from choreomon.runtime.webhook import Callback, Webhook
from tests.formats.live_verdicts import BY_HAND
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


def test_a_word_is_posted_with_its_id(run: Run) -> None:
    async def main() -> None:
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

    run(main)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_takes_it(run: Run, status: int) -> None:
    async def main() -> None:
        async with receiving(f"HTTP/1.1 {status} x\r\n\r\n".encode()) as receiver:
            await Webhook(f"http://127.0.0.1:{receiver.port}").take([BY_HAND])

    run(main)


@pytest.mark.parametrize("status", [301, 302, 304, 400, 401, 404, 429, 500, 503])
def test_any_other_answer_does_not(run: Run, status: int) -> None:
    async def main() -> None:
        moved = f"HTTP/1.1 {status} x\r\nLocation: /\r\nContent-Length: 0\r\n\r\n".encode()
        async with receiving(moved, OK) as receiver:
            with pytest.raises(SinkFailed, match=f"it answers {status}"):
                await Webhook(f"http://127.0.0.1:{receiver.port}").take([BY_HAND])
            assert len(receiver.requests) == 1  # no redirection is followed

    run(main)


def test_what_is_said_before_the_answer_is_none(run: Run) -> None:
    async def main() -> None:
        early = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        async with receiving(early + OK, early + b"HTTP/1.1 500 x\r\n\r\n") as receiver:
            webhook = Webhook(f"http://127.0.0.1:{receiver.port}")
            await webhook.take([BY_HAND])
            with pytest.raises(SinkFailed, match="500"):
                await webhook.take([BY_HAND])

    run(main)


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
def test_what_is_no_answer_does_not_take_it(run: Run, answer: bytes | None, told: str) -> None:
    async def main() -> None:
        async with receiving(answer) as receiver:
            timeout = 0.05 if answer is None else 5.0
            with pytest.raises(SinkFailed, match=told):
                await Webhook(f"http://127.0.0.1:{receiver.port}", timeout).take([BY_HAND])

    run(main)


def test_where_nobody_listens_it_is_not_taken(run: Run) -> None:
    async def main() -> None:
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            port = bound.getsockname()[1]
            with pytest.raises(SinkFailed, match="Connection refused"):
                await Webhook(f"http://127.0.0.1:{port}").take([BY_HAND])

    run(main)


def test_over_tls_only_who_has_a_trusted_certificate_takes_it(run: Run) -> None:
    async def main() -> None:
        async with receiving(OK, OK, tls=True) as receiver:
            url = f"https://localhost:{receiver.port}/hook"
            with pytest.raises(SinkFailed, match="its certificate is not trusted"):
                await Webhook(url, 5.0).take([BY_HAND])
            assert receiver.requests == []
            trusted = ssl.create_default_context(cafile=TLS / "localhost.pem")
            await Webhook(url, 5.0, tls=trusted).take([BY_HAND])
            assert len(receiver.requests) == 1

    run(main)


def test_tls_to_what_has_none_is_told(run: Run) -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(plain, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(SinkFailed, match="TLS: "):
            await Webhook(f"https://localhost:{port}/hook", 5.0).take([BY_HAND])
        server.close()
        await server.wait_closed()

    run(main)


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
def test_bodies_come_in_three_ways(run: Run, answer: bytes, body: bytes) -> None:
    async def main() -> None:
        async with receiving(answer) as receiver:
            response = await request(f"http://127.0.0.1:{receiver.port}/", timeout=5)
            assert response == Response(response.status, body)

    run(main)


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
def test_bodies_that_are_none_are_told(run: Run, answer: bytes, told: str) -> None:
    async def main() -> None:
        async with receiving(answer) as receiver:
            with pytest.raises(RequestFailed, match=told):
                await request(f"http://127.0.0.1:{receiver.port}/", timeout=5, most=10)

    run(main)


# --- functions ----------------------------------------------------------------------


def test_functions_get_the_verdict(run: Run) -> None:
    seen: list[LiveVerdict] = []

    async def waits(verdict: LiveVerdict) -> None:
        await asyncio.sleep(0)
        seen.append(verdict)

    async def main() -> None:
        await Callback(seen.append).take([BY_HAND])
        await Callback(waits).take([BY_HAND])
        assert seen == [BY_HAND, BY_HAND]

    run(main)


def test_a_function_that_raises_has_not_taken_it(run: Run) -> None:
    def sync(_: LiveVerdict) -> None:
        raise KeyError("x")

    async def later(_: LiveVerdict) -> None:
        await asyncio.sleep(0)
        raise ValueError("y")

    async def main() -> None:
        with pytest.raises(SinkFailed, match="KeyError: 'x'"):
            await Callback(sync).take([BY_HAND])
        with pytest.raises(SinkFailed, match="ValueError: y"):
            await Callback(later).take([BY_HAND])

    run(main)
