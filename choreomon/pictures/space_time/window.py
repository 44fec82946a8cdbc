"""Window of a long run: the events around the marked ones, up to a bound, and whatever must not be
hidden."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from choreomon.core.message import HANDLE, SEND, Label
from choreomon.core.run import RunEvent
from choreomon.sentences.known_order import known_order

MAX_SHOWN: Final = 20
"""The most events in one picture, unless more must not be hidden."""

MAX_KEPT: Final = 200
"""The most events that a picture shows because the property names them, or for a verdict."""

_WORTH_A_GAP: Final = 4
"""The number of events that need more room than a gap."""

_SHORT: Final = 6
"""The number of events that still say more than a gap that hides them."""


class Gap(NamedTuple):
    """Events `first` to `last` that are not shown."""

    first: int
    last: int

    def __str__(self) -> str:
        one = f"{self.first:,}"
        return one if self.first == self.last else f"{one}–{self.last:,}"


class View(NamedTuple):
    """The part of a run to show: about `bound` events around the marked ones, and of the events
    `kept` (by index) the `most` nearest to those; or a `stretch` from one index to another, both
    included; or `everything`."""

    bound: int = MAX_SHOWN
    kept: frozenset[int] = frozenset()
    most: int = MAX_KEPT
    stretch: tuple[int, int] | None = None
    everything: bool = False


AROUND_MARKS: Final = View()


def kept_events(
    events: Sequence[RunEvent], labels: Collection[Label], judged: Collection[int] = ()
) -> frozenset[int]:
    """The indices of events that should not be hidden: those that a property names by its `labels`,
    and those that verdicts are about."""
    named = frozenset(labels)
    return frozenset(event.index for event in events if event.label in named) | frozenset(judged)


def window(
    events: Sequence[RunEvent], highlights: Collection[int], view: View = AROUND_MARKS
) -> tuple[RunEvent | Gap, ...]:
    """The events to show, in order, and the gaps between them.

    Everything if there are at most `bound` events. Otherwise the marked events, the other ends of
    their messages, the messages that show one marked event to be before another, what the view
    keeps, what marked sendings answer, and as many neighbours of the marked ones as the bound
    leaves room for, the nearest first. All but the last two are shown even beyond the bound. So are
    up to three events between shown ones, where a gap would be no shorter, and up to six, the
    shortest stretches first, as long as that does not double the bound. Without marked events it is
    the beginning of the run.  If marked events carry values, events with other values of the same
    parameters are neither kept nor neighbours: what happens to another order says nothing about
    this one.
    """
    if view.stretch is not None:
        first, last = view.stretch
        return _with_gaps(events, {p for p, e in enumerate(events) if first <= e.index <= last})
    bound = view.bound
    if view.everything or len(events) <= bound:
        return tuple(events)
    position = {event.index: place for place, event in enumerate(events)}
    centres = sorted({position[index] for index in highlights if index in position})
    shown = {*centres, *_other_ends(events, position, centres)}
    shown |= _ordering(events, position, centres)
    ours = _of_one_instance(events, centres)
    kept = sorted(position[index] for index in view.kept if index in position)
    kept = [place for place in kept if ours is None or place in ours]
    if len(kept) > view.most:
        kept.sort(key=lambda place: min((abs(place - at) for at in centres), default=place))
    shown.update(kept[: view.most])
    for place in _causes(events, position, centres):
        if len(shown) < bound:
            shown.add(place)
    for distance in range(1, len(events)):
        if len(shown) >= bound:
            break
        for centre in centres or [-1]:
            for place in (centre - distance, centre + distance):
                known = 0 <= place < len(events) and (ours is None or place in ours)
                if known and len(shown) < bound:
                    shown.add(place)
    in_order = [-1, *sorted(shown), len(events)]
    stretches = [range(before + 1, after) for before, after in pairwise(in_order)]
    for stretch in sorted(stretches, key=len):
        room = ours is None and len(shown) + len(stretch) <= 2 * bound
        if len(stretch) < _WORTH_A_GAP or (len(stretch) <= _SHORT and room):
            shown.update(stretch)
    return _with_gaps(events, shown)


def _of_one_instance(events: Sequence[RunEvent], centres: Sequence[int]) -> set[int] | None:
    """The places of the events whose values agree with the marked ones on the parameters they
    share; `None` if the marked ones have no values, or several of one parameter."""
    marked = {value for place in centres for value in events[place].values}
    known = dict(marked)
    if not marked or len(known) < len(marked):
        return None
    return {
        place
        for place, event in enumerate(events)
        if all(known.get(name, value) == value for name, value in event.values)
    }


def _with_gaps(events: Sequence[RunEvent], shown: Collection[int]) -> tuple[RunEvent | Gap, ...]:
    """The events at the places `shown`, and the gaps between them."""
    items: list[RunEvent | Gap] = []
    for place, event in enumerate(events):
        if place in shown:
            items.append(event)
        elif items and isinstance(items[-1], Gap):
            items[-1] = Gap(items[-1].first, event.index)
        else:
            items.append(Gap(event.index, event.index))
    return tuple(items)


def _ordering(
    events: Sequence[RunEvent], position: Mapping[int, int], centres: Sequence[int]
) -> set[int]:
    """Return both ends of the application's messages that show a marked event to be before another
    one: for each pair with no marked event between them in that order, those that explanations
    name."""
    wanted: set[int] = set()
    before: dict[int, set[int]] = {}
    for number, end in enumerate(centres):
        own = before[end] = set[int]()
        for start in reversed(centres[:number]):
            if start in own:
                continue
            chain = known_order(events, (), events[start].index, events[end].index)
            if chain is None:
                continue
            own |= {start, *before[start]}
            ends = (place for hop in chain for place in (hop.sent[0], hop.taken[0]))
            wanted |= {position[place] for place in ends if place in position}
    return wanted


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
    """The cause of each sending among the events: what its process handled last before it, and
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
