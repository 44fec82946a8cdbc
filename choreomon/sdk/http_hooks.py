"""HTTP clients: event hooks for httpx.

    client = httpx.AsyncClient(event_hooks=hooks(process, {"warehouse:8000": "warehouse"}))
    client = httpx.Client(event_hooks=blocking_hooks(process, {"warehouse:8000": "warehouse"}))

A request is a message from this process to the one that its host stands for; the clock travels
in the header `choreomon`. A response that carries a clock is a message back, handled when its
headers are there. Requests to other hosts are left alone.

Where a property is for each instance, `values_of` and `answer_values_of` say which values a request
and a response carry: `values_of=lambda request: {"order": request.headers["x-order"]}`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Protocol, TypeAlias

from choreomon.agent_files.values import NO_VALUES, Given
from choreomon.sdk.http_names import request_name
from choreomon.sdk.process import BlockingProcess, Process


class Request(Protocol):
    """The part of `httpx.Request` that is used; of its URL `netloc` (bytes), `host`, `path`."""

    @property
    def method(self) -> str: ...

    @property
    def url(self) -> Any: ...

    @property
    def headers(self) -> MutableMapping[str, str]: ...


class Response(Protocol):
    """The part of `httpx.Response` that is used."""

    @property
    def headers(self) -> MutableMapping[str, str]: ...


Peers: TypeAlias = Mapping[str, str] | Callable[[Any], str | None]
"""The process behind a request: by `host` or `host:port`, or a function of the request."""

Names: TypeAlias = Callable[[Any], str | None]
"""The name of a request's message; `None`: it is none."""

ValuesOf: TypeAlias = Callable[[Any], Given]
"""The values that the message of a request, or of a response, carries."""


def _none(_: Any) -> Given:
    return NO_VALUES


def hooks(
    process: Process,
    peers: Peers,
    name_of: Names | None = None,
    *,
    values_of: ValuesOf = _none,
    answer_values_of: ValuesOf = _none,
) -> dict[str, list[Callable[[Any], Awaitable[None]]]]:
    """The event hooks of an `httpx.AsyncClient`. Without `name_of` a request is called
    `METHOD.path.with.dots`. `AgentUnavailable`, and `ValueError` for values that are none, leave
    the client's call, and nothing is sent."""

    async def request(request: Request) -> None:
        if not process.on:
            return
        message = _message(request, peers, name_of)
        if message is not None:
            carried = await process.sending(*message, **values_of(request))
            process.inject(request.headers, carried)

    async def response(response: Response) -> None:
        if not process.on:
            return
        carried = process.extract(response.headers)
        if carried is not None:
            await process.handling(carried, **answer_values_of(response))

    return {"request": [request], "response": [response]}


def blocking_hooks(
    process: BlockingProcess,
    peers: Peers,
    name_of: Names | None = None,
    *,
    values_of: ValuesOf = _none,
    answer_values_of: ValuesOf = _none,
) -> dict[str, list[Callable[[Any], None]]]:
    """The `hooks` for an `httpx.Client`."""

    def request(request: Request) -> None:
        if not process.on:
            return
        message = _message(request, peers, name_of)
        if message is not None:
            carried = process.sending(*message, **values_of(request))
            process.inject(request.headers, carried)

    def response(response: Response) -> None:
        if not process.on:
            return
        carried = process.extract(response.headers)
        if carried is not None:
            process.handling(carried, **answer_values_of(response))

    return {"request": [request], "response": [response]}


def _message(request: Request, peers: Peers, name_of: Names | None) -> tuple[str, str] | None:
    """Receiver and name."""
    url = request.url
    if callable(peers):
        to = peers(request)
    else:
        to = peers.get(url.netloc.decode("ascii", "replace")) or peers.get(url.host)
    name = request_name(request.method, url.path) if name_of is None else name_of(request)
    return None if to is None or name is None else (to, name)
