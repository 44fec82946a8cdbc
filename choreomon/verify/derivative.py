"""Derivatives of residuals: what may remain of a residual after an observed action.

They extend Brzozowski's derivatives of regular expressions by an undecided past
(`choreomon.verify.residual` says what residuals mean). Each function says what has to be decided
about the past so that something can be. What was decided, on which lifelines and in which gap,
comes with each result: what is to the left of it must not follow with actions on them, nor have had
them in later gaps; what is to the right of it cannot have had them in earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.operand_chains import Chain, Chains
from choreomon.interaction.step import after, prune
from choreomon.interaction.term import EMPTY, Interaction, Operator, make
from choreomon.verify.completions import Completions, one_after_the_other
from choreomon.verify.gaps import (
    NOTHING,
    Gaps,
    Past,
    last,
    occurrences,
    since,
    smallest,
    too_early,
    too_late,
    until,
    whole,
    without,
)
from choreomon.verify.gaps import (
    both as both_gaps,
)
from choreomon.verify.residual import COREG, PLAIN, UNDECIDED, Decided, Residual, Residuals
from choreomon.verify.trampoline import Trampolined, on_trampoline


class Derivatives:
    """The derivatives of residuals, kept as long as this object, and as long as the terms: each
    `Residuals` has one such object.
    """

    def __init__(self, terms: Residuals) -> None:
        self._terms = terms
        self._options: dict[tuple[Interaction, Gaps, Mask], tuple[Decided, ...]] = {}
        self._consumed: dict[tuple[Interaction, Gaps, Mask, Interaction], tuple[Decided, ...]] = {}
        self._narrowed: dict[tuple[Residual, Mask], tuple[Decided, ...]] = {}
        self._chains = Chains()
        self.completions = Completions()
        self.check_budget: Callable[[], None] | None = None
        """Called now and then; may raise, to stop. What is known stays right."""

    def after(self, node: Residual, leaf: Interaction) -> tuple[Decided, ...]:
        """The residuals after the observed action of `leaf`."""
        if not node.lifelines & leaf.lifelines:
            return ()
        known = node._after.get(leaf)
        if known is None:
            if node.kind == PLAIN:
                known = node._after[leaf] = self._after_plain(node.term, leaf)
            else:
                known = on_trampoline(self._after(node, leaf), self.check_budget)
        return known

    def forget(self) -> None:
        """Drops all cached answers; this loses nothing but time."""
        self.completions.forget()
        for known in (self._options, self._consumed, self._narrowed, self._chains):
            known.clear()

    def _after_plain(self, term: Interaction, leaf: Interaction) -> tuple[Decided, ...]:
        found: list[Decided] = []
        for rest in after(term, leaf, self.check_budget):
            self._check()
            found.append((self._terms.plain(rest), NOTHING))
        return _best(found)

    def _check(self) -> None:
        # Of a long chain, to put one operand in front takes long.
        if self.check_budget is not None:
            self.check_budget()

    def _after(self, node: Residual, leaf: Interaction) -> Trampolined[tuple[Decided, ...]]:
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
            found += self._after_plain(node.term, leaf)
        elif node.kind == UNDECIDED:
            found += yield self._after_undecided(node.term, node.gaps, node.pruned, leaf)
        elif node.kind == COREG:
            region = node.region
            if node.left.lifelines & on:
                ours = node.left._after.get(leaf)
                if ours is None:
                    ours = yield self._after(node.left, leaf)
                rights: dict[Gaps, Residual] = {}
                for rest, past in ours:
                    self._check()
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
                for over in (yield self.completions.of_residual(node.left)):
                    right = terms.restricted(node.right, until(count, last(over)))
                    theirs = yield self._after(right, leaf)
                    found += [(rest, over.then(past)) for rest, past in theirs]
        node._after[leaf] = result = _best(found)
        return result

    def _joined(
        self, region: Mask, left: Residual, theirs: Iterable[Decided], on: Mask
    ) -> Trampolined[list[Decided]]:
        """The `coreg`s whose right operand decided and left what `theirs` says, having acted
        observably on `on`."""
        terms, count = self._terms, left.count
        found: list[Decided] = []
        known: dict[Gaps, tuple[Decided, ...]] = {}
        for rest, past in theirs:
            fronts = known.get(past.lifelines)
            if fronts is None:
                narrow = terms.restricted(left, too_late(past, count, region))
                gone = (on | whole(past.lifelines)) & ~region
                if narrow.lifelines & gone:
                    fronts = yield self._narrow(narrow, gone)
                else:
                    fronts = ((narrow, NOTHING),)
                known[past.lifelines] = fronts
            for front, more in fronts:
                self._check()
                behind = terms.restricted(rest, too_early(more, rest.count, NONE, region))
                found.append((terms.coreg(region, front, behind), more.then(past)))
        return found

    def _after_undecided(
        self, term: Interaction, gaps: Gaps, pruned: Mask, leaf: Interaction
    ) -> Trampolined[tuple[Decided, ...]]:
        """Compute `after` for an UNDECIDED node (for the term as it is; `prune(term, pruned)` need
        not exist)."""
        on = leaf.lifelines
        if not term.lifelines & on or pruned & on:
            return ()
        inside = term.lifelines
        gaps = tuple([one & inside for one in gaps])
        pruned &= inside
        key = (term, gaps, pruned, leaf)
        known = self._consumed.get(key)
        if known is not None:
            return known
        left, right, operator = term.left, term.right, term.operator
        terms = self._terms
        count = len(gaps)
        found: list[Decided] = []
        if left is None:
            if term is leaf:
                found.append((terms.plain(EMPTY), NOTHING))
        elif operator is Operator.ALT:
            assert right is not None
            found += yield self._after_undecided(left, gaps, pruned, leaf)
            found += yield self._after_undecided(right, gaps, pruned, leaf)
        elif operator is Operator.STRICT:
            found += yield self._after_strict(self._chains[term], gaps, pruned, leaf)
        elif operator is Operator.COREG:
            found += yield self._after_coreg(self._chains[term], gaps, pruned, leaf)
        else:
            ours = yield self._after_undecided(left, gaps, pruned, leaf)
            if operator is Operator.LOOP_S:
                rest_of_loop = prune(term, pruned)
                assert rest_of_loop is not None
                plain = terms.plain(rest_of_loop)
                found += [(terms.strict(rest, plain), past) for rest, past in ours]
            else:
                assert operator is Operator.LOOP_C
                region = term.region
                for rest, past in ours:
                    later = without(gaps, too_early(past, count, on, region))
                    earlier = without(gaps, too_late(past, count, region))
                    gone = pruned | ((on | whole(past.lifelines)) & ~region)
                    behind = terms.coreg(region, rest, terms.undecided(term, later, pruned))
                    front = terms.undecided(term, earlier, gone)
                    found.append((terms.coreg(region, front, behind), past))
        self._consumed[key] = result = _best(found)
        return result

    def _after_strict(
        self, chain: Chain, gaps: Gaps, pruned: Mask, leaf: Interaction
    ) -> Trampolined[list[Decided]]:
        """Compute `after` for a chain of `strict` with an unobserved prefix."""
        terms = self._terms
        found: list[Decided] = []
        overs: tuple[Past, ...] = (NOTHING,)
        for number, operand in enumerate(chain.operands):
            behind = chain.behind(number)
            after_all = EMPTY if behind is None else prune(behind, pruned)
            if operand.lifelines & leaf.lifelines and after_all is not None:
                plain = terms.plain(after_all)
                for over in overs:
                    later = since(gaps, last(over))
                    ours = yield self._after_undecided(operand, later, pruned, leaf)
                    found += [(terms.strict(rest, plain), over.then(past)) for rest, past in ours]
            if behind is None or not behind.lifelines & leaf.lifelines:
                break
            completed = yield self.completions.of(operand, gaps)
            overs = smallest(one_after_the_other(overs, completed, strictly=True))
            if not overs:
                break
        return found

    def _after_coreg(
        self, chain: Chain, gaps: Gaps, pruned: Mask, leaf: Interaction
    ) -> Trampolined[list[Decided]]:
        """Compute `after` for a chain of one `coreg` with an unobserved prefix."""
        terms, region, operands = self._terms, chain.term.region, chain.operands
        on, count = leaf.lifelines, len(gaps)
        found: list[Decided] = []
        # The last one first: of what is behind them, terms grow from one to the next.
        for number in range(len(operands) - 1, -1, -1):
            operand = operands[number]
            if not operand.lifelines & on:
                continue
            if number and operand is operands[number - 1] and not operand.lifelines & ~region:
                continue  # two that are equal and commute: whichever it was, the other is left
            self._check()
            ours = yield self._after_undecided(operand, gaps, pruned, leaf)
            behind = chain.behind(number)
            if behind is not None:
                both: list[Decided] = []
                for rest, past in ours:
                    later = without(gaps, too_early(past, count, on, region))
                    for then, more in (yield self._begun(behind, later, pruned)):
                        if more:
                            ends = yield self._joined(region, rest, [(then, more)], NONE)
                            both += [(one, past.then(decided)) for one, decided in ends]
                        else:
                            both.append((terms.coreg(region, rest, then), past))
                ours = _best(both)
            before = chain.before(number) if ours else None
            if before is not None:
                fronted: list[Decided] = []
                for rest, past in ours:
                    earlier = without(gaps, too_late(past, count, region))
                    gone = pruned | ((on | whole(past.lifelines)) & ~region)
                    for front, more in (yield self._begun(before, earlier, gone)):
                        then = terms.restricted(rest, too_early(more, count, NONE, region))
                        fronted.append((terms.coreg(region, front, then), more.then(past)))
                ours = _best(fronted)
            found += ours
        return found

    def _narrow(self, node: Residual, pruned: Mask) -> Trampolined[tuple[Decided, ...]]:
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
        elif node.kind == UNDECIDED:
            found += yield self._begun(node.term, node.gaps, node.pruned | pruned)
        elif node.kind == COREG:
            region, count = node.region, node.count
            theirs = yield self._narrow(node.right, pruned)
            for behind, past in theirs:
                left = terms.restricted(node.left, too_late(past, count, region))
                gone = pruned | (whole(past.lifelines) & ~region)
                for front, more in (yield self._narrow(left, gone)):
                    later = terms.restricted(behind, too_early(more, count, NONE, region))
                    found.append((terms.coreg(region, front, later), more.then(past)))
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
                for over in (yield self.completions.of_residual(node.left)):
                    right = terms.restricted(node.right, until(count, last(over)))
                    for behind, past in (yield self._narrow(right, pruned)):
                        if past:
                            found.append((behind, over.then(past)))
        self._narrowed[key] = result = _best(found)
        return result

    def _begun(
        self, term: Interaction, gaps: Gaps, pruned: Mask
    ) -> Trampolined[tuple[Decided, ...]]:
        """The ways in which the term may have begun unobserved, in these gaps, so that it can
        do without `pruned` from now on: undecided where that takes no decision."""
        inside = term.lifelines
        gaps = tuple([one & inside for one in gaps])
        pruned &= inside
        if prune(term, pruned) is not None:
            return ((self._terms.undecided(term, gaps, pruned), NOTHING),)
        key = (term, gaps, pruned)
        known = self._options.get(key)
        if known is not None:
            return known
        terms = self._terms
        operator = term.operator
        count = len(gaps)
        found: list[Decided] = []
        if term.left is None:
            assert term.action is not None
            found += [(terms.plain(EMPTY), past) for past in occurrences(term.action, gaps)]
        else:
            left, right = term.left, term.right
            assert right is not None
            if operator is Operator.ALT:
                found += yield self._begun(left, gaps, pruned)
                found += yield self._begun(right, gaps, pruned)
            elif operator is Operator.STRICT:
                theirs = yield self._begun(right, gaps, pruned)
                if any(not past for _, past in theirs):
                    for front, more in (yield self._begun(left, gaps, pruned)):
                        for behind, past in theirs:
                            if not past:
                                later = terms.restricted(behind, until(count, last(more)))
                                found.append((terms.strict(front, later), more))
                if any(past for _, past in theirs):
                    for over in (yield self.completions.of(left, gaps)):
                        later_on = since(gaps, last(over))
                        for behind, past in (yield self._begun(right, later_on, pruned)):
                            if past:
                                found.append((behind, over.then(past)))
            else:
                region = term.region
                theirs = yield self._begun(right, gaps, pruned)
                for behind, past in theirs:
                    earlier = without(gaps, too_late(past, count, region))
                    gone = pruned | (whole(past.lifelines) & ~region)
                    for front, more in (yield self._begun(left, earlier, gone)):
                        later = terms.restricted(behind, too_early(more, count, NONE, region))
                        both = self._together(region, front, later)
                        found.append((both, more.then(past)))
        self._options[key] = result = _best(found)
        return result

    def _together(self, region: Mask, left: Residual, right: Residual) -> Residual:
        """The `coreg(region)` of two: one UNDECIDED node if both are UNDECIDED and may have acted,
        and may act, in the same gaps on the lifelines they share."""
        terms = self._terms
        if left.kind != UNDECIDED or right.kind != UNDECIDED or _differ(left, right):
            return terms.coreg(region, left, right)
        term = normal(make(Operator.COREG, region, left.term, right.term))
        return terms.undecided(term, both_gaps(left.gaps, right.gaps), left.pruned | right.pruned)


def _differ(left: Residual, right: Residual) -> bool:
    """Tell whether two UNDECIDED nodes differ, on the lifelines they share, in the gaps in which
    they may have acted, or in where they may not act any more."""
    shared = left.lifelines & right.lifelines
    return bool((left.pruned ^ right.pruned) & shared) or any(
        (one ^ other) & shared for one, other in zip(left.gaps, right.gaps, strict=True)
    )


def _best(found: list[Decided]) -> tuple[Decided, ...]:
    """Remove repetitions; among equal remainders, keep those that decided on less."""
    if len(found) < 2:
        return tuple(found)
    pasts: dict[Residual, list[Past]] = {}
    for node, past in found:
        pasts.setdefault(node, []).append(past)
    return tuple(
        (node, past)
        for node, many in pasts.items()
        for past in (smallest(many) if len(many) > 1 else many)
    )
