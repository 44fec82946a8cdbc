"""Patterns of what must not happen, in the words of Dwyer, Avrunin and Corbett ("Patterns in
property specifications for finite-state verification", ICSE 1999): absence, precedence, and
precedence of a chain, each globally, before, after, between, and after-until. Response and
existence ("is followed by") speak of what has not happened yet: no forbidden sequence says them.

A pattern becomes a chain of states, some of which precedence of a chain doubles:

    0 -(begin, or what opens anew)-> 1 -after-> 2 -never-> 3 -before-> 4

Each stretch is there where the pattern has it. In the *armed* state, from which `never` leads on,
`unless` leads back to 0, so that only what opens anew leads on from there. What each pattern means
by positions is in `tests/properties/test_patterns.py`; docs/properties.md has the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from choreomon.core.labels import CarryingLabel
from choreomon.core.message import BEGIN

Labels: TypeAlias = tuple[CarryingLabel, ...]
"""Any of these; none where there is no such stretch."""


class Pattern(NamedTuple):
    """`never` must not happen,

    - `after`: since this happened first; `after_each`: each time anew;
    - `until` this ended what `after` or the beginning opened, which may open it again;
    - `unless`: but after these, one after the other, since it was opened;
    - `before`: it is only told when one of these follows; with `until` none is needed, as what
      lies *between* two is open until the second, at which it is told (`told_at_end`).
    """

    never: Labels
    unless: tuple[Labels, ...] = ()
    after: Labels = ()
    after_each: Labels = ()
    until: Labels = ()
    before: Labels = ()
    told_at_end: bool = False


class Arc(NamedTuple):
    """A transition between numbered states, on any of these labels."""

    source: int
    labels: Labels
    target: int
    backward: bool


class PatternAutomaton(NamedTuple):
    """States from 0, which is initial, to `final`. `is_chain`: each forward arc leads to the next
    state, so that it is a step."""

    final: int
    arcs: tuple[Arc, ...]
    is_chain: bool


BEGINNING: Labels = (CarryingLabel(BEGIN),)


def pattern_automaton(pattern: Pattern) -> PatternAutomaton:
    """The automaton of a pattern that has no contradiction (`pattern_defect`)."""
    return PatternAutomaton(*_Building(pattern).whole())


def pattern_defect(pattern: Pattern) -> tuple[str, str] | None:
    """The field of a pattern that cannot go with others, and why; `None` where all can."""
    if pattern.after and pattern.after_each:
        return "after_each", "goes with no after: keep one of the two"
    opened = bool(pattern.after or pattern.after_each)
    if pattern.until and not (opened or pattern.unless):
        return "until", "ends nothing: say after what, or unless what, something is forbidden"
    if pattern.before and pattern.until:
        return "before", "goes with no until: with between, both ends are known"
    return None


class _Building:
    """The arcs of one pattern, as they come."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        # What must be done once, or be opened again, begins with the run: a cancellation of it
        # leads back to where only `until` leads on from.
        self._begins = bool(pattern.unless) and not pattern.after_each
        self._opening = pattern.after or pattern.after_each
        self._armed = int(self._begins) + bool(self._opening)
        self._chain = max(1, len(pattern.unless))
        self._told = bool(pattern.before) or pattern.told_at_end
        self._done = self._armed + self._chain
        self._final = self._done + self._told

    def whole(self) -> tuple[int, tuple[Arc, ...], bool]:
        return self._final, (*self._forward(), *self._backward()), self._chain == 1

    def _forward(self) -> Iterator[Arc]:
        pattern, armed = self._pattern, self._armed
        if self._begins:
            yield Arc(0, (*BEGINNING, *pattern.until), 1, False)
        if self._opening:
            yield Arc(armed - 1, self._opening, armed, False)
        for place, done in enumerate(pattern.unless[:-1]):
            yield Arc(armed + place, done, armed + place + 1, False)
        for place in range(self._chain):
            yield Arc(armed + place, pattern.never, self._done, False)
        if self._told:
            yield Arc(self._done, pattern.before or pattern.until, self._final, False)

    def _backward(self) -> Iterator[Arc]:
        pattern, armed = self._pattern, self._armed
        last = armed + self._chain - 1
        if pattern.unless:
            yield Arc(last, pattern.unless[-1], 0, True)
        closed = armed - 1 if self._opening else armed
        if pattern.until:
            for state in range(closed + 1, last + 1):
                yield Arc(state, pattern.until, closed, True)
            if self._told:
                yield Arc(self._done, pattern.until, closed, True)
        if pattern.after_each:
            for state in range(armed + 1, last + 1):
                yield Arc(state, pattern.after_each, armed, True)
