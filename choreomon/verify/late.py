"""Actions from before the observation began, decided on only when an observed one needs them.

When observation of a component may begin too late, unobserved actions may have come first, any
number of them. Trying them all, as the slices paper's simulation does, multiplies: with `n` loops
that may have pending iterations there are `k**n` ways to have at most `k` pending in each. Here
none of them is tried. A `LATE` node says "some of this may have happened already, it is not decided
what"; consuming an observed action decides as little as it needs: it may belong to an iteration
whose beginning nobody saw, so that beginning is put into the past *now*.

This is exact for one component that has all lifelines of the term: everything unobserved lies
before everything observed. It is as well for several components of one lifeline each, in terms
without strict-like operators: there nothing can tell when things happened on different lifelines.
So, in

- `coreg(r)`: all that the left operand did unobserved may come before all that the right one did.
  What the right one did unobserved on the lifelines `S`, or observed, the left one must not follow
  with actions on those (outside `r`), so it is pruned; what the left one did observed on a
  lifeline, the right one cannot have done unobserved.
- `strict`: the right operand acts unobserved only where the left one was over unobserved.
- loops: whole unobserved iterations can be left out (docs/adr/010), the others come into being
  when their first observed action is consumed.

`loopH` is not known here (its later iterations begin after the first action of the earlier ones):
`LateTerms.late` takes `loopW` in its place, which accepts more.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from choreomon.interaction.lifelines import NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import remove
from choreomon.interaction.step import prune
from choreomon.interaction.term import EMPTY, Interaction, Operator, alt, combined, make, subterms

PLAIN: Final = 0
LATE: Final = 1
COREG: Final = 2
STRICT: Final = 3


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
    """Late terms that exist once, as long as this object. Terms nest as deep as memory allows
    (no function here recurses)."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, object, object, object], LateTerm] = {}
        self._first: dict[Interaction, Mask] = {}

    def __len__(self) -> int:
        """How many late terms are known."""
        return len(self._known)

    def plain(self, term: Interaction) -> LateTerm:
        """The term, its past decided."""
        return self._make(PLAIN, normal(term), NONE, NONE)

    def late(self, term: Interaction, forbidden: Mask) -> LateTerm:
        """The term, any prefix of which on lifelines outside `forbidden` may have happened.

        `loopH` is `loopW` here, `open` marks are left out.
        """
        return self.undecided(normal(without_heads(term)), forbidden, NONE)

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

    def undecided(self, term: Interaction, forbidden: Mask, pruned: Mask) -> LateTerm:
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

    def coreg(self, region: Mask, left: LateTerm, right: LateTerm) -> LateTerm:
        """`coreg(region)` of two, what commutes in one order, loops that repeat the next gone."""
        if left.kind == PLAIN and left.term is EMPTY:
            return right
        walked: list[LateTerm] = []
        if left.kind == COREG and left.forbidden == region:
            while left.kind == COREG and left.forbidden == region:
                walked.append(left.left)
                left = left.right
            whole = self.coreg(region, left, right)
            for head in reversed(walked):
                whole = self.coreg(region, head, whole)
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

    def strict(self, left: LateTerm, right: LateTerm) -> LateTerm:
        """`strict` of two."""
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
                made[top] = self.undecided(rest, top.forbidden & ~lifeline, top.pruned & ~lifeline)
            elif top.left not in made or top.right not in made:
                pending += [top.right, top.left]
            else:
                assert top.kind == COREG
                made[top] = self.coreg(top.forbidden, made[top.left], made[top.right])
        return made[node]

    def restricted(self, node: LateTerm, forbidden: Mask) -> LateTerm:
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
                made[top] = self.undecided(top.term, top.forbidden | forbidden, top.pruned)
            elif top.left not in made or top.right not in made:
                pending += [top.right, top.left]
            elif top.kind == COREG:
                made[top] = self.coreg(top.forbidden, made[top.left], made[top.right])
            else:
                made[top] = self.strict(made[top.left], made[top.right])
        return made[node]


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
