"""Find places for the names of messages on their arrows, so that no two names collide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from choreomon.pictures.shapes.drawing import Point
from choreomon.pictures.space_time.ways import Way

_HALF_HEIGHT: Final = 8.0
_MOST_ROWS: Final = 12
_WAYS_ALONG: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8, 0.14, 0.86)


class Segment(NamedTuple):
    """An arrow that wants a name of this `width`; `important` names are placed first, and
    always. A name `at_head` stands beside the tip of its arrow, if it can."""

    way: Way
    width: float
    important: bool
    at_head: bool = False

    def places(self) -> Iterator[Point]:
        """Places where its name may stand, the best one first."""
        if self.at_head:
            tip = self.way.end
            yield Point(tip.x + self.width / 2 + 8, tip.y)
        yield from map(self.way.at, _WAYS_ALONG)

    def rows(self, left: float) -> Iterator[Point]:
        """Rows above and below the middle of its arrow, the nearest first, right of `left`."""
        at = self.way.at(0.5)
        x = max(at.x, left + self.width / 2 + 2)
        for row in range(_MOST_ROWS):
            shift = 2 * _HALF_HEIGHT * ((row + 1) // 2)
            yield Point(x, at.y + (shift if row % 2 else -shift))


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
    left: float = 0.0,
) -> list[Point | None]:
    """The middle of each name, on its arrow, right of `left`, and off the horizontal `lines`, the
    `circles` and all other names; `None` if there is no such place and the name is not important.
    An important name goes to the next free row then."""
    taken = [
        _Area(centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius)
        for centre, radius in circles
    ]

    def free(area: _Area) -> bool:
        return not any(area.overlaps(other) for other in taken)

    places: list[Point | None] = [None] * len(segments)
    for number in sorted(range(len(segments)), key=lambda place: not segments[place].important):
        segment = segments[number]
        for at in segment.places():
            area = _around(at, segment.width)
            on_line = any(area.top < line < area.bottom for line in lines)
            if area.left >= left and not on_line and free(area):
                places[number] = at
                taken.append(area)
                break
        else:
            if segment.important:
                rows = [*segment.rows(left)]
                at = next((at for at in rows if free(_around(at, segment.width))), rows[0])
                places[number] = at
                taken.append(_around(at, segment.width))
    return places


def _around(at: Point, width: float) -> _Area:
    return _Area(
        at.x - width / 2 - 2, at.y - _HALF_HEIGHT, at.x + width / 2 + 2, at.y + _HALF_HEIGHT
    )
