"""Messages between monitors in a space-time diagram that show the order of marked events: dashed
arrows from where they were sent to where they were taken, between the events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from choreomon.core.run import MonitorsMessage
from choreomon.pictures.shapes.drawing import (
    MUTED,
    Group,
    Point,
    Polyline,
    Shape,
    Text,
    arrowhead,
    direction,
)
from choreomon.pictures.space_time.scene import SMALLEST, Scene

COLOUR: Final = MUTED


def order_arrows(messages: Sequence[MonitorsMessage], scene: Scene) -> list[Shape]:
    """Draw an arrow for each message; those of processes without a line are left out."""
    shapes: list[Shape] = []
    for one, (start, end) in _ends(messages, scene):
        title = (
            f"{_name(one)}: from the monitor of {one.sender} to that of {one.receiver}\n"
            f"sent before event {one.sent[0]}, taken before event {one.taken[0]}"
        )
        line = Polyline(points=(start, end), colour=COLOUR, width=1.6, dashed=True)
        tip = arrowhead(end, direction(start, end), COLOUR)
        shapes.append(Group(shapes=(line, tip), title=title))
    return shapes


def order_names(messages: Sequence[MonitorsMessage], scene: Scene) -> list[Shape]:
    """The names on these arrows, near their beginnings: names of ordinary messages stand in the
    middle of theirs."""
    return [
        Text(
            at=Point(start.x + 0.2 * (end.x - start.x) + 6, start.y + 0.2 * (end.y - start.y) + 4),
            content=_name(one),
            size=SMALLEST,
            colour=COLOUR,
            halo=True,
        )
        for one, (start, end) in _ends(messages, scene)
    ]


def _name(message: MonitorsMessage) -> str:
    return "monitors" if message.kind == "other" else message.kind


def _ends(
    messages: Sequence[MonitorsMessage], scene: Scene
) -> list[tuple[MonitorsMessage, tuple[Point, Point]]]:
    """The ends of the arrows, except those of processes that have no line."""
    places = sorted({place for one in messages for place in (one.sent, one.taken)})
    return [
        (
            one,
            (
                Point(_x(one.sent, places, scene), scene.lanes[one.sender]),
                Point(_x(one.taken, places, scene), scene.lanes[one.receiver]),
            ),
        )
        for one in messages
        if one.sender in scene.lanes and one.receiver in scene.lanes
    ]


def order_data(messages: Sequence[MonitorsMessage]) -> list[dict[str, Any]]:
    """The messages in the picture's `structure`; `sent` and `taken` count the events before."""
    return [
        {
            "kind": one.kind,
            "sender": one.sender,
            "receiver": one.receiver,
            "sent": one.sent[0],
            "taken": one.taken[0],
        }
        for one in messages
    ]


def _x(place: tuple[int, int], places: Sequence[tuple[int, int]], scene: Scene) -> float:
    """The x between the columns of the event before and the one after; several places there keep
    their order."""
    before, after = place[0] - 1, place[0]
    together = [other for other in places if other[0] == place[0]]
    share = (together.index(place) + 1) / (len(together) + 1)
    left = _column(before, scene)
    right = _column(after, scene)
    if left is None:
        left = scene.left if right is None else right - scene.column / 2
    if right is None:
        right = left + scene.column / 2
    return left + (right - left) * share


def _column(index: int, scene: Scene) -> float | None:
    """The x of an event, or of the gap in which it is hidden."""
    found = scene.columns.get(index)
    if found is not None:
        return found
    return next((x for gap, x in scene.gaps if gap.first <= index <= gap.last), None)
