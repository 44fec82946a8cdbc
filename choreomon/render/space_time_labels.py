"""Places for the names of messages on their arrows, so that no two names collide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from choreomon.render.drawing import Point
from choreomon.render.space_time_ways import Way

_HALF_HEIGHT: Final = 8.0
_WAYS_ALONG: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8, 0.14, 0.86)


class Segment(NamedTuple):
    """An arrow that wants a name of this `width`; `important` names are placed first, and
    always."""

    way: Way
    width: float
    important: bool


class _Area(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: _Area) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def place_labels(
    segments: Sequence[Segment],
    lines: Sequence[float],
    circles: Sequence[tuple[Point, float]],
) -> list[Point | None]:
    """The middle of each name, on its arrow and off the horizontal `lines`, the `circles`
    and all other names; `None` where there is no such place and the name is not important."""
    taken = [
        _Area(centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius)
        for centre, radius in circles
    ]
    places: list[Point | None] = [None] * len(segments)
    for number in sorted(range(len(segments)), key=lambda place: not segments[place].important):
        segment = segments[number]
        for along in _WAYS_ALONG:
            at = segment.way.at(along)
            area = _around(at, segment.width)
            on_line = any(area.top < line < area.bottom for line in lines)
            if not on_line and not any(area.overlaps(other) for other in taken):
                places[number] = at
                taken.append(area)
                break
        else:
            if segment.important:
                at = segment.way.at(0.5)
                places[number] = at
                taken.append(_around(at, segment.width))
    return places


def _around(at: Point, width: float) -> _Area:
    return _Area(
        at.x - width / 2 - 2, at.y - _HALF_HEIGHT, at.x + width / 2 + 2, at.y + _HALF_HEIGHT
    )
