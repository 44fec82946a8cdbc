"""The server that proxies ask, on both event loops: many questions on a connection, and nothing
that comes breaks it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choreomon.agent_files.addresses import Address
from choreomon.core.errors import DocumentError
from choreomon.proxies.server import MAX_BODY, MAX_HEAD, Answer, QuestionServer, parsed
from tests.runtime.conftest import Run

LOOPBACK = Address("127.0.0.1", 0)


class Asked:
    """A running server, what it was asked, and what it was told of failures."""

    def __init__(self) -> None:
        self.questions: list[tuple[str, str, Mapping[str, str]]] = []
        self.failures: list[Exception] = []
        self.address = LOOPBACK

    async def answer(self, method: str, target: str, headers: Mapping[str, str]) -> Answer:
        self.questions.append((method, target, headers))
        if target == "/bad":
            raise ValueError("planted")
        return Answer(200, {"choreomon": "1/a/b/"} if target == "/sending" else {})

    async def raw(self, data: bytes) -> bytes:
        """What is answered until the connection is closed, which ends what is sent."""
        reader, writer = await asyncio.open_connection(self.address.host, self.address.port)
        writer.write(data)
        writer.write_eof()
        try:
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.transport.abort()

    async def status(self, data: bytes) -> int:
        answered = await self.raw(data)
        return int(answered.split(b" ", 2)[1]) if answered else 0


@asynccontextmanager
async def asked(**options: Any) -> AsyncIterator[Asked]:
    asked = Asked()
    server = QuestionServer(asked.answer, failed=asked.failures.append, **options)
    asked.address = await server.start(LOOPBACK)
    try:
        yield asked
    finally:
        await server.close()


async def test_many_questions_come_along_one_connection(run: Run) -> None:
    async with asked() as server:
        one = b"POST /sending HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
        other = b"GET /handling HTTP/1.1\r\nHost: x\r\n\r\n"
        answered = await server.raw(one + other + one)
        assert answered.count(b"HTTP/1.1 200 OK\r\n") == 3
        assert answered.count(b"choreomon: 1/a/b/\r\n") == 2
        assert b"Connection: close" not in answered
        assert [each[1] for each in server.questions] == ["/sending", "/handling", "/sending"]


@pytest.mark.parametrize(
    "data",
    [b"GET /sending HTTP/1.0\r\n\r\n", b"GET /sending HTTP/1.1\r\nConnection: Close\r\n\r\n"],
)
async def test_the_older_kind_of_question_ends_its_connection(run: Run, data: bytes) -> None:
    async with asked() as server:
        answered = await server.raw(data + data)
        assert answered.count(b"HTTP/1.1 200 OK") == 1
        assert b"Connection: close\r\n" in answered


async def test_headers_of_one_name_are_joined(run: Run) -> None:
    async with asked() as server:
        await server.raw(b"GET /x HTTP/1.1\r\nChoreomon: a\r\nchoreomon:b\r\n\r\n")
        assert server.questions == [("GET", "/x", {"choreomon": "a, b"})]


BAD = {
    b"\x00\x16rubbish\r\n\r\n": 400,
    b"GET /x HTTP/2.0\r\n\r\n": 400,
    b"GET /x\r\n\r\n": 400,
    b"GET /x HTTP/1.1\r\nno colon\r\n\r\n": 400,
    b"GET /x HTTP/1.1\r\nbad : 1\r\n\r\n": 400,
    b"GET /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n": 400,
    b"GET /x HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1): 413,
    b"GET /x HTTP/1.1\r\nContent-Length: %s\r\n\r\n" % (b"9" * 5000): 413,
    b"POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": 411,
    b"GET /x HTTP/1.1\r\nhalf": 400,
    b"GET /x HTTP/1.1\r\nX: " + b"a" * (2 * MAX_HEAD): 431,
    b"GET /bad HTTP/1.1\r\n\r\n": 500,
}


@pytest.mark.parametrize(("data", "status"), BAD.items(), ids=map(str, range(len(BAD))))
async def test_what_is_wrong_is_told_and_others_are_answered_on(
    run: Run,
    data: bytes,
    status: int,
) -> None:
    async with asked() as server:
        assert await server.status(data) in (status, 0 if len(data) > MAX_HEAD else status)
        assert await server.status(b"GET /sending HTTP/1.1\r\n\r\n") == 200
        assert len(server.failures) == (status == 500)


async def test_a_question_that_does_not_end_is_given_up(run: Run) -> None:
    async with asked(timeout=0.01) as server:
        reader, writer = await asyncio.open_connection(server.address.host, server.address.port)
        writer.write(b"GET /sending")
        assert await reader.read() == b""
        writer.close()


async def test_of_too_many_connections_the_first_one_is_closed(run: Run) -> None:
    async with asked(most=2) as server:
        opened = []
        for _ in range(3):
            opened.append(await asyncio.open_connection(server.address.host, server.address.port))
            opened[-1][1].write(b"GET /sending HTTP/1.1\r\n\r\n")
            assert await opened[-1][0].readuntil(b"\r\n\r\n")
        assert await opened[0][0].read() == b""
        opened[2][1].write(b"GET /sending HTTP/1.1\r\n\r\n")
        assert await opened[2][0].readuntil(b"\r\n\r\n")
        for _, writer in opened:
            writer.close()


async def test_where_it_cannot_listen_it_says_why(run: Run) -> None:
    async with asked() as server:
        other = QuestionServer(server.answer, failed=server.failures.append)
        with pytest.raises(DocumentError, match=r"cannot be listened at: .* in use: name an addr"):
            await other.start(server.address)
        await other.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_whatever_comes_is_a_request_or_none(data: bytes) -> None:
    method, *_ = parsed(data + b"\r\n\r\n")
    assert method.isascii()
