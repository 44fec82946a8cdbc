"""gRPC: interceptors of clients and servers, on threads and on asyncio.

    channel = grpc.intercept_channel(channel, client_interceptor(process, "billing"))
    server = grpc.server(pool, interceptors=[server_interceptor(process)])

    told = aio_client_interceptors(process, "billing")
    channel = grpc.aio.insecure_channel(address, interceptors=told)
    server = grpc.aio.server(interceptors=[aio_server_interceptor(process)])

A call of any of the four kinds is one message, told before it leaves and before its handler is
called; the clock travels in its metadata. What is streamed in either direction, answers, and
retries that gRPC makes by itself are no messages of their own. A call that cannot be told of raises
where it is made, and ends with UNAVAILABLE where it arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

import grpc

from choreomon.agent_files.values import NO_VALUES, Given
from choreomon.core.errors import AgentUnavailable, ProcessClosed
from choreomon.sdk.carriers import Readable, grpc_metadata
from choreomon.sdk.process import BlockingProcess, Process


class Call(NamedTuple):
    """A call: its method, as `/shop.Billing/Charge`, and its metadata."""

    method: str
    metadata: Readable


Named: TypeAlias = Callable[[Call], str]
"""The name of the message that a call is."""
ValuesOf: TypeAlias = Callable[[Call], Given]
"""The values that the message carries."""

_UNTOLD: Final = (AgentUnavailable, ProcessClosed, ValueError)


def method_name(call: Call) -> str:
    """Return the name of a method without its service."""
    return call.method.rpartition("/")[2]


def no_values(_: Call) -> Given:
    """The values of a call that carries none."""
    return NO_VALUES


class _Details(grpc.ClientCallDetails):  # type: ignore[misc]
    """A call with other metadata."""

    def __init__(self, given: Any, metadata: Any) -> None:
        self.method, self.timeout, self.metadata = given.method, given.timeout, metadata
        self.credentials = getattr(given, "credentials", None)
        self.wait_for_ready = getattr(given, "wait_for_ready", None)
        self.compression = getattr(given, "compression", None)


def _call(details: Any) -> Call:
    method = details.method
    return Call(method.decode() if isinstance(method, bytes) else method, details.metadata)


class _Telling(NamedTuple):
    """Part that interceptors of one process tell by; `receiver` of clients."""

    process: Any
    receiver: str
    name_of: Named
    values_of: ValuesOf

    def left(self, details: Any) -> Any:
        """Tell of a call that leaves, and give what carries the clock; for asyncio, awaitable."""
        call = _call(details)
        return self.process.sending(self.receiver, self.name_of(call), **self.values_of(call))

    def came(self, details: Any) -> Any:
        """Tell of a call that came; for asyncio, awaitable."""
        call = Call(details.method, details.invocation_metadata)
        carried, values = self.process.extract(call.metadata), self.values_of(call)
        if carried is None:
            return self.process.handling_from_outside(self.name_of(call), **values)
        return self.process.handling(carried, **values)


class _Client(
    grpc.UnaryUnaryClientInterceptor,  # type: ignore[misc]
    grpc.UnaryStreamClientInterceptor,  # type: ignore[misc]
    grpc.StreamUnaryClientInterceptor,  # type: ignore[misc]
    grpc.StreamStreamClientInterceptor,  # type: ignore[misc]
):
    def __init__(self, telling: _Telling) -> None:
        self._telling = telling

    def _intercept(self, continuation: Any, details: Any, request: Any) -> Any:
        if self._telling.process.on:
            carried = self._telling.left(details)
            details = _Details(details, grpc_metadata(carried, details.metadata))
        return continuation(details, request)

    intercept_unary_unary = intercept_unary_stream = _intercept
    intercept_stream_unary = intercept_stream_stream = _intercept


def client_interceptor(
    process: BlockingProcess,
    receiver: str,
    *,
    name_of: Named = method_name,
    values_of: ValuesOf = no_values,
) -> Any:
    """The interceptor of a channel to the process `receiver`, for `grpc.intercept_channel`."""
    return _Client(_Telling(process, receiver, name_of, values_of))


class _Server(grpc.ServerInterceptor):  # type: ignore[misc]
    def __init__(self, telling: _Telling) -> None:
        self._telling = telling

    def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = continuation(details)
        if handler is None or not self._telling.process.on:
            return handler

        def told(request: Any, context: Any) -> Any:
            # Here, on a thread of the pool: the one that asks for the handler serves all calls.
            try:
                self._telling.came(details)
            except _UNTOLD as wrong:
                context.abort(grpc.StatusCode.UNAVAILABLE, str(wrong))
            return _behaviour(handler)(request, context)

        return _handler(told, handler)


def server_interceptor(
    process: BlockingProcess, *, name_of: Named = method_name, values_of: ValuesOf = no_values
) -> Any:
    """The interceptor of a `grpc.server`."""
    return _Server(_Telling(process, "", name_of, values_of))


def aio_client_interceptors(
    process: Process,
    receiver: str,
    *,
    name_of: Named = method_name,
    values_of: ValuesOf = no_values,
) -> list[Any]:
    """The interceptors of a `grpc.aio` channel to the process `receiver`: `grpc.aio` takes one of
    each kind of call."""
    telling = _Telling(process, receiver, name_of, values_of)

    async def intercept(_: Any, continuation: Any, details: Any, request: Any) -> Any:
        if telling.process.on:
            metadata = grpc_metadata(await telling.left(details), details.metadata)
            details = _Details(details, grpc.aio.Metadata(*metadata))
        return await continuation(details, request)

    kinds = {
        "unary_unary": grpc.aio.UnaryUnaryClientInterceptor,
        "unary_stream": grpc.aio.UnaryStreamClientInterceptor,
        "stream_unary": grpc.aio.StreamUnaryClientInterceptor,
        "stream_stream": grpc.aio.StreamStreamClientInterceptor,
    }
    return [
        type(f"_{kind}", (base,), {f"intercept_{kind}": intercept})()
        for kind, base in kinds.items()
    ]


class _AioServer(grpc.aio.ServerInterceptor):  # type: ignore[misc]
    def __init__(self, telling: _Telling) -> None:
        self._telling = telling

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = await continuation(details)
        if handler is None or not self._telling.process.on:
            return handler
        try:
            await self._telling.came(details)
        except _UNTOLD as error:
            wrong = str(error)

            async def refused(_: Any, context: Any) -> None:
                await context.abort(grpc.StatusCode.UNAVAILABLE, wrong)

            return _handler(refused, handler)
        return handler


def aio_server_interceptor(
    process: Process, *, name_of: Named = method_name, values_of: ValuesOf = no_values
) -> Any:
    """The interceptor of a `grpc.aio.server`."""
    return _AioServer(_Telling(process, "", name_of, values_of))


def _kind(handler: Any) -> str:
    sides = (handler.request_streaming, handler.response_streaming)
    return "_".join("stream" if each else "unary" for each in sides)


def _behaviour(handler: Any) -> Any:
    return getattr(handler, _kind(handler))


def _handler(behaviour: Callable[[Any, Any], Any], like: Any) -> Any:
    """Make a handler of the same kind with another behaviour."""
    made = getattr(grpc, f"{_kind(like)}_rpc_method_handler")
    return made(behaviour, like.request_deserializer, like.response_serializer)
