"""Counts the places of actions in residuals, to choose which of many logs to continue first.

A log whose next action has few places leaves few alternatives; if it has none, nothing explains the
rest. Solvers of formulas prefer the shortest clause for the same reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Final

from choreomon.core.action import Action
from choreomon.interaction.term import Interaction
from choreomon.verify.residual import COREG, STRICT, Residual

RESIDUALS: Final = 16
"""The most residuals of a state counted."""

SYMBOLS: Final = 10_000
"""The most symbols counted in all: any order is better than none, and enough."""


def occurrences(residuals: Iterable[Residual]) -> Counter[Action]:
    """Count the places of each action in the first of these residuals, within the limits above."""
    found: Counter[Action] = Counter()
    pending: list[Residual | Interaction] = [*islice(residuals, RESIDUALS)]
    left = SYMBOLS
    while pending and left:
        left -= 1
        top = pending.pop()
        if isinstance(top, Interaction):
            if top.action is not None:
                found[top.action] += 1
            pending += [part for part in (top.left, top.right) if part is not None]
        elif top.kind in (COREG, STRICT):
            pending += [top.left, top.right]
        else:
            pending.append(top.term)
    return found
