"""Draw the events of a space-time diagram: dots, and marks with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from choreomon.core.message import SEND
from choreomon.core.run import RunEvent
from choreomon.pictures.shapes.drawing import (
    FAINT,
    INK,
    PAPER,
    Circle,
    Group,
    Point,
    Shape,
    Text,
    middle_of_line,
)
from choreomon.pictures.space_time.frame import (
    EVENT,
    SMALL,
    STEP,
    cross,
)
from choreomon.pictures.space_time.highlights import Highlight
from choreomon.pictures.space_time.scene import (
    Scene,
)
from choreomon.pictures.space_time.window import Gap
from choreomon.sentences.wording import event_in_words, milliseconds

_RING: Final = STEP + 4


def circles_of_events(items: Sequence[RunEvent | Gap], scene: Scene) -> list[tuple[Point, float]]:
    """The positions of events, with their radii."""
    return [
        (scene.at(item.process, item.index), _radius(scene.roles.get(item.index)))
        for item in items
        if isinstance(item, RunEvent)
    ]


def _radius(highlight: Highlight | None) -> float:
    if highlight is None:
        return EVENT
    return _RING if highlight.role == "judged" else STEP


def event_marks(items: Sequence[RunEvent | Gap], scene: Scene) -> list[Shape]:
    """A dot for each event, filled for a send; marked ones are larger, with their numbers."""
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
        clock = f"clock of {event.process} {list(event.clock)}"
        if scene.timed:
            clock = f"{milliseconds(event.time)}, {clock}"
        elif not event.clock:
            clock = ""
        name = scene.lines.full.get(event.index, f"event {event.index}")
        title = "\n".join(filter(None, (f"{name}: {event_in_words(event)}", clock)))
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
