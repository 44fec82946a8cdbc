"""Which events of a long run a picture shows: those around the marked ones, up to a bound."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from choreomon.core.message import HANDLE, SEND
from choreomon.core.run import RunEvent

MAX_SHOWN: Final = 20
"""Events in one picture, unless the caller says otherwise."""

_WORTH_A_GAP: Final = 4
"""So many events need more room than a gap does."""

_SHORT: Final = 6
"""So many events still say more than a gap that hides them."""


class Gap(NamedTuple):
    """Events `first` to `last` that are not shown."""

    first: int
    last: int

    def __str__(self) -> str:
        one = f"{self.first:,}"
        return one if self.first == self.last else f"{one}–{self.last:,}"


def window(
    events: Sequence[RunEvent], highlights: Collection[int], bound: int = MAX_SHOWN
) -> tuple[RunEvent | Gap, ...]:
    """The events to show, in order, and the gaps between them.

    Everything where `events` are at most `bound`. Otherwise the marked events, the other ends of
    their messages, what marked sendings answer, and as many neighbours of the marked ones as the
    bound leaves room for, the nearest first. Marked events and the other ends of their messages
    are shown even beyond the bound. So are up to three events between shown ones, where a gap would
    be no shorter, and up to six, the shortest stretches first, as long as that does not double
    the bound. With no marked event it is the beginning of the run.
    """
    if len(events) <= bound:
        return tuple(events)
    position = {event.index: place for place, event in enumerate(events)}
    centres = sorted({position[index] for index in highlights if index in position})
    shown = {*centres, *_other_ends(events, position, centres)}
    for place in _causes(events, position, centres):
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
    stretches = [range(before + 1, after) for before, after in pairwise(in_order)]
    for stretch in sorted(stretches, key=len):
        room = len(shown) + len(stretch) <= 2 * bound
        if len(stretch) < _WORTH_A_GAP or (len(stretch) <= _SHORT and room):
            shown.update(stretch)
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


def _causes(
    events: Sequence[RunEvent], position: Mapping[int, int], centres: Sequence[int]
) -> list[int]:
    """For each sending among them, what its process handled last, as it sends because of that, and
    where that was sent."""
    causes: list[int] = []
    for centre in centres:
        if events[centre].kind != SEND:
            continue
        handled = (
            place
            for place in range(centre - 1, -1, -1)
            if events[place].process == events[centre].process and events[place].kind == HANDLE
        )
        cause = next(handled, None)
        if cause is not None:
            causes += [cause, *_other_ends(events[: cause + 1], position, [cause])]
    return causes
