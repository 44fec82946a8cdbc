"""A timer queue: what is due about events, by their counts, after one fixed time.

Events that come within a moment are due together, at the time of the last of them. So what is kept
grows with the time that is waited for and not with the events that happen in it.
"""

from __future__ import annotations

from collections import deque
from typing import Final

MOMENT: Final = 0.02
"""Seconds."""


class TimerQueue:
    """`wait` is the time after which an event is due. Events are added in the order of their
    counts; times are monotonic seconds."""

    def __init__(self, wait: float, moment: float = MOMENT) -> None:
        self._wait = wait
        self._moment = moment
        self._entries: deque[tuple[float, int]] = deque()
        self._began = 0.0
        self._passed = 0

    def __len__(self) -> int:
        """The number of entries kept."""
        return len(self._entries)

    def add(self, count: int, now: float) -> None:
        """The event number `count` is due after `wait` from now."""
        entry = (now + self._wait, count)
        if self._entries and now < self._began + self._moment:
            self._entries[-1] = entry
        else:
            self._entries.append(entry)
            self._began = now

    @property
    def due(self) -> float | None:
        """The time at which something is due next."""
        return self._entries[0][0] if self._entries else None

    def passed(self, now: float) -> range:
        """The counts that are due by now and were not before; some may never have been added."""
        since = self._passed
        while self._entries and self._entries[0][0] <= now:
            self._passed = max(self._passed, self._entries.popleft()[1])
        return range(since + 1, self._passed + 1)
