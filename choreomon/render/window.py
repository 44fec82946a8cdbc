"""Which events of a long run a picture shows: those around the marked ones, up to a bound."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from choreomon.core.run import RunEvent

MAX_SHOWN: Final = 20
"""Events in one picture, unless the caller says otherwise."""

_WORTH_A_GAP: Final = 4


class Gap(NamedTuple):
    """Events `first` to `last` that are not shown."""

    first: int
    last: int

    def __str__(self) -> str:
        one = f"{self.first:,}"
        return one if self.first == self.last else f"{one}–{self.last:,}"


def window(
    events: Sequence[RunEvent], marks: Collection[int], bound: int = MAX_SHOWN
) -> tuple[RunEvent | Gap, ...]:
    """The events to show, in order, and the gaps between them.

    Everything where `events` are at most `bound`. Otherwise the marked events, the other
    ends of their messages, and as many neighbours of the marked ones as the bound
    leaves room for, the nearest first. Marked events are shown even beyond the bound,
    and so are a few events between shown ones where a gap would be no shorter. With no
    marked event it is the beginning of the run.
    """
    if len(events) <= bound:
        return tuple(events)
    position = {event.index: place for place, event in enumerate(events)}
    centres = sorted({position[index] for index in marks if index in position})
    shown = set(centres)
    for place in _other_ends(events, position, centres):
        if len(shown) < bound:
            shown.add(place)
    for distance in range(1, len(events)):
        if len(shown) >= bound:
            break
        for centre in centres or [-1]:
            for place in (centre - distance, centre + distance):
                if 0 <= place < len(events) and len(shown) < bound:
                    shown.add(place)
    in_order = [-1, *sorted(shown), len(events)]
    for before, after in pairwise(in_order):
        if after - before - 1 < _WORTH_A_GAP:
            shown.update(range(before + 1, after))
    items: list[RunEvent | Gap] = []
    for place, event in enumerate(events):
        if place in shown:
            items.append(event)
        elif items and isinstance(items[-1], Gap):
            items[-1] = Gap(items[-1].first, event.index)
        else:
            items.append(Gap(event.index, event.index))
    return tuple(items)


def _other_ends(
    events: Sequence[RunEvent], position: Mapping[int, int], centres: Sequence[int]
) -> list[int]:
    wanted = {events[place].index for place in centres}
    ends = [
        position[sent]
        for place in centres
        if (sent := events[place].sent_at) is not None and sent in position
    ]
    ends += [position[event.index] for event in events if event.sent_at in wanted]
    return ends
