"""Small charts of measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from choreomon.render.drawing import (
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
from choreomon.render.wording import number

_WIDTH: Final = 420.0
_BINS: Final = 12
_NEGLIGIBLE: Final = 1e-6
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
    values = max((text_width(number(bar.value), _SMALL) for bar in bars), default=0.0) + 16
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
    """How many of `values` (at least one) fall into each of some equally wide bins, whose
    width is 1, 2 or 5 times a power of ten. A bin has its lower end, not its upper one."""
    width = bin_width(values)
    first = math.floor(min(values) / width)
    counts = [0] * (math.floor(max(values) / width) - first + 1)
    for value in values:
        counts[math.floor(value / width) - first] += 1
    edges = [(first + step) * width for step in range(len(counts) + 1)]
    left, right = max(34.0, text_width(number(max(counts)), 11) + 12), _WIDTH - 16
    step = (right - left) / len(counts)
    base = _TOP + _PLOT
    shapes: list[Shape] = [_title(title)]
    for place, count in enumerate(counts):
        height = _PLOT * count / max(counts)
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
                title=f"{number(edges[place])} to {number(edges[place + 1])}{unit}: {count}",
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


def bin_width(values: Sequence[float]) -> float:
    """The smallest 1, 2 or 5 times a power of ten that needs at most twelve bins; 1 where
    all values are the same, or as good as the same."""
    spread = max(values) - min(values)
    if spread <= _NEGLIGIBLE * max(1.0, *map(abs, values)):
        return 1.0
    power = 10.0 ** math.floor(math.log10(spread / _BINS))
    return next(
        factor * power for factor in (1, 2, 5, 10, 20) if spread / (factor * power) <= _BINS - 1
    )


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
