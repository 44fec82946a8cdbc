"""The event queue: callbacks in virtual time.

Times are whole microseconds. At one time everything of the application happens before
anything of monitoring; within each, what was scheduled first happens first. So the order
of the application's events cannot depend on whether, or how, it is monitored.
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
"""An action of the queue; called with the argument given when it was scheduled."""

Schedule: TypeAlias = Callable[[int, Callback, Any], None]
"""Puts a callback with its argument in the event queue, at a time in microseconds."""

Entry: TypeAlias = tuple[int, int, int, Callback, Any]
"""Time, rank, number in the order of scheduling: no two entries agree in all three."""


class EventQueue:
    """A priority queue of callbacks, and the time `now`.

    Nobody may schedule in the past, that is before `now`. This is not checked, since every message
    would pay for the check; all callers add draws to `now`, which are never negative.
    """

    __slots__ = ("entries", "now", "number")

    def __init__(self) -> None:
        self.now = 0
        # Channels push their entries onto this heap themselves, with the next number: one more call
        # would add a tenth to their cost.
        self.entries: list[Entry] = []
        self.number = count().__next__

    def schedule_of(self, rank: Rank) -> Schedule:
        """Schedules for the application, or for monitoring."""
        entries = self.entries
        number = self.number

        def schedule(time: int, callback: Callback, argument: Any) -> None:
            heappush(entries, (time, rank, number(), callback, argument))

        return schedule

    def __len__(self) -> int:
        """The number of waiting callbacks."""
        return len(self.entries)

    def step(self) -> bool:
        """Do what comes next; `False` if nothing is left."""
        if not self.entries:
            return False
        self.now, _, _, callback, argument = heappop(self.entries)
        callback(argument)
        return True

    def run(self) -> None:
        """Do everything, until nothing is left."""
        entries = self.entries
        while entries:
            self.now, _, _, callback, argument = heappop(entries)
            callback(argument)

    def drop(self, rank: Rank) -> None:
        """Forget what is waiting for the application, or for monitoring."""
        self.entries[:] = [entry for entry in self.entries if entry[1] != rank]
        heapify(self.entries)
