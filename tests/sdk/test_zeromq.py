"""Sockets of pyzmq, over real in-process connections."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import zmq
import zmq.asyncio

from choreomon.agent_files.clocks.text import Carried
from choreomon.sdk.zeromq import BlockingMonitoredSocket, MonitoredSocket
from tests.sdk.recording import AsyncRecording, BlockingRecording, OnlyOn

ADDED = b"choreomon:1/shop/reserve/AAAA"


class Plain:
    """A socket that hands on what was sent to it."""

    def __init__(self, *messages: list[bytes]) -> None:
        self.messages = list(messages)

    def send_multipart(self, msg_parts: Any, flags: int = 0) -> None:
        self.messages.append(list(msg_parts))

    def recv_multipart(self, flags: int = 0) -> list[bytes]:
        return self.messages.pop(0)


class Awaited(Plain):
    async def send_multipart(self, msg_parts: Any, flags: int = 0) -> None:  # type: ignore[override]
        super().send_multipart(msg_parts, flags)

    async def recv_multipart(self, flags: int = 0) -> list[bytes]:  # type: ignore[override]
        return super().recv_multipart(flags)


def test_a_message_carries_one_more_frame_which_is_taken_off_again() -> None:
    process, plain = BlockingRecording(), Plain()
    socket = BlockingMonitoredSocket(plain, process)
    socket.send_multipart([b"topic", b"body"], to="warehouse", name="reserve")
    assert plain.messages == [[b"topic", b"body", ADDED]]
    assert socket.recv_multipart() == [b"topic", b"body"]
    assert process.events == [
        ("send", "warehouse", "reserve"),
        ("handle", "shop", "reserve", "AAAA"),
    ]


def test_messages_from_outside_are_events_where_they_are_named() -> None:
    process = BlockingRecording()
    plain = Plain([b"order"], [b"other"])
    names = {b"order": "order"}
    socket = BlockingMonitoredSocket(plain, process, lambda frames: names.get(frames[-1]))
    assert socket.recv_multipart() == [b"order"]
    assert socket.recv_multipart() == [b"other"]
    assert process.events == [("handle", "env", "order")]


@pytest.mark.parametrize(
    "added", [b"choreomon:", b"choreomon:\xff", b"choreomon:1/a/b/" + b"A" * 9999]
)
def test_an_added_frame_that_cannot_be_read_is_counted(added: bytes) -> None:
    process = BlockingRecording()
    socket = BlockingMonitoredSocket(Plain([b"body", added]), process, lambda frames: "x")
    assert socket.recv_multipart() == [b"body"]
    assert socket.malformed == 1
    assert process.events == []


@pytest.mark.parametrize("frames", [[b""], [ADDED], [b"body", b""], [ADDED, b"body"]])
def test_frames_of_the_service_are_left_alone(frames: list[bytes]) -> None:
    socket = BlockingMonitoredSocket(Plain(list(frames)), BlockingRecording())
    assert socket.recv_multipart() == frames


def test_switched_off_it_adds_nothing_and_still_takes_off_what_others_added() -> None:
    process: Any = OnlyOn()
    plain = Plain()
    socket = BlockingMonitoredSocket(plain, process)
    socket.send_multipart([b"body"], to="warehouse", name="reserve")
    assert plain.messages == [[b"body"]]
    plain.messages.append([b"body", ADDED])
    assert [socket.recv_multipart(), socket.recv_multipart()] == [[b"body"]] * 2
    assert process.asked == 3


@pytest.mark.asyncio
async def test_a_cancelled_receiving_loses_no_message_and_handles_it_once() -> None:
    go_on = asyncio.Event()

    class Slow(AsyncRecording):
        async def handling(self, carried: Carried) -> None:
            self.note("handle", *carried)
            await go_on.wait()

    process = Slow()
    socket = MonitoredSocket(Awaited([b"one", ADDED], [b"two"]), process)
    receiving = asyncio.ensure_future(socket.recv_multipart())
    while not process.events:
        await asyncio.sleep(0)
    receiving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await receiving
    go_on.set()
    assert await socket.recv_multipart() == [b"one"]
    assert await socket.recv_multipart() == [b"two"]
    assert process.events == [("handle", "shop", "reserve", "AAAA")]


@pytest.mark.asyncio
async def test_switched_off_asyncio_sockets_are_asked_once_a_message() -> None:
    process: Any = OnlyOn()
    socket = MonitoredSocket(Awaited(), process)
    await socket.send_multipart([b"body"], to="warehouse", name="reserve")
    assert await socket.recv_multipart() == [b"body"]
    assert process.asked == 2


@pytest.fixture
def context() -> Iterator[zmq.Context[Any]]:
    made: zmq.Context[Any] = zmq.Context()
    yield made
    made.destroy(linger=0)


def test_dealer_and_router_talk_through_monitored_sockets(context: zmq.Context[Any]) -> None:
    process = BlockingRecording()
    router, dealer = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    router.bind("inproc://shop")
    dealer.connect("inproc://shop")
    server = BlockingMonitoredSocket(router, process)
    client = BlockingMonitoredSocket(dealer, process)
    client.send_multipart([b"question"], to="warehouse", name="reserve")
    route, question = server.recv_multipart()
    assert question == b"question"
    server.send_multipart([route, b"answer"], to="shop", name="reserved")
    assert client.recv_multipart() == [b"answer"]
    assert [event[0] for event in process.events] == ["send", "handle"] * 2
    router.close(0)
    dealer.close(0)


@pytest.mark.asyncio
async def test_asyncio_sockets_talk_through_monitored_sockets() -> None:
    process = AsyncRecording()
    with zmq.asyncio.Context() as context:
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        pull.bind("inproc://shop")
        push.connect("inproc://shop")
        sender, receiver = MonitoredSocket(push, process), MonitoredSocket(pull, process)
        await sender.send_multipart([b"body"], to="warehouse", name="reserve")
        assert await receiver.recv_multipart() == [b"body"]
        push.close(0)
        pull.close(0)
    assert len(process.events) == 2
