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
    """The computation would take more work than it is worth."""


def at_most(pieces: int, check_budget: CheckBudget | None) -> CheckBudget:
    """A check that raises TooMuchWork when it is called once more than that. It is called for about
    every piece of work, so this bounds work without a clock."""
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
    """A check that raises Exhausted with the reason that `should_stop` returns."""
    if should_stop is None:
        return None

    def check_budget() -> None:
        reason = should_stop()
        if reason is not None:
            raise Exhausted(reason)

    return check_budget
