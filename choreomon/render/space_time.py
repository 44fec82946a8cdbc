"""A run as a space-time diagram: a line for each process, an arrow for each message.

Events stand in the order in which they really happened, evenly apart; longer silences
get a little more room, but the axis is not to scale, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from choreomon.core.message import ENVIRONMENT, SEND
from choreomon.core.run import MonitorsMessage, RunEvent, RunVerdict
from choreomon.render.drawing import (
    FAINT,
    INK,
    MUTED,
    PAPER,
    Circle,
    Curve,
    Drawing,
    Group,
    Picture,
    Point,
    Polyline,
    Shape,
    Text,
    arrowhead,
    direction,
    middle_of_line,
    shortened,
    text_width,
)
from choreomon.render.highlights import Highlight
from choreomon.render.known_order import monitoring_hops
from choreomon.render.space_time_badge import MISSED, badge
from choreomon.render.space_time_frame import EVENT, SMALL, STEP, axis, cross, lanes, notes
from choreomon.render.space_time_labels import Segment, place_labels
from choreomon.render.space_time_orders import order_arrows, order_data, order_names
from choreomon.render.space_time_scene import (
    HEADER,
    LANE,
    LONGEST_NAME,
    MARGIN,
    Arrow,
    Scene,
    arrow_colour,
    arrows_of,
    ends_of,
    highlight_of,
    scene_of,
)
from choreomon.render.space_time_ways import Way, way_around
from choreomon.render.space_time_words import hidden_in_words, idle_in_words
from choreomon.render.window import AROUND_MARKS, Gap, View, window
from choreomon.render.wording import DECLARATION, event_in_words, milliseconds

_COLUMNS: Final = (42.0, 48.0, 54.0, 62.0, 74.0, 90.0, 110.0)
_FEW: Final = 150
"""Of more events than that no second width of columns is tried: each takes seconds then."""
_RING: Final = STEP + 4


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
) -> Picture:
    """The run, with the steps among the marked events numbered and the other events faded.

    Of long runs is shown what `view` says (`window`), and the picture says what it leaves out. A
    process at which nothing shown happens has a line only where all is shown, the environment only
    where it sends something that is shown; `processes` must name all others. Where
    `events` is empty, as for runs whose events were not kept, the picture says that.
    A badge stands over the event that `verdict` is about; where there is no verdict, over
    `missed`, at which the sequence was formed and no monitor said so. Without `timed` no times are
    written: what logs recorded has none that mean something between processes. Of the `messages`
    between monitors those are drawn by which alone a marked event is known to be before the next.

    `structure` has `processes` (lines from the top), `idle` (those without one), `events` (index,
    process, kind, role, step), `messages` (name, sender, receiver, sent_at, handled_at, status,
    marked), `orders` (messages between monitors: kind, sender, receiver, sent, taken) and
    `not_shown` (pairs of first and last index).
    """
    items = window(events, [highlight.event_index for highlight in highlights], view)
    arrows = arrows_of(events, items)
    busy = {end for arrow in arrows for end in (arrow.sender, arrow.receiver)}
    busy |= {item.process for item in items if isinstance(item, RunEvent)}
    steps = [one.event_index for one in highlights if one.role in ("step", "judged")]
    hops = monitoring_hops(events, messages, steps)
    busy |= {end for hop in hops for end in (hop.sender, hop.receiver)}
    names = [ENVIRONMENT] if any(arrow.sender == ENVIRONMENT for arrow in arrows) else []
    others = [process for process in processes if process != ENVIRONMENT]
    idle = [name for name in others if items and name not in busy and not view.everything]
    names += [name for name in others if name not in idle]
    widths = _COLUMNS if len(items) <= _FEW else _COLUMNS[1:2]
    scenes = (scene_of(items, names, highlights, verdict, column, timed=timed) for column in widths)
    scene, ways, places = min(
        (_candidate(items, arrows, scene) for scene in scenes),
        key=lambda candidate: (candidate[2].count(None), candidate[0].column),
    )
    scene = replace(scene, ordered=bool(hops))
    bottom = HEADER + LANE * max(0, len(names) - 1)
    ticks, lowest = axis(items, scene, bottom + 34)
    shapes = [
        *lanes(scene),
        *ticks,
        *order_arrows(hops, scene),
        *_messages(arrows, ways, scene),
        *_events(items, scene),
        *_labels(arrows, places, scene),
        *order_names(hops, scene),
        *badge(items, verdict, missed, scene),
    ]
    left_out = [*idle_in_words(idle), *hidden_in_words(items, view)]
    below, width, height = notes(items, arrows, scene, lowest + 24, left_out)
    gaps = [item for item in items if isinstance(item, Gap)]
    return Picture(
        drawing=Drawing(
            width=max(scene.right, _right_of_labels(arrows, places), width) + MARGIN,
            height=height,
            shapes=(*shapes, *below),
            title=_title(events, names, verdict, missed),
        ),
        structure={
            "processes": names,
            "idle": idle,
            "events": [_event_data(item, scene) for item in items if isinstance(item, RunEvent)],
            "messages": [_message_data(arrow, scene) for arrow in arrows],
            "orders": order_data(hops),
            "not_shown": [[gap.first, gap.last] for gap in gaps],
        },
    )


def place_of(picture: Picture, index: int) -> float | None:
    """The x of an event in such a picture; `None` where it is not shown."""
    shown = picture.structure["events"]
    return next((event["x"] for event in shown if event["index"] == index), None)


def _candidate(
    items: Sequence[RunEvent | Gap], arrows: Sequence[Arrow], scene: Scene
) -> tuple[Scene, list[Way], list[Point | None]]:
    """A scene with the ways of its arrows and the places of their names."""
    circles = _circles(items, scene)
    ways = [_way(arrow, circles, scene) for arrow in arrows]
    lines = list(scene.lanes.values())
    places = place_labels(_segments(arrows, ways, scene), lines, circles)
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
        )
    elif missed is not None:
        judged = f"; {MISSED} at event {missed}"
    return f"Space-time diagram of {', '.join(names)}, {len(events)} events{judged}"


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
    """What is written on the arrow; one that ends nowhere says where it was going."""
    name = shortened(arrow.name, LONGEST_NAME)
    if arrow.status != "in flight" or arrow.sender == arrow.receiver:
        return name
    return f"{name} (to {shortened(arrow.receiver, LONGEST_NAME)})"


def _segments(arrows: Sequence[Arrow], ways: Sequence[Way], scene: Scene) -> list[Segment]:
    segments = []
    for arrow, way in zip(arrows, ways, strict=True):
        start, end = way.start, way.end
        if start.y == end.y:
            middle = (start.x + end.x) / 2
            way = Way(Point(middle - 1, start.y - 26), Point(middle + 1, start.y - 26))
        important = highlight_of(arrow, scene) is not None
        width = text_width(_name(arrow), SMALL, bold=important)
        segments.append(Segment(way, width, important))
    return segments


def _circles(items: Sequence[RunEvent | Gap], scene: Scene) -> list[tuple[Point, float]]:
    return [
        (scene.at(item.process, item.index), _radius(scene.roles.get(item.index)))
        for item in items
        if isinstance(item, RunEvent)
    ]


def _radius(highlight: Highlight | None) -> float:
    if highlight is None:
        return EVENT
    return _RING if highlight.role == "judged" else STEP


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


def _events(items: Sequence[RunEvent | Gap], scene: Scene) -> list[Shape]:
    shapes: list[Shape] = []
    for event in items:
        if isinstance(event, Gap):
            continue
        at = scene.at(event.process, event.index)
        highlight = scene.roles.get(event.index)
        inner: tuple[Shape, ...]
        if highlight is None:
            colour = FAINT if scene.quiet else INK
            fill = colour if event.kind == SEND else PAPER
            inner = (Circle(centre=at, radius=EVENT, fill=fill, colour=colour),)
        else:
            inner = _marked(at, highlight, scene)
        when = f"{milliseconds(event.time)}, " if scene.timed else ""
        title = (
            f"event {event.index}: {event_in_words(event)}\n{when}"
            f"clock of {event.process} {list(event.clock)}"
        )
        shapes.append(Group(shapes=inner, title=title))
    return shapes


def _marked(at: Point, highlight: Highlight, scene: Scene) -> tuple[Shape, ...]:
    if highlight.role == "cancellation":
        return cross(at, STEP)
    ring: tuple[Shape, ...] = ()
    if highlight.role == "judged":
        ring = (Circle(centre=at, radius=_RING, fill=PAPER, colour=scene.colour, width=2),)
    earlier = highlight.role == "earlier"
    number_of_step = Text(
        at=Point(at.x, middle_of_line(at.y, SMALL)),
        content="" if highlight.step is None else str(highlight.step),
        size=SMALL,
        anchor="middle",
        bold=True,
        colour=scene.colour if earlier else PAPER,
    )
    fill = PAPER if earlier else scene.colour
    dot = Circle(centre=at, radius=STEP, fill=fill, colour=scene.colour, width=2)
    return (*ring, dot, number_of_step)


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
