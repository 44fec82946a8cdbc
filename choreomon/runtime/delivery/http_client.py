"""HTTP client: one request on an event loop, all of it within one timeout.

HTTP/1.1 over TCP, with TLS for `https`, one connection a request. Redirections are not followed
and proxies not asked: an answer speaks of the URL that was named, or of nothing.
"""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import ssl
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

MAX_HEAD: Final = 65_536
MAX_BODY: Final = 16 * 1024 * 1024


class RequestFailed(Exception):
    """The request had no answer, or none that can be understood. The message says why."""


class Response(NamedTuple):
    """The final answer to a request."""

    status: int
    body: bytes


async def request(
    url: str,
    *,
    timeout: float,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    tls: ssl.SSLContext | None = None,
    most: int = MAX_BODY,
    whole: bool = True,
) -> Response:
    """Send a request, and get the answer within this many seconds, the look-up of the name and the
    handshake included.

    `url` is `http` or `https`, of printable ASCII; a name and password in it are sent as basic
    authentication. `tls`: by default, certificates are checked by what the machine trusts. At most
    `most` bytes of a body are accepted. `whole`: false leaves the body unread. Raises
    `RequestFailed`.
    """
    parts = urlsplit(url)
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(timeout):
            secure = parts.scheme == "https"
            reader, writer = await asyncio.open_connection(
                parts.hostname,
                parts.port or (443 if secure else 80),
                ssl=(tls or ssl.create_default_context()) if secure else None,
                limit=MAX_HEAD,
            )
            writer.write(_head(parts, method, headers or {}, len(body)) + body)
            await writer.drain()
            return await _response(reader, method, most, whole)
    except TimeoutError:
        raise RequestFailed(f"no answer within {timeout:g} s") from None
    except ssl.SSLCertVerificationError as error:
        raise RequestFailed(f"its certificate is not trusted: {error.verify_message}") from None
    except ssl.SSLError as error:
        raise RequestFailed(f"TLS: {error.reason or error}") from None
    except OSError as error:
        raise RequestFailed(_in_words(error)) from None
    except asyncio.IncompleteReadError:
        raise RequestFailed("the connection ended before the answer did") from None
    except (asyncio.LimitOverrunError, ValueError):
        raise RequestFailed("what answers does not speak HTTP") from None
    finally:
        if writer is not None:
            writer.transport.abort()  # all was said; an orderly end of TLS might last


def _in_words(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return f"the name is not known: {error.strerror}"
    if error.errno:
        return os.strerror(error.errno)  # the event loops put addresses into theirs
    return str(error) or type(error).__name__


def _head(parts: SplitResult, method: str, headers: Mapping[str, str], length: int) -> bytes:
    target = parts.path or "/"
    if parts.query:
        target += f"?{parts.query}"
    lines = [
        f"{method} {target} HTTP/1.1",
        f"Host: {parts.netloc.rpartition('@')[2]}",
        "User-Agent: choreomon",
        "Connection: close",
    ]
    if parts.username is not None:
        credentials = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        lines.append(f"Authorization: Basic {base64.b64encode(credentials).decode()}")
    if length or method == "POST":
        lines.append(f"Content-Length: {length}")
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("ascii")


async def _response(reader: asyncio.StreamReader, method: str, most: int, whole: bool) -> Response:
    """Raises `ValueError` and asyncio's errors of reading for what is none."""
    status = 100
    while 100 <= status < 200:  # what is said before the answer
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        protocol, code, *_ = head[0].split(" ")
        if not protocol.startswith("HTTP/1.") or len(code) != 3:
            raise ValueError(head[0])
        status = int(code)
    if not whole or method == "HEAD" or status in (204, 304):
        return Response(status, b"")
    fields = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in head[1:])
    }
    if fields.get("transfer-encoding", "").lower() == "chunked":
        return Response(status, await _chunks(reader, most))
    if "content-length" in fields:
        length = int(fields["content-length"])
        _check_size(length, most)
        return Response(status, await reader.readexactly(length))
    body = bytearray()
    while data := await reader.read(MAX_HEAD):
        body += data
        _check_size(len(body), most)
    return Response(status, bytes(body))


async def _chunks(reader: asyncio.StreamReader, most: int) -> bytes:
    body = bytearray()
    while length := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
        _check_size(len(body) + length, most)
        body += await reader.readexactly(length)
        if await reader.readexactly(2) != b"\r\n":
            raise ValueError("a chunk does not end where it says")
    return bytes(body)


def _check_size(length: int, most: int) -> None:
    if not 0 <= length <= most:
        raise RequestFailed(f"an answer of {length} bytes; at most {most} are accepted")
