"""Scene of a space-time diagram: the positions of lines, columns, arrows, highlights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.message import SEND
from choreomon.core.run import RunEvent, RunVerdict
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.pictures.shapes import drawing
from choreomon.pictures.shapes.drawing import Point, shortened, text_width
from choreomon.pictures.space_time.highlights import Highlight
from choreomon.pictures.space_time.window import Gap
from choreomon.sentences.wording import number

LANE: Final = 74.0
MARGIN: Final = 20.0
HEADER: Final = 74.0
"""The height above the first line, with a badge."""
BARE_HEADER: Final = 46.0
"""The height above the first line, without a badge."""
LONGEST_NAME: Final = 22
SMALLEST: Final = 11.0
"""The text size below the axis, and in gaps."""

_GAP: Final = 76.0
_STRETCH: Final = 0.4

Status: TypeAlias = Literal["delivered", "cut", "in flight"]


class Tick(NamedTuple):
    """The text below the axis for an event: its time, its number; and half of their width, with
    some air."""

    time: str
    event: str
    half: float


class LogLines(NamedTuple):
    """The lines of events in a log, by index: words for below the axis, and for where the pointer
    rests on an event."""

    short: Mapping[int, str]
    full: Mapping[int, str]


NO_LINES: Final = LogLines({}, {})


def tick_of(event: RunEvent, *, marked: bool, timed: bool, lines: LogLines = NO_LINES) -> Tick:
    called = lines.short.get(event.index, "–") if lines.short else f"{event.index:,}"
    words = number(event.time / 1000) if timed else "", called
    return Tick(*words, max(text_width(one, SMALLEST, bold=marked) for one in words) / 2 + 4)


class Arrow(NamedTuple):
    """A message, from the column of its sending to that of its handling. `send` is `None`
    for one from the environment, `handle` for one that was never handled."""

    name: str
    sender: str
    receiver: str
    send: int | None
    handle: int | None
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The layout that the parts of the picture share."""

    lanes: Mapping[str, float]
    columns: Mapping[int, float]  # by index of a shown event
    gaps: tuple[tuple[Gap, float], ...]  # with the middle of each
    column: float
    left: float
    right: float
    roles: Mapping[int, Highlight]
    colour: str
    quiet: bool  # whether there are marked events, so that the others stand back
    timed: bool = True  # whether the times of events mean something
    ordered: bool = False  # whether messages between monitors are shown
    top: float = HEADER  # of the first line
    lines: LogLines = NO_LINES

    def at(self, process: str, index: int) -> Point:
        """The position of an event; the middle of its gap if it is not shown."""
        x = self.columns.get(index)
        if x is None:
            x = next(x for gap, x in self.gaps if gap.first <= index <= gap.last)
        return Point(x, self.lanes[process])


def arrows_of(events: Sequence[RunEvent], items: Sequence[RunEvent | Gap]) -> list[Arrow]:
    """The messages with at least one end that is shown."""
    shown = {item.index for item in items if isinstance(item, RunEvent)}
    known = {event.index for event in events}
    handled = {event.sent_at: event.index for event in events if event.sent_at is not None}
    arrows: list[Arrow] = []
    for event in items:
        if isinstance(event, Gap):
            continue
        sender, _, receiver = event.message
        name = event.name
        if event.kind == SEND:
            handle = handled.get(event.index)
            status: Status = (
                "in flight" if handle is None else "delivered" if handle in shown else "cut"
            )
            arrows.append(Arrow(name, sender, receiver, event.index, handle, status))
        elif event.sent_at is None or event.sent_at not in known:
            arrows.append(Arrow(name, sender, receiver, None, event.index, "delivered"))
        elif event.sent_at not in shown:
            arrows.append(Arrow(name, sender, receiver, event.sent_at, event.index, "cut"))
    return arrows


def scene_of(
    items: Sequence[RunEvent | Gap],
    names: Sequence[str],
    highlights: Sequence[Highlight],
    verdict: RunVerdict | None,
    column: float,
    *,
    timed: bool = True,
    top: float = HEADER,
    lines: LogLines = NO_LINES,
) -> Scene:
    """Place the `items`, columns about `column` apart and the first line at `top`."""
    heading = [*(shortened(name, LONGEST_NAME) for name in names), "time, ms"]
    left = MARGIN + max(text_width(name, bold=True) for name in heading) + 14
    roles = {highlight.event_index: highlight for highlight in highlights}
    columns: dict[int, float] = {}
    waits = [
        after.time - before.time
        for before, after in pairwise(items)
        if isinstance(before, RunEvent) and isinstance(after, RunEvent)
    ]
    longest = max(waits, default=0) or 1
    x = left + column / 2
    last: RunEvent | None = None
    free = left - 10
    gaps: list[tuple[Gap, float]] = []
    for item in items:
        if isinstance(item, Gap):
            gaps.append((item, x + (_GAP - column) / 2))
            x += _GAP
            last = None
            continue
        if last is not None:
            x += _STRETCH * column * (item.time - last.time) / longest
        if item.index in roles:
            # Times of marked events are always written, so they get the room they need.
            half = tick_of(item, marked=True, timed=timed, lines=lines).half
            x = max(x, free + half)
            free = x + half
        columns[item.index] = x
        x += column
        last = item
    return Scene(
        lanes={name: top + row * LANE for row, name in enumerate(names)},
        columns=columns,
        gaps=tuple(gaps),
        column=column,
        left=left,
        right=x,
        roles=roles,
        colour=_verdict_colour(verdict),
        quiet=bool(highlights),
        timed=timed,
        top=top,
        lines=lines,
    )


def _verdict_colour(verdict: RunVerdict | None) -> str:
    if verdict is None or verdict.verdict == VIOLATED:
        return drawing.VIOLATED
    return drawing.POSSIBLY if verdict.verdict == POSSIBLY_VIOLATED else drawing.QUIET


def ends_of(arrow: Arrow, scene: Scene) -> tuple[Point, Point]:
    if arrow.send is None:
        assert arrow.handle is not None
        end = scene.at(arrow.receiver, arrow.handle)
        y = scene.lanes.get(arrow.sender, end.y - 0.6 * LANE)
        return Point(end.x - 0.4 * scene.column, y), end
    start = scene.at(arrow.sender, arrow.send)
    if arrow.handle is not None:
        return start, scene.at(arrow.receiver, arrow.handle)
    way = scene.lanes.get(arrow.receiver, start.y) - start.y
    return start, Point(
        start.x + 0.9 * scene.column, start.y + max(-0.8 * LANE, min(0.8 * LANE, way))
    )


def highlight_of(arrow: Arrow, scene: Scene) -> Highlight | None:
    found = [
        scene.roles[index]
        for index in (arrow.send, arrow.handle)
        if index is not None and index in scene.roles
    ]
    return min(found, key=lambda highlight: highlight.role == "cancellation", default=None)


def arrow_colour(arrow: Arrow, scene: Scene) -> str:
    highlight = highlight_of(arrow, scene)
    if highlight is None:
        return drawing.FAINT if scene.quiet or arrow.status != "delivered" else drawing.MUTED
    return drawing.CANCELS if highlight.role == "cancellation" else scene.colour
