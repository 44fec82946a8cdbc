"""What happens when, on an event loop: as the simulator's event queue, in real time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count


class DelayQueue:
    """Calls things at times of the loop's clock, which is monotonic; those of equal time in the
    order in which they were put here, which timers of a loop do not keep."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._entries: list[tuple[float, int, Callable[[], None]]] = []
        self._number = count().__next__
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """How many things are still to come."""
        return len(self._entries)

    def at(self, due: float, action: Callable[[], None]) -> None:
        """Call it then, or in the next turn of the loop where that is over."""
        heappush(self._entries, (due, self._number(), action))
        if self._entries[0][0] == due:
            self._arm()

    def drop(self) -> None:
        """Forget everything."""
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
