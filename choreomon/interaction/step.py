"""The small-step semantics: what may happen next, and what is left to happen after it.

The slices paper, Definitions 4 to 6 (and the removal paper, Appendix B), for everything but
`loopH`, which is the loop of the small-step paper, Definition 9: executing within it leaves
`seq(i', loopH(i))`, without the pruned copy of the loop that `loopW` has in front. Follow-ups are
written without redundant empty interactions, as the papers' figures show them.

`frontier` is the semantics as papers and pictures show it, with positions;
`choreomon.interaction.enabled` is the same, one step at a time. `after` is the derivative by one
action: all that it may leave, and nothing about other actions. `simulated` marks the iterations of
loops that an observed action must still come from, for the search that tries unobserved actions
one by one.

A position is a chain `(1, (2, ()))` of operand numbers from the root; `position_text` writes `12`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask, bit
from choreomon.interaction.term import EMPTY, Interaction, Operator, combined, make

Position: TypeAlias = tuple[()] | tuple[int, "Position"]


class Step(NamedTuple):
    """`action` at `position` is executed; `follow_up` is what remains."""

    position: Position
    action: Action
    follow_up: Interaction


def position_text(position: Position) -> str:
    """Dewey notation, as in `1121`; the root is the empty text."""
    digits: list[str] = []
    while position:
        digits.append(str(position[0]))
        position = position[1]
    return "".join(digits)


def subterm(term: Interaction, position: str) -> Interaction:
    """The subterm at a position in Dewey notation. Raises KeyError where there is none."""
    for digit in position:
        below = term.left if digit == "1" else term.right if digit == "2" else None
        if below is None:
            raise KeyError(position)
        term = below
    return term


def prune(term: Interaction, lifelines: Mask) -> Interaction | None:
    """The term that accepts exactly the accepted traces without an action on `lifelines`, or
    None where there are none (the slices paper, Definition 4): there, the term does not avoid
    them (the small-step paper, Definition 6)."""
    if not term.lifelines & lifelines:
        return term
    known = term._pruned
    if known is not None and lifelines in known:
        return known[lifelines]
    pending = [term]
    while pending:
        top = pending[-1]
        operands = [
            operand
            for operand in (top.left, top.right)
            if operand is not None
            and operand.lifelines & lifelines
            and not (operand._pruned is not None and lifelines in operand._pruned)
        ]
        if operands:
            pending.extend(operands)
            continue
        pending.pop()
        if top._pruned is None:
            top._pruned = {}
        if lifelines not in top._pruned:
            top._pruned[lifelines] = _pruned(top, lifelines)
    assert term._pruned is not None
    return term._pruned[lifelines]


def _pruned(term: Interaction, lifelines: Mask) -> Interaction | None:
    """`prune` of a term that has an action on `lifelines`, and whose operands are pruned."""
    if term.left is None:
        return None
    left = _known_pruned(term.left, lifelines)
    if term.right is None:
        if term.operator is Operator.OPEN:
            if left is None or left is EMPTY:
                return None
            return make(Operator.OPEN, term.region, left, None)
        return EMPTY if left is None else combined(term.operator, term.region, left, None)
    right = _known_pruned(term.right, lifelines)
    if term.operator is Operator.ALT:
        if left is None:
            return right
        if right is None:
            return left
    elif left is None or right is None:
        return None
    return combined(term.operator, term.region, left, right)


def _known_pruned(term: Interaction, lifelines: Mask) -> Interaction | None:
    if not term.lifelines & lifelines:
        return term
    assert term._pruned is not None
    return term._pruned[lifelines]


def frontier(term: Interaction) -> tuple[Step, ...]:
    """Return every action that may be executed now, with what remains, in the order of
    positions."""
    if term._steps is None:
        for part in _unknown(term, "_steps"):
            part._steps = _frontier(part)
    assert term._steps is not None
    return term._steps


def _unknown(term: Interaction, slot: Literal["_steps", "_simulated"]) -> Iterator[Interaction]:
    """The terms that steps of the term are made of, as far as the slot is not filled: operands
    first."""
    pending = [term]
    while pending:
        top = pending[-1]
        left, right = top.left, top.right
        if left is not None and getattr(left, slot) is None:
            pending.append(left)
        elif right is not None and getattr(right, slot) is None and reachable(top):
            pending.append(right)
        else:
            pending.pop()
            if getattr(top, slot) is None:
                yield top


def reachable(term: Interaction) -> bool:
    """Return whether something on the right of a binary term may be executed at all."""
    left = term.left
    assert left is not None
    return term.operator is not Operator.STRICT or left.terminates


def _frontier(term: Interaction) -> tuple[Step, ...]:
    left, right, operator, region = term.left, term.right, term.operator, term.region
    if left is None:
        return () if term.action is None else (Step((), term.action, EMPTY),)
    steps: list[Step] = []
    if operator is Operator.ALT:
        assert right is not None
        steps += [Step((1, at), action, after) for at, action, after in left._steps or ()]
        steps += [Step((2, at), action, after) for at, action, after in right._steps or ()]
    elif operator is Operator.STRICT:
        assert right is not None
        for at, action, after in left._steps or ():
            steps.append(Step((1, at), action, combined(operator, region, after, right)))
        if left.terminates:
            steps += [Step((2, at), action, after) for at, action, after in right._steps or ()]
    elif operator is Operator.COREG:
        assert right is not None
        for at, action, after in left._steps or ():
            steps.append(Step((1, at), action, combined(operator, region, after, right)))
        for at, action, after in right._steps or ():
            before = prune(left, bit(action.lifeline) & ~region)
            if before is not None:
                steps.append(Step((2, at), action, combined(operator, region, before, after)))
    elif operator is Operator.OPEN:
        # Consuming an observed action serves the iteration: the mark goes.
        steps = [Step((1, at), action, after) for at, action, after in left._steps or ()]
    else:
        for at, action, after in left._steps or ():
            steps.append(Step((1, at), action, unrolled(term, bit(action.lifeline), after)))
    return tuple(steps)


def unrolled(loop: Interaction, on: Mask, iteration: Interaction) -> Interaction:
    """The rest of a loop after an action on the lifeline `on`, when `iteration` remains of the
    iteration that the action belongs to."""
    operator, region = loop.operator, loop.region
    if operator is Operator.LOOP_S:
        return combined(Operator.STRICT, NONE, iteration, loop)
    if operator is Operator.LOOP_H:
        return combined(Operator.COREG, NONE, iteration, loop)
    earlier = prune(loop, on & ~region)
    assert earlier is not None  # a loop avoids everything by not being entered
    later = combined(Operator.COREG, region, iteration, loop)
    return combined(Operator.COREG, region, earlier, later)


def after(
    term: Interaction, leaf: Interaction, check_budget: Callable[[], None] | None = None
) -> tuple[Interaction, ...]:
    """The terms that may remain when the action of `leaf` (a term `act(action)`) is executed: the
    follow-ups of `frontier`, without repetitions and without positions. Empty where the action
    cannot be executed now.

    Only subterms that have the action's lifeline are looked at. `check_budget` is called for each
    of them that is not known yet, and for each of its follow-ups: it may raise, to stop.
    """
    on = leaf.lifelines
    if not term.lifelines & on:
        return ()
    known = term._after
    if known is not None and leaf in known:
        return known[leaf]
    pending = [term]
    while pending:
        top = pending[-1]
        if top._after is None:
            top._after = {}
        elif leaf in top._after:
            pending.pop()
            continue
        left, right = top.left, top.right
        if left is not None and left.lifelines & on and not _knows(left, leaf):
            pending.append(left)
        elif (
            left is not None
            and right is not None
            and right.lifelines & on
            and not _knows(right, leaf)
            and reachable(top)
            # The right side cannot do yet what the left side cannot avoid: a long sequence is
            # looked at only as far as it can have got.
            and not (top.operator is Operator.COREG and left.unavoidable & on & ~top.region)
        ):
            pending.append(right)
        else:
            pending.pop()
            if check_budget is not None:
                check_budget()
            top._after[leaf] = _after(top, leaf, check_budget)
    assert term._after is not None
    return term._after[leaf]


def _knows(term: Interaction, leaf: Interaction) -> bool:
    return term._after is not None and leaf in term._after


def _known_after(term: Interaction | None, leaf: Interaction) -> tuple[Interaction, ...]:
    return () if term is None or term._after is None else term._after.get(leaf, ())


def _after(
    term: Interaction, leaf: Interaction, check_budget: Callable[[], None] | None
) -> tuple[Interaction, ...]:
    left, right, operator, region = term.left, term.right, term.operator, term.region
    if left is None:
        return (EMPTY,) if term is leaf else ()
    found: list[Interaction] = []
    if operator is Operator.ALT:
        found += _known_after(left, leaf)
        found += _known_after(right, leaf)
    elif operator is Operator.STRICT:
        for rest in _known_after(left, leaf):
            found.append(combined(operator, region, rest, right))
        if left.terminates:
            found += _known_after(right, leaf)
    elif operator is Operator.COREG:
        for rest in _known_after(left, leaf):
            found.append(combined(operator, region, rest, right))
        rests = _known_after(right, leaf)
        if rests:
            before = prune(left, leaf.lifelines & ~region)
            if before is not None:
                found += [combined(operator, region, before, rest) for rest in rests]
    elif operator is Operator.OPEN:
        found += _known_after(left, leaf)
    else:
        # Nested loops have a follow-up each, as many as they are deep.
        for rest in _known_after(left, leaf):
            if check_budget is not None:
                check_budget()
            found.append(unrolled(term, leaf.lifelines, rest))
    return tuple(dict.fromkeys(found)) if len(found) > 1 else tuple(found)


def simulated(
    term: Interaction, check_budget: Callable[[], None] | None = None
) -> tuple[tuple[Action, Interaction], ...]:
    """Return every action that may happen now unobserved, with what remains, without repetitions.

    Every iteration of a loop that is entered is marked `open` until an observed action comes from
    it (`after` takes the marks off). An iteration that ends unserved is no step: dropping it whole
    explains the same observation (docs/adr/016). The exception is what begins an iteration of
    `loopH`: the loops that are entered with its first action are not marked.

    `check_budget` is called for every subterm whose steps are not known yet: it may raise, to stop.
    """
    if term._simulated is None:
        for part in _unknown(term, "_simulated"):
            if check_budget is not None:
                check_budget()
            part._simulated = tuple(dict.fromkeys(_simulated(part)))
    assert term._simulated is not None
    return term._simulated


def _simulated(term: Interaction) -> list[tuple[Action, Interaction]]:
    left, right, operator, region = term.left, term.right, term.operator, term.region
    if left is None:
        return [] if term.action is None else [(term.action, EMPTY)]
    ours = left._simulated
    assert ours is not None
    theirs = () if right is None else right._simulated or ()
    if operator is Operator.ALT:
        return [*ours, *theirs]
    steps: list[tuple[Action, Interaction]] = []
    if operator is Operator.STRICT:
        steps += [(action, combined(operator, region, rest, right)) for action, rest in ours]
        if left.terminates:
            steps += theirs
    elif operator is Operator.COREG:
        steps += [(action, combined(operator, region, rest, right)) for action, rest in ours]
        for action, rest in theirs:
            before = prune(left, bit(action.lifeline) & ~region)
            if before is not None:
                steps.append((action, combined(operator, region, before, rest)))
    else:
        if operator is Operator.LOOP_H:
            # The beginning of an iteration of `loopH` cannot be left out, even if it is a whole
            # iteration of a loop within: without it the later iterations might not begin yet.
            ours = tuple(dict.fromkeys((action, rest) for _, action, rest in frontier(left)))
        for action, rest in ours:
            if rest is EMPTY:
                continue
            marked = make(Operator.OPEN, NONE, rest, None)
            if operator is not Operator.OPEN:
                marked = unrolled(term, bit(action.lifeline), marked)
            steps.append((action, marked))
    return steps
