"""Time and memory that a decision may take."""

from __future__ import annotations

import time
from typing import Final, Literal

from choreomon.files.process_memory import resident_bytes
from choreomon.interaction.measures import nesting
from choreomon.interaction.term import Interaction

MEMORY: Final = 1_000
"""The default limit on the memory of a process, in megabytes (of a million bytes)."""

EXPLAINING: Final = 60.0
"""Default seconds for each explanation: enough for logs of 100,000 actions. The verdict is there
already."""

DEEP: Final = 200
"""Operators nested deeper than this (`nesting`) are more often a mistake or an attack than a
diagram, and the time to decide may grow with the cube of the depth."""

DECIDING_DEEP: Final = 0.5
"""Default seconds for a decision about those, and for its explanation."""

LARGE: Final = 1_000
"""Interactions with more symbols have a stop watch that looks at its clock at every call."""

_POLLS: Final = 8
"""The default number of calls before a stop watch looks at its clock."""

_LOOK: Final = 0.01
"""Seconds between two looks at the memory, which cost more than those at the clock."""


class Bounds:
    """Time and memory that a decision may take: `start` before each of them; called, it says why to
    stop, or None.

    - `seconds`: from `start` on; None: no bound;
    - `megabytes`: what the process may have in memory, with all that it had before; None: no bound.
      Memory given back counts only if the system tells nothing but a peak;
    - `polls`: how many calls there are for each look at the clock.
    """

    def __init__(
        self, seconds: float | None, megabytes: int | None, *, polls: int = _POLLS
    ) -> None:
        self._polls = polls
        self._seconds = seconds
        self._bytes = None if megabytes is None else megabytes * 1_000_000
        self._until = float("inf")
        self._asked = 0
        self._next_look = float("-inf")

    @property
    def is_tight(self) -> bool:
        """Tell whether half of the memory is used up."""
        return self._bytes is not None and resident_bytes() > self._bytes / 2

    def start(self) -> None:
        self._asked = 0
        self._next_look = float("-inf")
        if self._seconds is not None:
            self._until = time.perf_counter() + self._seconds

    def __call__(self) -> Literal["TimedOut", "OutOfMemory"] | None:
        self._asked += 1
        if (self._asked - 1) % self._polls:
            return None
        now = time.perf_counter()
        if now > self._until:
            return "TimedOut"
        if self._bytes is not None and now >= self._next_look:
            if resident_bytes() > self._bytes:
                return "OutOfMemory"
            self._next_look = now + _LOOK
        return None


def seconds_for(interaction: Interaction, budget: float | None) -> float | None:
    """Seconds for a decision about the interaction: the `budget`; without one `DECIDING_DEEP` if it
    is `DEEP`, otherwise None, which is no bound."""
    if budget is None and nesting(interaction) > DEEP:
        return DECIDING_DEEP
    return budget


def bounds_for(interaction: Interaction, seconds: float | None, megabytes: int | None) -> Bounds:
    """Bounds of decisions about the interaction; between two checks whether to stop, a `LARGE` one
    does much work."""
    return Bounds(seconds, megabytes, polls=1 if interaction.size > LARGE else _POLLS)
