"""Draw a sequence automaton: forward transitions solid, backward ones dashed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from choreomon.core.message import BEGIN, Label
from choreomon.core.stated_rule import StatedRule, rule_of
from choreomon.pictures.graphs.automaton_states import (
    LINE,
    LONGEST_LINE,
    START,
    along,
    extent,
    port,
    state_shapes,
)
from choreomon.pictures.shapes.drawing import (
    CANCELS,
    FORWARD,
    INK,
    MUTED,
    Circle,
    Curve,
    Drawing,
    Group,
    Picture,
    Point,
    Polyline,
    Scrolled,
    Shape,
    Text,
    arrowhead,
    moved,
    shortened,
    text_width,
)
from choreomon.pictures.shapes.layered_layout import (
    Extent,
    LabelledEdge,
    Layout,
    layered_layout,
    separated,
)
from choreomon.pictures.shapes.legend import Entry, legend_rows, signs
from choreomon.pictures.shapes.wrapped_strip import Strip, wrapped_strip
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.sentences.wording import formula_in_words, with_arrow, wrapped

_MARGIN: Final = 24.0
_BETWEEN_COMPONENTS: Final = 40.0
_LABEL_LINE: Final = 34
_HEADING_LINE: Final = 90
_BELOW_HEADING: Final = 8.0
WIDEST: Final = 1150.0
"""The width of a screen, and of a page; wider automata go on in a row below."""


class _Bundle(NamedTuple):
    """The transitions of one kind between two states, drawn as one edge with stacked labels."""

    source: str
    target: str
    forward: bool
    transitions: tuple[Transition, ...]
    lines: tuple[str, ...]


def automaton_picture(
    automaton: SequenceAutomaton, name: str = "", *, widest: float = WIDEST
) -> Picture:
    """The automaton in layers from left to right, in several rows where one would be wider than
    `widest`; parts that are not connected are stacked, in the author's order, those of a rule below
    its name and what it says.

    `structure` has `states` (name, initial, final, layer, component, x, y), `edges`
    (source, target, kind, dashed, labels) and `self_loops` (state, formula); its labels
    are whole, those of the picture are shortened where they are very long.
    """
    bundles = _bundles(automaton)
    stack = _stacked(automaton, bundles, widest)
    title = (
        f"Sequence automaton{f' of {name}' if name else ''}: {len(automaton.states)} states, "
        f"{len(automaton.forward)} forward and {len(automaton.backward)} backward transitions"
    )
    entries = _legend(automaton, goes_on=stack.goes_on)
    legend = legend_rows(entries, _MARGIN - 4, max(stack.width, 420.0), stack.bottom - 6)
    width = max(stack.width, legend.right if entries else 0.0) + _MARGIN
    bare = stack.bottom - _BETWEEN_COMPONENTS + LINE
    height = legend.bottom + 6 + LINE if entries else bare
    shapes = (*stack.shapes, *legend.shapes)
    return Picture(
        drawing=Drawing(width=width, height=height, shapes=shapes, title=title),
        scrolled=Scrolled(
            drawing=Drawing(
                width=stack.width + _MARGIN, height=bare, shapes=stack.shapes, title=title
            ),
            legend=signs(entries),
        ),
        structure={
            "states": [*stack.states],
            "edges": [
                {
                    "source": bundle.source,
                    "target": bundle.target,
                    "kind": "forward" if bundle.forward else "backward",
                    "dashed": not bundle.forward,
                    "labels": [automaton.written(t.label) for t in bundle.transitions],
                }
                for bundle in bundles
            ],
            "self_loops": [
                {"state": loop.state, "formula": formula_in_words(loop.formula)}
                for loop in automaton.self_loops
            ],
        },
    )


class _Stack(NamedTuple):
    """The parts of an automaton below each other, and the room that they need; `goes_on`: some
    part has several rows."""

    shapes: tuple[Shape, ...]
    states: tuple[dict[str, Any], ...]
    width: float
    bottom: float
    goes_on: bool


def _stacked(automaton: SequenceAutomaton, bundles: Sequence[_Bundle], widest: float) -> _Stack:
    """Draw the parts that are not connected, each in rows that are at most `widest`."""
    shapes: list[Shape] = []
    states: list[dict[str, Any]] = []
    top, width, goes_on = _MARGIN, 0.0, False
    left = _MARGIN + START
    headed: set[str] = set()
    for number, members in enumerate(_components(automaton)):
        rule = rule_of(automaton.rules, [(state, state) for state in members])
        if rule is not None and rule.name not in headed:
            headed.add(rule.name)
            heading = _heading(rule, top)
            shapes += heading
            width = max(width, *(line.at.x + text_width(line.content) for line in heading))
            top += LINE * len(heading) + _BELOW_HEADING
        own = [bundle for bundle in bundles if bundle.source in members]
        extents = {state: extent(automaton, state) for state in members}
        layout = layered_layout(
            extents,
            [state for state in automaton.initial if state in extents],
            [_labelled_edge(bundle) for bundle in own],
        )
        drawn = _component(automaton, own, layout, Point(left, 0))
        strip = Strip(tuple(drawn), left + layout.width, layout.height)
        rows = wrapped_strip(strip, _MARGIN, widest)
        goes_on = goes_on or bool(rows.cuts)
        shapes += [moved(shape, 0, top) for shape in rows.strip.shapes]
        for state in members:
            at = layout.states[state]
            place = rows.placed(Point(at.x + left, at.y))
            states.append(
                {
                    "name": state,
                    "initial": state in automaton.initial,
                    "final": state in automaton.final,
                    "layer": layout.layers[state],
                    "component": number,
                    "x": round(place.x, 1),
                    "y": round(top + place.y, 1),
                }
            )
        top += rows.strip.height + _BETWEEN_COMPONENTS
        width = max(width, rows.strip.width)
    return _Stack(tuple(shapes), tuple(states), width, top, goes_on)


def _heading(rule: StatedRule, top: float) -> list[Text]:
    said = wrapped(with_arrow(rule.description), _HEADING_LINE) if rule.description else ()
    lines = [*wrapped(rule.name, _HEADING_LINE), *said]
    named = len(lines) - len(said)
    return [
        Text(
            at=Point(_MARGIN - 4, top + LINE * row),
            content=line,
            bold=row < named,
            colour=INK if row < named else MUTED,
        )
        for row, line in enumerate(lines)
    ]


def _bundles(automaton: SequenceAutomaton) -> tuple[_Bundle, ...]:
    found: dict[tuple[str, str, bool], list[Transition]] = {}
    for forward, transitions in ((True, automaton.forward), (False, automaton.backward)):
        for transition in transitions:
            found.setdefault((transition.source, transition.target, forward), []).append(transition)
    return tuple(
        _Bundle(
            source,
            target,
            forward,
            tuple(transitions),
            tuple(
                shortened(line, LONGEST_LINE)
                for transition in transitions
                for line in wrapped(with_arrow(automaton.written(transition.label)), _LABEL_LINE)
            ),
        )
        for (source, target, forward), transitions in found.items()
    )


def _components(automaton: SequenceAutomaton) -> list[tuple[str, ...]]:
    neighbours: dict[str, set[str]] = {state: set() for state in automaton.states}
    for transition in (*automaton.forward, *automaton.backward):
        neighbours[transition.source].add(transition.target)
        neighbours[transition.target].add(transition.source)
    component: dict[str, str] = {}
    for root in automaton.states:
        todo = [root] if root not in component else []
        while todo:
            state = todo.pop()
            if state not in component:
                component[state] = root
                todo += neighbours[state]
    members: dict[str, list[str]] = {}
    for state in automaton.states:
        members.setdefault(component[state], []).append(state)
    return [tuple(states) for states in members.values()]


def _labelled_edge(bundle: _Bundle) -> LabelledEdge:
    width = max(text_width(line) for line in bundle.lines)
    extent = Extent(width + 8, LINE * len(bundle.lines) + 4, 5.0)
    return LabelledEdge(bundle.source, bundle.target, bundle.forward, extent)


def _watched(automaton: SequenceAutomaton, label: Label) -> str:
    return f"{automaton.written(label)}, watched by {label.process}"


def _component(
    automaton: SequenceAutomaton, bundles: Sequence[_Bundle], layout: Layout, origin: Point
) -> list[Shape]:
    angles = _angles(bundles, layout)
    edges: list[Shape] = []
    labels: list[Shape] = []
    for number, bundle in enumerate(bundles):
        colour = FORWARD if bundle.forward else CANCELS
        title = "\n".join(
            f"{'forward' if bundle.forward else 'backward'}: {t.source} -> {t.target} on "
            + (str(t.label) if t.label == BEGIN else _watched(automaton, t.label))
            for t in bundle.transitions
        )
        width = max(text_width(line) for line in bundle.lines) + 8
        curve, towards = _curve(bundle, layout, number, width, angles)
        curve = tuple(_moved(point, origin) for point in curve)
        line = Curve(points=curve, colour=colour, dashed=not bundle.forward, width=1.7)
        head = arrowhead(curve[-1], towards, colour)
        edges.append(Group(shapes=(line, head), title=title))
        at = _moved(layout.labels[number], origin)
        same_layer = layout.layers[bundle.source] == layout.layers[bundle.target]
        labels.append(
            Group(
                shapes=tuple(
                    Text(
                        at=Point(
                            at.x - width / 2 + 8 if same_layer else at.x,
                            at.y - 6 - LINE * (len(bundle.lines) - 1 - row),
                        ),
                        content=line,
                        anchor="start" if same_layer else "middle",
                        colour=colour,
                        halo=True,
                    )
                    for row, line in enumerate(bundle.lines)
                ),
                title=title,
            )
        )
    nodes = [
        state_shapes(automaton, state, _moved(at, origin)) for state, at in layout.states.items()
    ]
    return [*edges, *nodes, *labels]


def _angles(bundles: Sequence[_Bundle], layout: Layout) -> dict[tuple[int, str], float]:
    """The angle at which each end of an edge meets its state, measured from the horizontal
    (downwards positive); ends on one side of a state are kept apart."""
    ends: dict[tuple[str, int], list[tuple[float, float, tuple[int, str]]]] = {}
    for number, bundle in enumerate(bundles):
        route = layout.routes[number]
        for state, bend in ((bundle.source, route[0]), (bundle.target, route[-1])):
            at = layout.states[state]
            side = 1 if bend.x > at.x else -1
            slope = math.degrees(math.atan2(bend.y - at.y, max(30.0, abs(bend.x - at.x) - 40)))
            angle = max(-55.0, min(55.0, 0.8 * slope))
            weight = 50.0 if bundle.forward else 1.0
            ends.setdefault((state, side), []).append((angle, weight, (number, state)))
    angles: dict[tuple[int, str], float] = {}
    for (_, side), found in ends.items():
        found.sort()
        gap = min(24.0, 110.0 / len(found))
        apart = separated(
            [angle for angle, _, _ in found],
            [weight for _, weight, _ in found],
            [gap] * (len(found) - 1),
        )
        shift = max(0.0, -60.0 - apart[0]) - max(0.0, apart[-1] - 60.0)
        for angle, (_, _, end) in zip(apart, found, strict=True):
            turned = math.radians(angle + shift)
            angles[end] = turned if side > 0 else math.pi - turned
    return angles


def _curve(
    bundle: _Bundle,
    layout: Layout,
    number: int,
    label_width: float,
    angles: dict[tuple[int, str], float],
) -> tuple[tuple[Point, ...], float]:
    """The cubic pieces of an edge, and the direction in which it arrives."""
    start_angle, end_angle = angles[number, bundle.source], angles[number, bundle.target]
    start = port(bundle.source, layout.states[bundle.source], start_angle)
    end = port(bundle.target, layout.states[bundle.target], end_angle)
    label = layout.labels[number]
    if layout.layers[bundle.source] == layout.layers[bundle.target]:
        bulge = Point(label.x - label_width / 2, label.y)
        reach = 0.7 * max(20.0, bulge.x - max(start.x, end.x))
        down = 0.5 if end.y > start.y else -0.5
        return (
            start,
            along(start, start_angle, reach),
            Point(bulge.x, bulge.y - down * abs(bulge.y - start.y)),
            bulge,
            Point(bulge.x, bulge.y + down * abs(end.y - bulge.y)),
            along(end, end_angle, reach),
            end,
        ), end_angle + math.pi
    heading = 1.0 if layout.states[bundle.target].x > layout.states[bundle.source].x else -1.0
    points = [start]
    for bend in layout.routes[number]:
        half = heading * label_width / 2 if bend == label else 0.0
        entry, leave = Point(bend.x - half, bend.y), Point(bend.x + half, bend.y)
        previous = points[-1]
        pull = 0.5 * abs(entry.x - previous.x)
        angle = start_angle if len(points) == 1 else (0.0 if heading > 0 else math.pi)
        points += [along(previous, angle, pull), Point(entry.x - heading * pull, entry.y), entry]
        if half:
            points += [entry, leave, leave]
    previous = points[-1]
    pull = 0.5 * abs(end.x - previous.x)
    points += [Point(previous.x + heading * pull, previous.y), along(end, end_angle, pull), end]
    return tuple(points), end_angle + math.pi


def _moved(point: Point, by: Point) -> Point:
    return Point(point.x + by.x, point.y + by.y)


def _legend(automaton: SequenceAutomaton, *, goes_on: bool) -> list[Entry]:
    """The meaning of the lines, if there are both kinds, and of dots at their ends."""
    entries: list[Entry] = []
    if goes_on:
        entries.append((_dot, "goes on in the row below, or above"))
    if automaton.backward:
        entries.append((partial(_line, colour=FORWARD), "forward: continues a sequence"))
        words = "backward: cancels steps"
        entries.append((partial(_line, colour=CANCELS, dashed=True), words))
    return entries


def _dot(at: Point) -> tuple[Shape, ...]:
    return (Circle(centre=at, radius=2.6, fill=MUTED, colour=MUTED, width=1),)


def _line(at: Point, *, colour: str, dashed: bool = False) -> tuple[Shape, ...]:
    ends = (Point(at.x - 14, at.y), Point(at.x + 14, at.y))
    return (Polyline(points=ends, colour=colour, dashed=dashed, width=1.7),)
