"""`loopW` in place of `loopH`: an interaction that accepts at least as much."""

from __future__ import annotations

from choreomon.interaction.lifelines import NONE
from choreomon.interaction.term import Interaction, Operator, combined, subterms


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
