"""A state of a sequence automaton as shapes: its rim, its name, its self-loops, and the arrow that
marks it initial. Edges meet a state at its rim (`port`)."""

from __future__ import annotations

import math
from typing import Final

from choreomon.pictures.shapes.drawing import (
    INK,
    MUTED,
    PAPER,
    Box,
    Circle,
    Curve,
    Group,
    Point,
    Polyline,
    Shape,
    Text,
    arrowhead,
    middle_of_line,
    shortened,
    text_width,
)
from choreomon.pictures.shapes.layered_layout import Extent
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.wording import formula_in_words, with_arrow, wrapped

LINE: Final = 16.0
"""The distance from one line of text to the next."""
LONGEST_LINE: Final = 42
"""The most characters of a line of text; longer ones are shortened."""

START: Final = 30.0
"""The length of the arrow into an initial state."""

_RADIUS: Final = 24.0
_RING: Final = 4.0
_LOOP: Final = 30.0
_LONGEST_STATE: Final = 24
_LOOP_LINE: Final = 18


def extent(automaton: SequenceAutomaton, state: str) -> Extent:
    """The room that a state takes, with its self-loops and its arrow."""
    formulas = _formulas(automaton, state)
    above = _LOOP + LINE * len(formulas) if formulas else _RING
    starts_below = _enters_from_below(automaton, state)
    return Extent(
        max([2 * (_half_width(state) + _RING), *(text_width(line) for line in formulas)]),
        _RADIUS + above,
        _RADIUS + (START + _RING if starts_below else _RING),
    )


def port(state: str, at: Point, angle: float) -> Point:
    """The point where an edge that leaves at this angle meets the rim of a state at `at`, a circle
    or a box with round ends."""
    straight = _half_width(state) - _RADIUS
    centre = Point(at.x + (straight if math.cos(angle) > 0 else -straight), at.y)
    return along(centre, angle, _RADIUS + _RING)


def state_shapes(automaton: SequenceAutomaton, state: str, at: Point) -> Group:
    """The shapes of a state whose centre is at `at`."""
    final = state in automaton.final
    initial = state in automaton.initial
    half = _half_width(state)
    shapes: list[Shape] = [*_self_loop(automaton, state, at)]
    if initial:
        below = _enters_from_below(automaton, state)
        angle = -math.pi / 2 if below else 0.0
        rim = _RADIUS if below else half
        tip = along(at, angle + math.pi, rim + (_RING if final else 0.0))
        tail = along(tip, angle + math.pi, START - 4)
        shapes += [Polyline(points=(tail, tip), width=1.7), arrowhead(tip, angle, INK)]
    if final:
        shapes.append(_rim(at, half + _RING, _RADIUS + _RING))
    shapes.append(_rim(at, half, _RADIUS))
    shapes.append(
        Text(
            at=Point(at.x, middle_of_line(at.y)),
            content=shortened(state, _LONGEST_STATE),
            anchor="middle",
            bold=True,
        )
    )
    kinds = [word for word, true in (("initial", initial), ("final", final)) if true]
    return Group(shapes=tuple(shapes), title=" ".join([*kinds, "state", state]))


def along(start: Point, angle: float, distance: float) -> Point:
    """The point at this distance from `start`; angles are in radians, downwards from the right."""
    return Point(start.x + distance * math.cos(angle), start.y + distance * math.sin(angle))


def _half_width(state: str) -> float:
    return max(_RADIUS, text_width(shortened(state, _LONGEST_STATE), bold=True) / 2 + 4)


def _formulas(automaton: SequenceAutomaton, state: str) -> tuple[str, ...]:
    return tuple(
        shortened(line, LONGEST_LINE)
        for loop in automaton.self_loops
        if loop.state == state
        for line in wrapped(with_arrow(formula_in_words(loop.formula)), _LOOP_LINE)
    )


def _enters_from_below(automaton: SequenceAutomaton, state: str) -> bool:
    """Tell whether forward edges take the left side of an initial state, so that its start arrow
    has to come from below."""
    return state in automaton.initial and any(t.target == state for t in automaton.forward)


def _rim(at: Point, half_width: float, half_height: float) -> Shape:
    if half_width == half_height:
        return Circle(centre=at, radius=half_width, width=1.7)
    return Box(
        at=Point(at.x - half_width, at.y - half_height),
        width=2 * half_width,
        height=2 * half_height,
        corner=half_height,
        fill=PAPER,
        colour=INK,
        stroke=1.7,
    )


def _self_loop(automaton: SequenceAutomaton, state: str, at: Point) -> list[Shape]:
    lines = _formulas(automaton, state)
    if not lines:
        return []
    start = along(at, math.radians(-118), _RADIUS + 1)
    end = along(at, math.radians(-62), _RADIUS + _RING)
    top = at.y - _RADIUS - _LOOP
    arc = Curve(
        points=(start, Point(start.x - 10, top), Point(end.x + 10, top), end),
        colour=MUTED,
        width=1.5,
    )
    texts = [
        Text(
            at=Point(at.x, top + 2 - LINE * (len(lines) - 1 - row)),
            content=line,
            anchor="middle",
            colour=MUTED,
            halo=True,
        )
        for row, line in enumerate(lines)
    ]
    return [arc, arrowhead(end, math.radians(108), MUTED, 8.0), *texts]
