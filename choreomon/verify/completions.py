"""Completions: when all of a term may have happened unobserved.

The right operand of `strict` acts only when the left one is over. A term that may stop is over with
an empty past; for others the answer is the set of smallest pasts. `choreomon.verify.residual` says
what residuals are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.step import prune
from choreomon.interaction.term import Interaction, Operator
from choreomon.verify.gaps import (
    NOTHING,
    Gaps,
    Past,
    first,
    in_order,
    last,
    occurrences,
    smallest,
    whole,
)
from choreomon.verify.residual import PLAIN, STRICT, UNDECIDED, Residual
from choreomon.verify.trampoline import Trampolined


class Completions:
    """Cache of the smallest pasts that complete terms; it lives as long as this object."""

    def __init__(self) -> None:
        self._known: dict[tuple[Interaction, Gaps], tuple[Past, ...]] = {}
        self.check_budget: Callable[[], None] | None = None
        """Called for every past examined; may raise, to stop."""

    def forget(self) -> None:
        """Forget the completions."""
        self._known.clear()

    def of(self, term: Interaction, gaps: Gaps) -> Trampolined[tuple[Past, ...]]:
        """Return the smallest pasts, in these gaps, in which the whole term may have happened."""
        if term.terminates:
            return (NOTHING,)
        inside = term.lifelines
        if prune(term, inside & ~whole(gaps)) is None:
            return ()
        gaps = tuple([one & inside for one in gaps])
        key = (term, gaps)
        known = self._known.get(key)
        if known is not None:
            return known
        if term.left is None:
            assert term.action is not None
            found = occurrences(term.action, gaps)
        else:
            left, right = term.left, term.right
            assert right is not None
            ours = yield self.of(left, gaps)
            theirs = yield self.of(right, gaps)
            if term.operator is Operator.ALT:
                found = [*ours, *theirs]
            else:
                strictly = term.operator is Operator.STRICT
                found = one_after_the_other(ours, theirs, strictly, term.region)
        self._known[key] = result = self._kept(found)
        return result

    def _kept(self, found: list[Past]) -> tuple[Past, ...]:
        return smallest(found, self.check_budget)

    def of_residual(self, node: Residual) -> Trampolined[tuple[Past, ...]]:
        """The pasts in which a node ends without another observed action."""
        if node.kind == PLAIN:
            return (NOTHING,) if node.term.terminates else ()
        if node.kind == UNDECIDED:
            result: tuple[Past, ...] = yield self.of(node.term, node.gaps)
            return result
        ours = yield self.of_residual(node.left)
        theirs = yield self.of_residual(node.right)
        return self._kept(one_after_the_other(ours, theirs, node.kind == STRICT, node.region))


def one_after_the_other(
    ours: Iterable[Past], theirs: Iterable[Past], strictly: bool, region: Mask = NONE
) -> list[Past]:
    """The pasts of two operands, the left one before the right one: strictly, or on each lifeline
    outside of the region."""
    return [
        one.then(other)
        for one in ours
        for other in theirs
        if (
            not one or not other or last(one) <= first(other)
            if strictly
            else in_order(one, other, region)
        )
    ]
