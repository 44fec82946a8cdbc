"""A long strip of shapes, wrapped into rows like text: what leaves a row at its right end goes on
at the left end of the next one, at the same height."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from choreomon.pictures.shapes.drawing import (
    MUTED,
    Box,
    Circle,
    Curve,
    Group,
    Point,
    Polygon,
    Polyline,
    Shape,
    Text,
    flattened,
    moved,
    text_width,
)

_AIR: Final = 4.0
_BETWEEN: Final = 30.0
_HALVINGS: Final = 40


_Cubic: TypeAlias = tuple[Point, Point, Point, Point]


class Strip(NamedTuple):
    """Shapes, and the room that they need."""

    shapes: tuple[Shape, ...]
    width: float
    height: float


class Rows(NamedTuple):
    """A strip in rows of one height, and where it was cut."""

    strip: Strip
    left: float
    cuts: tuple[float, ...]
    row: float

    def placed(self, point: Point) -> Point:
        """The place of a point of the strip after wrapping."""
        number = bisect_right(self.cuts, point.x)
        begin = self.cuts[number - 1] if number else self.left
        return Point(point.x - begin + self.left, point.y + number * self.row)


def wrapped_strip(strip: Strip, left: float, widest: float) -> Rows:
    """The strip in rows from `left` on, each at most `widest`. It is cut between shapes that must
    stay whole, that is, all but lines; a wider whole shape makes its row wider. A strip that is not
    wider stays as it is."""
    cuts = _cuts(strip, left, widest)
    rows = Rows(strip, left, tuple(cuts), strip.height + _BETWEEN)
    if not cuts:
        return rows
    shapes: list[Shape] = []
    begins, ends = (left, *cuts), (*cuts, strip.width)
    for number, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        low, high = begin if number else -math.inf, end if number < len(cuts) else math.inf
        right, down = left - begin, number * rows.row
        own = [piece for shape in strip.shapes for piece in _between(shape, low, high)]
        shapes += [moved(piece, right, down) for piece in (*own, *_ends(own, low, high))]
    width = left + max(end - begin for begin, end in zip(begins, ends, strict=True))
    height = len(begins) * rows.row - _BETWEEN
    return rows._replace(strip=Strip(tuple(shapes), width, height))


def _cuts(strip: Strip, left: float, widest: float) -> list[float]:
    """The cuts: each as far to the right as a row has room, between whole shapes."""
    spans = sorted(span for shape in flattened(strip.shapes) if (span := _whole(shape)) is not None)
    gaps: list[float] = []
    covered = left
    for start, end in spans:
        if start - _AIR > covered + _AIR:
            gaps.append((start + covered) / 2)
        covered = max(covered, end)
    cuts: list[float] = []
    begin = left
    while strip.width - begin > widest:
        possible = [gap for gap in gaps if gap > begin + 1]
        fitting = [gap for gap in possible if gap - begin <= widest]
        if not possible:
            break
        begin = fitting[-1] if fitting else possible[0]
        cuts.append(begin)
    return cuts


def _whole(shape: Shape) -> tuple[float, float] | None:
    """The extent of a shape that must not be cut; `None` for lines."""
    match shape:
        case Circle():
            return shape.centre.x - shape.radius, shape.centre.x + shape.radius
        case Box():
            return shape.at.x, shape.at.x + shape.width
        case Text():
            width = text_width(shape.content, shape.size, bold=shape.bold)
            before = {"start": 0.0, "middle": width / 2, "end": width}[shape.anchor]
            return shape.at.x - before, shape.at.x - before + width
        case Polygon():
            return min(p.x for p in shape.points), max(p.x for p in shape.points)
        case _:
            return None


def _between(shape: Shape, low: float, high: float) -> Iterator[Shape]:
    """The part of a shape that lies between two cuts."""
    match shape:
        case Group():
            own = tuple(piece for one in shape.shapes for piece in _between(one, low, high))
            if own:
                yield replace(shape, shapes=own)
        case Curve():
            yield from _curve_between(shape, low, high)
        case Polyline():
            pieces = [
                Curve(points=(one, one, other, other))
                for one, other in zip(shape.points, shape.points[1:], strict=False)
            ]
            for piece in pieces:
                for part in _curve_between(piece, low, high):
                    yield replace(shape, points=(part.points[0], part.points[-1]))
        case _:
            span = _whole(shape)
            if span is not None and low <= (span[0] + span[1]) / 2 < high:
                yield shape


def _curve_between(curve: Curve, low: float, high: float) -> Iterator[Curve]:
    """The pieces of a curve between two cuts, joined where they meet."""
    run: list[Point] = []
    for piece in _pieces(curve, low, high):
        middle = _at(piece, 0.5).x
        if not low <= middle < high:
            if run:
                yield replace(curve, points=tuple(run))
            run = []
        else:
            run += piece[1:] if run else piece
    if run:
        yield replace(curve, points=tuple(run))


def _pieces(curve: Curve, low: float, high: float) -> Iterator[_Cubic]:
    """The cubic pieces of a curve, cut where they cross `low` or `high`."""
    for place in range(0, len(curve.points) - 1, 3):
        start, one, other, end = curve.points[place : place + 4]
        rest = (start, one, other, end)
        for cut in sorted((low, high), reverse=end.x < start.x):
            if min(rest[0].x, rest[3].x) < cut < max(rest[0].x, rest[3].x):
                before, rest = _halves(rest, _crossing(rest, cut))
                yield before
        yield rest


def _at(piece: _Cubic, along: float) -> Point:
    return _halves(piece, along)[0][3]


def _crossing(piece: _Cubic, cut: float) -> float:
    """The parameter of a piece, between its ends, at which it crosses `cut`, by bisection."""
    rising = piece[0].x < piece[3].x
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if (_at(piece, middle).x < cut) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _halves(piece: _Cubic, along: float) -> tuple[_Cubic, _Cubic]:
    """Split a cubic piece into two (de Casteljau)."""
    a, b, c, d = piece
    ab, bc, cd = _mix(a, b, along), _mix(b, c, along), _mix(c, d, along)
    abc, bcd = _mix(ab, bc, along), _mix(bc, cd, along)
    middle = _mix(abc, bcd, along)
    return (a, ab, abc, middle), (middle, bcd, cd, d)


def _mix(one: Point, other: Point, along: float) -> Point:
    return Point(one.x + along * (other.x - one.x), one.y + along * (other.y - one.y))


def _ends(pieces: Sequence[Shape], low: float, high: float) -> Iterator[Shape]:
    """A dot where a line is cut: it goes on at the other end of the next row, or of the one
    before."""
    for line in flattened(pieces):
        if isinstance(line, Curve | Polyline):
            for point in (line.points[0], line.points[-1]):
                if min(abs(point.x - low), abs(point.x - high)) < 0.01:
                    yield Circle(centre=point, radius=2.6, fill=MUTED, colour=MUTED, width=1)
