"""Charts of lines."""

from __future__ import annotations

import pytest

from choreomon.pictures.shapes.drawing import PAPER, Circle, Point, Polyline, Shape, Text, flattened
from choreomon.pictures.shapes.line_chart import (
    COLOURS,
    Axis,
    Line,
    _mark,
    line_chart,
    powers_of_ten,
    rising_ticks,
)
from choreomon.pictures.shapes.svg import svg_document

ALONG = Axis("length", ((2, "2"), (4, "4")))


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (0, [0, 1]),
        (6, [0, 1, 2, 3, 4, 5, 6]),
        (6.1, [0, 2, 4, 6, 8]),
        (241, [0, 50, 100, 150, 200, 250]),
        (0.3, [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]),
    ],
)
def test_ticks_are_round_and_reach_the_highest_value(most: float, ticks: list[float]) -> None:
    assert rising_ticks(most) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("least", "most", "powers"), [(2, 300, [1, 10, 100, 1000]), (5, 7, [1, 10]), (1, 1, [1, 10])]
)
def test_powers_of_ten_are_around_all_values(
    least: float, most: float, powers: list[float]
) -> None:
    assert powers_of_ten(least, most) == pytest.approx(powers)


def chart(**more: object) -> tuple[list[Text], list[Circle], list[Polyline]]:
    lines = [
        Line("a", ((2, 10), (4, 100))),
        Line("", ((2, 10), (4, 100)), fitted=True),
        Line("b", ((2, 50),)),
    ]
    picture = line_chart("Title", ALONG, "messages", lines, **more)  # type: ignore[arg-type]
    assert picture.drawing.title == "Title"
    assert "<svg" in svg_document(picture.drawing)
    shapes = [*flattened(picture.drawing.shapes)]
    for shape in shapes:
        if isinstance(shape, Text) and shape.anchor == "start":
            assert shape.at.x < picture.drawing.width
        if isinstance(shape, Polyline):
            assert all(0 <= p.y <= picture.drawing.height for p in shape.points)
    return (
        [each for each in shapes if isinstance(each, Text)],
        [each for each in shapes if isinstance(each, Circle)],
        [each for each in shapes if isinstance(each, Polyline)],
    )


def test_a_chart_has_axes_with_their_titles_and_a_legend() -> None:
    texts, circles, lines = chart()
    words = [text.content for text in texts]
    assert {"Title", "messages", "length", "2", "4", "0", "100", "a", "b"} <= {*words}
    assert "least-squares line" in words
    assert [circle.colour for circle in circles] == [COLOURS[0]] * 3  # two points and the legend
    assert sum(line.dashed for line in lines) == 2  # the fitted one and its legend
    assert next(line.colour for line in lines if line.dashed) == COLOURS[0]


def test_points_are_where_their_values_are() -> None:
    _, circles, _ = chart()
    low, high = sorted(circle.centre.y for circle in circles[:2])[::-1]
    texts, _, _ = chart()
    at = {text.content: text.at.y for text in texts}
    zero, hundred = at["0"], at["100"]
    assert (zero - hundred) * 0.9 == pytest.approx(low - high, rel=0.01)


def test_a_logarithmic_axis() -> None:
    texts, circles, _ = chart(scale="powers")
    assert {"10", "100"} <= {text.content for text in texts}
    top, bottom = sorted(circle.centre.y for circle in circles[:2])
    assert bottom - top == pytest.approx(250, rel=0.01)  # from one end to the other


def test_shares_and_a_level() -> None:
    picture = line_chart(
        "T", ALONG, "share", [Line("a", ((2, 0.5),))], scale="shares", level=(0.76, "the paper")
    )
    texts = {t.content for t in flattened(picture.drawing.shapes) if isinstance(t, Text)}
    assert {"0 %", "20 %", "100 %", "the paper"} <= texts
    assert picture.structure["level"] == [0.76, "the paper"]
    assert picture.structure["lines"] == [{"name": "a", "fitted": False, "points": [[2, 0.5]]}]


def test_a_single_place_is_in_the_middle() -> None:
    picture = line_chart("T", Axis("x", ((3, "3"),)), "y", [Line("a", ((3, 1),))])
    (mark, _) = [s for s in flattened(picture.drawing.shapes) if isinstance(s, Circle)]
    assert 200 < mark.centre.x < 300


def test_lines_are_told_apart_without_colour() -> None:
    marks = {_shape_of(_mark(Point(0, 0), place)) for place in range(len(COLOURS))}
    assert len(marks) == len(COLOURS)


def _shape_of(mark: Shape) -> tuple[object, ...]:
    """What of it is seen by who sees no colours."""
    filled = getattr(mark, "fill", None) != PAPER
    corners = getattr(mark, "points", ())
    return type(mark), filled, len(corners)
