"""Draw what surrounds the events of a space-time diagram: lines, axis, legend and notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from choreomon.core.message import ENVIRONMENT
from choreomon.core.run import RunEvent
from choreomon.pictures.shapes.drawing import (
    BAND,
    CANCELS,
    FAINT,
    INK,
    MUTED,
    PAPER,
    POSSIBLY,
    QUIET,
    RULE,
    THREAD,
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
from choreomon.pictures.shapes.legend import ROW, Entry, legend_line, legend_rows
from choreomon.pictures.space_time.scene import (
    LONGEST_NAME,
    MARGIN,
    SMALLEST,
    Arrow,
    Scene,
    tick_of,
)
from choreomon.pictures.space_time.window import Gap
from choreomon.sentences.wording import wrapped

SMALL: Final = 12.0
EVENT: Final = 5.0
STEP: Final = 10.0
_TICK_ROW: Final = 15.0

_STEP_IN_WORDS: Final = {
    POSSIBLY: "possible step of the forbidden sequence",
    QUIET: "step that turned out not to count",
}
"""Words for steps, by the colour of an uncertain verdict."""


def lanes(scene: Scene) -> list[Shape]:
    shapes: list[Shape] = []
    end = max(scene.lanes.values(), default=scene.top)
    for gap, x in scene.gaps:
        shapes.append(
            Group(
                shapes=(
                    Box(
                        at=Point(x - 34, scene.top - 40),
                        width=68,
                        height=end - scene.top + 58,
                        corner=6,
                        fill=BAND,
                    ),
                    Text(
                        at=Point(x, scene.top - 26),
                        content=str(gap),
                        size=SMALLEST,
                        anchor="middle",
                        colour=MUTED,
                    ),
                    Text(
                        at=Point(x, scene.top - 13),
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
                colour=RULE if environment else THREAD,
                width=1.2,
                dashed=environment,
            )
        )
    return shapes


def lane_names(scene: Scene) -> list[Shape]:
    """The names of the lines, at their left."""
    shapes: list[Shape] = []
    for name, y in scene.lanes.items():
        environment = name == ENVIRONMENT
        words = Text(
            at=Point(scene.left - 14, middle_of_line(y)),
            content=shortened(name, LONGEST_NAME),
            anchor="end",
            bold=not environment,
            colour=MUTED if environment else INK,
        )
        title = "the environment" if environment else f"process {name}"
        shapes.append(Group(shapes=(words,), title=title))
    return shapes


class AxisDrawn(NamedTuple):
    """Ticks with their words, `headings` at their left, and the lowest baseline of all."""

    shapes: list[Shape]
    headings: list[Shape]
    lowest: float


def axis(items: Sequence[RunEvent | Gap], scene: Scene, y: float) -> AxisDrawn:
    """Write the number, or the line in the log, and the time below every event shown. If neighbours
    would touch, one of them stands lower: none is left out."""
    shown = [item for item in items if isinstance(item, RunEvent)]
    if not shown:
        return AxisDrawn([], [], y)
    headings: list[Shape] = []
    shapes: list[Shape] = [
        Polyline(points=(Point(scene.left - 6, y), Point(scene.right, y)), colour=RULE),
        *(
            Polyline(points=(Point(x, y), Point(x, y + 4)), colour=FAINT, width=1.2)
            for x in scene.columns.values()
        ),
    ]
    marked = [event.index in scene.roles for event in shown]
    ticks = [
        tick_of(event, marked=bold, timed=scene.timed, lines=scene.lines)
        for event, bold in zip(shown, marked, strict=True)
    ]
    rows = [("line" if scene.lines.short else "event", [tick.event for tick in ticks])]
    if scene.timed:
        rows.append(("time, ms", [tick.time for tick in ticks]))
    baseline = y + 18
    for heading, words in rows:
        headings.append(_beside_axis(heading, baseline, scene))
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
    return AxisDrawn(shapes, headings, baseline - _TICK_ROW)


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


class Below(NamedTuple):
    """The part below a picture: the signs of its `legend`, and `sentences`."""

    legend: list[Entry]
    sentences: str

    def drawn(self, scene: Scene, y: float) -> tuple[list[Shape], float, float]:
        """Draw it from `y` downwards; also the width and the height that the picture needs then."""
        told = legend_rows(self.legend, MARGIN, max(scene.right, 420), y)
        shapes, right, bottom = [*told.shapes], told.right, told.bottom
        # Sentences are folded rather than making the picture wider.
        room = max(scene.right, 420.0) - MARGIN
        for line in wrapped(self.sentences, int(room / (0.6 * SMALL))):
            bottom += ROW
            shapes.append(legend_line(line, MARGIN, bottom))
            right = max(right, MARGIN + text_width(line, SMALL))
        return shapes, right, bottom + MARGIN


def below(
    items: Sequence[RunEvent | Gap],
    arrows: Sequence[Arrow],
    scene: Scene,
    not_shown: Sequence[str] = (),
) -> Below:
    """The legend, and sentences on what is not shown: events and whatever else `not_shown` says."""
    if not items:
        return Below([], "The events of this run were not kept.")
    words = "Events stand in their real order; the time axis is not to scale."
    if not scene.timed:
        words = "Events stand in an order that fits the logs; which was the real one is not known."
    gaps = [str(item) for item in items if isinstance(item, Gap)]
    if gaps:
        several = len(gaps) > 1 or "–" in gaps[0]
        words += f" Not shown: event{'s' if several else ''} {', '.join(gaps)}."
    return Below(_entries(arrows, scene), " ".join((words, *not_shown)))


def _entries(arrows: Sequence[Arrow], scene: Scene) -> list[Entry]:
    """The entries of the legend: the signs that the picture has."""
    entries: list[Entry] = [
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
