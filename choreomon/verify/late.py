"""Actions that nobody observed, decided on only when an observed one needs them.

Where observation of a component begins too late or ends too early, unobserved actions may come
before and after, any number of them. Trying them all, as the slices paper's simulation does,
multiplies: with `n` loops that may have pending iterations there are `k**n` ways to have at most
`k` pending in each. Here none of them is tried. A `LATE` node says "some of this may have happened
already, it is not decided what"; consuming an observed action decides as little as it needs: it
may belong to an iteration whose beginning nobody saw, so that beginning is put into the past *now*.

*When* it happened matters where some components are observed and others not yet, or no longer. So
a LATE node knows on which lifelines it may have acted in which epoch (`choreomon.verify.epochs`).
Everything that happened in one epoch happened at one moment between two observed actions, in
whatever order the term asks for. With one component that has all lifelines there is one epoch,
before everything observed; and with any partition of a term whose traces may be reordered across
components, such as one without strict-like operators in the discrete partition.

So, in

- `coreg(r)`, on lifelines outside `r`: what the right operand did, observed or not, the left one
  must not follow with actions on the same lifeline, neither in the future (there it is pruned) nor
  in later epochs; and what the left one did, the right one cannot have done before.
- `strict`: the right operand acts only when the left one was over, in the same epoch or before.
- loops: whole unobserved iterations can be left out (docs/adr/010), the others come into being
  when their first observed action is consumed.

`loopH` is not known here (its later iterations begin after the first action of the earlier ones):
`LateTerms.late` takes `loopW` in its place, which accepts more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from choreomon.interaction.lifelines import ALL, NONE, Mask
from choreomon.interaction.normal import normal
from choreomon.interaction.removal import project, remove
from choreomon.interaction.step import prune
from choreomon.interaction.term import EMPTY, Interaction, Operator, alt, make
from choreomon.verify.epochs import Epochs, Past, needed, whole, without
from choreomon.verify.late_chains import Rows
from choreomon.verify.overestimates import without_heads

PLAIN: Final = 0
LATE: Final = 1
COREG: Final = 2
STRICT: Final = 3


class LateTerm:
    """What may remain, with the undecided past in it. Made by `LateTerms` only; equal ones are
    one object.

    - PLAIN: `term`, and nothing of it happened unobserved.
    - LATE: `term`, of which some prefix happened unobserved, in each epoch on the lifelines of
      `epochs`; of what is left, nothing on `pruned`. Leaving it all to the future is always
      possible: `prune(term, pruned)` exists.
    - COREG (by `region`) and STRICT: of `left` and `right`.

    `epochs` of LATE nodes within one term are equally many; `count` says how many, 0 where there
    is none. `size`: symbols of all terms in it.
    """

    __slots__ = (
        "_after", "count", "epochs", "kind", "left", "lifelines", "number", "pruned", "region",
        "right", "size", "term",
    )  # fmt: skip

    kind: int
    term: Interaction
    epochs: Epochs
    count: int
    pruned: Mask
    region: Mask
    left: LateTerm
    right: LateTerm
    lifelines: Mask
    number: int
    size: int
    _after: dict[Interaction, tuple[Decided, ...]]


Decided: TypeAlias = tuple[LateTerm, Past]
"""What remains, and what was decided to have happened unobserved: where, and when."""


class LateTerms:
    """Late terms that exist once, as long as this object: without it they may not be used any more.
    Terms nest as deep as memory allows (no function here recurses)."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, object, object, object], LateTerm] = {}
        self._first: dict[Interaction, Mask] = {}
        self._made: dict[tuple[object, ...], dict[LateTerm, LateTerm]] = {}
        self._rows = Rows()
        self.ask: Callable[[], None] | None = None
        """Called now and then; may raise, to stop. What is known stays right."""

    def __len__(self) -> int:
        """How many late terms are known."""
        return len(self._known)

    def __del__(self) -> None:
        # Late terms lead to each other; taken apart they need no garbage collector.
        for term in self._known.values():
            term._after.clear()

    def plain(self, term: Interaction) -> LateTerm:
        """The term, its past decided."""
        return self._make(PLAIN, normal(term), NONE, NONE)

    def late(self, term: Interaction) -> LateTerm:
        """The term, any prefix of which may have happened, in one epoch.

        `loopH` is `loopW` here, `open` marks are left out.
        """
        return self.undecided(normal(without_heads(term)), (ALL,), NONE)

    def _make(self, kind: int, one: object, two: object, three: object) -> LateTerm:
        key = (kind, one, two, three)
        made = self._known.get(key)
        if made is not None:
            return made
        made = object.__new__(LateTerm)
        made.kind = kind
        made.pruned = made.region = NONE
        made.epochs = ()
        made.term = EMPTY
        if kind in (PLAIN, LATE):
            assert isinstance(one, Interaction)
            made.term = one
            made.lifelines = one.lifelines
            if kind == LATE:
                assert isinstance(two, tuple)
                assert isinstance(three, int)
                made.epochs, made.pruned = two, three
            made.count = len(made.epochs)
            made.size = one.size
        else:
            assert isinstance(one, LateTerm)
            assert isinstance(two, LateTerm)
            assert isinstance(three, int)
            made.left, made.right, made.region = one, two, three
            made.lifelines = one.lifelines | two.lifelines
            made.count = one.count or two.count
            made.size = one.size + two.size
        made.number = len(self._known)
        made._after = {}
        self._known[key] = made
        return made

    def undecided(self, term: Interaction, epochs: Epochs, pruned: Mask) -> LateTerm:
        """The LATE node, or PLAIN where nothing can have happened. `prune(term, pruned)` is."""
        free = whole(epochs)
        gone = pruned & ~free & term.lifelines
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
        if self._may_begin(term) & free and term.lifelines & ~pruned:
            inside = term.lifelines
            return self._make(LATE, term, tuple([one & inside for one in epochs]), pruned)
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

    def coreg(self, region: Mask, left: LateTerm, right: LateTerm) -> LateTerm:
        """`coreg(region)` of two, what commutes in one order, loops that repeat the next gone."""
        if left.kind == PLAIN and left.term is EMPTY:
            return right
        walked: list[LateTerm] = []
        if left.kind == COREG and left.region == region:
            while left.kind == COREG and left.region == region:
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
            inner = rest.kind == COREG and rest.region == region
            head = rest.left if inner else rest
            if left.kind == PLAIN and head.kind == PLAIN:
                left = self.plain(self._rows.of(region, left.term, head.term))
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
                and not whole(without(earlier.epochs, loop.epochs))
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
        terms without strict-like operators."""

        def change(top: LateTerm) -> LateTerm | None:
            if not top.lifelines & lifeline:
                return top
            if top.kind == PLAIN:
                return self.plain(remove(top.term, lifeline))
            if top.kind != LATE:
                assert top.kind == COREG
                return None
            term: Interaction | None = top.term
            if top.pruned & ~whole(top.epochs) & lifeline:
                term = prune(top.term, lifeline)
            assert term is not None
            rest = normal(remove(term, lifeline))
            return self.undecided(rest, top.epochs, top.pruned & ~lifeline)

        return self.changed(node, ("without", lifeline), change)

    def seen(self, node: LateTerm, lifelines: Mask) -> LateTerm:
        """The node as it is seen by somebody who sees only these lifelines: it allows there at
        least what the node allows. All that is undecided is in one epoch, since only what others
        observed keeps epochs apart."""

        def change(top: LateTerm) -> LateTerm | None:
            if not top.lifelines & lifelines:
                return self.plain(EMPTY)
            if top.kind == PLAIN:
                return self.plain(project(top.term, lifelines))
            if top.kind != LATE:
                return None
            term = normal(project(top.term, lifelines))
            return self.undecided(term, (whole(top.epochs) & lifelines,), top.pruned & lifelines)

        return self.changed(node, ("seen", lifelines), change)

    def restricted(self, node: LateTerm, lost: Epochs) -> LateTerm:
        """The node, nothing undecided in it having happened in the epochs on these lifelines."""
        concerned = whole(lost)
        if not node.count or not node.lifelines & concerned:
            return node

        def change(top: LateTerm) -> LateTerm | None:
            if not top.count or not top.lifelines & concerned:
                return top
            if top.kind != LATE:
                return None
            return self.undecided(top.term, without(top.epochs, lost), top.pruned)

        return self.changed(node, ("restricted", lost), change)

    def opened(self, node: LateTerm, free: Mask) -> LateTerm:
        """The node after one more epoch, in which anything may have happened on the lifelines
        `free`. Epochs that do not matter any more are forgotten."""
        if free & node.lifelines:
            never = (NONE,) * node.count

            def begin(top: LateTerm) -> LateTerm | None:
                if not top.count and not top.lifelines & free:
                    return top
                if top.kind not in (PLAIN, LATE):
                    return None
                epochs = (*(top.epochs or never), free & ~top.pruned)
                return self.undecided(top.term, epochs, top.pruned)

            node = self.changed(node, ("opened", free, node.count), begin)
        if node.count < 2:
            return node
        kept = needed(_profiles(node))
        if len(kept) == node.count:
            return node

        def forget(top: LateTerm) -> LateTerm | None:
            if not top.count:
                return top
            if top.kind != LATE:
                return None
            return self.undecided(top.term, tuple([top.epochs[one] for one in kept]), top.pruned)

        return self.changed(node, ("kept", kept), forget)

    def changed(
        self,
        node: LateTerm,
        how: tuple[object, ...],
        change: Callable[[LateTerm], LateTerm | None],
    ) -> LateTerm:
        """The node with its parts changed; None asks to change the operands. `how` names the
        change: what it made of one part is kept, since late terms share most of theirs."""
        made = self._made.setdefault(how, {})
        if node in made:
            return made[node]
        ask = self.ask
        pending = [node]
        while pending:
            top = pending[-1]
            if top in made:
                pending.pop()
                continue
            if ask is not None:
                ask()
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


def _profiles(node: LateTerm) -> set[Epochs]:
    """What the LATE nodes of a term have as their epochs."""
    found: set[Epochs] = set()
    pending = [node]
    while pending:
        top = pending.pop()
        if top.kind == LATE:
            found.add(top.epochs)
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
