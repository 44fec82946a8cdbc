from __future__ import annotations

import math
from itertools import combinations

import pytest
from examples_to_draw import SMART_HOME, Area, area_of, automaton, texts, written
from hypothesis import given
from hypothesis import strategies as st

from choreomon.pictures.graphs.automaton_drawing import automaton_picture
from choreomon.pictures.shapes.drawing import Circle, Curve, Point, Polyline, Text, flattened
from choreomon.pictures.shapes.wrapped_strip import Strip, _at, _halves, _pieces, wrapped_strip

LENGTH = 20
PLACES = st.floats(-100, 100)
POINTS = st.builds(Point, PLACES, PLACES)


def chain(length: int) -> Strip:
    """Circles 100 apart, with lines between them."""
    circles = tuple(Circle(centre=Point(100.0 * n, 50), radius=20) for n in range(length))
    lines = tuple(
        Polyline(points=(Point(100.0 * n + 20, 50), Point(100.0 * n + 80, 50)))
        for n in range(length - 1)
    )
    return Strip((*circles, *lines), 100.0 * length, 100.0)


def test_what_fits_stays_as_it_is() -> None:
    strip = chain(3)
    assert wrapped_strip(strip, -20, 400).strip is strip


def test_rows_are_as_wide_as_they_may_be_and_have_all_circles_once() -> None:
    rows = wrapped_strip(chain(10), -20, 350)
    circles = [s for s in rows.strip.shapes if isinstance(s, Circle) and s.radius == 20]
    by_row = {y: sum(c.centre.y == y for c in circles) for y in {c.centre.y for c in circles}}
    assert by_row == {50: 3, 180: 3, 310: 3, 440: 1}
    assert rows.strip.width <= 350
    assert [rows.placed(Point(100.0 * n, 50)) for n in range(10)] == [c.centre for c in circles]


def test_a_line_that_is_cut_goes_on_at_the_same_height_with_a_dot_at_both_ends() -> None:
    rows = wrapped_strip(chain(5), -20, 250)
    dots = [s.centre for s in rows.strip.shapes if isinstance(s, Circle) and s.radius < 20]
    assert len(dots) == 2 * len(rows.cuts)
    (out, back), *_ = zip(dots[::2], dots[1::2], strict=True)
    assert back.y - out.y == rows.row
    assert back.x == pytest.approx(-20)


def test_what_is_wider_than_a_row_is_not_cut() -> None:
    word = Text(at=Point(0, 10), content="m" * 80)
    lone = wrapped_strip(Strip((word,), 1100, 20), 0, 300)
    assert lone.cuts == ()


@given(POINTS, POINTS, POINTS, POINTS, st.floats(0.05, 0.95), st.floats(0, 1))
def test_halves_of_a_curve_lie_on_it(
    a: Point, b: Point, c: Point, d: Point, along: float, within: float
) -> None:
    piece = (a, b, c, d)

    def slowly(t: float) -> Point:
        """The Bernstein form."""
        weights = [math.comb(3, k) * t**k * (1 - t) ** (3 - k) for k in range(4)]
        return Point(
            sum(w * p.x for w, p in zip(weights, piece, strict=True)),
            sum(w * p.y for w, p in zip(weights, piece, strict=True)),
        )

    first, second = _halves(piece, along)
    assert _at(first, within) == pytest.approx(slowly(along * within), abs=1e-6)
    assert _at(second, within) == pytest.approx(slowly(along + (1 - along) * within), abs=1e-6)


@given(
    st.lists(st.tuples(PLACES, PLACES), min_size=4, max_size=4),
    st.lists(PLACES, min_size=2, max_size=2, unique=True),
)
def test_a_curve_is_cut_where_it_crosses_whichever_way_it_goes(
    points: list[tuple[float, float]], cuts: list[float]
) -> None:
    """Of one that only rises or falls each piece lies on one side of both cuts."""
    for falls in (False, True):
        own = tuple(Point(x, y) for x, y in sorted(points, reverse=falls))
        low, high = sorted(cuts)
        pieces = [*_pieces(Curve(points=own), low, high)]
        assert [piece[0] for piece in pieces[1:]] == [piece[3] for piece in pieces[:-1]]
        assert (pieces[0][0], pieces[-1][3]) == (own[0], own[3])
        for piece in pieces:
            least, most = sorted((piece[0].x, piece[3].x))
            assert not any(least + 1e-6 < cut < most - 1e-6 for cut in cuts)


def long_automaton() -> Strip:
    forward = [(f"q{n}", f"P1 -> P2 : m{n}", f"q{n + 1}") for n in range(LENGTH)]
    back = [("q3", "P1 -> P2 : stop", "q0"), ("q12", "P1 -> P2 : stop", "q2")]
    picture = automaton_picture(automaton(["q0"], [f"q{LENGTH}"], [*forward, *back]))
    drawing = picture.drawing
    assert len(picture.structure["states"]) == LENGTH + 1
    assert len({state["y"] for state in picture.structure["states"]}) == 5  # rows
    return Strip(drawing.shapes, drawing.width, drawing.height)


def test_a_long_automaton_is_no_wider_than_a_page_and_nothing_of_it_is_lost() -> None:
    strip = long_automaton()
    assert strip.width < 1250
    words = [text.content for text in flattened(strip.shapes) if isinstance(text, Text)]
    for number in range(LENGTH):
        assert words.count(f"q{number}") == 1
        assert words.count(f"P1 → P2 : m{number}") == 1
    assert words.count("P1 → P2 : stop") == 2
    assert "goes on in the row below, or above" in words


def test_no_text_of_a_wrapped_automaton_overlaps_another_or_leaves_the_canvas() -> None:
    strip = long_automaton()
    areas = [area_of(text) for text in flattened(strip.shapes) if isinstance(text, Text)]
    assert not any(one.overlaps(other) for one, other in combinations(areas, 2))
    canvas = Area(0, 0, strip.width, strip.height)
    for area in areas:
        assert canvas.left <= area.left
        assert area.right <= canvas.right
        assert area.bottom <= canvas.bottom


def test_every_line_stays_on_the_canvas() -> None:
    strip = long_automaton()
    for line in flattened(strip.shapes):
        if isinstance(line, Curve | Polyline):
            assert all(0 <= p.x <= strip.width and 0 <= p.y <= strip.height for p in line.points)


def test_a_short_automaton_has_no_dots() -> None:
    picture = automaton_picture(SMART_HOME)
    assert "goes on in the row below, or above" not in written(picture.drawing)
    assert texts(picture.drawing)
