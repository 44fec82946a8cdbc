"""When all of a term may have happened unobserved: what has to be over before the right operand of
`strict` acts.

A term that may stop is over with nothing having happened; of others the answer is a set of pasts,
those in which happened as little as can be. See `choreomon.verify.late` for what late terms mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.step import prune
from choreomon.interaction.term import Interaction, Operator
from choreomon.verify.asking import Asking
from choreomon.verify.epochs import (
    NOTHING,
    Epochs,
    Past,
    first,
    in_order,
    joined,
    last,
    moments,
    smallest,
    weight,
    whole,
)
from choreomon.verify.late import LATE, PLAIN, STRICT, LateTerm
from choreomon.verify.late_chains import Chains


class Ends:
    """The smallest pasts with which terms are over, kept as long as this object; if `greedy`, only
    one of them."""

    def __init__(self, chains: Chains, *, greedy: bool = False) -> None:
        self._chains = chains
        self._greedy = greedy
        self._known: dict[tuple[Interaction, Epochs], tuple[Past, ...]] = {}
        self.ask: Callable[[], None] | None = None
        """Called for every past that is looked at; may raise, to stop."""

    def of(self, term: Interaction, epochs: Epochs) -> Asking[tuple[Past, ...]]:
        """The smallest pasts, in these epochs, in which all of the term may have happened."""
        if term.terminates:
            return (NOTHING,)
        inside = term.lifelines
        if prune(term, inside & ~whole(epochs)) is None:
            return ()
        epochs = tuple([one & inside for one in epochs])
        key = (term, epochs)
        known = self._known.get(key)
        if known is not None:
            return known
        if term.left is None:
            found = moments(epochs)
        else:
            left, right = self._chains.halves(term)
            ours = yield self.of(left, epochs)
            theirs = yield self.of(right, epochs)
            if term.operator is Operator.ALT:
                found = [*ours, *theirs]
            else:
                strictly = term.operator is Operator.STRICT
                found = one_after_the_other(ours, theirs, strictly, term.region)
        self._known[key] = result = self._kept(found)
        return result

    def _kept(self, found: list[Past]) -> tuple[Past, ...]:
        return tuple(sorted(found, key=weight)[:1]) if self._greedy else smallest(found, self.ask)

    def of_late(self, node: LateTerm) -> Asking[tuple[Past, ...]]:
        """The same of a node that is to be over without another observed action."""
        if node.kind == PLAIN:
            return (NOTHING,) if node.term.terminates else ()
        if node.kind == LATE:
            result: tuple[Past, ...] = yield self.of(node.term, node.epochs)
            return result
        ours = yield self.of_late(node.left)
        theirs = yield self.of_late(node.right)
        return self._kept(one_after_the_other(ours, theirs, node.kind == STRICT, node.region))


def one_after_the_other(
    ours: Iterable[Past], theirs: Iterable[Past], strictly: bool, region: Mask = NONE
) -> list[Past]:
    """What two operands did, the left one before the right one: strictly, or on each lifeline
    outside of the region."""
    return [
        joined(one, other)
        for one in ours
        for other in theirs
        if (
            not one or not other or last(one) <= first(other)
            if strictly
            else in_order(one, other, region)
        )
    ]
