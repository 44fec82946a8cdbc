"""Calls of gRPC with real channels and servers: of all four kinds, on threads and on asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import pytest

from choreomon.core.errors import AgentUnavailable
from choreomon.sdk.process import BLOCKING_OFF, OFF
from tests.sdk.recording import AsyncRecording, BlockingRecording

grpc = pytest.importorskip("grpc", reason="grpcio is not installed")

from choreomon.sdk.grpc_interceptors import (  # noqa: E402
    Call,
    aio_client_interceptors,
    aio_server_interceptor,
    client_interceptor,
    server_interceptor,
)

KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
SECONDS = 60.0
"""After which a test has failed."""
KEPT = (("kept", "x"), ("choreomon", "1/thief/Charge/AAAA"))
"""Metadata of a caller, with a header of ours that it has from elsewhere."""


def method(kind: str) -> str:
    return f"/shop.Billing/{kind}"


def events(kind: str) -> list[tuple[str, ...]]:
    return [("send", "billing", kind), ("handle", "shop", kind, "AAAA")]


def answers(kind: str, said: bytes) -> Any:
    return iter([said, said]) if kind.endswith("stream") else said


def all_bytes(kind: str, given: Any) -> bytes:
    return b"".join(given) if kind.startswith("stream") else given


def asked(kind: str) -> Any:
    return iter([b"a", b"b"]) if kind.startswith("stream") else b"ab"


class Served:
    """A server on threads, and a channel to it; `seen` are the events before each handler."""

    def __init__(self, process: Any, **how: Any) -> None:
        self.process, self.seen = process, []  # type: ignore[var-annotated]
        self.kept: list[dict[str, str]] = []
        self.server = grpc.server(
            ThreadPoolExecutor(2), interceptors=[server_interceptor(process, **how)]
        )
        handlers = {kind: self._handler(kind) for kind in KINDS}
        generic = grpc.method_handlers_generic_handler("shop.Billing", handlers)
        self.server.add_generic_rpc_handlers([generic])
        port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()
        self.plain = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.channel = grpc.intercept_channel(
            self.plain, client_interceptor(process, "billing", **how)
        )

    def _handler(self, kind: str) -> Any:
        def take(request: Any, context: Any) -> Any:
            self.seen.append([*getattr(self.process, "events", ())])
            self.kept.append(dict(context.invocation_metadata()))
            return answers(kind, all_bytes(kind, request))

        return getattr(grpc, f"{kind}_rpc_method_handler")(take)

    def call(self, kind: str, channel: Any = None, **more: Any) -> bytes:
        called = getattr(channel or self.channel, kind)(method(kind))
        answer = called(asked(kind), timeout=SECONDS, **more)
        return b"".join(answer) if kind.endswith("stream") else answer

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.plain.close()
        self.server.stop(None).wait(SECONDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_is_told_before_it_leaves_and_before_its_handler(kind: str) -> None:
    process = BlockingRecording()
    with Served(process) as served:
        assert served.call(kind, metadata=KEPT) in (b"ab", b"abab")
        assert process.events == events(kind)
        assert served.seen == [events(kind)]
        assert served.kept[0]["kept"] == "x"
        assert served.kept[0]["choreomon"] == f"1/shop/{kind}/AAAA"


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_from_outside_is_handled_and_one_that_cannot_be_told_of_is_not(kind: str) -> None:
    process = BlockingRecording()
    with Served(process) as served:
        served.call(kind, served.plain)
        assert process.events == [("handle", "env", kind)]
        process.away = True
        with pytest.raises(AgentUnavailable):
            served.call(kind)
        with pytest.raises(grpc.RpcError) as refused:
            served.call(kind, served.plain)
        assert refused.value.code() == grpc.StatusCode.UNAVAILABLE
        assert len(served.seen) == 1


def test_names_and_values_are_those_of_the_call() -> None:
    def name_of(call: Call) -> str:
        return call.method.replace("/", ".")[1:]

    def values_of(call: Call) -> dict[str, Any]:
        return {"order": dict(call.metadata)["order"]}  # type: ignore[arg-type]

    process = BlockingRecording()
    with Served(process, name_of=name_of, values_of=values_of) as served:
        served.call("unary_unary", metadata=(("order", "A-17"),))
    name = "shop.Billing.unary_unary"
    assert process.events == [
        ("send", "billing", name, "order=A-17"),
        ("handle", "shop", name, "AAAA", "order=A-17"),
    ]


def test_who_is_not_monitored_is_left_alone_and_so_are_unknown_methods() -> None:
    with Served(BLOCKING_OFF) as served:
        assert served.call("unary_unary") == b"ab"
        assert "choreomon" not in served.kept[0]
    process = BlockingRecording()
    with Served(process) as served:
        with pytest.raises(grpc.RpcError) as unknown:
            served.channel.unary_unary("/shop.Billing/Nothing")(b"", timeout=SECONDS)
        assert unknown.value.code() == grpc.StatusCode.UNIMPLEMENTED
        assert process.events == [("send", "billing", "Nothing")]


def aio_handler(kind: str, process: Any, seen: list[Any]) -> Any:
    def came() -> None:
        seen.append([*getattr(process, "events", ())])

    async def whole(request: Any) -> bytes:
        return b"".join([each async for each in request]) if kind[0] == "s" else request

    async def one(request: Any, _: Any) -> bytes:
        came()
        return await whole(request)

    async def several(request: Any, _: Any) -> Any:
        came()
        said = await whole(request)
        yield said
        yield said

    behaviour = several if kind.endswith("stream") else one
    return getattr(grpc, f"{kind}_rpc_method_handler")(behaviour)


async def aio_call(channel: Any, kind: str) -> bytes:
    answer = getattr(channel, kind)(method(kind))(asked(kind), timeout=SECONDS, metadata=KEPT)
    if kind.endswith("stream"):
        return b"".join([each async for each in answer])
    return bytes(await answer)


@asynccontextmanager
async def aio_served(process: Any, seen: list[Any]) -> AsyncIterator[str]:
    """The address of a server that is stopped whatever happens."""
    # Once more than is needed: what grpcio shares between loops would end with the last channel or
    # server, which are collected at any time, by a test of anything, and would wait there for ever
    # for what is left of a loop that is closed.
    grpc.aio.init_grpc_aio()
    server = grpc.aio.server(interceptors=[aio_server_interceptor(process)])
    handlers = {each: aio_handler(each, process, seen) for each in KINDS}
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("shop.Billing", handlers)]
    )
    at = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield at
    finally:
        await server.stop(None)


@pytest.mark.parametrize("kind", KINDS)
def test_asyncio_does_the_same(kind: str) -> None:
    async def main() -> None:
        process, seen = AsyncRecording(), []  # type: ignore[var-annotated]
        interceptors = aio_client_interceptors(process, "billing")
        async with (
            aio_served(process, seen) as at,
            grpc.aio.insecure_channel(at, interceptors=interceptors) as channel,
            grpc.aio.insecure_channel(at) as plain,
        ):
            assert await aio_call(channel, kind) in (b"ab", b"abab")
            assert process.events == events(kind)
            assert seen == [events(kind)]
            process.away = True
            with pytest.raises(AgentUnavailable):
                await aio_call(channel, kind)
            with pytest.raises(grpc.RpcError) as refused:
                await aio_call(plain, kind)
            # grpcio says INTERNAL where it was still writing to who had refused already.
            codes = {grpc.StatusCode.UNAVAILABLE}
            if kind.startswith("stream"):
                codes.add(grpc.StatusCode.INTERNAL)
            assert refused.value.code() in codes
            assert len(seen) == 1

    asyncio.run(asyncio.wait_for(main(), SECONDS))


def test_asyncio_leaves_those_alone_that_are_not_monitored() -> None:
    async def main() -> None:
        interceptors = aio_client_interceptors(OFF, "billing")
        async with (
            aio_served(OFF, []) as at,
            grpc.aio.insecure_channel(at, interceptors=interceptors) as channel,
        ):
            assert await aio_call(channel, "unary_unary") == b"ab"

    asyncio.run(asyncio.wait_for(main(), SECONDS))
