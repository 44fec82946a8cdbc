"""The badge of a space-time diagram: who says what of the event that it stands over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from choreomon.core.run import RunEvent, RunVerdict
from choreomon.pictures.shapes.drawing import (
    PAPER,
    Box,
    Point,
    Polyline,
    Shape,
    Text,
    middle_of_line,
    text_width,
)
from choreomon.pictures.space_time.frame import SMALL, STEP
from choreomon.pictures.space_time.scene import MARGIN, Scene
from choreomon.pictures.space_time.window import Gap
from choreomon.sentences.wording import VERDICT_IN_WORDS, milliseconds

MISSED: Final = "formed, and no monitor says so"


def badge(
    items: Sequence[RunEvent | Gap], verdict: RunVerdict | None, missed: int | None, scene: Scene
) -> list[Shape]:
    """The badge over the event of the `verdict`; without one, over `missed`, at which a sequence
    was formed and no monitor said so. No shapes if there is neither, or it is not shown."""
    standing = _standing(verdict, missed, scene.right - MARGIN)
    if standing is None:
        return []
    judged, words = standing
    shown = (item for item in items if isinstance(item, RunEvent) and item.index == judged)
    event = next(shown, None)
    if event is None:
        return []
    width = _width(words)
    x = scene.columns[judged]
    left = max(MARGIN, min(x - width / 2, max(scene.right, MARGIN + width) - width))
    lane = scene.lanes[event.process]
    return [
        Polyline(
            points=(Point(x, 30), Point(x, lane - STEP - 5)),
            colour=scene.colour,
            width=1.4,
            dashed=True,
        ),
        Box(at=Point(left, 6), width=width, height=24, corner=6, fill=scene.colour),
        Text(
            at=Point(left + width / 2, middle_of_line(18, SMALL)),
            content=words,
            size=SMALL,
            anchor="middle",
            bold=True,
            colour=PAPER,
        ),
    ]


def _standing(
    verdict: RunVerdict | None, missed: int | None, room: float
) -> tuple[int, str] | None:
    """The event that the badge stands over, and its words; the rule is among them if there is
    room."""
    if verdict is not None:
        said = VERDICT_IN_WORDS[verdict.verdict]
        by = f"declared by {verdict.monitor} at {milliseconds(verdict.declared_at)}"
        if verdict.rule is not None:
            words = f"{said}: {verdict.rule.name}, {by}"
            if _width(words) <= room:
                return verdict.event_index, words
        return verdict.event_index, f"{said}, {by}"
    return None if missed is None else (missed, MISSED)


def _width(words: str) -> float:
    return text_width(words, SMALL, bold=True) + 20
