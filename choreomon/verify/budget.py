"""When to give up: what long computations check now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

ShouldStop: TypeAlias = Callable[[], str | None]
"""Called very often; a reason that it returns ends the decision, with Inconc for that reason."""

CheckBudget: TypeAlias = Callable[[], None]
"""Raises Exhausted where a computation has to stop."""


class Exhausted(Exception):
    """A budget is used up; the text is the reason."""


class TooMuchWork(Exception):
    """More than was thought worth it."""


class Work:
    """A check of a budget that counts its calls, of which there is one for about every piece of
    work: so work can be bounded without a clock. `check` raises TooMuchWork at more than `most`."""

    def __init__(self, check_budget: CheckBudget | None, most: int | None = None) -> None:
        self._check_budget = check_budget
        self._most = most
        self.done = 0

    def check(self) -> None:
        """One piece more."""
        self.done += 1
        if self._check_budget is not None:
            self._check_budget()
        if self._most is not None and self.done > self._most:
            raise TooMuchWork


def checking(should_stop: ShouldStop | None) -> CheckBudget | None:
    """Turns what tells a reason to stop into what raises it."""
    if should_stop is None:
        return None

    def check_budget() -> None:
        reason = should_stop()
        if reason is not None:
            raise Exhausted(reason)

    return check_budget
