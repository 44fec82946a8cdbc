"""Redirects and retries that clients make by themselves, within the span of one request: each is a
message of its own, and would else leave with the header of the first.

urllib3, and requests upon it, send each attempt by `HTTPConnectionPool.urlopen`, aiohttp by
`ClientRequest.send`; these are wrapped. httpx has a span for each, and needs nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

from opentelemetry import trace
from opentelemetry.propagators.textmap import default_setter
from wrapt import register_post_import_hook, wrap_function_wrapper

from choreomon.opentelemetry.headers import headers_to, write
from choreomon.opentelemetry.installed import installed
from choreomon.opentelemetry.records import record_of

_HTTP: Final = ("http.", "url.", "server.", "net.", "network.")
"""Beginnings of attributes that are about the first attempt."""

_FIRST: Final = ("method", "url", "body", "headers")
"""The first parameters of urllib3's `urlopen`."""

_LEFT: Final[WeakKeyDictionary[Any, bool]] = WeakKeyDictionary()
"""Spans whose message was told: whether it has left since."""


def told(span: Any) -> None:
    """The message of a span was told, and will leave."""
    _LEFT[span] = False


def wrap_clients() -> None:
    """Watch the clients, those that are imported later, too."""
    register_post_import_hook(_wrap_urllib3, "urllib3.connectionpool")
    register_post_import_hook(_wrap_aiohttp, "aiohttp.client_reqrep")


def _has_left() -> bool:
    """Tell whether the message of the current span has left before; it leaves now."""
    span = trace.get_current_span()
    if installed() is None or span not in _LEFT:
        return False
    before = _LEFT[span]
    _LEFT[span] = True
    return before


def _leaves_again(method: str, url: str, headers: Any) -> None:
    """Another attempt leaves, with these headers. Raises `AgentUnavailable`; then it must not."""
    telling, span = installed(), trace.get_current_span()
    if telling is None:
        return
    record = record_of(span)
    others = record["attributes"].items()
    record["attributes"] = {
        **{key: value for key, value in others if not key.startswith(_HTTP)},
        "http.request.method": method,
        "url.full": url,
    }
    if telling.headers:
        record["headers"] = headers_to(headers, telling.headers)
    write(headers, telling.sending(record), default_setter)


def _wrap_urllib3(module: Any) -> None:
    def urlopen(wrapped: Callable[..., Any], pool: Any, given: Any, named: Any) -> Any:
        first = [*given[:4], *(named.pop(name, None) for name in _FIRST[len(given) :])]
        method, url, body, headers = first
        if _has_left():
            headers = (pool.headers if headers is None else headers).copy()
            at = "" if "://" in url else f"{pool.scheme}://{pool.host}:{pool.port}"
            _leaves_again(method, f"{at}{url}", headers)
        return wrapped(method, url, body, headers, *given[4:], **named)

    wrap_function_wrapper(module, "HTTPConnectionPool.urlopen", urlopen)


def _wrap_aiohttp(module: Any) -> None:
    def send(
        wrapped: Callable[..., Awaitable[Any]], request: Any, given: Any, named: Any
    ) -> Awaitable[Any]:
        if _has_left():
            _leaves_again(request.method, str(request.url), request.headers)
        return wrapped(*given, **named)

    wrap_function_wrapper(module, "ClientRequest.send", send)
