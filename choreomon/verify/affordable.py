"""What of an interaction a few actions can pay for.

Whoever asks whether a log of six actions is accepted need not look at choices and loops that take
seven actions, or one that was not recorded, to get through.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    combined,
    subterms,
)

_NEVER: Final = 1 << 62
"""More actions than anybody records."""

_Priced: TypeAlias = tuple[Interaction, int]
"""A term, and how many actions there are for it."""


def affordable(term: Interaction, actions: AbstractSet[Action], most: int) -> Interaction | None:
    """The term without choices, and without iterations, that take more than `most` actions or
    others than `actions`; None where that is all of it.

    Of the traces that the term accepts, the result accepts all that have at most `most` actions,
    all of them of `actions`; it accepts no other traces than the term does. Not from a paper.
    """
    least = _least(term, actions)
    if least[term] > most:
        return None
    made: dict[_Priced, Interaction] = {}
    pending: list[_Priced] = [(term, most)]
    while pending:
        top = pending[-1]
        if top in made:
            pending.pop()
            continue
        parts = _parts(top, least)
        missing = [part for part in parts if part not in made]
        if missing:
            pending += missing
            continue
        pending.pop()
        made[top] = _built(top[0], [made[part] for part in parts])
    return made[term, most]


def _least(term: Interaction, actions: AbstractSet[Action]) -> dict[Interaction, int]:
    """How many actions the shortest accepted trace has, of the term and of its subterms; at least
    `_NEVER` where each has others than `actions`."""
    found: dict[Interaction, int] = {}
    for part in subterms(term):
        if part.left is None:
            if part.action is None:
                found[part] = 0
            else:
                found[part] = 1 if part.action in actions else _NEVER
        elif part.operator in LOOPS:
            found[part] = 0
        elif part.right is None:
            found[part] = found[part.left]
        elif part.operator is Operator.ALT:
            found[part] = min(found[part.left], found[part.right])
        else:
            found[part] = min(found[part.left] + found[part.right], _NEVER)
    return found


def _parts(priced: _Priced, least: dict[Interaction, int]) -> list[_Priced]:
    """The operands that are left of a term, with what each of them may cost when the others are
    as cheap as can be."""
    term, most = priced
    left, right = term.left, term.right
    if left is None:
        return []
    if right is None or term.operator is Operator.ALT:
        operands = (left,) if right is None else (left, right)
        return [(operand, most) for operand in operands if least[operand] <= most]
    return [(left, most - least[right]), (right, most - least[left])]


def _built(term: Interaction, parts: list[Interaction]) -> Interaction:
    if term.left is None:
        return term
    if not parts:
        return EMPTY  # a loop that cannot be entered
    if term.operator is Operator.ALT and len(parts) == 1:
        return parts[0]
    return combined(term.operator, term.region, parts[0], parts[1] if len(parts) > 1 else None)
