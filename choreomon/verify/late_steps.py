"""What may remain of a late term after an observed action.

See `choreomon.verify.late` for what late terms mean. Each function says what has to be decided
about the past so that something can be. What was decided, on which lifelines and in which epoch,
comes with each result: what is to the left of it must not follow with actions on them, nor have had
them in later epochs; what is to the right of it cannot have had them in earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after, prune
from choreomon.interaction.term import EMPTY, Interaction, Operator, make
from choreomon.verify.asking import Asking, answered
from choreomon.verify.epochs import (
    NOTHING,
    Epochs,
    Past,
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
from choreomon.verify.late import COREG, LATE, PLAIN, Decided, LateTerm, LateTerms
from choreomon.verify.late_chains import Chain, Chains
from choreomon.verify.late_ends import Ends, one_after_the_other


class LateSteps:
    """The steps of late terms, kept as long as this object, and as long as the terms: there is
    one object for one of `LateTerms`.

    If `greedy`, at most one of the ways to go on is kept wherever there are several, the one that
    decides the least: it is right that this may remain, but other terms may remain as well, or
    where nothing is found any.
    """

    def __init__(self, terms: LateTerms, *, greedy: bool = False) -> None:
        self._terms = terms
        self._greedy = greedy
        self._options: dict[tuple[Interaction, Epochs, Mask], tuple[Decided, ...]] = {}
        self._consumed: dict[
            tuple[Interaction, Epochs, Mask, Interaction], tuple[Decided, ...]
        ] = {}
        self._narrowed: dict[tuple[LateTerm, Mask], tuple[Decided, ...]] = {}
        self._chains = Chains()
        self.ends = Ends(self._chains, greedy=greedy)
        self.ask: Callable[[], None] | None = None
        """Called now and then; may raise, to stop. What is known stays right."""

    def after(self, node: LateTerm, leaf: Interaction) -> tuple[Decided, ...]:
        """What may remain after the observed action of `leaf`."""
        known = node._after.get(leaf)
        if known is None:
            known = answered(self._after(node, leaf), self.ask)
        return known

    def _ask(self) -> None:
        # Of a long chain, to put one operand in front takes long.
        if self.ask is not None:
            self.ask()

    def _kept(self, found: list[Decided]) -> tuple[Decided, ...]:
        best = _best(found)
        return (min(best, key=_weight),) if self._greedy and len(best) > 1 else best

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
                self._ask()
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
                    self._ask()
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
                for over in (yield self.ends.of_late(node.left)):
                    right = terms.restricted(node.right, until(count, last(over)))
                    theirs = yield self._after(right, leaf)
                    found += [(rest, joined(over, past)) for rest, past in theirs]
        node._after[leaf] = result = self._kept(found)
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
                self._ask()
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
            found += yield self._after_strict(self._chains[term], epochs, pruned, leaf)
        elif operator is Operator.COREG:
            found += yield self._after_coreg(self._chains[term], epochs, pruned, leaf)
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
        self._consumed[key] = result = self._kept(found)
        return result

    def _after_strict(
        self, chain: Chain, epochs: Epochs, pruned: Mask, leaf: Interaction
    ) -> Asking[list[Decided]]:
        """`after` of a chain of `strict`, of which some prefix happened unobserved."""
        terms = self._terms
        found: list[Decided] = []
        overs: tuple[Past, ...] = (NOTHING,)
        for number, operand in enumerate(chain.operands):
            behind = chain.behind(number)
            after_all = EMPTY if behind is None else prune(behind, pruned)
            if operand.lifelines & leaf.lifelines and after_all is not None:
                plain = terms.plain(after_all)
                for over in overs:
                    later = since(epochs, last(over))
                    ours = yield self._after_late(operand, later, pruned, leaf)
                    found += [
                        (terms.strict(rest, plain), joined(over, past)) for rest, past in ours
                    ]
            if behind is None or not behind.lifelines & leaf.lifelines:
                break
            completed = yield self.ends.of(operand, epochs)
            overs = smallest(one_after_the_other(overs, completed, strictly=True))
            if not overs:
                break
        return found

    def _after_coreg(
        self, chain: Chain, epochs: Epochs, pruned: Mask, leaf: Interaction
    ) -> Asking[list[Decided]]:
        """`after` of a chain of one `coreg`, of which some prefix happened unobserved."""
        terms, region, operands = self._terms, chain.term.region, chain.operands
        on, count = leaf.lifelines, len(epochs)
        found: list[Decided] = []
        # The last one first: of what is behind them, terms grow from one to the next.
        for number in range(len(operands) - 1, -1, -1):
            operand = operands[number]
            if not operand.lifelines & on:
                continue
            if number and operand is operands[number - 1] and not operand.lifelines & ~region:
                continue  # two that are equal and commute: whichever it was, the other is left
            self._ask()
            ours = yield self._after_late(operand, epochs, pruned, leaf)
            behind = chain.behind(number)
            if behind is not None:
                both: list[Decided] = []
                for rest, past in ours:
                    later = without(epochs, too_early(past, count, on, region))
                    for then, more in (yield self._begun(behind, later, pruned)):
                        if more:
                            ends = yield self._joined(region, rest, [(then, more)], NONE)
                            both += [(one, joined(past, decided)) for one, decided in ends]
                        else:
                            both.append((terms.coreg(region, rest, then), past))
                ours = self._kept(both)
            for block in chain.before(number) if ours else ():
                fronted: list[Decided] = []
                for rest, past in ours:
                    earlier = without(epochs, too_late(past, count, region))
                    gone = pruned | ((on | whole(past)) & ~region)
                    for front, more in (yield self._begun(block, earlier, gone)):
                        then = terms.restricted(rest, too_early(more, count, NONE, region))
                        fronted.append((terms.coreg(region, front, then), joined(past, more)))
                ours = self._kept(fronted)
            found += ours
        return found

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
                for over in (yield self.ends.of_late(node.left)):
                    right = terms.restricted(node.right, until(count, last(over)))
                    for behind, past in (yield self._narrow(right, pruned)):
                        if past:
                            found.append((behind, joined(over, past)))
        self._narrowed[key] = result = self._kept(found)
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
        operator = term.operator
        count = len(epochs)
        found: list[Decided] = []
        if term.left is None:
            found += [(terms.plain(EMPTY), past) for past in moments(epochs)]
        else:
            left, right = self._chains.halves(term)
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
                    for over in (yield self.ends.of(left, epochs)):
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
                        both = self._together(region, front, later)
                        found.append((both, joined(past, more)))
        self._options[key] = result = self._kept(found)
        return result

    def _together(self, region: Mask, left: LateTerm, right: LateTerm) -> LateTerm:
        """`coreg(region)` of two: one LATE node where both are such, and may have acted, and may
        act, in the same epochs on what they share. Blocks of chains stay few so."""
        terms = self._terms
        if left.kind != LATE or right.kind != LATE or _differ(left, right):
            return terms.coreg(region, left, right)
        term = normal(make(Operator.COREG, region, left.term, right.term))
        return terms.undecided(term, joined(left.epochs, right.epochs), left.pruned | right.pruned)


def _differ(left: LateTerm, right: LateTerm) -> bool:
    """Whether two LATE nodes may have acted in other epochs on what they share, or may not act on
    something else of it any more."""
    shared = left.lifelines & right.lifelines
    return bool((left.pruned ^ right.pruned) & shared) or any(
        (one ^ other) & shared for one, other in zip(left.epochs, right.epochs, strict=True)
    )


def _weight(decided: Decided) -> tuple[int, int]:
    """On how many lifelines something was decided to have happened, in all epochs; of equals, the
    size of what remains: what needs no iteration of its own is smaller."""
    node, past = decided
    return sum(map(int.bit_count, past)), node.size


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
