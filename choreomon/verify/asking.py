"""Recursion without the limit: computations that yield what they need computed first."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final, TypeAlias, TypeVar

_PATIENCE: Final = 50
"""Steps of a computation between two calls of `ask`."""

Answered = TypeVar("Answered")
Asking: TypeAlias = Generator[Any, Any, Answered]
"""A computation that yields what it needs computed first."""


def answered(question: Asking[Answered], ask: Callable[[], None] | None) -> Answered:
    """What a generator returns that yields the questions it needs answered. `ask` is called now
    and then; it may raise, to stop."""
    pending: list[Asking[Any]] = [question]
    answer: Any = None
    rounds = 0
    while pending:
        rounds += 1
        if ask is not None and not rounds % _PATIENCE:
            ask()
        try:
            pending.append(pending[-1].send(answer))
            answer = None
        except StopIteration as done:
            pending.pop()
            answer = done.value
    result: Answered = answer
    return result
