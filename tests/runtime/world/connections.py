"""Connections between a service and its agent, byte by byte, and the loop that an agent has.

Both ends write into a pipe; the world says when how much of it arrives, and when it breaks. What
arrived is never taken back, and what did not is lost with the pipe.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class Timer:
    """What `asyncio.TimerHandle` is on a real loop."""

    def __init__(self, at: float, call: Callable[[], None]) -> None:
        self.at = at
        self.call = call
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Loop:
    """As much of an event loop as the service side of an agent uses."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._timers: list[Timer] = []

    def call_later(self, delay: float, call: Callable[..., None], *args: Any) -> Timer:
        timer = Timer(self._now() + delay, lambda: call(*args))
        self._timers.append(timer)
        return timer

    def due(self) -> float | None:
        self._timers = [timer for timer in self._timers if not timer.cancelled]
        return min((timer.at for timer in self._timers), default=None)

    def run(self) -> None:
        """Call what is due."""
        now = self._now()
        late = [timer for timer in self._timers if timer.at <= now and not timer.cancelled]
        self._timers = [timer for timer in self._timers if timer not in late]
        for timer in late:
            timer.call()


class Pipe(asyncio.Transport):
    """One connection. `up`: on its way to the agent; `down`: to the service. What an end wrote
    before it closed still arrives; where the pipe is `broken`, nothing more can be written."""

    def __init__(self) -> None:
        super().__init__()
        self.protocol: Any = None
        self.up = bytearray()
        self.down = bytearray()
        self.agent_open = True
        self.service_open = True
        self.broken = False
        self.reading = True

    # The agent's end, as a transport.

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self.agent_open and self.service_open and not self.broken:
            self.down += data

    def close(self) -> None:
        self.agent_open = False
        self.up.clear()

    def abort(self) -> None:
        self.close()

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    # The service's end.

    def send(self, data: bytes) -> None:
        if self.agent_open and self.service_open and not self.broken:
            self.up += data

    def leave(self) -> None:
        self.service_open = False
        self.down.clear()

    # Both.

    @property
    def agent_sees_the_end(self) -> bool:
        return self.agent_open and not self.up and (self.broken or not self.service_open)

    @property
    def service_sees_the_end(self) -> bool:
        return self.service_open and not self.down and (self.broken or not self.agent_open)

    def cut(self, up: int, down: int) -> None:
        """It breaks; of what is under way only so many bytes will arrive."""
        del self.up[up:]
        del self.down[down:]
        self.broken = True


def first(buffer: bytearray, size: int) -> bytes:
    """Takes the first bytes of what is under way."""
    data = bytes(buffer[:size])
    del buffer[:size]
    return data
