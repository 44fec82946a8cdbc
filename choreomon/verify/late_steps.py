"""What may remain of a late term after an observed action.

See `choreomon.verify.late` for what late terms mean. Each function says what has to be decided
about the past so that something can be. What was decided, on which lifelines and in which epoch,
comes with each result: what is to the left of it must not follow with actions on them, nor have had
them in later epochs; what is to the right of it cannot have had them in earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, Final, TypeAlias, TypeVar

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.step import after, prune
from choreomon.interaction.term import EMPTY, Interaction, Operator
from choreomon.verify.epochs import (
    NOTHING,
    Epochs,
    Past,
    first,
    in_order,
    joined,
    last,
    moments,
    since,
    smallest,
    too_early,
    too_late,
    until,
    whole,
    without,
)
from choreomon.verify.late import COREG, LATE, PLAIN, STRICT, Decided, LateTerm, LateTerms

_PATIENCE: Final = 50
"""Steps of a computation between two calls of `ask`."""

Answered = TypeVar("Answered")
Asking: TypeAlias = Generator[Any, Any, Answered]
"""A computation that yields what it needs computed first."""


class LateSteps:
    """The steps of late terms, kept as long as this object."""

    def __init__(self, terms: LateTerms) -> None:
        self._terms = terms
        self._options: dict[tuple[Interaction, Epochs, Mask], tuple[Decided, ...]] = {}
        self._consumed: dict[
            tuple[Interaction, Epochs, Mask, Interaction], tuple[Decided, ...]
        ] = {}
        self._narrowed: dict[tuple[LateTerm, Mask], tuple[Decided, ...]] = {}
        self._over: dict[tuple[Interaction, Epochs], tuple[Past, ...]] = {}
        self.ask: Callable[[], None] | None = None
        """Called now and then; may raise, to stop. What is known stays right."""

    def after(self, node: LateTerm, leaf: Interaction) -> tuple[Decided, ...]:
        """What may remain after the observed action of `leaf`."""
        known = node._after.get(leaf)
        if known is None:
            known = _run(self._after(node, leaf), self.ask)
        return known

    def _after(self, node: LateTerm, leaf: Interaction) -> Asking[tuple[Decided, ...]]:
        known = node._after.get(leaf)
        if known is not None:
            return known
        on = leaf.lifelines
        terms = self._terms
        count = node.count
        found: list[Decided] = []
        if not node.lifelines & on:
            pass
        elif node.kind == PLAIN:
            for left in after(node.term, leaf, self.ask):
                if self.ask is not None:
                    self.ask()
                found.append((terms.plain(left), NOTHING))
        elif node.kind == LATE:
            found += yield self._after_late(node.term, node.epochs, node.pruned, leaf)
        elif node.kind == COREG:
            region = node.region
            if node.left.lifelines & on:
                ours = node.left._after.get(leaf)
                if ours is None:
                    ours = yield self._after(node.left, leaf)
                rights: dict[Epochs, LateTerm] = {}
                for rest, past in ours:
                    lost = too_early(past, count, on, region)
                    right = rights.get(lost)
                    if right is None:
                        right = rights[lost] = terms.restricted(node.right, lost)
                    found.append((terms.coreg(region, rest, right), past))
            if node.right.lifelines & on:
                theirs = node.right._after.get(leaf)
                if theirs is None:
                    theirs = yield self._after(node.right, leaf)
                if theirs:
                    found += yield self._joined(region, node.left, theirs, on)
        else:
            ours = yield self._after(node.left, leaf)
            if ours:
                right = terms.restricted(node.right, until(count, count))
                found += [(terms.strict(rest, right), past) for rest, past in ours]
            if node.right.lifelines & on:
                for over in (yield self._ways_over(node.left)):
                    right = terms.restricted(node.right, until(count, last(over)))
                    theirs = yield self._after(right, leaf)
                    found += [(rest, joined(over, past)) for rest, past in theirs]
        node._after[leaf] = result = _best(found)
        return result

    def _joined(
        self, region: Mask, left: LateTerm, theirs: Iterable[Decided], on: Mask
    ) -> Asking[list[Decided]]:
        """The `coreg`s of which the right operand did and left what `theirs` says, and has done
        something observed on `on`."""
        terms, count = self._terms, left.count
        found: list[Decided] = []
        known: dict[Past, tuple[Decided, ...]] = {}
        for rest, past in theirs:
            fronts = known.get(past)
            if fronts is None:
                narrow = terms.restricted(left, too_late(past, count, region))
                gone = (on | whole(past)) & ~region
                if narrow.lifelines & gone:
                    fronts = yield self._narrow(narrow, gone)
                else:
                    fronts = ((narrow, NOTHING),)
                known[past] = fronts
            for front, more in fronts:
                behind = terms.restricted(rest, too_early(more, rest.count, NONE, region))
                found.append((terms.coreg(region, front, behind), joined(past, more)))
        return found

    def _after_late(
        self, term: Interaction, epochs: Epochs, pruned: Mask, leaf: Interaction
    ) -> Asking[tuple[Decided, ...]]:
        """`after` of a LATE node (of the term as it is; `prune(term, pruned)` need not be)."""
        on = leaf.lifelines
        if not term.lifelines & on or pruned & on:
            return ()
        inside = term.lifelines
        epochs = tuple([one & inside for one in epochs])
        pruned &= inside
        key = (term, epochs, pruned, leaf)
        known = self._consumed.get(key)
        if known is not None:
            return known
        left, right, operator = term.left, term.right, term.operator
        terms = self._terms
        count = len(epochs)
        found: list[Decided] = []
        if left is None:
            if term is leaf:
                found.append((terms.plain(EMPTY), NOTHING))
        elif operator is Operator.ALT:
            assert right is not None
            found += yield self._after_late(left, epochs, pruned, leaf)
            found += yield self._after_late(right, epochs, pruned, leaf)
        elif operator is Operator.STRICT:
            assert right is not None
            after_all = prune(right, pruned)
            if after_all is not None:
                plain = terms.plain(after_all)
                ours = yield self._after_late(left, epochs, pruned, leaf)
                found += [(terms.strict(rest, plain), past) for rest, past in ours]
            if right.lifelines & on:
                for over in (yield self._completions(left, epochs)):
                    later = since(epochs, last(over))
                    theirs = yield self._after_late(right, later, pruned, leaf)
                    found += [(rest, joined(over, past)) for rest, past in theirs]
        elif operator is Operator.COREG:
            assert right is not None
            region = term.region
            ours = yield self._after_late(left, epochs, pruned, leaf)
            for rest, past in ours:
                later = without(epochs, too_early(past, count, on, region))
                for behind, more in (yield self._begun(right, later, pruned)):
                    if more:
                        both = yield self._joined(region, rest, [(behind, more)], NONE)
                        found += [(one, joined(past, decided)) for one, decided in both]
                    else:
                        found.append((terms.coreg(region, rest, behind), past))
            theirs = yield self._after_late(right, epochs, pruned, leaf)
            for rest, past in theirs:
                earlier = without(epochs, too_late(past, count, region))
                gone = pruned | ((on | whole(past)) & ~region)
                for front, more in (yield self._begun(left, earlier, gone)):
                    behind = terms.restricted(rest, too_early(more, count, NONE, region))
                    found.append((terms.coreg(region, front, behind), joined(past, more)))
        else:
            ours = yield self._after_late(left, epochs, pruned, leaf)
            if operator is Operator.LOOP_S:
                rest_of_loop = prune(term, pruned)
                assert rest_of_loop is not None
                plain = terms.plain(rest_of_loop)
                found += [(terms.strict(rest, plain), past) for rest, past in ours]
            else:
                assert operator is Operator.LOOP_C
                region = term.region
                for rest, past in ours:
                    later = without(epochs, too_early(past, count, on, region))
                    earlier = without(epochs, too_late(past, count, region))
                    gone = pruned | ((on | whole(past)) & ~region)
                    behind = terms.coreg(region, rest, terms.undecided(term, later, pruned))
                    front = terms.undecided(term, earlier, gone)
                    found.append((terms.coreg(region, front, behind), past))
        self._consumed[key] = result = _best(found)
        return result

    def _narrow(self, node: LateTerm, pruned: Mask) -> Asking[tuple[Decided, ...]]:
        """The ways to have nothing happen on `pruned` from now on."""
        pruned &= node.lifelines
        if not pruned:
            return ((node, NOTHING),)
        key = (node, pruned)
        known = self._narrowed.get(key)
        if known is not None:
            return known
        terms = self._terms
        found: list[Decided] = []
        if node.kind == PLAIN:
            rest = prune(node.term, pruned)
            if rest is not None:
                found.append((terms.plain(rest), NOTHING))
        elif node.kind == LATE:
            found += yield self._begun(node.term, node.epochs, node.pruned | pruned)
        elif node.kind == COREG:
            region, count = node.region, node.count
            theirs = yield self._narrow(node.right, pruned)
            for behind, past in theirs:
                left = terms.restricted(node.left, too_late(past, count, region))
                gone = pruned | (whole(past) & ~region)
                for front, more in (yield self._narrow(left, gone)):
                    later = terms.restricted(behind, too_early(more, count, NONE, region))
                    found.append((terms.coreg(region, front, later), joined(past, more)))
        else:
            count = node.count
            theirs = yield self._narrow(node.right, pruned)
            if any(not past for _, past in theirs):
                for front, more in (yield self._narrow(node.left, pruned)):
                    for behind, past in theirs:
                        if not past:
                            later = terms.restricted(behind, until(count, last(more)))
                            found.append((terms.strict(front, later), more))
            if any(past for _, past in theirs):
                for over in (yield self._ways_over(node.left)):
                    right = terms.restricted(node.right, until(count, last(over)))
                    for behind, past in (yield self._narrow(right, pruned)):
                        if past:
                            found.append((behind, joined(over, past)))
        self._narrowed[key] = result = _best(found)
        return result

    def _begun(
        self, term: Interaction, epochs: Epochs, pruned: Mask
    ) -> Asking[tuple[Decided, ...]]:
        """The ways in which the term may have begun unobserved, in these epochs, so that it can
        do without `pruned` from now on: undecided where that takes no decision."""
        inside = term.lifelines
        epochs = tuple([one & inside for one in epochs])
        pruned &= inside
        if prune(term, pruned) is not None:
            return ((self._terms.undecided(term, epochs, pruned), NOTHING),)
        key = (term, epochs, pruned)
        known = self._options.get(key)
        if known is not None:
            return known
        terms = self._terms
        left, right, operator = term.left, term.right, term.operator
        count = len(epochs)
        found: list[Decided] = []
        if left is None:
            found += [(terms.plain(EMPTY), past) for past in moments(epochs)]
        else:
            assert right is not None  # a loop can always be left out
            if operator is Operator.ALT:
                found += yield self._begun(left, epochs, pruned)
                found += yield self._begun(right, epochs, pruned)
            elif operator is Operator.STRICT:
                theirs = yield self._begun(right, epochs, pruned)
                if any(not past for _, past in theirs):
                    for front, more in (yield self._begun(left, epochs, pruned)):
                        for behind, past in theirs:
                            if not past:
                                later = terms.restricted(behind, until(count, last(more)))
                                found.append((terms.strict(front, later), more))
                if any(past for _, past in theirs):
                    for over in (yield self._completions(left, epochs)):
                        later_on = since(epochs, last(over))
                        for behind, past in (yield self._begun(right, later_on, pruned)):
                            if past:
                                found.append((behind, joined(over, past)))
            else:
                region = term.region
                theirs = yield self._begun(right, epochs, pruned)
                for behind, past in theirs:
                    earlier = without(epochs, too_late(past, count, region))
                    gone = pruned | (whole(past) & ~region)
                    for front, more in (yield self._begun(left, earlier, gone)):
                        later = terms.restricted(behind, too_early(more, count, NONE, region))
                        found.append((terms.coreg(region, front, later), joined(past, more)))
        self._options[key] = result = _best(found)
        return result

    def _completions(self, term: Interaction, epochs: Epochs) -> Asking[tuple[Past, ...]]:
        """The smallest pasts, in these epochs, in which all of the term may have happened."""
        if term.terminates:
            return (NOTHING,)
        inside = term.lifelines
        if prune(term, inside & ~whole(epochs)) is None:
            return ()
        epochs = tuple([one & inside for one in epochs])
        key = (term, epochs)
        known = self._over.get(key)
        if known is not None:
            return known
        if term.left is None:
            found = moments(epochs)
        else:
            assert term.right is not None
            ours = yield self._completions(term.left, epochs)
            theirs = yield self._completions(term.right, epochs)
            if term.operator is Operator.ALT:
                found = [*ours, *theirs]
            else:
                region = NONE if term.operator is Operator.STRICT else term.region
                found = _both(ours, theirs, term.operator is Operator.STRICT, region)
        self._over[key] = result = smallest(found)
        return result

    def _ways_over(self, node: LateTerm) -> Asking[tuple[Past, ...]]:
        """The same of a node that is to be over without another observed action."""
        if node.kind == PLAIN:
            return (NOTHING,) if node.term.terminates else ()
        if node.kind == LATE:
            result: tuple[Past, ...] = yield self._completions(node.term, node.epochs)
            return result
        ours = yield self._ways_over(node.left)
        theirs = yield self._ways_over(node.right)
        return smallest(_both(ours, theirs, node.kind == STRICT, node.region))


def _both(ours: Iterable[Past], theirs: Iterable[Past], strictly: bool, region: Mask) -> list[Past]:
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


def _run(question: Asking[Answered], ask: Callable[[], None] | None) -> Answered:
    """What a generator returns that yields the questions it needs answered: recursion without
    the limit."""
    pending: list[Asking[Any]] = [question]
    answer: Any = None
    rounds = 0
    while pending:
        rounds += 1
        if ask is not None and not rounds % _PATIENCE:
            ask()
        try:
            pending.append(pending[-1].send(answer))
            answer = None
        except StopIteration as done:
            pending.pop()
            answer = done.value
    result: Answered = answer
    return result


def _best(found: list[Decided]) -> tuple[Decided, ...]:
    """Without repetitions; of equal remainders, those that decided on less."""
    if len(found) < 2:
        return tuple(found)
    pasts: dict[LateTerm, list[Past]] = {}
    for node, past in found:
        pasts.setdefault(node, []).append(past)
    return tuple(
        (node, past)
        for node, many in pasts.items()
        for past in (smallest(many) if len(many) > 1 else many)
    )
