"""The events of a process that are under inspection, whatever instance they are of.

A step may open one and close some, with thousands open beside them: so they are in a map by their
own counts, with the oldest of them, by which the process promises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from immutables import Map

from choreomon.core.binding import Binding
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import VerdictKind


class OpenEvent(NamedTuple):
    """An own event under inspection, and its binding. `waiting`: who still has to answer.
    `decides`: a verdict about it is to come. `told`: the provisional one that was given."""

    event: VectorClock
    binding: Binding
    waiting: tuple[str, ...]
    decides: bool
    told: VerdictKind | None = None


@dataclass(frozen=True, slots=True)
class OpenEvents:
    """Open events by their own counts. `oldest`: the least of these, 0 if none is open. Iteration
    sorts, oldest first."""

    by_count: Map[int, OpenEvent]
    oldest: int

    def __len__(self) -> int:
        return len(self.by_count)

    def __iter__(self) -> Iterator[OpenEvent]:
        return (self.by_count[count] for count in sorted(self.by_count))

    @property
    def first(self) -> OpenEvent | None:
        """The oldest."""
        return self.by_count.get(self.oldest)

    def at(self, count: int) -> OpenEvent | None:
        """Return the open event with this own count, or `None`."""
        return self.by_count.get(count)

    def noted(self, count: int, found: OpenEvent | None) -> OpenEvents:
        """Return the open events with the one of this own count as `found`; `None` closes it."""
        before = self.by_count.get(count)
        if found == before:
            return self
        if found is not None:
            oldest = min(self.oldest or count, count)
            return OpenEvents(self.by_count.set(count, found), oldest)
        left = self.by_count.delete(count)
        if not left:
            return NONE_OPEN
        return OpenEvents(left, _oldest(left, count) if count == self.oldest else self.oldest)


NONE_OPEN: Final = OpenEvents(Map(), 0)


def _oldest(left: Map[int, OpenEvent], closed: int) -> int:
    """Return the least count that is left; all are newer than the one just closed. Counts only
    grow, so a whole run looks at each of them once."""
    for count in range(closed + 1, closed + 1 + len(left)):
        if count in left:
            return count
    return min(left)
