"""Actions from before the observation began, decided on only when an observed one needs them.

When observation of a component may begin too late, unobserved actions may have come first, any
number of them. Trying them all, as paper 001's simulation does, multiplies: with `n` loops that
may have pending iterations there are `k**n` ways to have at most `k` pending in each. Here none of
them is tried. A `LATE` node says "some of this may have happened already, it is not decided what";
consuming an observed action decides as little as it needs: it may belong to an iteration whose
beginning nobody saw, so that beginning is put into the past *now*.

This is exact for one component that has all lifelines which may still act (`begun` false there
until its first action): everything unobserved lies before everything observed, so in

- `coreg(r)`: all that the left operand did unobserved may come before all that the right one did.
  What the right one did unobserved on the lifelines `S`, or observed, the left one must not follow
  with actions on those (outside `r`), so it is pruned; what the left one did observed on a
  lifeline, the right one cannot have done unobserved.
- `strict`: the right operand acts unobserved only where the left one was over unobserved.
- loops: whole unobserved iterations can be left out (docs/adr/010), the others come into being
  when their first observed action is consumed.

`loopH` is not known here (its later iterations begin after the first action of the earlier ones):
`LateTerms.of` takes `loopW` in its place, which accepts more.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, Final, TypeAlias, TypeVar

from choreomon.interaction.lifelines import ALL, NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import remove
from choreomon.interaction.step import after, prune
from choreomon.interaction.term import EMPTY, Interaction, Operator, alt, combined, make, subterms

PLAIN: Final = 0
LATE: Final = 1
COREG: Final = 2
STRICT: Final = 3

_PATIENCE: Final = 1_000
"""Steps of a computation between two calls of `ask`."""

Answered = TypeVar("Answered")
Asking: TypeAlias = Generator[Any, Any, Answered]
"""A computation that yields what it needs computed first."""


class LateTerm:
    """What may remain, with the undecided past in it. Made by `LateTerms` only; equal ones are
    one object.

    - PLAIN: `term`, and nothing of it happened unobserved.
    - LATE: `term`, of which some prefix happened unobserved, on lifelines outside `forbidden`;
      of what is left, nothing on `pruned`. Leaving it all to the future is always possible:
      `prune(term, pruned)` exists.
    - COREG (by `forbidden` as its region) and STRICT: of `left` and `right`.
    """

    __slots__ = (
        "_after", "forbidden", "kind", "left", "lifelines", "number", "pruned", "right", "term",
    )  # fmt: skip

    kind: int
    term: Interaction
    forbidden: Mask
    pruned: Mask
    left: LateTerm
    right: LateTerm
    lifelines: Mask
    number: int
    _after: dict[Interaction, tuple[Decided, ...]]


Decided: TypeAlias = tuple[LateTerm, Mask]
"""What remains, and the lifelines on which something was decided to have happened unobserved."""


class LateTerms:
    """Late terms that exist once, and what follows them. What was computed is kept as long as
    this object; terms nest as deep as memory allows (no function here recurses)."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, object, object, object], LateTerm] = {}
        self._options: dict[tuple[Interaction, Mask, Mask], tuple[Decided, ...]] = {}
        self._consumed: dict[tuple[Interaction, Mask, Mask, Interaction], tuple[Decided, ...]] = {}
        self._narrowed: dict[tuple[LateTerm, Mask], tuple[Decided, ...]] = {}
        self._over: dict[tuple[Interaction, Mask], tuple[Mask, ...]] = {}
        self._first: dict[Interaction, Mask] = {}
        self.ask: Callable[[], None] | None = None
        """Called now and then; may raise, to stop. What is known stays right."""

    def __len__(self) -> int:
        """How many late terms are known."""
        return len(self._known)

    # -- making ------------------------------------------------------------------------------

    def plain(self, term: Interaction) -> LateTerm:
        """The term, its past decided."""
        return self._make(PLAIN, normal(term), NONE, NONE)

    def late(self, term: Interaction, forbidden: Mask) -> LateTerm:
        """The term, any prefix of which on lifelines outside `forbidden` may have happened.

        `loopH` is `loopW` here, `open` marks are left out.
        """
        return self._late(normal(without_heads(term)), forbidden, NONE)

    def _make(self, kind: int, one: object, two: object, three: object) -> LateTerm:
        key = (kind, one, two, three)
        made = self._known.get(key)
        if made is not None:
            return made
        made = object.__new__(LateTerm)
        made.kind = kind
        made.forbidden = made.pruned = NONE
        made.term = EMPTY
        if kind in (PLAIN, LATE):
            assert isinstance(one, Interaction)
            assert isinstance(two, int)
            assert isinstance(three, int)
            made.term, made.forbidden, made.pruned = one, two, three
            made.lifelines = one.lifelines
        else:
            assert isinstance(one, LateTerm)
            assert isinstance(two, LateTerm)
            assert isinstance(three, int)
            made.left, made.right, made.forbidden = one, two, three
            made.lifelines = one.lifelines | two.lifelines
        made.number = len(self._known)
        made._after = {}
        self._known[key] = made
        return made

    def _late(self, term: Interaction, forbidden: Mask, pruned: Mask) -> LateTerm:
        """The LATE node, or PLAIN where nothing can have happened. `prune(term, pruned)` is."""
        gone = forbidden & pruned & term.lifelines
        if gone:
            rest = prune(term, gone)
            assert rest is not None
            term = normal(rest)
        pruned &= term.lifelines
        if pruned and term.operator is Operator.LOOP_C:
            # Iterations that can only be over already might as well not have been.
            assert term.left is not None
            useful = [one for one in _choices(term.left) if one.lifelines & ~pruned]
            if not useful:
                return self.plain(EMPTY)
            term = normal(make(Operator.LOOP_C, term.region, alt(*useful), None))
            pruned &= term.lifelines
        forbidden &= term.lifelines
        if self._may_begin(term) & ~forbidden and term.lifelines & ~pruned:
            return self._make(LATE, term, forbidden, pruned)
        rest = prune(term, pruned)
        assert rest is not None
        return self.plain(rest)

    def _may_begin(self, term: Interaction) -> Mask:
        """The lifelines on which the term may act first, and perhaps some more."""
        known = self._first
        if term not in known:
            for part in subterms(term):
                if part in known:
                    continue
                if part.left is None:
                    known[part] = part.lifelines
                elif part.right is None or (
                    part.operator is Operator.STRICT and not part.left.terminates
                ):
                    known[part] = known[part.left]
                else:
                    known[part] = known[part.left] | known[part.right]
        return known[term]

    def _coreg(self, region: Mask, left: LateTerm, right: LateTerm) -> LateTerm:
        """`coreg(region)` of two, what commutes in one order, loops that repeat the next gone."""
        if left.kind == PLAIN and left.term is EMPTY:
            return right
        walked: list[LateTerm] = []
        if left.kind == COREG and left.forbidden == region:
            while left.kind == COREG and left.forbidden == region:
                walked.append(left.left)
                left = left.right
            whole = self._coreg(region, left, right)
            for head in reversed(walked):
                whole = self._coreg(region, head, whole)
            return whole
        rest: LateTerm | None = right
        if right.kind == PLAIN and right.term is EMPTY:
            rest = None
        while rest is not None:
            inner = rest.kind == COREG and rest.forbidden == region
            head = rest.left if inner else rest
            if left.kind == PLAIN and head.kind == PLAIN:
                left = self.plain(make(Operator.COREG, region, left.term, head.term))
            elif self._swallows(region, head, left):
                left = head
            elif not (left.lifelines & head.lifelines & ~region) and left.number > head.number:
                walked.append(head)
            else:
                break
            rest = rest.right if inner else None
        whole = left if rest is None else self._make(COREG, left, rest, region)
        for head in reversed(walked):
            whole = self._make(COREG, head, whole, region)
        return whole

    def _swallows(self, region: Mask, loop: LateTerm, earlier: LateTerm) -> bool:
        """Whether `loop` can do what `earlier`, directly in front of it, can do."""
        term = loop.term
        if loop.kind != LATE or term.operator is not Operator.LOOP_C:
            return False
        if (term.region ^ region) & term.lifelines:
            return False
        if earlier.kind == LATE:
            return (
                earlier.term is term
                and not loop.forbidden & ~earlier.forbidden
                and not loop.pruned & ~earlier.pruned
            )
        if earlier.kind != PLAIN or earlier.term.operator is not Operator.LOOP_C:
            return False
        gone = term.lifelines & ~earlier.lifelines
        rest = prune(term, gone)
        return not loop.pruned & ~gone and rest is not None and normal(rest) is earlier.term

    def _strict(self, left: LateTerm, right: LateTerm) -> LateTerm:
        if left.kind == PLAIN:
            if left.term is EMPTY:
                return right
            if right.kind == PLAIN:
                return self.plain(make(Operator.STRICT, NONE, left.term, right.term))
        return self._make(STRICT, left, right, NONE)

    def without(self, node: LateTerm, lifeline: Mask) -> LateTerm:
        """The node once a lifeline is exhausted: whatever it did or will do is left out. For
        terms without strict-like operators, in the discrete partition."""
        made: dict[LateTerm, LateTerm] = {}
        pending = [node]
        while pending:
            top = pending[-1]
            if top in made:
                pending.pop()
            elif not top.lifelines & lifeline:
                made[top] = top
            elif top.kind == PLAIN:
                made[top] = self.plain(remove(top.term, lifeline))
            elif top.kind == LATE:
                term: Interaction | None = top.term
                if top.forbidden & top.pruned & lifeline:
                    term = prune(top.term, lifeline)
                assert term is not None
                rest = normal(remove(term, lifeline))
                made[top] = self._late(rest, top.forbidden & ~lifeline, top.pruned & ~lifeline)
            elif top.left not in made or top.right not in made:
                pending += [top.right, top.left]
            else:
                assert top.kind == COREG
                made[top] = self._coreg(top.forbidden, made[top.left], made[top.right])
        return made[node]

    # -- what follows ------------------------------------------------------------------------

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
            found += [(self.plain(rest), NONE) for rest in after(node.term, leaf)]
        elif node.kind == LATE:
            found += yield self._after_late(node.term, node.forbidden, node.pruned, leaf)
        elif node.kind == COREG:
            region = node.forbidden
            if node.left.lifelines & on:
                ours = yield self._after(node.left, leaf)
                if ours:
                    right = self._restricted(node.right, on & ~region)
                    found += [(self._coreg(region, rest, right), past) for rest, past in ours]
            if node.right.lifelines & on:
                theirs = yield self._after(node.right, leaf)
                for rest, past in theirs:
                    before = yield self._narrow(node.left, (on | past) & ~region)
                    for left, more in before:
                        found.append((self._coreg(region, left, rest), past | more))
        else:
            ours = yield self._after(node.left, leaf)
            if ours:
                right = self._restricted(node.right, ALL)
                found += [(self._strict(rest, right), past) for rest, past in ours]
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
                found.append((self.plain(EMPTY), NONE))
        elif operator is Operator.ALT:
            assert right is not None
            found += yield self._after_late(left, forbidden, pruned, leaf)
            found += yield self._after_late(right, forbidden, pruned, leaf)
        elif operator is Operator.STRICT:
            assert right is not None
            after_all = prune(right, pruned)
            if after_all is not None:
                plain = self.plain(after_all)
                ours = yield self._after_late(left, forbidden, pruned, leaf)
                found += [(self._strict(rest, plain), past) for rest, past in ours]
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
                            found.append((self._coreg(region, front, behind), past | more | extra))
            theirs = yield self._after_late(right, forbidden, pruned, leaf)
            for rest, past in theirs:
                before = yield self._begun(left, forbidden, pruned | ((on | past) & ~region))
                for front, more in before:
                    found.append((self._coreg(region, front, rest), past | more))
        else:
            ours = yield self._after_late(left, forbidden, pruned, leaf)
            if operator is Operator.LOOP_S:
                rest_of_loop = prune(term, pruned)
                assert rest_of_loop is not None
                plain = self.plain(rest_of_loop)
                found += [(self._strict(rest, plain), past) for rest, past in ours]
            else:
                assert operator is Operator.LOOP_C
                region = term.region
                later_ones = self._late(term, forbidden | (on & ~region), pruned)
                for rest, past in ours:
                    earlier = self._late(term, forbidden, pruned | ((on | past) & ~region))
                    behind = self._coreg(region, rest, later_ones)
                    found.append((self._coreg(region, earlier, behind), past))
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
                found.append((self.plain(rest), NONE))
        elif node.kind == LATE:
            found += yield self._begun(node.term, node.forbidden, node.pruned | pruned)
        elif node.kind == COREG:
            region = node.forbidden
            theirs = yield self._narrow(node.right, pruned)
            for behind, past in theirs:
                ours = yield self._narrow(node.left, pruned | (past & ~region))
                for front, more in ours:
                    found.append((self._coreg(region, front, behind), past | more))
        else:
            theirs = yield self._narrow(node.right, pruned)
            for behind, past in theirs:
                if past:
                    for over in (yield self._ways_over(node.left)):
                        found.append((behind, past | over))
                else:
                    ours = yield self._narrow(node.left, pruned)
                    found += [(self._strict(front, behind), more) for front, more in ours]
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
            return ((self._late(term, forbidden, pruned), NONE),)
        key = (term, forbidden, pruned)
        known = self._options.get(key)
        if known is not None:
            return known
        left, right, operator = term.left, term.right, term.operator
        found: list[Decided] = []
        if left is None:
            if not term.lifelines & forbidden:
                found.append((self.plain(EMPTY), term.lifelines))
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
                        found += [(self._strict(front, behind), more) for front, more in ours]
            else:
                region = term.region
                theirs = yield self._begun(right, forbidden, pruned)
                for behind, past in theirs:
                    ours = yield self._begun(left, forbidden, pruned | (past & ~region))
                    for front, more in ours:
                        found.append((self._coreg(region, front, behind), past | more))
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

    def _restricted(self, node: LateTerm, forbidden: Mask) -> LateTerm:
        """The node, nothing undecided in it having happened on `forbidden`."""
        made: dict[LateTerm, LateTerm] = {}
        pending = [node]
        while pending:
            top = pending[-1]
            if top in made:
                pending.pop()
            elif top.kind == PLAIN or not top.lifelines & forbidden:
                made[top] = top
            elif top.kind == LATE:
                made[top] = self._late(top.term, top.forbidden | forbidden, top.pruned)
            elif top.left not in made or top.right not in made:
                pending += [top.right, top.left]
            elif top.kind == COREG:
                made[top] = self._coreg(top.forbidden, made[top.left], made[top.right])
            else:
                made[top] = self._strict(made[top.left], made[top.right])
        return made[node]


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


def _choices(term: Interaction) -> list[Interaction]:
    """The operands of a chain of `alt`."""
    found: list[Interaction] = []
    pending = [term]
    while pending:
        top = pending.pop()
        if top.operator is Operator.ALT:
            assert top.left is not None
            assert top.right is not None
            pending += [top.right, top.left]
        else:
            found.append(top)
    return found


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
