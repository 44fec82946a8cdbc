"""Denotation of an interaction: its accepted global traces, computed as sets of traces.

The slices paper, section 3.3 and Definitions 9 to 11: the empty interaction accepts the empty
trace, operators are operations on sets of traces, loops are Kleene closures. Nothing here steps
through a term, so it is an oracle for `choreomon.interaction.step`: slow, obvious, and only for
short traces.

Additions to the paper: `loopH` (the small-step paper, Definition 9) is the closure whose every
iteration begins before all later ones, `{empty} | {a.t : a.u in T, t in weak(u, the closure)}`; and
an `open` iteration, which only the search with marks has, accepts what its body does except the
empty trace.

An iteration that contributes nothing changes no trace, so closures only repeat traces that are
not empty, and end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from choreomon.core.action import Action
from choreomon.interaction.lifelines import NONE, Mask, bit
from choreomon.interaction.term import EMPTY, Interaction, Operator, subterms

Trace: TypeAlias = tuple[Action, ...]
Traces: TypeAlias = frozenset[Trace]


def traces(term: Interaction, length: int) -> Traces:
    """The accepted global traces of at most `length` actions.

    Time and memory grow exponentially with `length`: for tests, and for small questions.
    """
    meanings: dict[Interaction, Traces] = {}
    for part in subterms(term):
        meanings[part] = _meaning(part, meanings, length)
    return meanings[term]


def _meaning(term: Interaction, of: dict[Interaction, Traces], length: int) -> Traces:
    if term.left is None:
        if term is EMPTY:
            return frozenset({()})
        assert term.action is not None
        return frozenset({(term.action,)}) if length >= 1 else frozenset()
    left = of[term.left]
    region = term.region
    if term.operator is Operator.OPEN:
        return left - {()}
    if term.right is None:
        if term.operator is Operator.LOOP_S:
            return _closure(left, lambda one, rest: {one + rest}, length)
        if term.operator is Operator.LOOP_H:
            return _closure(left, _head_first, length)
        return _closure(left, lambda one, rest: weak_sequences(one, rest, region), length)
    right = of[term.right]
    if term.operator is Operator.ALT:
        return left | right
    found: set[Trace] = set()
    for one in left:
        for other in right:
            if len(one) + len(other) > length:
                continue
            if term.operator is Operator.STRICT:
                found.add(one + other)
            else:
                found |= weak_sequences(one, other, region)
    return frozenset(found)


def weak_sequences(one: Trace, other: Trace, region: Mask = NONE) -> set[Trace]:
    """The conditional sequencings of two traces: their interleavings in which an action of
    `other` never overtakes an action of `one` on the same lifeline, unless that lifeline is in
    `region` (the slices paper, section 3.3)."""
    if not one:
        return {other}
    if not other:
        return {one}
    found = {(one[0], *rest) for rest in weak_sequences(one[1:], other, region)}
    on = bit(other[0].lifeline)
    if on & region or all(action.lifeline != other[0].lifeline for action in one):
        found |= {(other[0], *rest) for rest in weak_sequences(one, other[1:], region)}
    return found


def _head_first(one: Trace, rest: Trace) -> set[Trace]:
    """The weak sequencings that begin with the first action of `one`."""
    return {(one[0], *tail) for tail in weak_sequences(one[1:], rest)}


def _closure(body: Traces, join: Callable[[Trace, Trace], set[Trace]], length: int) -> Traces:
    """Return every `join` of traces of `body`, one in front of what is joined already."""
    found: set[Trace] = {()}
    latest: set[Trace] = {()}
    while latest:
        longer: set[Trace] = set()
        for one in body:
            for rest in latest:
                if one and len(one) + len(rest) <= length:
                    longer |= join(one, rest)
        latest = longer - found
        found |= latest
    return frozenset(found)
