"""Web applications: a middleware for anything that speaks ASGI.

    app = MonitoringMiddleware(app, connect)          # the agent of the environment variable
    app = MonitoringMiddleware(app, lambda: connect("/run/choreomon/shop.sock"))

A request is a message from its client to this process, and is handled before the application
sees it. The clock and the sender come with it in the header `choreomon`; where there is none,
the request came from outside (`env`). Responses are messages back to the client if `answer_of`
names them. The application finds its process in `scope["choreomon"]`, for messages of its own.

Whoever can write the header is believed. Where requests come from outside, let the first proxy
of the system remove it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, TypeAlias

from choreomon.agent_files.values import NO_VALUES, Given
from choreomon.core.errors import AgentUnavailable
from choreomon.sdk.http_names import request_name
from choreomon.sdk.process import Process

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

KEY: Final = "choreomon"
"""The key of the process in the scope."""


def _none_of_request(scope: Scope) -> Given:
    return NO_VALUES


def _none_of_answer(scope: Scope, status: int) -> Given:
    return NO_VALUES


class MonitoringMiddleware:
    """An application whose requests are events.

    Args:
        app: the application.
        process: a process, or a function that connects one. It is called once, when the server
            starts (lifespan) or else with the first request, and its process is closed when
            the server stops.
        name_of: the name of a request's message, by its scope; `None` leaves the name to the
            client, which sent it along, or, from outside, makes it `METHOD.path.with.dots`.
        answer_of: the name of a response's message, by the scope of its request and its status;
            `None` for responses that no property speaks of. Responses to outside have none.
        values_of: the values that a request's message carries, by its scope, where a property is
            for each instance.
        answer_values_of: the same of a response's message, by the scope of its request and its
            status.

    Where the agent does not answer within the deadline (policy `block`), the response is 503.
    """

    def __init__(
        self,
        app: Application,
        process: Process | Callable[[], Awaitable[Process]],
        *,
        name_of: Callable[[Scope], str | None] | None = None,
        answer_of: Callable[[Scope, int], str | None] | None = None,
        values_of: Callable[[Scope], Given] = _none_of_request,
        answer_values_of: Callable[[Scope, int], Given] = _none_of_answer,
    ) -> None:
        self._app = app
        self._connect: Callable[[], Awaitable[Process]] | None
        if callable(process):
            self._process: Process | None = None
            self._connect = process
        else:
            self._process = process
            self._connect = None
        self._connecting: asyncio.Lock | None = None
        self._name_of = name_of
        self._answer_of = answer_of
        self._values_of = values_of
        self._answer_values_of = answer_values_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        if kind == "lifespan":
            await self._app(scope, self._with_lifespan(receive), send)
            return
        sender = ""
        try:
            process = scope[KEY] = self._process or await self._connected()
            if process.on and kind == "http":
                sender = await self._handle(process, scope)
        except AgentUnavailable:
            if kind != "http":
                raise
            await _unavailable(send)
            return
        if self._answer_of is not None and sender:
            send = self._with_answer(process, scope, sender, send)
        await self._app(scope, receive, send)

    async def _handle(self, process: Process, scope: Scope) -> str:
        """Returns the sender, "" for outside."""
        carried = process.extract(scope["headers"])
        name = None if self._name_of is None else self._name_of(scope)
        values = self._values_of(scope)
        if carried is None:
            await process.handling_from_outside(
                name or request_name(scope["method"], scope["path"]), **values
            )
            return ""
        await process.handling(carried if name is None else carried._replace(name=name), **values)
        return carried.sender

    def _with_answer(self, process: Process, scope: Scope, to: str, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                assert self._answer_of is not None
                status = message["status"]
                name = self._answer_of(scope, status)
                if name is not None:
                    headers = list(message.get("headers", ()))
                    values = self._answer_values_of(scope, status)
                    process.inject(headers, await process.sending(to, name, **values))
                    message = {**message, "headers": headers}
            await send(message)

        return sending

    def _with_lifespan(self, receive: Receive) -> Receive:
        async def received() -> Message:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._connected()
            elif message["type"] == "lifespan.shutdown" and self._connect is not None:
                process, self._process = self._process, None
                if process is not None:
                    await process.close()
            return message

        return received

    async def _connected(self) -> Process:
        if self._connecting is None:
            self._connecting = asyncio.Lock()
        async with self._connecting:
            if self._process is None:
                assert self._connect is not None
                self._process = await self._connect()
        return self._process


async def _unavailable(send: Send) -> None:
    body = b"the monitor of this service is not available\n"
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": body})
