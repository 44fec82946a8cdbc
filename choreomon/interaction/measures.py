"""Sizes of interactions that bounds and reports speak of.

Loop depth and the number of actions outside loops are the slices paper, Definitions 12 and 13: the
measure that makes its simulation end. An `open` iteration counts as its body.

Terms share subterms; every number here counts the tree, not the shared nodes.
"""

from __future__ import annotations

from typing import NamedTuple

from choreomon.core.action import Action
from choreomon.interaction.lifelines import names
from choreomon.interaction.term import LOOPS, Interaction, Operator, subterms


class Metrics(NamedTuple):
    """The contents of an interaction, counted."""

    symbols: int
    depth: int
    actions: int
    loops: int
    loop_depth: int
    lifelines: tuple[str, ...]
    messages: tuple[str, ...]


def actions_of(term: Interaction) -> tuple[Action, ...]:
    """The actions that can happen, each once, sorted."""
    return tuple(sorted({part.action for part in subterms(term) if part.action is not None}))


def loop_depth(term: Interaction) -> int:
    """The most loops that are nested: beta(i) of the slices paper, Definition 12."""
    depths: dict[Interaction, int] = {}
    for part in subterms(term):
        below = max(
            (depths[side] for side in (part.left, part.right) if side is not None), default=0
        )
        depths[part] = below + (part.operator in LOOPS)
    return depths[term]


def nesting(term: Interaction) -> int:
    """The depth to which operators are nested. A chain of one operator counts once where it goes on
    to the right, as texts with many operands are read: `seq(a, b, c)` is as deep as `seq(a, b)`,
    and `seq(seq(a, b), c)` is deeper."""
    depths: dict[Interaction, int] = {}
    for part in subterms(term):
        left, right = part.left, part.right
        if left is None:
            depths[part] = 0
        elif right is None:
            depths[part] = depths[left] + 1
        else:
            goes_on = right.operator is part.operator and right.region == part.region
            depths[part] = max(depths[left] + 1, depths[right] + (not goes_on))
    return depths[term]


def actions_outside_loops(term: Interaction) -> int:
    """The most actions that can happen without entering a loop: eta(i) of the slices paper,
    Definition 13."""
    numbers: dict[Interaction, int] = {}
    for part in subterms(term):
        if part.left is None:
            numbers[part] = int(part.action is not None)
        elif part.operator in LOOPS:
            numbers[part] = 0
        elif part.right is None:
            numbers[part] = numbers[part.left]
        elif part.operator is Operator.ALT:
            numbers[part] = max(numbers[part.left], numbers[part.right])
        else:
            numbers[part] = numbers[part.left] + numbers[part.right]
    return numbers[term]


def metrics(term: Interaction) -> Metrics:
    """The numbers of a term in one value."""
    actions: dict[Interaction, int] = {}
    loops: dict[Interaction, int] = {}
    messages: set[str] = set()
    for part in subterms(term):
        sides = [side for side in (part.left, part.right) if side is not None]
        actions[part] = sum(actions[side] for side in sides) + (part.action is not None)
        loops[part] = sum(loops[side] for side in sides) + (part.operator in LOOPS)
        if part.action is not None:
            messages.add(part.action.message)
    return Metrics(
        symbols=term.size,
        depth=term.depth,
        actions=actions[term],
        loops=loops[term],
        loop_depth=loop_depth(term),
        lifelines=names(term.lifelines),
        messages=tuple(sorted(messages)),
    )
