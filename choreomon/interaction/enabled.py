"""Actions that may happen now; what remains after one is made only where it is needed.

All that `choreomon.interaction.step.frontier` says about a deep term is quadratic in its depth:
what remains after each of its actions is another term, and each position another chain. Of most
steps that a search finds it takes none. Here the terms around an action are a chain from the inside
out, which actions share, and what remains is made on the way along it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask, each
from choreomon.interaction.step import Position, prune, reachable, unrolled
from choreomon.interaction.term import EMPTY, LOOPS, Interaction, Operator, combined

_Above: TypeAlias = tuple[Interaction, Literal[1, 2], "_Above"] | None
"""The terms around a subterm, the nearest first, and which of their operands it lies in."""


class Enabled:
    """An action that may be executed now, with `loops` loops around it (beta of the slices paper,
    Definition 12)."""

    __slots__ = ("_above", "_around", "_leaf", "loops")

    def __init__(self, leaf: Interaction, above: _Above, around: _Above, loops: int) -> None:
        """Make a step; `around` is the part of `above` that matters for what remains: not choices,
        nor what is on the left of a `strict`."""
        self._leaf = leaf
        self._above = above
        self._around = around
        self.loops = loops

    @property
    def action(self) -> Action:
        assert self._leaf.action is not None
        return self._leaf.action

    def position(self) -> Position:
        """The place of the action, from the root."""
        position: Position = ()
        above = self._above
        while above is not None:
            position = (above[1], position)
            above = above[2]
        return position

    def follow_up(self) -> Interaction:
        """The term after the action: as deep as the action is, so many terms are made, at most."""
        on = self._leaf.lifelines
        rest = EMPTY
        around = self._around
        while around is not None:
            top, digit, around = around
            assert top.left is not None
            if top.right is None:
                rest = unrolled(top, on, rest)
            elif digit == 1:
                rest = combined(top.operator, top.region, rest, top.right)
            else:
                before = prune(top.left, on & ~top.region)
                assert before is not None
                rest = combined(top.operator, top.region, before, rest)
        return rest


def enabled(term: Interaction) -> Iterator[Enabled]:
    """Return every action that may be executed now, in the order of positions, in time that grows
    with the symbols of the term."""
    pending: list[tuple[Interaction, Mask, int, _Above, _Above]] = [(term, NONE, 0, None, None)]
    while pending:
        top, blocked, loops, above, around = pending.pop()
        if not top.lifelines & ~blocked:
            continue
        left, right = top.left, top.right
        if left is None:
            yield Enabled(top, above, around, loops)
            continue
        operator = top.operator
        if right is not None and reachable(top):
            hindered, within = blocked, around
            if operator is Operator.COREG:
                hindered |= _unavoidable(left) & ~top.region
                within = (top, 2, around)
            pending.append((right, hindered, loops, (top, 2, above), within))
        within = around if operator in (Operator.ALT, Operator.OPEN) else (top, 1, around)
        pending.append((left, blocked, loops + (operator in LOOPS), (top, 1, above), within))


def _unavoidable(term: Interaction) -> Mask:
    """The lifelines that no accepted trace avoids, open iterations having to be served."""
    if not term.unserved:
        return term.unavoidable
    found = NONE
    for lifeline in each(term.lifelines):
        if prune(term, lifeline) is None:
            found |= lifeline
    return found
