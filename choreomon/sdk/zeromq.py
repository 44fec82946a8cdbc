"""Sockets of pyzmq: messages get one more frame, the last, with sender, name and clock.

    socket = MonitoredSocket(context.socket(zmq.DEALER), process)      # of zmq.asyncio
    await socket.send_multipart([b"..."], to="warehouse", name="reserve")
    frames = await socket.recv_multipart()

`BlockingMonitoredSocket` does the same for plain sockets. As the last frame it disturbs neither
routing ids nor topics. It is taken off in any case, also where monitoring is switched off: the
sender may be monitored all the same. Whatever else a socket can do is done on `socket` itself.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from choreomon.agent_files.clocks.text import (
    HEADER,
    MAX_CARRIED_TEXT,
    Carried,
    decode_carried_untrusted,
    encode_carried,
)
from choreomon.agent_files.values import NO_VALUES, Given
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import ENVIRONMENT
from choreomon.sdk.process import BlockingProcess, Process

MARK: Final = HEADER.encode() + b":"
"""The beginning of the frame."""

_MAX_FRAME: Final = len(MARK) + MAX_CARRIED_TEXT


NameOf: TypeAlias = Callable[[list[bytes]], str | None]
"""The name of a message from outside, by its frames; `None`: it is no event."""

ValuesOf: TypeAlias = Callable[[list[bytes]], Given]
"""The values that a received message carries, by its frames without the added one, where a property
is for each instance."""


def _none(_: list[bytes]) -> Given:
    return NO_VALUES


class Socket(Protocol):
    """The part of a `zmq.Socket`, or of a `zmq.asyncio.Socket`, that is used."""

    def send_multipart(self, msg_parts: Any, flags: int = 0) -> Any: ...

    def recv_multipart(self, flags: int = 0) -> Any: ...


class _Frames:
    """Frames for both kinds of sockets."""

    def __init__(self, socket: Socket, name_of: NameOf | None, values_of: ValuesOf) -> None:
        self.socket = socket
        self.malformed = 0
        self.values_of = values_of
        self._name_of = name_of

    def take_off(self, frames: list[bytes]) -> bytes | None:
        """Take the added frame off `frames`, if it is there."""
        # One that was added is never the only one.
        if len(frames) > 1 and frames[-1].startswith(MARK):
            return frames.pop()
        return None

    def handled(self, frames: list[bytes], added: bytes | None) -> Carried | None:
        """Identify the message; its clock is empty where it came from outside."""
        if added is not None:
            try:
                if len(added) > _MAX_FRAME:
                    raise MalformedMessage(f"{len(added)} bytes")
                return decode_carried_untrusted(added[len(MARK) :].decode("latin-1"))
            except MalformedMessage:
                self.malformed += 1
                return None
        name = None if self._name_of is None else self._name_of(frames)
        return None if name is None else Carried(ENVIRONMENT, name)


class MonitoredSocket(_Frames):
    """Socket (`zmq.asyncio.Socket`) whose messages are events. `name_of` names messages from
    senders that are not monitored; without it these are no events. `malformed` counts unreadable
    added frames: their messages are passed on, but are no events."""

    def __init__(
        self,
        socket: Socket,
        process: Process,
        name_of: NameOf | None = None,
        values_of: ValuesOf = _none,
    ) -> None:
        super().__init__(socket, name_of, values_of)
        self._process = process
        self._interrupted: deque[tuple[list[bytes], asyncio.Task[None]]] = deque()

    async def send_multipart(
        self,
        frames: Sequence[bytes],
        *,
        to: str,
        name: str,
        flags: int = 0,
        values: Given = NO_VALUES,
    ) -> None:
        """Sends a message to the process `to`, once it is an event; `values` as for
        `Process.sending`, which says what is raised; then nothing was sent."""
        if self._process.on:
            frames = [*frames, _frame(await self._process.sending(to, name, **values))]
        await self.socket.send_multipart(frames, flags)

    async def recv_multipart(self, flags: int = 0) -> list[bytes]:
        """The frames of the next message, without the added one, once its handling is an
        event. Raises what `Process.handling` raises; then the message is lost. A call that is
        cancelled loses none: the next call returns it."""
        frames: list[bytes]
        if self._interrupted:
            frames, handling = self._interrupted.popleft()
        else:
            frames = await self.socket.recv_multipart(flags)
            added = self.take_off(frames)
            carried = self.handled(frames, added) if self._process.on else None
            if carried is None:
                return frames
            handling = asyncio.ensure_future(self._handle(carried, self.values_of(frames)))
        try:
            await asyncio.shield(handling)
        except asyncio.CancelledError:
            self._interrupted.append((frames, handling))
            raise
        return frames

    async def _handle(self, carried: Carried, values: Given) -> None:
        if carried.sender == ENVIRONMENT:
            await self._process.handling_from_outside(carried.name, **values)
        else:
            await self._process.handling(carried, **values)


class BlockingMonitoredSocket(_Frames):
    """`MonitoredSocket` for a `zmq.Socket`."""

    def __init__(
        self,
        socket: Socket,
        process: BlockingProcess,
        name_of: NameOf | None = None,
        values_of: ValuesOf = _none,
    ) -> None:
        super().__init__(socket, name_of, values_of)
        self._process = process

    def send_multipart(
        self,
        frames: Sequence[bytes],
        *,
        to: str,
        name: str,
        flags: int = 0,
        values: Given = NO_VALUES,
    ) -> None:
        """See `MonitoredSocket.send_multipart`."""
        if self._process.on:
            frames = [*frames, _frame(self._process.sending(to, name, **values))]
        self.socket.send_multipart(frames, flags)

    def recv_multipart(self, flags: int = 0) -> list[bytes]:
        """See `MonitoredSocket.recv_multipart`."""
        frames: list[bytes] = self.socket.recv_multipart(flags)
        added = self.take_off(frames)
        carried = self.handled(frames, added) if self._process.on else None
        if carried is not None:
            values = self.values_of(frames)
            if carried.sender == ENVIRONMENT:
                self._process.handling_from_outside(carried.name, **values)
            else:
                self._process.handling(carried, **values)
        return frames


def _frame(carried: Carried) -> bytes:
    return MARK + encode_carried(carried).encode()
