"""Reading a ZeroMQ socket on an event loop, in batches.

The descriptor of a ZeroMQ socket becomes readable when something *changes*, not while something is
there (it is edge-triggered): whoever is woken must take everything, and whoever looks at the socket
for another reason, such as sending, may use up the change without taking anything. So after every
send the socket has to be looked at again (`DrainingReader.look`), or messages lie there until the
next one comes. `zmq.asyncio` does the same, but pays for a future and a wake-up for each message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import zmq

BATCH_BYTES: Final = 1 << 17
"""Bytes after which everybody else has a turn: to read rubbish costs up to 50 ns a byte."""

_READABLE: Final = (zmq.POLLIN, zmq.POLLIN | zmq.POLLOUT)


def _nothing() -> None:
    """Do nothing: the default after a batch."""


class DrainingReader:
    """Takes messages from a socket while there are any, at most `batch` in one go, and none after
    `batch_bytes` of them (`took`): the rest has to wait until everybody else on the loop had a
    turn.

    `take` takes one message. It says whether that was handed on, and raises `zmq.Again` where there
    is none. `on_drained` is called after a batch of which something was handed on. Both are called
    by the loop, never from within `look`, `resume` or the constructor. They may send, pause and
    close. If one raises, the loop's exception handler gets it, and reading goes on with the next
    message.

    Everything here belongs to the thread of the loop. Closing the reader does not close the socket,
    and has to come first.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        socket: zmq.Socket[bytes],
        take: Callable[[], bool],
        *,
        batch: int,
        batch_bytes: int = BATCH_BYTES,
        on_drained: Callable[[], None] = _nothing,
    ) -> None:
        self._loop = loop
        self._socket = socket
        self._take = take
        self._batch = batch
        self._batch_bytes = self._room = batch_bytes
        self._on_drained = on_drained
        self._descriptor = socket.fileno()
        self._reading = False
        self._closed = False
        self._taking = False
        self._scheduled = False
        self._handed_on = False
        self.resume()

    def look(self) -> None:
        """Look whether there is something to take, once the loop has its turn; to be called after
        every send, also one that failed."""
        # One look does for all that is sent until then. What is taking now goes on until there
        # is nothing.
        if self._reading and not self._scheduled and not self._taking:
            self._schedule()

    def took(self, size: int) -> None:
        """The message that is being taken has this many bytes; to be called by `take`."""
        self._room -= size

    def pause(self) -> None:
        """Stop reading. Frames stay in the socket, up to its high-water mark."""
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._descriptor)

    def resume(self) -> None:
        """Take again."""
        if not self._reading and not self._closed:
            self._reading = True
            self._loop.add_reader(self._descriptor, self._wake)
            self.look()  # the change that would wake us may have been used up

    def close(self) -> None:
        """Take nothing, ever."""
        self.pause()
        self._closed = True

    def _schedule(self) -> None:
        self._scheduled = True
        self._loop.call_soon(self._drain_if_readable)

    def _wake(self) -> None:
        if not self._scheduled:  # else there would be two batches in one go
            self._drain()

    def _drain_if_readable(self) -> None:
        self._scheduled = False
        if not self._reading:
            return
        if self._handed_on or self._readable():
            self._drain()

    def _readable(self) -> bool:
        return self._socket.getsockopt(zmq.EVENTS) in _READABLE

    def _drain(self) -> None:
        left = self._batch
        self._room = self._batch_bytes
        self._taking = True
        try:
            while left and self._room > 0 and self._reading:
                left -= 1
                if self._take():
                    self._handed_on = True
                if left == self._batch - 1 and self._reading and not self._readable():
                    left = -1  # mostly there is one, and to be told so by an error takes longer
                    break
        except zmq.Again:
            left = -1
        except zmq.ContextTerminated:
            self.close()
            raise
        except Exception:
            self._handed_on = True
            raise
        finally:
            self._taking = False
            if left >= 0 and self._reading and not self._scheduled:
                self._schedule()
        if self._handed_on and not self._closed:
            self._handed_on = False
            self._on_drained()
