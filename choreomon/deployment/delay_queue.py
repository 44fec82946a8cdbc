"""A queue of delayed calls on an event loop: like the simulator's event queue, in real time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count


class DelayQueue:
    """Makes calls at times of the loop's clock, which is monotonic; calls of equal time in the
    order in which they were added, which timers of a loop do not keep."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._entries: list[tuple[float, int, Callable[[], None]]] = []
        self._number = count().__next__
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """The number of calls still to come."""
        return len(self._entries)

    def at(self, due: float, action: Callable[[], None]) -> None:
        """Call `action` at that time, or in the next turn of the loop if it has passed."""
        heappush(self._entries, (due, self._number(), action))
        if self._entries[0][0] == due:
            self._arm()

    def drop(self) -> None:
        """Forget all calls."""
        self._entries.clear()
        self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._entries:
            self._timer = self._loop.call_at(self._entries[0][0], self._act)

    def _act(self) -> None:
        self._timer = None
        now = self._loop.time()
        while self._entries and self._entries[0][0] <= now:
            heappop(self._entries)[2]()
        if self._timer is None:
            self._arm()
