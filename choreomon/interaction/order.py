"""Which lifelines an interaction orders, and where that order can show in local logs.

`choreomon.interaction.weakening` has a rule for where strict-like operators may be weakened in the
discrete partition. This one is sharper, for the same end. What tells a strict-like operator from
its weak sibling in local logs is a cycle: one operand of a `coreg(r)` has an action on `x` before
one on `y`, the other one an action on `y` before one on `x`, and the logs want the latter's `x`
before the former's `x`, its `y` after the former's `y`. The second operand can only be first on a
lifeline of `r`. So without such pairs `(x, y)` and `(y, x)` - with the lifelines on which the
second operand is first in `r` - nothing can be told. The same goes for two iterations of a
`loopC(r)`.

Most interactions need not be looked at so closely: the rule of `weakening` says that they are exact
to weaken. Of those that are left, orders are worked out only in what that rule speaks of, and only
while that does not take long: for every subterm it takes as long as it has lifelines, and the
square of that for operands that share some of them.

Orders are overestimated: all lifelines of one operand before all of the next, and what follows by
transitivity. So the rule is sufficient, not necessary.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from choreomon.interaction.lifelines import NONE, Mask, each, is_single
from choreomon.interaction.term import Interaction, Operator, subterms
from choreomon.interaction.weakening import revealing

Order: TypeAlias = dict[Mask, Mask]
"""For a lifeline, those that may have to wait for it across lifelines."""

MOST: Final = 1_000_000
"""How many lifelines, and pairs of them, are looked at, all subterms together: less than a
second."""


def is_exact_to_weaken(term: Interaction) -> bool:
    """Whether `weakened(term)` has the multi-traces of the term in the discrete partition.

    True wherever `choreomon.interaction.weakening.is_exact_by_removal` is, False where it takes
    too long to find out. The weak term has no strict-like operators, so any of its lifelines may
    be removed.
    """
    parts = _within(revealing(term), subterms(term))
    if sum(map(_effort, parts)) > MOST:
        return False
    orders: dict[Interaction, Order] = {}
    for part in parts:
        left = {} if part.left is None else orders[part.left]
        right = {} if part.right is None else orders[part.right]
        if part.operator is Operator.COREG:
            if left and right and _contradict(left, right, _shared(part), part.region):
                return False
        elif part.operator is Operator.LOOP_C and left:
            assert part.left is not None
            if _contradict(left, left, part.left.lifelines, part.region):
                return False
        orders[part] = _order(part, left, right)
    return True


def _within(wholes: list[Interaction], parts: list[Interaction]) -> list[Interaction]:
    """Those of `parts` (operands before what they are operands of) that are one of `wholes`, or a
    subterm of one."""
    found = set(wholes)
    for part in reversed(parts):
        if part in found:
            found.update(side for side in (part.left, part.right) if side is not None)
    return [part for part in parts if part in found]


def _effort(term: Interaction) -> int:
    """How long the order within a term takes, those within its operands being known: the square
    where two orders may have to be put together, and for the cycles of iterations."""
    lifelines = term.lifelines.bit_count()
    left, right = term.left, term.right
    if left is None or right is None:
        return lifelines if term.operator is not Operator.LOOP_C else lifelines * lifelines
    if is_single(left.lifelines) or is_single(right.lifelines) or not _shared(term):
        return lifelines
    return lifelines * lifelines


def _shared(term: Interaction) -> Mask:
    """The lifelines that both operands have."""
    if term.left is None or term.right is None:
        return NONE
    return term.left.lifelines & term.right.lifelines


def _order(term: Interaction, left: Order, right: Order) -> Order:
    """The order within a term, of those within its operands."""
    pairs = _together(left, right, term)
    first = then = NONE
    if term.left is not None and term.operator in (Operator.LOOP_S, Operator.LOOP_H):
        first = then = term.left.lifelines
    elif term.left is not None and term.right is not None and term.operator is Operator.STRICT:
        first, then = term.left.lifelines, term.right.lifelines
    if not first:
        return pairs
    # A path along what is new ends on `then` or behind it, however often it gets there.
    behind = then
    for one in each(then):
        behind |= pairs.get(one, NONE)
    for one in each(term.lifelines):
        waiting = pairs.get(one, NONE)
        if (one | waiting) & first:
            waiting = (waiting | behind) & ~one
            if waiting:
                pairs[one] = waiting
    return pairs


def _together(left: Order, right: Order, term: Interaction) -> Order:
    """What the orders of the operands of a term come to together, as a new one."""
    pairs = {**left}
    for before, waiting in right.items():
        pairs[before] = pairs.get(before, NONE) | waiting
    # Where they have no lifeline in common, one cannot lead on where the other one ends.
    changed = bool(left and right) and _shared(term) != NONE
    while changed:
        changed = False
        for before, waiting in pairs.items():
            reached = waiting
            for one in each(waiting):
                reached |= pairs.get(one, NONE)
            reached &= ~before
            if reached != waiting:
                pairs[before] = reached
                changed = True
    return pairs


def _contradict(ours: Order, theirs: Order, shared: Mask, region: Mask) -> bool:
    """Whether a cycle leads through both operands: into the first one only on `region`."""
    entries = shared & region
    steps: Order = {}
    for entry in each(entries):
        reached = NONE
        for one in each(ours.get(entry, NONE) & shared):
            reached |= theirs.get(one, NONE)
        steps[entry] = reached & entries
    for entry in each(entries):
        seen = NONE
        fresh = steps[entry]
        while fresh:
            if fresh & entry:
                return True
            seen |= fresh
            reached = NONE
            for one in each(fresh):
                reached |= steps[one]
            fresh = reached & ~seen
    return False
