"""Budgets: long computations check now and then whether to give up."""

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


def at_most(pieces: int, check_budget: CheckBudget | None) -> CheckBudget:
    """A check that raises TooMuchWork when it is called once more than that. There is a call for
    about every piece of work, so this bounds work without a clock."""
    done = 0

    def check() -> None:
        nonlocal done
        done += 1
        if check_budget is not None:
            check_budget()
        if done > pieces:
            raise TooMuchWork

    return check


def checking(should_stop: ShouldStop | None) -> CheckBudget | None:
    """Turns what tells a reason to stop into what raises it."""
    if should_stop is None:
        return None

    def check_budget() -> None:
        reason = should_stop()
        if reason is not None:
            raise Exhausted(reason)

    return check_budget
