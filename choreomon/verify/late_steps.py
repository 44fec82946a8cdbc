"""What may remain of a late term after an observed action.

See `choreomon.verify.late` for what late terms mean. Each function says what has to be decided
about the past so that something can be. The lifelines on which anything was decided come with each
result, because what is to the left of it must not follow with actions on them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, Final, TypeAlias, TypeVar

from choreomon.interaction.lifelines import ALL, NONE, Mask
from choreomon.interaction.step import after, prune
from choreomon.interaction.term import EMPTY, Interaction, Operator
from choreomon.verify.late import COREG, LATE, PLAIN, Decided, LateTerm, LateTerms

_PATIENCE: Final = 50
"""Steps of a computation between two calls of `ask`."""

Answered = TypeVar("Answered")
Asking: TypeAlias = Generator[Any, Any, Answered]
"""A computation that yields what it needs computed first."""


class LateSteps:
    """The steps of late terms, kept as long as this object."""

    def __init__(self, terms: LateTerms) -> None:
        self._terms = terms
        self._options: dict[tuple[Interaction, Mask, Mask], tuple[Decided, ...]] = {}
        self._consumed: dict[tuple[Interaction, Mask, Mask, Interaction], tuple[Decided, ...]] = {}
        self._narrowed: dict[tuple[LateTerm, Mask], tuple[Decided, ...]] = {}
        self._over: dict[tuple[Interaction, Mask], tuple[Mask, ...]] = {}
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
        found: list[Decided] = []
        if not node.lifelines & on:
            pass
        elif node.kind == PLAIN:
            for rest in after(node.term, leaf, self.ask):
                if self.ask is not None:
                    self.ask()
                found.append((self._terms.plain(rest), NONE))
        elif node.kind == LATE:
            found += yield self._after_late(node.term, node.forbidden, node.pruned, leaf)
        elif node.kind == COREG:
            region = node.forbidden
            if node.left.lifelines & on:
                ours = yield self._after(node.left, leaf)
                if ours:
                    right = self._terms.restricted(node.right, on & ~region)
                    found += [(self._terms.coreg(region, rest, right), past) for rest, past in ours]
            if node.right.lifelines & on:
                theirs = yield self._after(node.right, leaf)
                for rest, past in theirs:
                    before = yield self._narrow(node.left, (on | past) & ~region)
                    for left, more in before:
                        found.append((self._terms.coreg(region, left, rest), past | more))
        else:
            ours = yield self._after(node.left, leaf)
            if ours:
                right = self._terms.restricted(node.right, ALL)
                found += [(self._terms.strict(rest, right), past) for rest, past in ours]
            theirs = yield self._after(node.right, leaf)
            if theirs:
                for over in (yield self._ways_over(node.left)):
                    found += [(rest, over | past) for rest, past in theirs]
        node._after[leaf] = result = _best(found)
        return result

    def _after_late(
        self, term: Interaction, forbidden: Mask, pruned: Mask, leaf: Interaction
    ) -> Asking[tuple[Decided, ...]]:
        """`after` of a LATE node (of the term as it is; `prune(term, pruned)` need not be)."""
        on = leaf.lifelines
        if not term.lifelines & on or pruned & on:
            return ()
        forbidden &= term.lifelines
        pruned &= term.lifelines
        key = (term, forbidden, pruned, leaf)
        known = self._consumed.get(key)
        if known is not None:
            return known
        left, right, operator = term.left, term.right, term.operator
        found: list[Decided] = []
        if left is None:
            if term is leaf:
                found.append((self._terms.plain(EMPTY), NONE))
        elif operator is Operator.ALT:
            assert right is not None
            found += yield self._after_late(left, forbidden, pruned, leaf)
            found += yield self._after_late(right, forbidden, pruned, leaf)
        elif operator is Operator.STRICT:
            assert right is not None
            after_all = prune(right, pruned)
            if after_all is not None:
                plain = self._terms.plain(after_all)
                ours = yield self._after_late(left, forbidden, pruned, leaf)
                found += [(self._terms.strict(rest, plain), past) for rest, past in ours]
            theirs = yield self._after_late(right, forbidden, pruned, leaf)
            if theirs:
                for over in (yield self._completions(left, forbidden)):
                    found += [(rest, over | past) for rest, past in theirs]
        elif operator is Operator.COREG:
            assert right is not None
            region = term.region
            ours = yield self._after_late(left, forbidden, pruned, leaf)
            if ours:
                later = yield self._begun(right, forbidden | (on & ~region), pruned)
                for behind, more in later:
                    for rest, past in ours:
                        narrowed = yield self._narrow(rest, more & ~region)
                        for front, extra in narrowed:
                            found.append(
                                (self._terms.coreg(region, front, behind), past | more | extra)
                            )
            theirs = yield self._after_late(right, forbidden, pruned, leaf)
            for rest, past in theirs:
                before = yield self._begun(left, forbidden, pruned | ((on | past) & ~region))
                for front, more in before:
                    found.append((self._terms.coreg(region, front, rest), past | more))
        else:
            ours = yield self._after_late(left, forbidden, pruned, leaf)
            if operator is Operator.LOOP_S:
                rest_of_loop = prune(term, pruned)
                assert rest_of_loop is not None
                plain = self._terms.plain(rest_of_loop)
                found += [(self._terms.strict(rest, plain), past) for rest, past in ours]
            else:
                assert operator is Operator.LOOP_C
                region = term.region
                later_ones = self._terms.undecided(term, forbidden | (on & ~region), pruned)
                for rest, past in ours:
                    earlier = self._terms.undecided(
                        term, forbidden, pruned | ((on | past) & ~region)
                    )
                    behind = self._terms.coreg(region, rest, later_ones)
                    found.append((self._terms.coreg(region, earlier, behind), past))
        self._consumed[key] = result = _best(found)
        return result

    def _narrow(self, node: LateTerm, pruned: Mask) -> Asking[tuple[Decided, ...]]:
        """The ways to have nothing happen on `pruned` from now on."""
        pruned &= node.lifelines
        if not pruned:
            return ((node, NONE),)
        key = (node, pruned)
        known = self._narrowed.get(key)
        if known is not None:
            return known
        found: list[Decided] = []
        if node.kind == PLAIN:
            rest = prune(node.term, pruned)
            if rest is not None:
                found.append((self._terms.plain(rest), NONE))
        elif node.kind == LATE:
            found += yield self._begun(node.term, node.forbidden, node.pruned | pruned)
        elif node.kind == COREG:
            region = node.forbidden
            theirs = yield self._narrow(node.right, pruned)
            for behind, past in theirs:
                ours = yield self._narrow(node.left, pruned | (past & ~region))
                for front, more in ours:
                    found.append((self._terms.coreg(region, front, behind), past | more))
        else:
            theirs = yield self._narrow(node.right, pruned)
            for behind, past in theirs:
                if past:
                    for over in (yield self._ways_over(node.left)):
                        found.append((behind, past | over))
                else:
                    ours = yield self._narrow(node.left, pruned)
                    found += [(self._terms.strict(front, behind), more) for front, more in ours]
        self._narrowed[key] = result = _best(found)
        return result

    def _begun(
        self, term: Interaction, forbidden: Mask, pruned: Mask
    ) -> Asking[tuple[Decided, ...]]:
        """The ways in which the term may have begun unobserved (outside `forbidden`) so that it
        can do without `pruned` from now on: undecided where that takes no decision."""
        forbidden &= term.lifelines
        pruned &= term.lifelines
        if prune(term, pruned) is not None:
            return ((self._terms.undecided(term, forbidden, pruned), NONE),)
        key = (term, forbidden, pruned)
        known = self._options.get(key)
        if known is not None:
            return known
        left, right, operator = term.left, term.right, term.operator
        found: list[Decided] = []
        if left is None:
            if not term.lifelines & forbidden:
                found.append((self._terms.plain(EMPTY), term.lifelines))
        else:
            assert right is not None  # a loop can always be left out
            if operator is Operator.ALT:
                found += yield self._begun(left, forbidden, pruned)
                found += yield self._begun(right, forbidden, pruned)
            elif operator is Operator.STRICT:
                theirs = yield self._begun(right, forbidden, pruned)
                for behind, past in theirs:
                    if past:
                        for over in (yield self._completions(left, forbidden)):
                            found.append((behind, past | over))
                    else:
                        ours = yield self._begun(left, forbidden, pruned)
                        found += [(self._terms.strict(front, behind), more) for front, more in ours]
            else:
                region = term.region
                theirs = yield self._begun(right, forbidden, pruned)
                for behind, past in theirs:
                    ours = yield self._begun(left, forbidden, pruned | (past & ~region))
                    for front, more in ours:
                        found.append((self._terms.coreg(region, front, behind), past | more))
        self._options[key] = result = _best(found)
        return result

    def _completions(self, term: Interaction, forbidden: Mask) -> Asking[tuple[Mask, ...]]:
        """The smallest sets of lifelines, none in `forbidden`, on which all of the term may have
        happened."""
        if term.terminates:
            return (NONE,)
        if prune(term, forbidden) is None:
            return ()
        key = (term, forbidden & term.lifelines)
        known = self._over.get(key)
        if known is not None:
            return known
        if term.left is None:
            found = {term.lifelines}
        else:
            assert term.right is not None
            ours = yield self._completions(term.left, forbidden)
            theirs = yield self._completions(term.right, forbidden)
            if term.operator is Operator.ALT:
                found = {*ours, *theirs}
            else:
                found = {one | other for one in ours for other in theirs}
        self._over[key] = result = _smallest(found)
        return result

    def _ways_over(self, node: LateTerm) -> Asking[tuple[Mask, ...]]:
        """The same of a node that is to be over without another observed action."""
        if node.kind == PLAIN:
            return (NONE,) if node.term.terminates else ()
        if node.kind == LATE:
            result: tuple[Mask, ...] = yield self._completions(node.term, node.forbidden)
            return result
        ours = yield self._ways_over(node.left)
        theirs = yield self._ways_over(node.right)
        return _smallest({one | other for one in ours for other in theirs})


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
    """Without repetitions; of equal remainders, those that decided on fewer lifelines."""
    if len(found) < 2:
        return tuple(found)
    pasts: dict[LateTerm, list[Mask]] = {}
    for node, past in found:
        pasts.setdefault(node, []).append(past)
    return tuple((node, past) for node, many in pasts.items() for past in _smallest(many))


def _smallest(masks: Iterable[Mask]) -> tuple[Mask, ...]:
    """Those that contain no other one."""
    kept: list[Mask] = []
    for one in sorted(set(masks), key=lambda mask: (mask.bit_count(), mask)):
        if all(other & ~one for other in kept):
            kept.append(one)
    return tuple(kept)
