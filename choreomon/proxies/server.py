"""A small HTTP server for proxies: questions without a body, any number on a connection.

Connections stay open as long as the proxy wants, so that none is closed just when it is used again;
of more than `MAX_CONNECTIONS` the one that was made first is closed. A request that has begun has a
time to end. What is no request is answered with what is wrong with it, and ends the connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Final, NamedTuple, TypeAlias

from choreomon.runtime.operations.connections import Connections

MAX_HEAD: Final = 65_536
"""Bytes of a request: proxies pass on what clients send, cookies among it."""
MAX_BODY: Final = 65_536
"""Bytes of a body, which is read and means nothing."""
TIMEOUT: Final = 5.0
"""Seconds in which a request has to end that has begun."""
MAX_CONNECTIONS: Final = 1024
_END: Final = b"\r\n\r\n"


class Answer(NamedTuple):
    """Answer to a request: a code of HTTP, headers that are right as they are, and text."""

    status: int
    headers: Mapping[str, str] = {}
    text: str = ""


Answering: TypeAlias = Callable[[str, str, Mapping[str, str]], Awaitable[Answer]]
"""Answers a request, given its method, its target, and its headers by their names in small letters;
those that came several times are joined by commas."""


class QuestionServer:
    """Answers what proxies ask. `failed` is told of what an `Answering` raises, which is answered
    with 500."""

    def __init__(
        self,
        answering: Answering,
        *,
        failed: Callable[[Exception], None],
        timeout: float = TIMEOUT,
        most: int = MAX_CONNECTIONS,
    ) -> None:
        self._answering = answering
        self._failed = failed
        self._timeout = timeout
        connections = Connections(self._serve, most=most, limit=MAX_HEAD)
        self.start, self.close = connections.start, connections.close

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await self._one(reader, writer):
            pass
        writer.close()
        await writer.wait_closed()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request, and return whether there may be another one."""
        head = await reader.read(1)  # for as long as the proxy keeps the connection
        if not head:
            return False
        stays, answer = False, Answer(400, text="this is no request of HTTP/1")
        try:
            async with asyncio.timeout(self._timeout):
                head += await reader.readuntil(_END)
                method, target, version, headers = parsed(head)
                if method:
                    answer = await _read_body(reader, headers) or Answer(0)
        except asyncio.IncompleteReadError:
            answer = Answer(400, text="the request ends too early")
        except asyncio.LimitOverrunError:
            answer = Answer(431, text=f"at most {MAX_HEAD} bytes are accepted")
        if not answer.status:
            answer = await self._answered(method, target, headers)
            stays = version != "HTTP/1.0" and headers.get("connection", "").lower() != "close"
        writer.write(_written(answer, stays))
        await writer.drain()
        return stays

    async def _answered(self, method: str, target: str, headers: Mapping[str, str]) -> Answer:
        try:
            return await self._answering(method, target, headers)
        except Exception as error:
            self._failed(error)
            return Answer(500, text="see the log of the agent")


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> Answer | None:
    """Read what follows the head, so that the next request is found; what is wrong with it."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers:
        return Answer(411, text="ask without a body")
    if not (length.isascii() and length.isdigit()):
        return Answer(400, text="its length is no number")
    if len(length) > len(str(MAX_BODY)) or int(length) > MAX_BODY:
        return Answer(413, text="ask without a body")
    with suppress(asyncio.IncompleteReadError):
        await reader.readexactly(int(length))
    return None


def parsed(head: bytes) -> tuple[str, str, str, dict[str, str]]:
    """Method, target, version and headers; the method is empty where it is no request."""
    first, *lines = head[: -len(_END)].decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.0", "HTTP/1.1") or not words[0].isascii():
        return "", "", "", {}
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            return "", "", "", {}
        name, value = name.lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return words[0], words[1], words[2], headers


def _written(answer: Answer, stays: bool) -> bytes:
    body = f"{answer.text}\n".encode() if answer.text else b""
    lines = [
        f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}",
        *(f"{name}: {value}" for name, value in answer.headers.items()),
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        *(("Content-Type: text/plain; charset=utf-8",) if body else ()),
        *(() if stays else ("Connection: close",)),
    ]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1") + body
