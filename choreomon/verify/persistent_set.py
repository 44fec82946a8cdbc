"""Persistent sets: which component may be taken first without looking at the others.

Without strict-like operators, any component may be taken first. With them, the next action of a
component may have to wait for others: in `strict(loopS(l1!b),l2!a)`, taking `l2!a` discards the
loop, and with it `l1!b`. But not every action waits, and for one that does not, the argument is the
same as without such operators: in any trace that explains the rest of the logs, the action is the
first one of its component, and moved to the front of that trace it gives another one that explains
them. So only its derivatives have to be examined, and if there are none, nothing explains the rest.
Such an action alone is a persistent set, in the terms of Godefroid's partial-order reduction
(Valmari: a stubborn set).

`standing` says of one action of a component (a set of lifelines with one clock):

- NEVER: in no accepted trace is it the first action of the component;
- FREE: in every accepted trace where it is the component's first action, it can be moved to the
  front;
- WAITS: neither is known.

The standing in a term is the largest one that its operands allow, in this order: an action that is
NEVER the first one in one operand can only be the first one through the other.

An action can be moved out of both operands of `coreg(r)`: out of the right one, since nothing of
the left one on its lifeline (outside of `r`) comes before it, as it is the first, nor after it, as
it is on the right; so out of iterations of `loopC(r)`. Out of the right operand of `strict` it can
be moved only where the left one has nothing to do that is not the component's; out of an
iteration of `loopS` or `loopH` only where none is without an action of the component.

The argument holds for accepted traces, for their prefixes, and where a component that is used up
goes on unobserved; it also holds while some components have not begun, but not for these.

Which actions are free is not from a paper. The removal paper's one-unambiguous actions (its
Definition 11) are something else: they need not be free (`choreomon.verify.papers.reduction`).
"""

from __future__ import annotations

from typing import Final, TypeAlias

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.step import prune
from choreomon.interaction.term import EMPTY, Interaction, Operator
from choreomon.verify.gaps import whole
from choreomon.verify.residual import COREG, PLAIN, UNDECIDED, Residual

Standing: TypeAlias = int

NEVER: Final[Standing] = 0
FREE: Final[Standing] = 1
WAITS: Final[Standing] = 2

_Known: TypeAlias = dict[Interaction, Standing]


class PersistentSets:
    """The standings of actions, kept until they are forgotten. Not for several threads at once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Interaction, Mask, Mask], _Known] = {}
        self._of_residuals: dict[tuple[Residual, Interaction, Mask], bool] = {}

    def __len__(self) -> int:
        """The number of answers about residuals that are kept."""
        return len(self._of_residuals)

    def forget(self) -> None:
        """Drops all answers."""
        self._known.clear()
        self._of_residuals.clear()

    def standing(
        self, term: Interaction, leaf: Interaction, component: Mask, past: Mask = NONE
    ) -> Standing:
        """The standing in `term` of the action of `leaf`, which is on one of the lifelines
        `component`. On the lifelines `past` some prefix of the term may have happened already."""
        known = self._known.setdefault((leaf, component, past), {})
        on = leaf.lifelines
        bound = component & ~past
        pending = [term]
        while pending:
            top = pending[-1]
            if not top.lifelines & on or top in known:
                pending.pop()
                continue
            missing = [
                side
                for side in (top.left, top.right)
                if side is not None and side.lifelines & on and side not in known
            ]
            if missing:
                pending += missing
            else:
                pending.pop()
                known[top] = _standing(top, leaf, bound, known)
        return known.get(term, NEVER)

    def may_be_first(self, node: Residual, leaf: Interaction, component: Mask) -> bool:
        """Tell whether the action of `leaf` need not wait for other components in a residual, if
        its component has begun: what that component did unobserved is over, and lies before the
        action."""
        key = (node, leaf, component)
        known = self._of_residuals.get(key)
        if known is None:
            known = self._of_residuals[key] = self._standing(node, leaf, component) != WAITS
        return known

    def _standing(self, node: Residual, leaf: Interaction, component: Mask) -> Standing:
        found: dict[Residual, Standing] = {}
        on = leaf.lifelines
        pending = [node]
        while pending:
            top = pending[-1]
            if top in found:
                pending.pop()
            elif not top.lifelines & on:
                found[top] = NEVER
            elif top.kind in (PLAIN, UNDECIDED):
                found[top] = self.standing(top.term, leaf, component, whole(top.gaps))
            elif top.left not in found or top.right not in found:
                pending += [top.right, top.left]
            elif top.kind == COREG:
                theirs = found[top.right] if may_avoid(top.left, on & ~top.region) else NEVER
                found[top] = max(found[top.left], theirs)
            else:
                behind = found[top.right] and may_avoid(top.left, component)
                found[top] = WAITS if behind else found[top.left]
        return found[node]


def _standing(top: Interaction, leaf: Interaction, bound: Mask, known: _Known) -> Standing:
    """The standing in a term that has the lifeline of `leaf`, from those in its operands; `bound`
    are the component's lifelines on which nothing has happened unobserved."""
    left, right = top.left, top.right
    if left is None:
        return FREE if top is leaf else NEVER
    ours = known.get(left, NEVER)
    if right is not None:
        theirs = known.get(right, NEVER)
        if theirs and top.operator is Operator.COREG:
            if prune(left, leaf.lifelines & bound & ~top.region) is None:
                theirs = NEVER
        elif theirs and top.operator is Operator.STRICT:
            rest = prune(left, bound)
            if rest is None:
                theirs = NEVER
            elif rest is not EMPTY:
                theirs = WAITS
        return max(ours, theirs)
    if not ours or top.operator in (Operator.LOOP_C, Operator.OPEN):
        return ours
    rest = prune(left, bound)
    if rest is not None and rest is not EMPTY:
        return WAITS
    if top.operator is Operator.LOOP_H and bound != leaf.lifelines:
        # An iteration may begin with what others do, and its action of the component come after
        # that of a later iteration, unless both are on the one lifeline that the component has.
        return WAITS
    return ours


def may_avoid(node: Residual, lifelines: Mask) -> bool:
    """Tell whether a residual may do nothing more on these lifelines; False if that is not
    known."""
    pending = [node]
    while pending:
        top = pending.pop()
        if not top.lifelines & lifelines:
            continue
        if top.kind in (PLAIN, UNDECIDED):
            if prune(top.term, lifelines & ~whole(top.gaps)) is None:
                return False
        else:
            pending += [top.right, top.left]
    return True
