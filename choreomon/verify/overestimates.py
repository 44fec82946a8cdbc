"""Interactions that accept at least as much as others and are easier: no is no there, too."""

from __future__ import annotations

from choreomon.interaction.lifelines import NONE
from choreomon.interaction.term import EMPTY, Interaction, Operator, combined, subterms


def without_heads(term: Interaction) -> Interaction:
    """The term with `loopW` for `loopH` and without `open` marks: it accepts at least as much,
    and the same where every `loopH` is on one lifeline."""
    made: dict[Interaction, Interaction] = {}
    for part in subterms(term):
        if part.left is None:
            made[part] = part
            continue
        left = made[part.left]
        if part.operator is Operator.OPEN:
            made[part] = left
        elif part.operator is Operator.LOOP_H:
            made[part] = combined(Operator.LOOP_C, NONE, left, None)
        else:
            right = None if part.right is None else made[part.right]
            made[part] = combined(part.operator, part.region, left, right)
    return made[term]


def onto_messages(
    term: Interaction, messages: frozenset[str], made: dict[Interaction, Interaction]
) -> Interaction:
    """The term with the actions of these messages only, the empty interaction in place of others:
    of every trace that the term accepts, it accepts what is left without the others. Operators
    order actions by lifelines and operands alone, so leaving some out breaks no order, and an
    iteration of which nothing is left might as well not have been. `loopH` orders iterations by
    their first actions, and those may be left out: not for terms with `loopH` or marks.

    `made` is what was found out before for the same messages, and is added to: follow-ups share
    most of their subterms."""
    if term in made:
        return made[term]
    for part in subterms(term):
        if part in made:
            continue
        if part.action is not None:
            made[part] = part if part.action.message in messages else EMPTY
        elif part.left is None:
            made[part] = part
        else:
            right = None if part.right is None else made[part.right]
            made[part] = combined(part.operator, part.region, made[part.left], right)
    return made[term]
