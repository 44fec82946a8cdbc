"""The shortest way to where an interaction may stop."""

from __future__ import annotations

from choreomon.core.action import Action
from choreomon.interaction.term import Interaction, Operator, subterms


def shortest_completion(term: Interaction) -> list[Action]:
    """A shortest list of actions that lead from a term without open iterations to where it may
    stop. Read off the term: one operand after the other is allowed by every operator, and loops
    need not be entered."""
    lengths = _shortest(term)
    actions: list[Action] = []
    pending = [term]
    while pending:
        top = pending.pop()
        if top.terminates:
            continue
        if top.action is not None:
            actions.append(top.action)
            continue
        assert top.left is not None
        assert top.right is not None
        if top.operator is Operator.ALT:
            pending.append(min(top.left, top.right, key=lengths.__getitem__))
        else:
            pending += [top.right, top.left]
    return actions


def _shortest(term: Interaction) -> dict[Interaction, int]:
    """The length of the shortest accepted traces, of a term without open iterations and of its
    subterms."""
    lengths: dict[Interaction, int] = {}
    for part in subterms(term):
        if part.terminates or part.left is None:
            lengths[part] = 0 if part.terminates else 1
            continue
        assert part.right is not None
        left, right = lengths[part.left], lengths[part.right]
        lengths[part] = min(left, right) if part.operator is Operator.ALT else left + right
    return lengths
