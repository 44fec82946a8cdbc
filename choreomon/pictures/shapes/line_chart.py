"""Draw charts of lines: measurements along a parameter, each line with its own colour and mark."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.pictures.shapes.drawing import (
    CANCELS,
    FORWARD,
    INK,
    MUTED,
    PAPER,
    POSSIBLY,
    RULE,
    VIOLATED,
    VIOLET,
    Box,
    Circle,
    Drawing,
    Group,
    Picture,
    Point,
    Polygon,
    Polyline,
    Scrolled,
    Shape,
    Text,
    middle_of_line,
    text_width,
)
from choreomon.pictures.shapes.legend import ROW, SIZE, Entry, legend_rows, signs
from choreomon.sentences.wording import number

COLOURS: Final = (FORWARD, VIOLATED, CANCELS, POSSIBLY, VIOLET, MUTED)
"""Colours of lines, repeated in this order; readers who see few colours can tell them apart even
without marks."""

_WIDTH: Final = 430.0
_HEIGHT: Final = 250.0
_TOP: Final = 62.0
_SMALL: Final = 11.5
_MARK: Final = 4.2
_TICKS: Final = 6


class Line(NamedTuple):
    """Points in the order of x. A `fitted` line is dashed, has no marks and no entry in the legend,
    and the colour of the line before it."""

    name: str
    points: tuple[tuple[float, float], ...]
    fitted: bool = False


class Axis(NamedTuple):
    """An axis: what it shows, with its unit, and its ticks."""

    title: str
    ticks: tuple[tuple[float, str], ...]


Scale: TypeAlias = Literal["numbers", "shares", "powers"]


def line_chart(
    title: str,
    along: Axis,
    upwards: str,
    lines: Sequence[Line],
    *,
    scale: Scale = "numbers",
    level: tuple[float, str] | None = None,
) -> Picture:
    """Lines of values that are at least 0, with a legend beside them, and across them a `level`
    with its name. The axis of `shares` is from 0 to 100 %, that of `powers`, for values above 0, is
    logarithmic; otherwise it begins at 0. There must be at least one point."""
    values = [y for line in lines for _, y in line.points] + ([level[0]] if level else [])
    ticks = _ticks(values, scale)
    words = [f"{100 * tick:.0f} %" if scale == "shares" else number(tick) for tick in ticks]
    left = 24 + max(text_width(word, _SMALL) for word in words)
    height_of = math.log10 if scale == "powers" else float
    plot = _Plot(left, [x for x, _ in along.ticks], (ticks[0], ticks[-1]), height_of)
    shapes: list[Shape] = [
        Text(at=Point(10, 20), content=title, bold=True, colour=INK),
        Text(at=Point(10, _TOP - 16), content=upwards, size=_SMALL, colour=MUTED),
        *plot.frame(along, list(zip(ticks, words, strict=True))),
    ]
    if level is not None:
        shapes += plot.level(*level)
    measured = [line for line in lines if not line.fitted]
    place = -1
    for line in lines:
        place += not line.fitted
        shapes.append(plot.line(line, max(place, 0)))
    legend = _legend(
        [(line.name, place) for place, line in enumerate(measured)],
        fitted=len(measured) < len(lines),
    )
    beside = [
        shape
        for row, entry in enumerate(legend)
        for shape in legend_rows([entry], plot.right + 20, 0, _TOP + 6 + ROW * row).shapes
    ]
    width = plot.right + 56 + max(text_width(words, SIZE) for _, words in legend)
    base = plot.base + 50
    return Picture(
        drawing=Drawing(
            width=width,
            height=max(base, _TOP + ROW * len(legend) + 10),
            shapes=(*shapes, *beside),
            title=title,
        ),
        scrolled=Scrolled(
            drawing=Drawing(
                width=max(plot.right + 20, 20 + text_width(title, bold=True)),
                height=base,
                shapes=tuple(shapes),
                title=title,
            ),
            legend=signs(legend),
            shrinks=True,
        ),
        structure=_structure(title, along, upwards, lines, level),
    )


def _structure(
    title: str, along: Axis, upwards: str, lines: Sequence[Line], level: tuple[float, str] | None
) -> dict[str, object]:
    return {
        "title": title,
        "along": along.title,
        "upwards": upwards,
        "lines": [
            {"name": line.name, "fitted": line.fitted, "points": [*map(list, line.points)]}
            for line in lines
        ],
        "level": None if level is None else [*level],
    }


def _ticks(values: Sequence[float], scale: Scale) -> list[float]:
    if scale == "powers":
        return powers_of_ten(min(values), max(values))
    return [tick / 5 for tick in range(6)] if scale == "shares" else rising_ticks(max(values))


def rising_ticks(most: float) -> list[float]:
    """Ticks from 0 to at least `most` in steps of 1, 2 or 5 times a power of ten, at most six of
    them."""
    if most <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(most / _TICKS))
    step = next(each * power for each in (1, 2, 5, 10) if most / (each * power) <= _TICKS)
    return [step * tick for tick in range(math.ceil(most / step - 1e-9) + 1)]


def powers_of_ten(least: float, most: float) -> list[float]:
    """The powers of ten between which all values lie, at least two."""
    low = math.floor(math.log10(least))
    high = max(low + 1, math.ceil(math.log10(most)))
    return [10.0**power for power in range(low, high + 1)]


class _Plot:
    """The positions of points; `height_of` makes an axis of values."""

    def __init__(
        self,
        left: float,
        places: Sequence[float],
        span: tuple[float, float],
        height_of: Callable[[float], float],
    ) -> None:
        self.left = left
        self.right = left + _WIDTH
        self.base = _TOP + _HEIGHT
        self._first, self._last = min(places), max(places)
        self._height_of = height_of
        self._least = span[0]
        self._low, self._high = map(height_of, span)

    def at(self, x: float, y: float) -> Point:
        inner = _WIDTH - 40
        along = (x - self._first) / (self._last - self._first) if self._last > self._first else 0.5
        up = (self._height_of(y) - self._low) / (self._high - self._low)
        return Point(self.left + 20 + inner * along, self.base - _HEIGHT * up)

    def frame(self, along: Axis, ticks: Sequence[tuple[float, str]]) -> list[Shape]:
        shapes: list[Shape] = []
        for tick, word in ticks:
            y = self.at(self._first, tick).y
            shapes += [
                self._across(y, RULE, dashed=False),
                Text(
                    at=Point(self.left - 8, middle_of_line(y, _SMALL)),
                    content=word,
                    size=_SMALL,
                    anchor="end",
                    colour=MUTED,
                ),
            ]
        for place, word in along.ticks:
            x = self.at(place, self._least).x
            shapes += [
                Polyline(points=(Point(x, self.base), Point(x, self.base + 4)), colour=MUTED),
                Text(
                    at=Point(x, self.base + 18),
                    content=word,
                    size=_SMALL,
                    anchor="middle",
                    colour=MUTED,
                ),
            ]
        shapes.append(
            Text(
                at=Point(self.left + _WIDTH / 2, self.base + 38),
                content=along.title,
                size=_SMALL,
                anchor="middle",
                colour=MUTED,
            )
        )
        return shapes

    def level(self, y: float, name: str) -> list[Shape]:
        height = self.at(self._first, y).y
        return [
            self._across(height, INK, dashed=True),
            Text(
                at=Point(self.left + 4, height - 5),
                content=name,
                size=_SMALL,
                anchor="start",
                bold=True,
                halo=True,
            ),
        ]

    def _across(self, y: float, colour: str, *, dashed: bool) -> Polyline:
        ends = (Point(self.left, y), Point(self.right, y))
        return Polyline(points=ends, colour=colour, width=1.2, dashed=dashed)

    def line(self, line: Line, place: int) -> Group:
        colour = COLOURS[place % len(COLOURS)]
        points = tuple(self.at(*point) for point in line.points)
        width = 1.2 if line.fitted else 2.0
        shapes: list[Shape] = []
        if len(points) > 1:
            shapes.append(Polyline(points=points, colour=colour, width=width, dashed=line.fitted))
        if not line.fitted:
            shapes += [_mark(point, place) for point in points]
        return Group(shapes=tuple(shapes), title=line.name)


def _mark(at: Point, place: int) -> Shape:
    """The mark of a line; marks are filled and empty, so that lines which coincide can both be
    seen, and each colour has its own shape."""
    colour = COLOURS[place % len(COLOURS)]
    size = _MARK + (1.6 if place % 2 == 0 else 0)
    match place % len(COLOURS):
        case 0:
            return Circle(centre=at, radius=size, fill=colour, colour=colour, width=1)
        case 1:
            corner = Point(at.x - size + 1, at.y - size + 1)
            side = 2 * size - 2
            return Box(at=corner, width=side, height=side, fill=PAPER, colour=colour, stroke=1.8)
        case 2:
            return Polygon(
                points=(
                    Point(at.x, at.y - size),
                    Point(at.x + size, at.y + 0.8 * size),
                    Point(at.x - size, at.y + 0.8 * size),
                ),
                fill=colour,
            )
        case 3:
            return Circle(centre=at, radius=size - 1, fill=PAPER, colour=colour, width=1.8)
        case 4:
            around = ((0, -size), (size, 0), (0, size), (-size, 0))
            return Polygon(points=tuple(Point(at.x + x, at.y + y) for x, y in around), fill=colour)
        case _:
            ends = [Point(at.x + x, at.y + y) for x in (-size, size) for y in (-size, size)]
            strokes = ((ends[0], ends[3]), (ends[1], ends[2]))
            return Group(
                shapes=tuple(
                    Polyline(points=stroke, colour=colour, width=1.8) for stroke in strokes
                )
            )


def _legend(entries: Sequence[tuple[str, int]], *, fitted: bool) -> list[Entry]:
    found: list[Entry] = [(partial(_sample, place=place), name) for name, place in entries]
    if fitted:
        found.append((_dashes, "least-squares line"))
    return found


def _sample(at: Point, *, place: int) -> tuple[Shape, ...]:
    colour = COLOURS[place % len(COLOURS)]
    ends = (Point(at.x - 12, at.y), Point(at.x + 12, at.y))
    return Polyline(points=ends, colour=colour, width=2), _mark(at, place)


def _dashes(at: Point) -> tuple[Shape, ...]:
    ends = (Point(at.x - 12, at.y), Point(at.x + 12, at.y))
    return (Polyline(points=ends, colour=MUTED, width=1.2, dashed=True),)
