"""Time and memory that a decision may take."""

from __future__ import annotations

import os
import sys
import time
from typing import Final, Literal

from choreomon.interaction.measures import nesting
from choreomon.interaction.term import Interaction

MEMORY: Final = 1_000
"""Megabytes (of a million bytes) that a process may have, where nothing else is said."""

EXPLAINING: Final = 60.0
"""Seconds for each explanation, where nothing else is said: enough for logs of 100,000 actions. The
verdict is there already."""

DEEP: Final = 200
"""Operators that are nested deeper than this (`nesting`) are a mistake or an attack more often than
a diagram, and deciding may take time that grows with the cube of the depth."""

DECIDING_DEEP: Final = 0.5
"""Seconds for a decision about those where nothing else is said, and as many for explaining it."""

LARGE: Final = 1_000
"""Symbols of an interaction above which a stop watch looks at its clock whenever it is asked."""

_POLLS: Final = 8
"""A stop watch is asked so often before it looks at its clock, where nothing else is said."""

_LOOK: Final = 0.01
"""Seconds between two looks at the memory, which cost more than those at the clock."""


class Bounds:
    """Time and memory that a decision may take: `start` before each of them; called, it says why to
    stop, or None.

    - `seconds`: from `start` on; None: no bound;
    - `megabytes`: what the process may have in memory, with all that it had before; None: no
      bound. What it has had and given back counts only where the system tells nothing but a peak;
    - `polls`: how often it is asked for each look at the clock.
    """

    def __init__(
        self, seconds: float | None, megabytes: int | None, *, polls: int = _POLLS
    ) -> None:
        self._polls = polls
        self._seconds = seconds
        self._megabytes = megabytes
        self._until = float("inf")
        self._asked = 0
        self._next_look = float("-inf")

    @property
    def is_tight(self) -> bool:
        """Return whether half of the memory is used up."""
        return self._megabytes is not None and resident_megabytes() > self._megabytes / 2

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
        if self._megabytes is not None and now >= self._next_look:
            if resident_megabytes() > self._megabytes:
                return "OutOfMemory"
            self._next_look = now + _LOOK
        return None


def resident_megabytes() -> float:
    """Memory of this process now; if the system does not tell, the most that it ever had."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, ValueError, IndexError):
        pass
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) / 1e6


def seconds_for(interaction: Interaction, budget: float | None) -> float | None:
    """Seconds for a decision about the interaction: the `budget`; without one `DECIDING_DEEP`
    where it is `DEEP`, else None, which is no bound."""
    if budget is None and nesting(interaction) > DEEP:
        return DECIDING_DEEP
    return budget


def bounds_for(interaction: Interaction, seconds: float | None, megabytes: int | None) -> Bounds:
    """Bounds of decisions about the interaction: of a `LARGE` one much is done between two
    questions whether to stop."""
    return Bounds(seconds, megabytes, polls=1 if interaction.size > LARGE else _POLLS)
