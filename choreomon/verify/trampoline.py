"""Recursion without the limit of the interpreter: a trampoline for generators that yield the
computations they need first."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final, TypeAlias, TypeVar

_BETWEEN_CHECKS: Final = 50
"""Steps of a computation between two calls of `check_budget`: a call costs as much as a step."""

Result = TypeVar("Result")
Trampolined: TypeAlias = Generator[Any, Any, Result]
"""A computation that yields what it needs computed first."""


def on_trampoline(
    computation: Trampolined[Result], check_budget: Callable[[], None] | None
) -> Result:
    """The result of a computation. `check_budget` is called now and then; it may raise, to stop."""
    pending: list[Trampolined[Any]] = [computation]
    answer: Any = None
    steps = 0
    while pending:
        steps += 1
        if check_budget is not None and not steps % _BETWEEN_CHECKS:
            check_budget()
        try:
            pending.append(pending[-1].send(answer))
            answer = None
        except StopIteration as done:
            pending.pop()
            answer = done.value
    result: Result = answer
    return result
