"""Residuals: what may remain of interactions, unobserved actions decided as late as possible.

Any number of unobserved actions may come before and after those that a component recorded. To try
them all, as the slices paper's simulation does, multiplies: with `n` loops there are `k**n` ways to
have at most `k` pending iterations of each. An UNDECIDED node says "some prefix of this may have
happened, it is not decided which". An observed action decides as little of it as it needs: it may
belong to an iteration whose beginning nobody saw, and so that beginning is put into the past.

An UNDECIDED node knows on which lifelines it may have acted in which gap
(`choreomon.verify.gaps`). So, in

- `coreg(r)`, on lifelines outside `r`: what the right operand did, observed or not, the left one
  must not follow with actions on the same lifeline, neither in the future (there it is pruned) nor
  in later gaps; and what the left one did, the right one cannot have done before.
- `strict`: the right operand acts only when the left one was over, in the same gap or before.
- loops: whole unobserved iterations can be left out (docs/adr/016), the others come into being
  when their first observed action is consumed.

`loopH` is not known here (its later iterations begin after the first action of the earlier ones):
`Residuals.undecided_past` takes `loopW` in its place, which accepts more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from choreomon.interaction.lifelines import ALL, NONE, Mask
from choreomon.interaction.loop_heads import without_heads
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import project
from choreomon.interaction.step import prune
from choreomon.interaction.term import EMPTY, Interaction, Operator, alt, make
from choreomon.verify.gaps import Gaps, Past, needed, whole, without

PLAIN: Final = 0
UNDECIDED: Final = 1
COREG: Final = 2
STRICT: Final = 3


class Residual:
    """A residual: what may remain. Only `Residuals` makes them; equal ones are one object.

    - PLAIN: `term`, nothing of which happened unobserved.
    - UNDECIDED: `term`, some prefix of which happened unobserved, in each gap on the lifelines of
      `gaps`; nothing on `pruned` is left of it. Leaving it all to the future is always possible:
      `prune(term, pruned)` exists.
    - COREG (by `region`) and STRICT: of `left` and `right`.

    UNDECIDED nodes within one term have equally many `gaps`; `count` says how many, 0 without such
    nodes. `size`: symbols of all terms in it. `order`: a digest of the structure; different
    residuals almost never share one.
    """

    __slots__ = (
        "_after", "count", "gaps", "kind", "left", "lifelines", "order", "pruned",
        "region", "right", "size", "term",
    )  # fmt: skip

    kind: int
    term: Interaction
    gaps: Gaps
    count: int
    pruned: Mask
    region: Mask
    left: Residual
    right: Residual
    lifelines: Mask
    order: int
    size: int
    _after: dict[Interaction, tuple[Decided, ...]]


Decided: TypeAlias = tuple[Residual, Past]
"""The remaining residual, and what was decided to have happened unobserved: where, and when."""


class Residuals:
    """Residuals, each existing once; they must not be used after this object is gone. Terms nest as
    deep as memory allows (no function here recurses)."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, object, object, object], Residual] = {}
        self._first: dict[Interaction, Mask] = {}
        self._made: dict[tuple[object, ...], dict[Residual, Residual]] = {}
        self.check_budget: Callable[[], None] | None = None
        """Called now and then; may raise, to stop. What is known stays right."""

    def __len__(self) -> int:
        """The number of known residuals."""
        return len(self._known)

    def __del__(self) -> None:
        # Residuals lead to each other; taken apart they need no garbage collector.
        for term in self._known.values():
            term._after.clear()

    def forget(self, kept: Iterable[Residual]) -> None:
        """Drops all residuals but these and their parts, and all cached answers."""
        alive: set[Residual] = set()
        pending = [*kept]
        while pending:
            top = pending.pop()
            if top not in alive:
                alive.add(top)
                if top.kind in (COREG, STRICT):
                    pending += [top.left, top.right]
        for residual in self._known.values():
            residual._after.clear()
        self._known = {key: one for key, one in self._known.items() if one in alive}
        self._first.clear()
        self._made.clear()

    def plain(self, term: Interaction) -> Residual:
        """The term, its past decided."""
        return self._make(PLAIN, normal(term), NONE, NONE)

    def undecided_past(self, term: Interaction) -> Residual:
        """The term with `loopW` for `loopH`; any prefix of it may have happened, in one gap."""
        return self.undecided(normal(without_heads(term)), (ALL,), NONE)

    def _make(self, kind: int, one: object, two: object, three: object) -> Residual:
        key = (kind, one, two, three)
        made = self._known.get(key)
        if made is not None:
            return made
        made = object.__new__(Residual)
        made.kind = kind
        made.pruned = made.region = NONE
        made.gaps = ()
        made.term = EMPTY
        if kind in (PLAIN, UNDECIDED):
            assert isinstance(one, Interaction)
            made.term = one
            made.lifelines = one.lifelines
            if kind == UNDECIDED:
                assert isinstance(two, tuple)
                assert isinstance(three, int)
                made.gaps, made.pruned = two, three
            made.count = len(made.gaps)
            made.size = one.size
            made.order = hash((kind, one.order, two, three))
        else:
            assert isinstance(one, Residual)
            assert isinstance(two, Residual)
            assert isinstance(three, int)
            made.left, made.right, made.region = one, two, three
            made.lifelines = one.lifelines | two.lifelines
            made.count = one.count or two.count
            made.size = one.size + two.size
            made.order = hash((kind, one.order, two.order, three))
        made._after = {}
        self._known[key] = made
        return made

    def undecided(self, term: Interaction, gaps: Gaps, pruned: Mask) -> Residual:
        """Make UNDECIDED, or PLAIN if nothing can have happened. `prune(term, pruned)` exists."""
        free = whole(gaps)
        gone = pruned & ~free & term.lifelines
        if gone:
            rest = prune(term, gone)
            assert rest is not None
            term = normal(rest)
        pruned &= term.lifelines
        if pruned and term.operator is Operator.LOOP_C:
            # Iterations that can only be over already might as well never have begun.
            assert term.left is not None
            useful = [one for one in _choices(term.left) if one.lifelines & ~pruned]
            if not useful:
                return self.plain(EMPTY)
            term = normal(make(Operator.LOOP_C, term.region, alt(*useful), None))
            pruned &= term.lifelines
        if self._may_begin(term) & free and term.lifelines & ~pruned:
            inside = term.lifelines
            return self._make(UNDECIDED, term, tuple([one & inside for one in gaps]), pruned)
        rest = prune(term, pruned)
        assert rest is not None
        return self.plain(rest)

    def _may_begin(self, term: Interaction) -> Mask:
        """The lifelines on which the term may act first, and perhaps some more."""
        known = self._first
        pending = [] if term in known else [term]
        while pending:
            top = pending[-1]
            if top in known:
                pending.pop()
            elif top.left is None:
                known[top] = top.lifelines
            elif top.left not in known:
                pending.append(top.left)
            elif top.right is None or (top.operator is Operator.STRICT and not top.left.terminates):
                known[top] = known[top.left]
            elif top.right not in known:
                pending.append(top.right)
            else:
                known[top] = known[top.left] | known[top.right]
        return known[term]

    def coreg(self, region: Mask, left: Residual, right: Residual) -> Residual:
        """Make `coreg(region)` of two: what commutes in one order, no loop that repeats the
        next."""
        if left.kind == PLAIN and left.term is EMPTY:
            return right
        walked: list[Residual] = []
        if left.kind == COREG and left.region == region:
            while left.kind == COREG and left.region == region:
                walked.append(left.left)
                left = left.right
            whole = self.coreg(region, left, right)
            for head in reversed(walked):
                whole = self.coreg(region, head, whole)
            return whole
        rest: Residual | None = right
        if right.kind == PLAIN and right.term is EMPTY:
            rest = None
        while rest is not None:
            inner = rest.kind == COREG and rest.region == region
            head = rest.left if inner else rest
            if left.kind == PLAIN and head.kind == PLAIN:
                left = self.plain(make(Operator.COREG, region, left.term, head.term))
            elif self._swallows(region, head, left):
                left = head
            elif not (left.lifelines & head.lifelines & ~region) and left.order > head.order:
                walked.append(head)
            else:
                break
            rest = rest.right if inner else None
        whole = left if rest is None else self._make(COREG, left, rest, region)
        for head in reversed(walked):
            whole = self._make(COREG, head, whole, region)
        return whole

    def _swallows(self, region: Mask, loop: Residual, earlier: Residual) -> bool:
        """Tell whether `loop` can do everything that `earlier`, directly in front of it, can do."""
        term = loop.term
        if loop.kind != UNDECIDED or term.operator is not Operator.LOOP_C:
            return False
        if (term.region ^ region) & term.lifelines:
            return False
        if earlier.kind == UNDECIDED:
            return (
                earlier.term is term
                and not whole(without(earlier.gaps, loop.gaps))
                and not loop.pruned & ~earlier.pruned
            )
        if earlier.kind != PLAIN or earlier.term.operator is not Operator.LOOP_C:
            return False
        gone = term.lifelines & ~earlier.lifelines
        rest = prune(term, gone)
        return not loop.pruned & ~gone and rest is not None and normal(rest) is earlier.term

    def strict(self, left: Residual, right: Residual) -> Residual:
        """`strict` of two."""
        if left.kind == PLAIN:
            if left.term is EMPTY:
                return right
            if right.kind == PLAIN:
                return self.plain(make(Operator.STRICT, NONE, left.term, right.term))
        return self._make(STRICT, left, right, NONE)

    def seen(self, node: Residual, lifelines: Mask) -> Residual:
        """The projection onto these lifelines, which allows there at least what the node allows. It
        has one gap: only what others observed keeps gaps apart."""

        def change(top: Residual) -> Residual | None:
            if not top.lifelines & lifelines:
                return self.plain(EMPTY)
            if top.kind == PLAIN:
                return self.plain(project(top.term, lifelines))
            if top.kind != UNDECIDED:
                return None
            term = normal(project(top.term, lifelines))
            return self.undecided(term, (whole(top.gaps) & lifelines,), top.pruned & lifelines)

        return self.changed(node, ("seen", lifelines), change)

    def settled(self, node: Residual) -> Interaction:
        """The term that remains if nothing more happened unobserved."""

        def settle(top: Residual) -> Residual | None:
            if top.kind == UNDECIDED:
                rest = prune(top.term, top.pruned)
                assert rest is not None
                return self.plain(rest)
            return top if top.kind == PLAIN else None

        return self.changed(node, ("settled",), settle).term

    def restricted(self, node: Residual, lost: Gaps) -> Residual:
        """The node with nothing undecided having happened in the gaps on these lifelines."""
        concerned = whole(lost)
        if not node.count or not node.lifelines & concerned:
            return node

        def change(top: Residual) -> Residual | None:
            if not top.count or not top.lifelines & concerned:
                return top
            if top.kind != UNDECIDED:
                return None
            return self.undecided(top.term, without(top.gaps, lost), top.pruned)

        return self.changed(node, ("restricted", lost), change)

    def opened(self, node: Residual, free: Mask) -> Residual:
        """Return the node after another gap, in which anything may have happened on the lifelines
        `free`. Gaps that no longer matter are forgotten."""
        return self.opened_with_gaps(node, free)[0]

    def opened_with_gaps(self, node: Residual, free: Mask) -> tuple[Residual, tuple[int, ...]]:
        """Open as `opened`, and name the gaps left of the node's, and of the one behind them."""
        fresh = node.count
        if free & node.lifelines:
            never = (NONE,) * node.count

            def begin(top: Residual) -> Residual | None:
                if not top.count and not top.lifelines & free:
                    return top
                if top.kind not in (PLAIN, UNDECIDED):
                    return None
                gaps = (*(top.gaps or never), free & ~top.pruned)
                return self.undecided(top.term, gaps, top.pruned)

            node = self.changed(node, ("opened", free, node.count), begin)
        if node.count < 2:
            return node, tuple(range(node.count)) if node.count <= fresh else (fresh,)
        kept = needed(_profiles(node))
        if len(kept) == node.count:
            return node, kept

        def forget(top: Residual) -> Residual | None:
            if not top.count:
                return top
            if top.kind != UNDECIDED:
                return None
            return self.undecided(top.term, tuple([top.gaps[one] for one in kept]), top.pruned)

        return self.changed(node, ("kept", kept), forget), kept

    def changed(
        self,
        node: Residual,
        how: tuple[object, ...],
        change: Callable[[Residual], Residual | None],
    ) -> Residual:
        """The node with its parts changed; where `change` returns None, with its operands changed.
        `how` names the change: its results are kept by part, since residuals share most parts."""
        made = self._made.setdefault(how, {})
        if node in made:
            return made[node]
        check_budget = self.check_budget
        pending = [node]
        while pending:
            top = pending[-1]
            if top in made:
                pending.pop()
                continue
            if check_budget is not None:
                check_budget()
            changed = change(top)
            if changed is not None:
                made[top] = changed
            elif top.left not in made or top.right not in made:
                pending += [top.right, top.left]
            elif top.kind == COREG:
                made[top] = self.coreg(top.region, made[top.left], made[top.right])
            else:
                made[top] = self.strict(made[top.left], made[top.right])
        return made[node]


def _profiles(node: Residual) -> set[Gaps]:
    """The gaps of the UNDECIDED nodes of a term."""
    found: set[Gaps] = set()
    pending = [node]
    while pending:
        top = pending.pop()
        if top.kind == UNDECIDED:
            found.add(top.gaps)
        elif top.count:
            pending += [top.left, top.right]
    return found


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
