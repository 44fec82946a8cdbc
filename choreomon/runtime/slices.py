"""Judging in slices of processor time, between which services, peers and pages have their turn.

What another agent says may take this one tens of milliseconds to judge, where hundreds of
inspections are open, and after a partition all others answer at once. So frames are read as they
come, wait here, and are taken when it is their turn. They are not left in the sockets: libzmq ends
connections that it cannot read from, for a lack of signs of life, and where it makes one anew while
its queue is full it may abort the whole program (docs/adr/029-judging-in-slices.md).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from choreomon.runtime.driver import Driver
from choreomon.runtime.inputs import FromPeer

SHORTEST: Final = 0.01
"""Seconds of processor time after which everybody else has a turn, or"""
LONGEST: Final = 0.05
"""up to this many, if everybody else took as much in theirs: an agent with more to do than there is
time for gives half of it to each. The step that is under way is not interrupted."""

MOST_BYTES: Final = 1 << 22
"""The most bytes of waiting frames of one peer. A frame beyond is dropped, and will be repeated."""

OVERHEAD: Final = 128
"""Bytes for which a frame counts beside its own, so that empty ones count, too."""


class _Line:
    """The waiting frames of one peer."""

    __slots__ = ("frames", "size")

    def __init__(self) -> None:
        self.frames: deque[bytes] = deque()
        self.size = 0


class Received(NamedTuple):
    """A frame, and who sent it."""

    peer: str
    frame: bytes


class ReceivedFrames:
    """Queue of frames that serves peers in turn, and each peer's frames in order, so that no peer
    waits for all frames of another. `most` is in bytes for each peer."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._lines: dict[str, _Line] = {}

    def __bool__(self) -> bool:
        return bool(self._lines)

    def add(self, peer: str, frame: bytes) -> bool:
        """Add a frame; return whether there was room for it."""
        size = len(frame) + OVERHEAD
        line = self._lines.get(peer)
        if line is None:
            line = self._lines[peer] = _Line()
        elif line.size + size > self._most:
            return False
        line.frames.append(frame)
        line.size += size
        return True

    def next(self) -> Received:
        """Takes one. Raises `StopIteration` where none waits."""
        peer = next(iter(self._lines))
        line = self._lines.pop(peer)
        frame = line.frames.popleft()
        line.size -= len(frame) + OVERHEAD
        if line.frames:
            self._lines[peer] = line
        return Received(peer, frame)


class Slices:
    """Takes what waits, in turns of `loop`: of frames those that were added, and what `driver` is
    behind with. `flush` is called after each slice; `spent` is the processor time so far, in
    seconds.
    """

    def __init__(
        self,
        driver: Driver,
        *,
        loop: asyncio.AbstractEventLoop,
        flush: Callable[[], None],
        spent: Callable[[], float],
    ) -> None:
        self._driver = driver
        self._loop = loop
        self._flush = flush
        self._spent = spent
        self._received = ReceivedFrames()
        self._scheduled = False
        self._ended = 0.0
        self._closed = False

    def add(self, peer: str, frame: bytes) -> bool:
        """A frame came; `soon` is to be called when no more come at once. Whether there was room
        for it."""
        return self._received.add(peer, frame)

    def soon(self) -> None:
        """Schedule one slice in the next turn of the loop if anything waits, and so on."""
        if self._waits and not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._take)

    def close(self) -> None:
        """Take no more frames. Those still queued count as lost on the way."""
        self._closed = True

    @property
    def _waits(self) -> bool:
        driver = self._driver  # while its disk takes nothing, nothing is to be read
        waits = bool(self._received) or driver.behind
        return waits and not (self._closed or driver.failing)

    def _take(self) -> None:
        self._scheduled = False
        if not self._waits:
            return
        enough = self.enough()
        try:
            self._driver.go_on(enough)
            while self._received:
                self._driver.take(FromPeer(*self._received.next()))
                if enough():
                    break
            self._flush()
        finally:
            self._ended = self._spent()
            self.soon()

    def enough(self) -> Callable[[], bool]:
        """Begin a slice; gives a function that tells whether it is over."""
        now = self._spent()
        until = now + min(LONGEST, max(SHORTEST, now - self._ended))
        return lambda: self._spent() >= until
