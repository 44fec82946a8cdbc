"""Arrows that would run through events of other processes are bent around them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import dist
from pathlib import Path

import pytest
from examples_to_draw import PROCESSES, events, titled

from choreomon.core.run import Run
from choreomon.documents.read import load_document
from choreomon.pictures.shapes.drawing import (
    Circle,
    Curve,
    Drawing,
    Group,
    Point,
    Polygon,
    Polyline,
    Text,
)
from choreomon.pictures.space_time.diagram import space_time_picture
from choreomon.pictures.space_time.highlights import highlights_of
from choreomon.pictures.space_time.ways import Way, way_around
from simulator.run import simulation

SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))
TOUCHES = 3.0
START, END = Point(0, 0), Point(120, 150)
EVENT = 5.0


def points_of(line: Polyline | Curve) -> list[Point]:
    """Many points of a straight line or of one cubic piece, by the definition of Bézier curves."""
    start, end = line.points[0], line.points[-1]
    first, second = line.points[1:3] if isinstance(line, Curve) else (start, end)
    controls = (start, first, second, end)
    found = []
    for number in range(101):
        t = number / 100
        if isinstance(line, Polyline):
            weights = (1 - t, 0.0, 0.0, t)
        else:
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        x, y = (sum(w * p[axis] for w, p in zip(weights, controls, strict=True)) for axis in (0, 1))
        found.append(Point(x, y))
    return found


def arrows_in(drawing: Drawing) -> Iterator[Polyline | Curve]:
    for group in drawing.shapes:
        if not isinstance(group, Group) or not isinstance(group.shapes[-1], Polygon):
            continue
        line = group.shapes[0]
        assert isinstance(line, Polyline | Curve)
        if line.points[0].y != line.points[-1].y:
            yield line


def collisions(drawing: Drawing, *, straight: bool = False) -> int:
    """How often an arrow touches an event that is at none of its ends; as many as if all arrows
    were `straight`."""
    dots = [
        max(circles, key=lambda circle: circle.radius)
        for group in drawing.shapes
        if isinstance(group, Group) and group.title.startswith("event ")
        if (circles := [shape for shape in group.shapes if isinstance(shape, Circle)])
    ]
    assert dots
    return sum(
        min(dist(point, dot.centre) for point in points_of(way)) < dot.radius + TOUCHES
        for line in arrows_in(drawing)
        for way in [Polyline(points=(line.points[0], line.points[-1])) if straight else line]
        for dot in dots
        if dot.centre not in (line.points[0], line.points[-1])
    )


def drawing_of(run: Run) -> Drawing:
    verdict = next(iter(run.verdicts), None)
    highlights = () if verdict is None else highlights_of(verdict)
    return space_time_picture(run.kept_events, run.processes, highlights, verdict=verdict).drawing


def test_no_arrow_of_a_scenario_touches_an_event_that_is_at_none_of_its_ends() -> None:
    """Straight arrows would."""
    drawings = [
        drawing_of(simulate.run(seed, keep_events=True))
        for simulate in (simulation(load_document(path)) for path in SCENARIOS)
        for seed in range(3)
    ]
    assert sum(collisions(drawing) for drawing in drawings) == 0
    assert sum(collisions(drawing, straight=True) for drawing in drawings) >= 10


def test_only_the_arrow_that_would_run_through_an_event_is_bent_and_its_name_stays_on_it() -> None:
    """P2 sends halfway between the sending and the handling of `far`."""
    drawing = space_time_picture(events("P1>P3:far", "P2>P3:near", "0!", "1!"), PROCESSES).drawing
    line, head = titled(drawing, "P1 -> P3 : far")[0].shapes
    assert isinstance(line, Curve)
    assert isinstance(head, Polygon)
    (name,) = titled(drawing, "P1 -> P3 : far")[1].shapes
    assert isinstance(name, Text)
    assert min(dist(point, name.at) for point in points_of(line)) < 0.5 * name.size
    base = Point(*(sum(axis) / 2 for axis in zip(*head.points[1:], strict=True)))
    assert min(dist(point, base) for point in points_of(line)) < 1
    assert isinstance(titled(drawing, "P2 -> P3 : near")[0].shapes[0], Polyline)
    straight = space_time_picture(events("P1>P3:far", "P1>P3:near", "0!", "1!"), PROCESSES).drawing
    assert all(isinstance(line, Polyline) for line in arrows_in(straight))


@pytest.mark.parametrize("across", range(10, 111, 5))
@pytest.mark.parametrize("other", [None, Point(40, 75), Point(60, 0), Point(60, 150)])
def test_a_way_is_clear_of_what_it_goes_around_and_never_goes_back(
    across: float, other: Point | None
) -> None:
    centres = [Point(across, 75), *([other] if other else [])]
    way = way_around(START, END, [(centre, EVENT) for centre in centres])
    points = points_of(Curve(points=way.points()))
    assert all(dist(point, centre) > EVENT + TOUCHES for point in points for centre in centres)
    assert all(before.x <= after.x for before, after in pairwise(points))


def test_a_bent_way_keeps_more_distance_than_it_needs() -> None:
    for across in range(55, 66):
        centre = Point(across, 75)
        way = way_around(START, END, [(centre, EVENT)])
        points = points_of(Curve(points=way.points()))
        assert not way.straight
        assert min(dist(point, centre) for point in points) > EVENT + 1.9 * TOUCHES


def test_of_several_bends_the_slightest_is_taken() -> None:
    def aside(radius: float) -> float:
        way = way_around(START, END, [(Point(60, 75), radius)])
        return max(abs(way.early), abs(way.late))

    assert 0 < aside(2) < aside(EVENT) < aside(10)


def test_a_way_stays_between_its_ends_however_much_there_is_to_go_around() -> None:
    for radius in range(2, 60):
        points = points_of(Curve(points=way_around(START, END, [(Point(60, 75), radius)]).points()))
        assert all(before.x <= after.x for before, after in pairwise(points))


def test_a_way_is_the_curve_through_its_points() -> None:
    way = Way(START, END, 20, -10)
    for number, point in enumerate(points_of(Curve(points=way.points()))):
        assert way.at(number / 100) == pytest.approx(point)
        assert way.distance(point) == pytest.approx(0)
