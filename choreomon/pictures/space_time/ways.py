"""Ways of arrows in a space-time diagram: straight, or bent around the events of others.

Columns are about evenly spaced, so a straight arrow often hits an event halfway, and would read as
two messages. Bending the few arrows that do leaves everything else where it is; moving columns
apart instead makes pictures wider, and moves the ends of other arrows into the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Final, NamedTuple

from choreomon.pictures.shapes.drawing import Point

_TOUCHES: Final = 3.0
_CLEAR: Final = 6.0
_SHIFTS: Final = tuple(number / 20 for number in range(-6, 7))
_BENDS: Final = sorted(
    product(_SHIFTS, repeat=2),
    key=lambda bend: (max(map(abs, bend)), abs(bend[0] - bend[1]), bend),
)
"""Shifts of both controls, in parts of the width of an arrow: slight bends first, and of those
the ones to one side. No arrow bent by them leaves the rectangle between its ends, or goes back."""


class Way(NamedTuple):
    """A cubic piece that goes down, or up, evenly. Its two controls are moved `early` and `late` to
    the right of their places on a straight way."""

    start: Point
    end: Point
    early: float = 0.0
    late: float = 0.0

    @property
    def straight(self) -> bool:
        return self.early == self.late == 0

    def at(self, along: float) -> Point:
        """The point at a fraction, 0 to 1, of its height."""
        left = 1 - along
        aside = 3 * along * left * (left * self.early + along * self.late)
        return Point(
            self.start.x + along * (self.end.x - self.start.x) + aside,
            self.start.y + along * (self.end.y - self.start.y),
        )

    def points(self) -> tuple[Point, Point, Point, Point]:
        """The start, the two controls and the end."""
        right, down = self.end.x - self.start.x, self.end.y - self.start.y
        return (
            self.start,
            Point(self.start.x + right / 3 + self.early, self.start.y + down / 3),
            Point(self.end.x - right / 3 + self.late, self.end.y - down / 3),
            self.end,
        )

    def distance(self, point: Point) -> float:
        """The distance of a point between the lines of its ends, or on them, from its tangent at
        the height of the point."""
        down = self.end.y - self.start.y
        along = (point.y - self.start.y) / down
        left = 1 - along
        right = (
            self.end.x
            - self.start.x
            + 3 * self.early * left * (left - 2 * along)
            + 3 * self.late * along * (2 * left - along)
        )
        return abs(self.at(along).x - point.x) * abs(down) / math.hypot(right, down)


def way_around(start: Point, end: Point, circles: Sequence[tuple[Point, float]]) -> Way:
    """The straight way if it touches none of the `circles` but those at its ends, otherwise the
    slightest bend among those that touch the fewest. The ends differ in height, and the start is to
    the left."""
    between = [
        (centre, radius)
        for centre, radius in circles
        if start.x < centre.x < end.x and min(start.y, end.y) <= centre.y <= max(start.y, end.y)
    ]

    def nearer(way: Way) -> tuple[int, int]:
        """Count those that it touches, and those that it is not clear of."""
        to_spare = [way.distance(centre) - radius for centre, radius in between]
        return sum(one < _TOUCHES for one in to_spare), sum(one < _CLEAR for one in to_spare)

    straight = Way(start, end)
    if not nearer(straight)[0]:
        return straight
    width = end.x - start.x
    ways = (Way(start, end, early * width, late * width) for early, late in _BENDS)
    return _least(ways, nearer)


def _least(ways: Iterable[Way], nearer: Callable[[Way], tuple[int, int]]) -> Way:
    """The first of those that are nearest to the fewest; none is looked at after one that is near
    to nothing."""
    best: tuple[tuple[int, int], Way] | None = None
    for way in ways:
        found = nearer(way)
        if best is None or found < best[0]:
            best = found, way
            if not any(found):
                break
    assert best is not None
    return best[1]
