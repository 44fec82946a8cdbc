"""The server of an agent's pages, on both event loops: it answers what there is, says what is wrong
with the rest, and nothing that comes breaks it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choreomon.agent_files.addresses import Address
from choreomon.core.errors import DocumentError
from choreomon.runtime.delivery.http_client import request
from choreomon.runtime.operations.http import (
    MAX_REQUEST,
    Answer,
    HttpServer,
    Page,
    operations_pages,
)
from tests.runtime.conftest import Run
from tests.runtime.peer_network import turns

LOOPBACK = Address("127.0.0.1", 0)


class Served:
    """A running server, and what it was told of pages that raise."""

    def __init__(self, server: HttpServer, address: Address, failed: list[Any]) -> None:
        self.server = server
        self.address = address
        self.failed = failed

    async def raw(self, data: bytes, *, end: bool = False) -> bytes:
        """What is answered until the connection is closed."""
        reader, writer = await asyncio.open_connection(self.address.host, self.address.port)
        writer.write(data)
        if end:
            writer.write_eof()
        try:
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.transport.abort()

    async def status(self, data: bytes, *, end: bool = False) -> int:
        answered = await self.raw(data, end=end)
        return int(answered.split(b" ", 2)[1]) if answered else 0


@asynccontextmanager
async def serving(pages: Mapping[str, Page], **options: Any) -> AsyncIterator[Served]:
    failed: list[Any] = []
    server = HttpServer(pages, failed=lambda path, error: failed.append((path, error)), **options)
    address = await server.start(LOOPBACK)
    try:
        yield Served(server, address, failed)
    finally:
        await server.close()


def pages(reasons: tuple[str, ...] = ()) -> dict[str, Page]:
    return operations_pages(
        metrics=lambda accept: (f"accepts {accept}".encode(), "text/x"),
        not_ready=lambda: reasons,
        status=lambda: b'{"process":"P"}\n',
    )


def got(path: str, *lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in (f"GET {path} HTTP/1.1", *lines, "")).encode()


async def test_the_pages_of_an_agent(run: Run) -> None:
    async with serving(pages()) as served:
        base = f"http://{served.address}"
        metrics = await request(f"{base}/metrics", timeout=60, headers={"Accept": "a/b"})
        assert metrics == (200, b"accepts a/b")
        assert await request(f"{base}/healthz", timeout=60) == (200, b'{"alive":true}\n')
        ready = await request(f"{base}/readyz?now=1", timeout=60)
        assert (ready.status, json.loads(ready.body)) == (200, {"ready": True, "reasons": []})
        assert await request(f"{base}/status", timeout=60) == (200, b'{"process":"P"}\n')
        assert served.failed == []


async def test_an_agent_that_is_not_ready_says_why(run: Run) -> None:
    async with serving(pages(("the disk takes nothing",))) as served:
        ready = await request(f"http://{served.address}/readyz", timeout=60)
        assert ready.status == 503
        assert json.loads(ready.body) == {
            "ready": False,
            "reasons": ["the disk takes nothing"],
        }
        assert (await request(f"http://{served.address}/healthz", timeout=60)).status == 200


async def test_head_is_answered_without_the_body(run: Run) -> None:
    async with serving(pages()) as served:
        answered = await served.raw(b"HEAD /status HTTP/1.1\r\n\r\n")
        head, _, body = answered.partition(b"\r\n\r\n")
        assert b"Content-Length: 16" in head
        assert body == b""
        assert (await served.raw(got("/status"))).endswith(b'\r\n\r\n{"process":"P"}\n')


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (got("/"), 404),
        (got("/metrics/"), 404),
        (b"POST /status HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 405),
        (b"GET /status HTTP/2.0\r\n\r\n", 400),
        (b"GET /status\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"GET  /status HTTP/1.1\r\n\r\n", 400),
        (got("/status", "no colon"), 400),
        (b"\xff\xfe\x00 /status HTTP/1.1\r\n\r\n", 400),
        (b"GET /st", 400),
        (b"x" * (2 * MAX_REQUEST), 431),
        (got("/status", "Cookie: " + "x" * MAX_REQUEST), 431),
        (b"", 0),
    ],
)
async def test_what_is_wrong_is_answered_with_what(run: Run, data: bytes, status: int) -> None:
    async with serving(pages()) as served:
        assert await served.status(data, end=True) == status
        assert await served.status(got("/status")) == 200
        assert served.failed == []


async def test_an_answer_arrives_though_more_comes_than_is_read(run: Run) -> None:
    async with serving(pages()) as served:
        head = b"POST /status HTTP/1.1\r\n\r\n"
        for _ in range(20):
            assert await served.status(head + bytes(1 << 19), end=True) == 405


async def test_a_page_that_raises_is_told_of_and_answered(run: Run) -> None:
    def broken(_: Mapping[str, str]) -> Answer:
        raise ZeroDivisionError("secret")

    async with serving({"/broken": broken, **pages()}) as served:
        answered = await served.raw(got("/broken"))
        assert answered.startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
        assert b"secret" not in answered
        ((path, error),) = served.failed
        assert path == "/broken"
        assert isinstance(error, ZeroDivisionError)
        assert await served.status(got("/status")) == 200


async def test_who_says_nothing_is_left_after_a_time(run: Run) -> None:
    async with serving(pages(), timeout=0.01) as served:
        assert await served.raw(b"GET /status HTTP/1.1\r\n") == b""


async def test_who_reads_nothing_is_left_after_a_time(run: Run) -> None:
    large = {"/large": lambda _: Answer(200, "text/plain", bytes(64 << 20))}
    async with serving(large, timeout=0.05) as served:
        _, writer = await asyncio.open_connection(served.address.host, served.address.port)
        writer.write(got("/large"))
        while not served.server.connections:
            await asyncio.sleep(0)
        while served.server.connections:  # ends, which is the point
            await asyncio.sleep(0.001)
        writer.transport.abort()
        # Others are answered: at once, or the next time where they were slow themselves.
        while (code := await served.status(got("/nothing"))) == 0:
            pass
        assert code == 404


async def test_there_is_a_bound_on_connections(run: Run) -> None:
    async with serving(pages(), most=2) as served:
        idle = [
            await asyncio.open_connection(served.address.host, served.address.port)
            for _ in range(2)
        ]
        while len(served.server.connections) < 2:
            await asyncio.sleep(0)
        for _ in range(3):  # the oldest one has to go
            assert await served.status(got("/status")) == 200
        assert len(served.server.connections) <= 2
        for reader, writer in idle:
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.transport.abort()


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HTTP/1.1\r\nAcc", got("/healthz")[:-2]])
async def test_closing_ends_what_is_under_way(run: Run, begun: bytes) -> None:
    async with serving(pages()) as served:
        reader, writer = await asyncio.open_connection(served.address.host, served.address.port)
        writer.write(begun)
        while not served.server.connections:
            await asyncio.sleep(0)
        await turns()
        await served.server.close()
        with suppress(ConnectionError):
            assert await reader.read() == b""
        writer.transport.abort()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(served.address.host, served.address.port)


async def test_an_address_that_is_taken_is_named(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = Address("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(DocumentError, match=f"^{address}: cannot be listened at: .*: name"):
            await HttpServer({}, failed=lambda *_: None).start(address)


@pytest.mark.parametrize("pieces", [st.binary(max_size=60), st.sampled_from([b"\r\n", b"GET "])])
def test_rubbish_breaks_nothing(run: Run, pieces: st.SearchStrategy[bytes]) -> None:
    """Whatever comes is answered with what is wrong, or not at all; pages are served after it."""

    async def tried(given_data: list[bytes]) -> None:
        async with serving(pages()) as served:
            for data in given_data:
                assert await served.status(data, end=True) in (0, 200, 400, 404, 405, 431)
            assert await served.status(got("/status")) == 200
            assert served.failed == []

    @settings(
        max_examples=25, suppress_health_check=[HealthCheck.nested_given, HealthCheck.too_slow]
    )
    @given(st.lists(st.lists(pieces, max_size=5).map(b"".join), max_size=5))
    def course(data: list[bytes]) -> None:
        run(lambda: tried(data))

    course()
