"""Budgets of single analyses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from choreomon.verify.papers.options import Reason

Clock: TypeAlias = Callable[[], float]
"""Seconds since any fixed moment."""


class Deadline:
    """Ends searches when their time is up."""

    def __init__(self, clock: Clock, budget: float) -> None:
        self._clock = clock
        self._budget = budget
        self._began = 0.0

    def begin(self) -> None:
        self._began = self._clock()

    def passed(self) -> float:
        """Seconds since it began."""
        return self._clock() - self._began

    def stop(self) -> Reason | None:
        return "TimedOut" if self.passed() > self._budget else None
