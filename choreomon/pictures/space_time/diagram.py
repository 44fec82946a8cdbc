"""Draw a run as a space-time diagram: a line for each process, an arrow for each message.

Events stand evenly spaced in the order in which they really happened; longer silences get a little
more room, but the axis is not to scale, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from choreomon.core.message import ENVIRONMENT
from choreomon.core.run import MonitorsMessage, RunEvent, RunVerdict, with_known_ends
from choreomon.pictures.shapes.drawing import (
    MUTED,
    Curve,
    Drawing,
    Group,
    Picture,
    Point,
    Polyline,
    Scrolled,
    Shape,
    Text,
    arrowhead,
    direction,
    middle_of_line,
    shortened,
    text_width,
)
from choreomon.pictures.shapes.legend import signs
from choreomon.pictures.space_time.badge import MISSED, badge
from choreomon.pictures.space_time.frame import (
    EVENT,
    SMALL,
    STEP,
    Below,
    axis,
    below,
    lane_names,
    lanes,
)
from choreomon.pictures.space_time.highlights import Highlight
from choreomon.pictures.space_time.labels import Segment, place_labels
from choreomon.pictures.space_time.marks import circles_of_events, event_marks
from choreomon.pictures.space_time.orders import order_arrows, order_data, order_names
from choreomon.pictures.space_time.scene import (
    BARE_HEADER,
    HEADER,
    LANE,
    LONGEST_NAME,
    MARGIN,
    NO_LINES,
    Arrow,
    LogLines,
    Scene,
    arrow_colour,
    arrows_of,
    ends_of,
    highlight_of,
    scene_of,
)
from choreomon.pictures.space_time.ways import Way, way_around
from choreomon.pictures.space_time.window import AROUND_MARKS, Gap, View, window
from choreomon.pictures.space_time.words import hidden_in_words, idle_in_words
from choreomon.sentences.known_order import monitoring_hops
from choreomon.sentences.wording import DECLARATION

_COLUMNS: Final = (42.0, 48.0, 54.0, 62.0, 74.0, 90.0, 110.0)
_FEW: Final = 150
"""With more events than this no second width of columns is tried: each takes seconds then."""


def space_time_picture(
    events: Sequence[RunEvent],
    processes: Sequence[str],
    highlights: Sequence[Highlight] = (),
    *,
    verdict: RunVerdict | None = None,
    missed: int | None = None,
    timed: bool = True,
    view: View = AROUND_MARKS,
    messages: Sequence[MonitorsMessage] = (),
    lines: LogLines = NO_LINES,
) -> Picture:
    """The run, with the steps among the marked events numbered and the other events faded.

    `view` selects what is shown of long runs (`window`), and the picture says what it leaves out. A
    process at which nothing shown happens has a line only if everything is shown, the environment
    only if it sends something that is shown; `processes` must name all others. If `events` is
    empty, as for runs whose events were not kept, the picture says so. A badge stands over the
    event that `verdict` is about; without a verdict, over `missed`, at which the sequence was
    formed and no monitor said so. Without `timed` no times are written: times in logs mean nothing
    between processes. Below the axis stand `lines` of logs if there are any, otherwise numbers of
    events. Of the `messages` between monitors, those are drawn which alone show that a marked event
    is before the next.

    `structure` has `processes` (lines from the top), `idle` (those without one), `events` (index,
    process, kind, role, step), `messages` (name, sender, receiver, sent_at, handled_at, status,
    marked), `orders` (messages between monitors: kind, sender, receiver, sent, taken) and
    `not_shown` (pairs of first and last index).
    """
    events = with_known_ends(events)
    items = window(events, [highlight.event_index for highlight in highlights], view)
    arrows = arrows_of(events, items)
    steps = [one.event_index for one in highlights if one.role in ("step", "judged")]
    hops = monitoring_hops(events, messages, steps)
    names, idle = _shown_names(items, arrows, hops, processes, view)
    top = BARE_HEADER if verdict is None and missed is None else HEADER

    def scene_with(column: float) -> Scene:
        return scene_of(
            items, names, highlights, verdict, column, timed=timed, top=top, lines=lines
        )

    scene, ways, places = _most_legible(items, arrows, scene_with)
    scene = replace(scene, ordered=bool(hops))
    ticks = axis(items, scene, top + LANE * max(0, len(names) - 1) + 34)
    shapes = (
        *lanes(scene),
        *ticks.shapes,
        *order_arrows(hops, scene),
        *_messages(arrows, ways, scene),
        *event_marks(items, scene),
        *_labels(arrows, places, scene),
        *order_names(hops, scene),
        *badge(items, verdict, missed, scene),
    )
    left_out = [*idle_in_words(idle), *hidden_in_words(items, view)]
    drawn = _Drawn(
        shapes=shapes,
        names=(*lane_names(scene), *ticks.headings),
        right=max(scene.right, _right_of_labels(arrows, places)) + MARGIN,
        lowest=ticks.lowest,
        below=below(items, arrows, scene, left_out),
        title=_title(events, names, verdict, missed),
    )
    return Picture(
        drawing=drawn.whole(scene) if items else drawn.empty(),
        scrolled=drawn.scrolled(scene) if items else None,
        structure={
            "processes": names,
            "idle": idle,
            **_shown_data(items, arrows, scene),
            "orders": order_data(hops),
        },
    )


class _Drawn(NamedTuple):
    """The shapes of a picture, before they are put together for a file or for a page."""

    shapes: tuple[Shape, ...]
    names: tuple[Shape, ...]
    right: float
    lowest: float
    below: Below
    title: str

    def whole(self, scene: Scene) -> Drawing:
        told, width, height = self.below.drawn(scene, self.lowest + 24)
        return Drawing(
            width=max(self.right, width + MARGIN),
            height=height,
            shapes=(*self.shapes, *self.names, *told),
            title=self.title,
        )

    def scrolled(self, scene: Scene) -> Scrolled:
        height = self.lowest + MARGIN
        shapes = (*self.shapes, *self.names)
        return Scrolled(
            drawing=Drawing(width=self.right, height=height, shapes=shapes, title=self.title),
            names=Drawing(width=scene.left - 6, height=height, shapes=self.names, title="names"),
            legend=signs(self.below.legend),
            notes=self.below.sentences,
        )

    def empty(self) -> Drawing:
        words = Text(at=Point(MARGIN, 34), content=self.below.sentences, colour=MUTED)
        return Drawing(width=320.0, height=60.0, shapes=(words,), title=self.title)


def _shown_names(
    items: Sequence[RunEvent | Gap],
    arrows: Sequence[Arrow],
    hops: Sequence[MonitorsMessage],
    processes: Sequence[str],
    view: View,
) -> tuple[list[str], list[str]]:
    """The processes that have a line, from the top, and those at which nothing shown happens."""
    busy = {end for arrow in arrows for end in (arrow.sender, arrow.receiver)}
    busy |= {item.process for item in items if isinstance(item, RunEvent)}
    busy |= {end for hop in hops for end in (hop.sender, hop.receiver)}
    names = [ENVIRONMENT] if any(arrow.sender == ENVIRONMENT for arrow in arrows) else []
    others = [process for process in processes if process != ENVIRONMENT]
    idle = [name for name in others if items and name not in busy and not view.everything]
    return [*names, *(name for name in others if name not in idle)], idle


def place_of(picture: Picture, index: int) -> float | None:
    """The x of an event in such a picture; `None` if it is not shown."""
    shown = picture.structure["events"]
    return next((event["x"] for event in shown if event["index"] == index), None)


def _most_legible(
    items: Sequence[RunEvent | Gap], arrows: Sequence[Arrow], scene_with: Callable[[float], Scene]
) -> tuple[Scene, list[Way], list[Point | None]]:
    """The narrowest scene among those with the most names of messages, with the ways of its arrows
    and the places of their names. `scene_with` makes a scene with columns of a given width."""
    widths = _COLUMNS if len(items) <= _FEW else _COLUMNS[1:2]
    return min(
        (_candidate(items, arrows, scene_with(column)) for column in widths),
        key=lambda candidate: (candidate[2].count(None), candidate[0].column),
    )


def _candidate(
    items: Sequence[RunEvent | Gap], arrows: Sequence[Arrow], scene: Scene
) -> tuple[Scene, list[Way], list[Point | None]]:
    """A scene with the ways of its arrows and the places of their names."""
    circles = circles_of_events(items, scene)
    ways = [_way(arrow, circles, scene) for arrow in arrows]
    lines = list(scene.lanes.values())
    places = place_labels(_segments(arrows, ways, scene), lines, circles, scene.left - 6)
    return scene, ways, places


def _way(arrow: Arrow, circles: Sequence[tuple[Point, float]], scene: Scene) -> Way:
    start, end = ends_of(arrow, scene)
    return Way(start, end) if start.y == end.y else way_around(start, end, circles)


def _title(
    events: Sequence[RunEvent],
    names: Sequence[str],
    verdict: RunVerdict | None,
    missed: int | None,
) -> str:
    if not events:
        return "Space-time diagram: the events of this run were not kept"
    judged = ""
    if verdict is not None:
        judged = (
            f"; {verdict.monitor} {DECLARATION[verdict.verdict]} at event "
            f"{verdict.event_index} ({verdict.label})"
            f"{'' if verdict.rule is None else f': {verdict.rule.name}'}"
        )
    elif missed is not None:
        judged = f"; {MISSED} at event {missed}"
    return f"Space-time diagram of {', '.join(names)}, {len(events)} events{judged}"


def _shown_data(
    items: Sequence[RunEvent | Gap], arrows: Sequence[Arrow], scene: Scene
) -> dict[str, Any]:
    """The `structure` of the events and messages, drawn and not drawn, as `space_time_picture`
    says."""
    return {
        "events": [_event_data(item, scene) for item in items if isinstance(item, RunEvent)],
        "messages": [_message_data(arrow, scene) for arrow in arrows],
        "not_shown": [[item.first, item.last] for item in items if isinstance(item, Gap)],
    }


def _event_data(event: RunEvent, scene: Scene) -> dict[str, Any]:
    highlight = scene.roles.get(event.index)
    return {
        "index": event.index,
        "process": event.process,
        "kind": event.kind,
        "role": highlight.role if highlight else None,
        "step": highlight.step if highlight else None,
        "x": round(scene.columns[event.index], 1),
    }


def _message_data(arrow: Arrow, scene: Scene) -> dict[str, Any]:
    return {
        "name": arrow.name,
        "sender": arrow.sender,
        "receiver": arrow.receiver,
        "sent_at": arrow.send,
        "handled_at": arrow.handle,
        "status": arrow.status,
        "marked": highlight_of(arrow, scene) is not None,
    }


def _name(arrow: Arrow) -> str:
    """The text on an arrow; an arrow that ends nowhere says where it was going."""
    name = shortened(arrow.name, LONGEST_NAME)
    if arrow.status != "in flight" or arrow.sender == arrow.receiver:
        return name
    return f"{name} → {shortened(arrow.receiver, LONGEST_NAME)}"


def _segments(arrows: Sequence[Arrow], ways: Sequence[Way], scene: Scene) -> list[Segment]:
    segments = []
    for arrow, way in zip(arrows, ways, strict=True):
        start, end = way.start, way.end
        if start.y == end.y:
            middle = (start.x + end.x) / 2
            way = Way(Point(middle - 1, start.y - 26), Point(middle + 1, start.y - 26))
        important = highlight_of(arrow, scene) is not None
        width = text_width(_name(arrow), SMALL, bold=important)
        segments.append(Segment(way, width, important, at_head=arrow.status == "in flight"))
    return segments


def _messages(arrows: Sequence[Arrow], ways: Sequence[Way], scene: Scene) -> list[Shape]:
    drawn = []
    for arrow, way in zip(arrows, ways, strict=True):
        start, end = way.start, way.end
        colour = arrow_colour(arrow, scene)
        highlight = highlight_of(arrow, scene)
        width = 2.6 if highlight else 1.4
        dashed = arrow.status != "delivered"
        rim = 0.0
        if arrow.status == "delivered":
            rim = STEP + 1 if arrow.handle in scene.roles else EVENT + 1
        line: Shape
        if start.y == end.y:
            high = start.y - 34
            line = Curve(
                points=(start, Point(start.x + 4, high), Point(end.x - 4, high), end),
                colour=colour,
                width=width,
                dashed=dashed,
            )
            towards = direction(Point(end.x - 8, end.y - 20), end)
        elif way.straight:
            towards = direction(start, end)
            line = Polyline(points=(start, end), colour=colour, width=width, dashed=dashed)
        else:
            points = way.points()
            towards = direction(points[2], end)
            line = Curve(points=points, colour=colour, width=width, dashed=dashed)
        tip = Point(*_back(end, towards, rim))
        title = f"{arrow.sender} -> {arrow.receiver} : {arrow.name}" + _fate(arrow)
        group = Group(shapes=(line, arrowhead(tip, towards, colour)), title=title)
        drawn.append((highlight is not None, group))
    return [group for _, group in sorted(drawn, key=lambda pair: pair[0])]


def _back(point: Point, towards: float, distance: float) -> Point:
    return Point(point.x - distance * math.cos(towards), point.y - distance * math.sin(towards))


def _fate(arrow: Arrow) -> str:
    sent = "" if arrow.send is None else f"\nsent at event {arrow.send}"
    if arrow.handle is None:
        return f"{sent}\nstill on its way at the end of the run"
    return f"{sent}\nhandled at event {arrow.handle}"


def _labels(arrows: Sequence[Arrow], places: Sequence[Point | None], scene: Scene) -> list[Shape]:
    shapes: list[Shape] = []
    for arrow, place in zip(arrows, places, strict=True):
        if place is None:
            continue
        highlight = highlight_of(arrow, scene)
        colour = MUTED if highlight is None else arrow_colour(arrow, scene)
        shapes.append(
            Group(
                shapes=(
                    Text(
                        at=Point(place.x, middle_of_line(place.y, SMALL)),
                        content=_name(arrow),
                        size=SMALL,
                        anchor="middle",
                        bold=highlight is not None,
                        colour=colour,
                        halo=True,
                    ),
                ),
                title=f"{arrow.sender} -> {arrow.receiver} : {arrow.name}{_fate(arrow)}",
            )
        )
    return shapes


def _right_of_labels(arrows: Sequence[Arrow], places: Sequence[Point | None]) -> float:
    return max(
        (
            place.x + text_width(_name(arrow), SMALL, bold=True) / 2
            for arrow, place in zip(arrows, places, strict=True)
            if place
        ),
        default=0.0,
    )
