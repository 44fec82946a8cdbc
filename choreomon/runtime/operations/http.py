"""A small HTTP server for operators: GET and HEAD of a few pages, one request a connection.

Whoever connects can make it answer pages, and nothing else: a request has a bound and a time, there
is a bound on connections, and what is no request is answered with what is wrong with it. It
has no TLS and no passwords; who may reach the address is for the network to say.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Final, NamedTuple, TypeAlias

from choreomon.runtime.operations.connections import Connections

MAX_REQUEST: Final = 8192
"""Bytes of a request with its headers."""
TIMEOUT: Final = 5.0
"""Seconds until a request must be there, and again until its answer must be read."""
MAX_CONNECTIONS: Final = 64

MAX_READ_OUT: Final = 128
"""Pieces of at most `MAX_REQUEST` bytes that are read after a request and mean nothing."""

JSON_TYPE: Final = "application/json"
_TEXT_TYPE: Final = "text/plain; charset=utf-8"
_END: Final = b"\r\n\r\n"


class Answer(NamedTuple):
    """An answer. `status` is a code of HTTP."""

    status: int
    content_type: str
    body: bytes


Page: TypeAlias = Callable[[Mapping[str, str]], Answer]
"""Makes the answer for a path, given the headers of a request by their names in small letters."""


def operations_pages(
    *,
    metrics: Callable[[str], tuple[bytes, str]],
    not_ready: Callable[[], Sequence[str]],
    status: Callable[[], bytes],
) -> dict[str, Page]:
    """`/metrics`, `/healthz`, `/readyz` and `/status`.

    `metrics(accept)` gives a text and its type (`Exposition.text`). `not_ready()` says why the
    agent is not ready, in words, and nothing where it is. `status()` gives JSON.
    """

    def metrics_page(headers: Mapping[str, str]) -> Answer:
        body, content_type = metrics(headers.get("accept", ""))
        return Answer(200, content_type, body)

    def health_page(_: Mapping[str, str]) -> Answer:
        return Answer(200, JSON_TYPE, b'{"alive":true}\n')

    def ready_page(_: Mapping[str, str]) -> Answer:
        reasons = [*not_ready()]
        text = json.dumps({"ready": not reasons, "reasons": reasons}, separators=(",", ":"))
        return Answer(503 if reasons else 200, JSON_TYPE, f"{text}\n".encode())

    def status_page(_: Mapping[str, str]) -> Answer:
        return Answer(200, JSON_TYPE, status())

    return {
        "/metrics": metrics_page,
        "/healthz": health_page,
        "/readyz": ready_page,
        "/status": status_page,
    }


class HttpServer:
    """Serves `pages` by path. `failed(path, error)` is told of a page that raises, which is
    answered with 500. `timeout` is in seconds, `most` are connections at once."""

    def __init__(
        self,
        pages: Mapping[str, Page],
        *,
        failed: Callable[[str, Exception], None],
        timeout: float = TIMEOUT,
        most: int = MAX_CONNECTIONS,
    ) -> None:
        self._pages = pages
        self._failed = failed
        self._timeout = timeout
        self.connections = Connections(self._serve, most=most, limit=MAX_REQUEST)
        self.start, self.close = self.connections.start, self.connections.close

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self._timeout):
            answered = await self._answered(reader)
        if answered is not None and not writer.is_closing():
            async with asyncio.timeout(self._timeout):
                writer.write(answered)
                await writer.drain()
                writer.write_eof()
                await _read_out(reader)

    async def _answered(self, reader: asyncio.StreamReader) -> bytes | None:
        """The answer to what comes, in bytes; `None` where nothing came."""
        try:
            request = await reader.readuntil(_END)
        except asyncio.IncompleteReadError as error:
            if not error.partial:
                return None
            return _written(_wrong(HTTPStatus.BAD_REQUEST, "the request ends too early"))
        except asyncio.LimitOverrunError:
            wrong = f"at most {MAX_REQUEST} bytes are accepted"
            return _written(_wrong(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, wrong))
        method, target, headers = _parsed(request)
        answer = self._answer(method, target, headers)
        return _written(answer, head_only=method == "HEAD")

    def _answer(self, method: str, target: str, headers: Mapping[str, str]) -> Answer:
        if not method:
            return _wrong(HTTPStatus.BAD_REQUEST, "this is no request of HTTP/1")
        path = target.partition("?")[0]
        page = self._pages.get(path)
        if page is None:
            return _wrong(HTTPStatus.NOT_FOUND, f"there are {', '.join(self._pages)}")
        if method not in ("GET", "HEAD"):
            return _wrong(HTTPStatus.METHOD_NOT_ALLOWED, "pages can be got, and nothing else")
        try:
            return page(headers)
        except Exception as error:
            self._failed(path, error)
            return _wrong(HTTPStatus.INTERNAL_SERVER_ERROR, "see the log of the agent")


async def _read_out(reader: asyncio.StreamReader) -> None:
    """Read until the other end closes: if something that it sent is unread, closing may take the
    answer back (RFC 9112, section 9.6)."""
    for _ in range(MAX_READ_OUT):
        if not await reader.read(MAX_REQUEST):
            return


def _parsed(request: bytes) -> tuple[str, str, dict[str, str]]:
    """Method, target and headers; the method is empty where it is no request."""
    first, *lines = request[: -len(_END)].decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1.") or not words[0].isalpha():
        return "", "", {}
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            return "", "", {}
        headers[name.strip().lower()] = value.strip()
    return words[0], words[1], headers


def _wrong(status: HTTPStatus, what: str) -> Answer:
    return Answer(status, _TEXT_TYPE, f"{status.phrase}: {what}\n".encode())


def _written(answer: Answer, *, head_only: bool = False) -> bytes:
    status = HTTPStatus(answer.status)
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {answer.content_type}",
        f"Content-Length: {len(answer.body)}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    ]
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        lines.append("Allow: GET, HEAD")
    head = "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1")
    return head if head_only else head + answer.body
