"""Small charts of measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from typing import Final, NamedTuple

from choreomon.pictures.shapes.drawing import (
    FORWARD,
    INK,
    MUTED,
    RULE,
    Box,
    Drawing,
    Group,
    Picture,
    Point,
    Polyline,
    Shape,
    Text,
    middle_of_line,
    text_width,
)
from choreomon.sentences.wording import number

_WIDTH: Final = 420.0
_BINS: Final = 12
_NEGLIGIBLE: Final = Fraction(1, 10**6)
_PLOT: Final = 96.0
_ROW: Final = 26.0
_SMALL: Final = 12.0
_TOP: Final = 34.0


class Bar(NamedTuple):
    name: str
    value: float
    colour: str


def bar_chart(title: str, bars: Sequence[Bar]) -> Picture:
    """Horizontal bars, each with its name before and its value behind it."""
    names = max((text_width(bar.name, _SMALL) for bar in bars), default=0.0) + 24
    values = (
        max((text_width(number(bar.value), _SMALL, bold=True) for bar in bars), default=0.0) + 16
    )
    room = max(80.0, _WIDTH - names - values)
    most = max((bar.value for bar in bars), default=0.0) or 1.0
    shapes: list[Shape] = [_title(title)]
    for row, bar in enumerate(bars):
        y = _TOP + _ROW * row
        length = room * bar.value / most
        centre = middle_of_line(y + 9, _SMALL)
        shapes += [
            Text(
                at=Point(names - 8, centre),
                content=bar.name,
                size=_SMALL,
                anchor="end",
                colour=MUTED,
            ),
            Box(at=Point(names, y), width=max(length, 1.0), height=18, corner=2, fill=bar.colour),
            Text(
                at=Point(names + max(length, 1.0) + 8, centre),
                content=number(bar.value),
                size=_SMALL,
                bold=True,
            ),
        ]
    height = _TOP + _ROW * len(bars) + 8
    return Picture(
        drawing=Drawing(
            width=names + room + values, height=height, shapes=tuple(shapes), title=title
        ),
        structure={"title": title, "bars": [[bar.name, bar.value] for bar in bars]},
    )


def histogram(title: str, values: Sequence[float], unit: str = "") -> Picture:
    """A chart of how many of `values` (at least one) fall into each of at most twelve equally wide
    bins, whose width is 1, 2 or 5 times a power of ten. A bin includes its lower end, not its upper
    one."""
    width = bin_width(values)
    places = [math.floor(_written(value) / width) for value in values]
    first = min(places)
    counts = [0] * (max(places) - first + 1)
    for place in places:
        counts[place - first] += 1
    edges = [float((first + step) * width) for step in range(len(counts) + 1)]
    first_label = text_width(number(edges[0]) + unit, 11)
    left = max(34.0, text_width(number(max(counts)), 11) + 12, first_label / 2)
    right = _WIDTH - 16
    step = (right - left) / len(counts)
    base = _TOP + _PLOT
    shapes: list[Shape] = [_title(title)]
    for place, filled in enumerate(counts):
        height = _PLOT * filled / max(counts)
        shapes.append(
            Group(
                shapes=(
                    Box(
                        at=Point(left + place * step + 1, base - height),
                        width=max(step - 2, 1),
                        height=max(height, 0.5),
                        fill=FORWARD,
                    ),
                ),
                title=f"{number(edges[place])} to {number(edges[place + 1])}{unit}: {filled}",
            )
        )
    shapes += [
        Polyline(points=(Point(left, base), Point(right, base)), colour=RULE),
        Text(
            at=Point(left - 6, _TOP + 10),
            content=number(max(counts)),
            size=11,
            anchor="end",
            colour=MUTED,
        ),
    ]
    shapes += _edge_labels(edges, left, step, base, unit)
    return Picture(
        drawing=Drawing(width=_WIDTH, height=base + 30, shapes=tuple(shapes), title=title),
        structure={"title": title, "edges": edges, "counts": counts},
    )


def bin_width(values: Sequence[float]) -> Fraction:
    """The smallest 1, 2 or 5 times a power of ten that needs at most twelve bins; at least 1 if all
    values are the same, or practically so."""
    least, most = _written(min(values)), _written(max(values))
    spread = most - least
    same = spread <= _NEGLIGIBLE * max(Fraction(1), -least, most)
    power = math.floor(math.log10(max(spread / _BINS, 1 if same else 0)))
    widths = (factor * Fraction(10) ** each for each in count(power) for factor in (1, 2, 5))
    return next(
        width for width in widths if math.floor(most / width) - math.floor(least / width) < _BINS
    )


def _written(value: float) -> Fraction:
    """A number as the exact value of its decimal text: as a binary fraction, 0.3 would lie below
    three tenths."""
    return Fraction(str(value))


def _edge_labels(
    edges: Sequence[float], left: float, step: float, base: float, unit: str
) -> list[Shape]:
    shapes: list[Shape] = []
    free_from = 0.0
    for place, edge in enumerate(edges):
        words = number(edge) + (unit if not shapes else "")
        x = left + place * step
        half = text_width(words, 11) / 2
        if x - half < free_from or x + half > _WIDTH:
            continue
        free_from = x + half + 10
        shapes.append(
            Text(at=Point(x, base + 17), content=words, size=11, anchor="middle", colour=MUTED)
        )
    return shapes


def _title(title: str) -> Text:
    return Text(at=Point(10, 18), content=title, bold=True, colour=INK)
