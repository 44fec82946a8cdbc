"""Plots of experiments: violins of distributions, and points of time against length.

As Fig. 16 and 18 of the removal paper and Fig. 12 of the slices paper, with logarithmic axes
upwards. All violins are equally wide at their widest; their three lines are the quartiles. Points
that would coincide are one. A right rejection is no error: it is not red, and its outline, not
colour alone, distinguishes it from what conforms. A key below each plot explains its abbreviations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from typing import Any, Final, TypeAlias

from choreomon.experiments.offline.multiprefix import Distribution
from choreomon.experiments.offline.slices import SLICE_KINDS, Decider, SliceMeasurement
from choreomon.experiments.offline.statistics import quantile
from choreomon.pictures.shapes.drawing import (
    CANCELS,
    FORWARD,
    INK,
    MUTED,
    PAPER,
    POSSIBLY,
    RULE,
    Box,
    Circle,
    Drawing,
    Group,
    Picture,
    Point,
    Polygon,
    Polyline,
    Shape,
    Text,
    middle_of_line,
    text_width,
)
from choreomon.verify.verdict import Verdict

_PANEL_WIDTH: Final = 330.0
_PANEL_HEIGHT: Final = 190.0
_LEFT: Final = 52.0
_GAP: Final = 26.0
_TOP: Final = 76.0
_BELOW: Final = 62.0
_SMALL: Final = 11.0
_STEPS: Final = 28
"""Points of a violin's outline, on each side."""
_LEAST: Final = 1e-7
"""The value that stands for 0 on a logarithmic axis: less than any clock can resolve."""

_OK: Final = FORWARD
_NOK: Final = CANCELS

_KEY: Final[dict[str, str]] = {
    "baseline": "without any reduction",
    "LOC": "with local analyses",
    "POR": "with partial order reduction",
    "POR and LOC": "with both",
    "default": "as choreomon verify does it",
    "ACPT": "accepted multi-traces",
    "PREF": "multi-prefixes of accepted ones",
    "NOIS": "multi-prefixes with an action inserted",
    "SACT": "multi-prefixes with two actions swapped",
    "SCMP": "multi-prefixes with a component of another one",
    "Ok": "multi-prefixes, as each kind may have some",
    "Nok": "no multi-prefixes: to reject them is right",
    "slice": "found to be a slice",
    "no slice": "found to be none, which most mutants are",
    "not known": "the search ended without an answer",
}
"""Meanings of the words in plots, in the order of the key."""


_Mark: TypeAlias = Callable[[Point, float], Shape]
"""A mark of a size, at a point."""


class _Axes:
    """A panel, with the vertical axis that all panels of a picture share."""

    def __init__(self, left: float, top: float, low: int, high: int) -> None:
        self.left = left
        self.top = top
        self.base = top + _PANEL_HEIGHT
        self._low = low
        self._step = _PANEL_HEIGHT / (high - low)
        self._high = high

    def y(self, power: float) -> float:
        """The y of ten to this power."""
        return self.base - (power - self._low) * self._step

    def frame(self, title: str, unit: str, upwards: str, along: str) -> list[Shape]:
        """`upwards` and `along` are the titles of the axes, with their units."""
        shapes: list[Shape] = [
            Text(at=Point(self.left, self.top - 27), content=title, size=12, bold=True),
            Text(
                at=Point(self.left - 40, self.top - 11), content=upwards, size=_SMALL, colour=MUTED
            ),
            Text(
                at=Point(self.left + _PANEL_WIDTH / 2, self.base + 32),
                content=along,
                size=_SMALL,
                anchor="middle",
                colour=MUTED,
            ),
        ]
        for power in range(self._low, self._high + 1):
            y = self.y(power)
            shapes += [
                Polyline(
                    points=(Point(self.left, y), Point(self.left + _PANEL_WIDTH, y)),
                    colour=RULE,
                    width=1,
                ),
                Text(
                    at=Point(self.left - 6, middle_of_line(y, _SMALL)),
                    content=_power(power, unit),
                    size=_SMALL,
                    anchor="end",
                    colour=MUTED,
                ),
            ]
        return shapes


_SECONDS: Final = {0: "1 s", -3: "1 ms", -6: "1 µs", 1: "10 s", 2: "100 s"}


def _power(power: int, unit: str) -> str:
    if unit != "s":
        return f"{10**power:,}"
    if power in _SECONDS:
        return _SECONDS[power]
    return f"{10 ** (power % 3)} {'ms' if power > -4 else 'µs'}" if power > -7 else "0.1 µs"


def _log(value: float) -> float:
    return math.log10(max(value, _LEAST))


def _range(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten between which all values are; at least one apart."""
    low = math.floor(min(map(_log, values)))
    return low, max(low + 1, math.ceil(max(map(_log, values))))


def violin_picture(
    title: str, distributions: Sequence[Distribution], unit: str, along: str = ""
) -> Picture:
    """A panel for each method, in it a pair of violins for each group: what conforms, and what does
    not. `unit` is "s" for seconds, otherwise a word for counts; `along` says what groups are."""
    methods = list(dict.fromkeys(one.method for one in distributions))
    groups = list(dict.fromkeys(one.group for one in distributions))
    low, high = _range([value for one in distributions for value in one.values] or [1.0])
    axes = _panels(methods, low, high)
    slot = _PANEL_WIDTH / max(1, len(groups))
    shapes = _heading(title, (("Ok", _filled(_OK)), ("Nok", _hollow(_NOK))))
    upwards = "time of one search" if unit == "s" else f"{unit} of one search"
    for method, panel in axes.items():
        shapes += panel.frame(method, unit, f"{upwards}, logarithmic", along)
        for number, group in enumerate(groups):
            centre = panel.left + slot * (number + 0.5)
            shapes.append(
                Text(
                    at=Point(centre, panel.base + 16),
                    content=group,
                    size=_SMALL,
                    anchor="middle",
                    colour=MUTED,
                )
            )
            for one in distributions:
                if (one.method, one.group) == (method, group):
                    side = -0.22 if one.conforms else 0.22
                    shapes.append(_violin(one, panel, centre + side * slot, 0.18 * slot))
    return Picture(
        drawing=_drawing(title, axes, shapes, {*methods, *groups, "Ok", "Nok"}),
        structure={
            "title": title,
            "unit": unit,
            "violins": [_as_json(one) for one in distributions],
        },
    )


def _as_json(one: Distribution) -> dict[str, Any]:
    return {
        "method": one.method,
        "group": one.group,
        "ok": one.conforms,
        "count": len(one.values),
        "minimum": one.values[0],
        "quartiles": [quantile(one.values, share) for share in (0.25, 0.5, 0.75)],
        "maximum": one.values[-1],
    }


def _violin(one: Distribution, axes: _Axes, centre: float, half: float) -> Group:
    logs = [_log(value) for value in one.values]
    heights, widths = outline(logs)
    left = [Point(centre - half * w, axes.y(h)) for h, w in zip(heights, widths, strict=True)]
    right = [Point(centre + half * w, axes.y(h)) for h, w in zip(heights, widths, strict=True)]
    colour = _OK if one.conforms else _NOK
    shapes: list[Shape] = []
    if logs[0] == logs[-1]:
        at = Point(centre - half, axes.y(logs[0]) - 1.5)
        fill = colour if one.conforms else PAPER
        shapes.append(Box(at=at, width=2 * half, height=3, fill=fill, colour=colour))
    else:
        rim = (*left, *reversed(right))
        shapes.append(Polygon(points=rim, fill=colour if one.conforms else PAPER))
        shapes.append(Polyline(points=(*rim, rim[0]), colour=colour, width=1.2))
        for share in (0.25, 0.5, 0.75):
            y = axes.y(quantile(logs, share))
            shapes.append(
                Polyline(
                    points=(Point(centre - half, y), Point(centre + half, y)),
                    colour=_quartile(one.conforms, share),
                    width=1.5,
                )
            )
    median = quantile(one.values, 0.5)
    verdict = "Ok" if one.conforms else "Nok"
    return Group(
        shapes=tuple(shapes),
        title=f"{one.method}, {one.group}, {verdict}: {len(logs)}, median {median:.3g}",
    )


def _quartile(filled: bool, share: float) -> str:
    """The colour of a line across a violin: the median stands out."""
    if share == 0.5:
        return POSSIBLY if filled else INK
    return PAPER if filled else MUTED


def outline(ordered: Sequence[float]) -> tuple[list[float], list[float]]:
    """The density of values in ascending order: places from the least to the greatest, and the
    density there as a share of the greatest density. Gaussian kernels, with Silverman's width."""
    low, high = ordered[0], ordered[-1]
    if low == high:
        return [low], [1.0]
    mean = sum(ordered) / len(ordered)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in ordered) / len(ordered))
    width = 1.06 * deviation * len(ordered) ** -0.2
    places = [low + (high - low) * step / (_STEPS - 1) for step in range(_STEPS)]
    density = [
        sum(math.exp(-0.5 * ((place - value) / width) ** 2) for value in ordered)
        for place in places
    ]
    return places, [value / max(density) for value in density]


def _filled(colour: str) -> _Mark:
    return lambda at, size: Circle(centre=at, radius=size, fill=colour, colour=colour, width=0.8)


def _hollow(colour: str) -> _Mark:
    return lambda at, size: Circle(centre=at, radius=size, fill=PAPER, colour=colour, width=0.8)


def _triangle(colour: str) -> _Mark:
    def mark(at: Point, size: float) -> Shape:
        side = 1.5 * size
        return Polygon(
            points=(
                Point(at.x, at.y - side),
                Point(at.x + side, at.y + side),
                Point(at.x - side, at.y + side),
            ),
            fill=colour,
        )

    return mark


_MARKS: Final[dict[str, _Mark]] = {
    "slice": _filled(_OK),
    "no slice": _hollow(_NOK),
    "not known": _triangle(POSSIBLY),
}


def _answer(verdict: Verdict) -> str:
    return "slice" if verdict.passes else "not known" if verdict.inconclusive else "no slice"


def point_picture(
    title: str, measurements: Sequence[SliceMeasurement], decider: Decider
) -> Picture:
    """A panel for each kind: times upwards, lengths to the right, a mark for each answer."""
    own = [one for one in measurements if one.decider == decider]
    low, high = _range([one.seconds for one in own] or [1.0])
    longest = max((one.length for one in own), default=0) or 1
    kinds = [kind for kind in SLICE_KINDS if any(one.kind == kind for one in own)]
    axes = _panels(kinds, low, high)
    shapes = _heading(title, tuple(_MARKS.items()))
    drawn: dict[str, list[list[Any]]] = {}
    for kind, panel in axes.items():
        shapes += panel.frame(
            kind, "s", "time of one answer, logarithmic", "length of the multi-trace, actions"
        )
        for length in sorted({0, longest // 2, longest}):
            shapes.append(
                Text(
                    at=Point(panel.left + _PANEL_WIDTH * length / longest, panel.base + 16),
                    content=f"{length}",
                    size=_SMALL,
                    anchor="middle",
                    colour=MUTED,
                )
            )
        points = sorted(
            {
                (one.length, round(panel.y(_log(one.seconds)) / 2), _answer(one.verdict))
                for one in own
                if one.kind == kind
            }
        )
        drawn[kind] = [
            [one.length, one.seconds, one.verdict.value] for one in own if one.kind == kind
        ]
        shapes += [
            _MARKS[answer](
                Point(round(panel.left + _PANEL_WIDTH * length / longest, 1), 2.0 * y), 1.8
            )
            for length, y, answer in points
        ]
    return Picture(
        drawing=_drawing(title, axes, shapes, {*_MARKS}),
        structure={"title": title, "decider": decider, "points": drawn},
    )


def _panels(names: Sequence[str], low: int, high: int) -> dict[str, _Axes]:
    """Place the panels, two in a row."""
    return {
        name: _Axes(
            _LEFT + (number % 2) * (_PANEL_WIDTH + _LEFT + _GAP),
            _TOP + (number // 2) * (_PANEL_HEIGHT + _BELOW + _GAP),
            low,
            high,
        )
        for number, name in enumerate(names)
    }


def _heading(title: str, marks: Sequence[tuple[str, _Mark]]) -> list[Shape]:
    shapes: list[Shape] = [Text(at=Point(10, 20), content=title, bold=True, colour=INK)]
    x = 24 + text_width(title, bold=True)
    for name, mark in marks:
        shapes += [
            mark(Point(x + 5, 16), 5.0),
            Text(at=Point(x + 15, 20), content=name, size=_SMALL, colour=MUTED),
        ]
        x += 34 + text_width(name, _SMALL)
    return shapes


def _drawing(
    title: str, axes: dict[str, _Axes], shapes: Sequence[Shape], words: Set[str]
) -> Drawing:
    """The drawing, with a key below the panels for the `words` that need one."""
    y = max((panel.base for panel in axes.values()), default=_TOP) + _BELOW
    key: list[Shape] = []
    for word, meaning in _KEY.items():
        if word in words:
            key += [
                Text(at=Point(10, y), content=word, size=_SMALL, bold=True),
                Text(at=Point(110, y), content=meaning, size=_SMALL, colour=MUTED),
            ]
            y += 16
    return Drawing(
        width=2 * (_PANEL_WIDTH + _LEFT + _GAP),
        height=y + 4,
        shapes=(*shapes, *key),
        title=title,
    )
