"""What happens when, in virtual time.

Times are whole microseconds. At one time everything of the application happens before
anything of monitoring; within each, what was scheduled first happens first. The two
count their entries separately, so the application's order cannot depend on whether, or
how, it is monitored.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, Final, Literal, TypeAlias

Rank: TypeAlias = Literal[0, 1]
APPLICATION: Final = 0
MONITORING: Final = 1

Callback: TypeAlias = Callable[[Any], None]
"""What is done; called with the argument that it was scheduled with."""

Schedule: TypeAlias = Callable[[int, Callback, Any], None]
"""Puts a callback with its argument on the agenda at a time, in microseconds."""

_Entry: TypeAlias = tuple[int, int, int, Callback, Any]
"""Time, rank, number within the rank: no two entries agree in all three."""


class Agenda:
    """A priority queue of callbacks, and the time `now`.

    Nothing is ever scheduled in the past: times before `now` are not checked for, since
    the check would cost every message; `Network` and `World` add draws that are not
    negative to `now`.
    """

    __slots__ = ("_entries", "_schedules", "now")

    def __init__(self) -> None:
        self.now = 0
        self._entries: list[_Entry] = []
        self._schedules = (self._counting(APPLICATION), self._counting(MONITORING))

    def _counting(self, rank: Rank) -> Schedule:
        # A closure with its own counter is half the price of a method with an attribute.
        entries = self._entries
        number = count().__next__

        def schedule(time: int, callback: Callback, argument: Any) -> None:
            heappush(entries, (time, rank, number(), callback, argument))

        return schedule

    def schedule_of(self, rank: Rank) -> Schedule:
        """Schedules for the application or for monitoring."""
        return self._schedules[rank]

    def at(self, time: int, rank: Rank, callback: Callback, argument: Any = None) -> None:
        """Schedule one callback; see `schedule_of` where there will be many."""
        self._schedules[rank](time, callback, argument)

    def __len__(self) -> int:
        """How many callbacks are waiting."""
        return len(self._entries)

    def step(self) -> bool:
        """Do what comes next; `False` where nothing is left."""
        if not self._entries:
            return False
        self.now, _, _, callback, argument = heappop(self._entries)
        callback(argument)
        return True

    def run(self) -> None:
        """Do everything, until nothing is left."""
        entries = self._entries
        while entries:
            self.now, _, _, callback, argument = heappop(entries)
            callback(argument)

    def run_until(self, time: int) -> None:
        """Do everything up to this time, this time included; `now` ends at it at least."""
        entries = self._entries
        while entries and entries[0][0] <= time:
            self.now, _, _, callback, argument = heappop(entries)
            callback(argument)
        self.now = max(self.now, time)

    def drop(self, rank: Rank) -> None:
        """Forget what is waiting for the application, or for monitoring."""
        self._entries[:] = [entry for entry in self._entries if entry[1] != rank]
        heapify(self._entries)
