"""What surrounds the events of a space-time diagram: lines, axis, legend and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from choreomon.core.message import ENVIRONMENT
from choreomon.core.run import RunEvent
from choreomon.render.drawing import (
    CANCELS,
    FAINT,
    INK,
    MUTED,
    PAPER,
    POSSIBLY,
    QUIET,
    RULE,
    Box,
    Circle,
    Group,
    Point,
    Polyline,
    Shape,
    Text,
    middle_of_line,
    shortened,
    text_width,
)
from choreomon.render.space_time_scene import (
    HEADER,
    LONGEST_NAME,
    MARGIN,
    SMALLEST,
    Arrow,
    Scene,
    tick_of,
)
from choreomon.render.window import Gap
from choreomon.render.wording import wrapped

SMALL: Final = 12.0
EVENT: Final = 5.0
STEP: Final = 10.0
_TICK_ROW: Final = 15.0

_STEP_IN_WORDS: Final = {
    POSSIBLY: "possible step of the forbidden sequence",
    QUIET: "step that turned out not to count",
}
"""By the colour of a verdict that is not sure."""

_Entry: TypeAlias = tuple[Callable[[Point], tuple[Shape, ...]], str]
"""A sign of the legend, drawn where it is told, and what it means."""


def lanes(scene: Scene) -> list[Shape]:
    shapes: list[Shape] = []
    end = max(scene.lanes.values(), default=HEADER)
    for gap, x in scene.gaps:
        shapes.append(
            Group(
                shapes=(
                    Box(
                        at=Point(x - 34, HEADER - 40),
                        width=68,
                        height=end - HEADER + 58,
                        corner=6,
                        fill="#f1f4f7",
                    ),
                    Text(
                        at=Point(x, HEADER - 26),
                        content=str(gap),
                        size=SMALLEST,
                        anchor="middle",
                        colour=MUTED,
                    ),
                    Text(
                        at=Point(x, HEADER - 13),
                        content="not shown",
                        size=SMALLEST,
                        anchor="middle",
                        colour=MUTED,
                    ),
                ),
                title=f"events {gap} are not shown",
            )
        )
    for name, y in scene.lanes.items():
        environment = name == ENVIRONMENT
        shapes.append(
            Polyline(
                points=(Point(scene.left - 6, y), Point(scene.right, y)),
                colour=RULE if environment else FAINT,
                width=1.2,
                dashed=environment,
            )
        )
        shapes.append(
            Group(
                shapes=(
                    Text(
                        at=Point(scene.left - 14, middle_of_line(y)),
                        content=shortened(name, LONGEST_NAME),
                        anchor="end",
                        bold=not environment,
                        colour=MUTED if environment else INK,
                    ),
                ),
                title="the environment" if environment else f"process {name}",
            )
        )
    return shapes


def axis(items: Sequence[RunEvent | Gap], scene: Scene, y: float) -> tuple[list[Shape], float]:
    """The number of every event that is shown, and its time; and the lowest baseline of them. Where
    neighbours would touch, one of them stands lower: none is left out."""
    shown = [item for item in items if isinstance(item, RunEvent)]
    if not shown:
        return [], y
    shapes: list[Shape] = [
        Polyline(points=(Point(scene.left - 6, y), Point(scene.right, y)), colour=RULE),
        *(
            Polyline(points=(Point(x, y), Point(x, y + 4)), colour=FAINT, width=1.2)
            for x in scene.columns.values()
        ),
    ]
    marked = [event.index in scene.roles for event in shown]
    ticks = [
        tick_of(event, marked=bold, timed=scene.timed)
        for event, bold in zip(shown, marked, strict=True)
    ]
    rows = [("event", [tick.event for tick in ticks])]
    if scene.timed:
        rows.append(("time, ms", [tick.time for tick in ticks]))
    baseline = y + 18
    for heading, words in rows:
        shapes.append(_beside_axis(heading, baseline, scene))
        free: list[float] = []  # of each level: the x behind its last tick
        for event, bold, word in zip(shown, marked, words, strict=True):
            x = scene.columns[event.index]
            half = text_width(word, SMALLEST, bold=bold) / 2 + 4
            level = next((at for at, end in enumerate(free) if end <= x - half), len(free))
            free[level : level + 1] = [x + half]
            shapes.append(
                Text(
                    at=Point(x, baseline + _TICK_ROW * level),
                    content=word,
                    size=SMALLEST,
                    anchor="middle",
                    bold=bold,
                    colour=INK if bold else MUTED,
                )
            )
        baseline += _TICK_ROW * len(free)
    return shapes, baseline - _TICK_ROW


def _beside_axis(words: str, baseline: float, scene: Scene) -> Text:
    at = Point(scene.left - 14, baseline)
    return Text(at=at, content=words, size=SMALLEST, anchor="end", colour=MUTED)


def cross(at: Point, radius: float) -> tuple[Shape, ...]:
    arm = 0.4 * radius
    return (
        Circle(centre=at, radius=radius, fill=PAPER, colour=CANCELS, width=2.2),
        *(
            Polyline(
                points=(Point(at.x - arm, at.y - turn * arm), Point(at.x + arm, at.y + turn * arm)),
                colour=CANCELS,
                width=2.2,
            )
            for turn in (1, -1)
        ),
    )


def notes(
    items: Sequence[RunEvent | Gap],
    arrows: Sequence[Arrow],
    scene: Scene,
    y: float,
    not_shown: Sequence[str] = (),
) -> tuple[list[Shape], float, float]:
    """The legend and what is not shown, events and whatever else `not_shown` says, in sentences;
    the width and the height that they need."""
    if not items:
        words = "The events of this run were not kept."
        return [Text(at=Point(MARGIN, 34), content=words, colour=MUTED)], 300.0, 60.0
    shapes, right, bottom = _rows(_entries(arrows, scene), max(scene.right, 420), y)
    words = "Events stand in their real order; the time axis is not to scale."
    if not scene.timed:
        words = "Events stand in an order that fits the logs; which was the real one is not known."
    gaps = [str(item) for item in items if isinstance(item, Gap)]
    if gaps:
        several = len(gaps) > 1 or "–" in gaps[0]
        words += f" Not shown: event{'s' if several else ''} {', '.join(gaps)}."
    # Sentences are folded rather than that they make the picture wider.
    room = max(scene.right, 420.0) - MARGIN
    for line in wrapped(" ".join((words, *not_shown)), int(room / (0.6 * SMALL))):
        bottom += 20
        shapes.append(_small(line, MARGIN, bottom))
        right = max(right, MARGIN + text_width(line, SMALL))
    return shapes, right, bottom + MARGIN


def _entries(arrows: Sequence[Arrow], scene: Scene) -> list[_Entry]:
    """What the legend explains: the signs that the picture has."""
    entries: list[_Entry] = [
        (lambda at: (Circle(centre=at, radius=EVENT, fill=MUTED, colour=MUTED),), "send"),
        (lambda at: (Circle(centre=at, radius=EVENT, colour=MUTED),), "handle"),
    ]
    roles = {highlight.role for highlight in scene.roles.values()}
    if roles & {"step", "judged"}:
        words = _STEP_IN_WORDS.get(scene.colour, "step of the forbidden sequence")
        entries.append((lambda at: (_step(at, scene.colour),), words))
    if "earlier" in roles:
        words = "step that may have come earlier"
        entries.append((lambda at: (_step(at, scene.colour, PAPER),), words))
    if "cancellation" in roles:
        entries.append((lambda at: cross(at, 7), "message that may cancel a step"))
    if scene.ordered:
        words = "message between monitors, by which an order is known"
        entries.append((lambda at: (_dashes(at),), words))
    if any(arrow.status != "delivered" for arrow in arrows):
        words = "still on its way, or its other end is not shown"
        entries.append((lambda at: (_dashes(at),), words))
    return entries


def _step(at: Point, colour: str, fill: str | None = None) -> Shape:
    return Circle(centre=at, radius=7, fill=fill or colour, colour=colour, width=2)


def _dashes(at: Point) -> Shape:
    ends = (Point(at.x - 11, at.y), Point(at.x + 9, at.y))
    return Polyline(points=ends, colour=MUTED, dashed=True)


def _rows(entries: Sequence[_Entry], end: float, y: float) -> tuple[list[Shape], float, float]:
    """The entries beside each other as far as there is room up to `end`, in rows from `y`
    downwards; where the widest row ends, and where the last one is."""
    shapes: list[Shape] = []
    x, right = MARGIN + 10, 0.0
    for symbol, words in entries:
        needed = 16 + text_width(words, SMALL)
        if x + needed > end and x > MARGIN + 10:
            x, y = MARGIN + 10, y + 20
        shapes += symbol(Point(x, y))
        shapes.append(_small(words, x + 14, y))
        right = max(right, x + needed)
        x += needed + 22
    return shapes, right, y


def _small(words: str, x: float, y: float) -> Shape:
    at = Point(x, middle_of_line(y, SMALL))
    return Text(at=at, content=words, size=SMALL, colour=MUTED)
