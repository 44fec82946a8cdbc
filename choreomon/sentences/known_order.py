"""Known orders: the messages that show one event of a run to be before another. Vector clocks say
that it is, but not why: a monitoring message orders events, too, since monitors merge the clocks
that they are sent. This finds a chain of messages: of the application alone if there is one,
otherwise with as many between monitors as it takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.run import MonitorsMessage, RunEvent

MAX_HOPS: Final = 4
"""The most messages told of a chain, the first ones; of longer ones also how many more there
are."""

Place: TypeAlias = tuple[int, int]
"""A place in a run: how many events had happened, and a number among the actions of monitors before
the next event."""

_LAST: Final = 1 << 62

_KINDS: Final = {
    "inquiry": "an inquiry of {sender}'s monitor to {receiver}'s",
    "response": "the response of {sender}'s monitor to {receiver}'s",
}
_OTHERS: Final = "a message of {sender}'s monitor to {receiver}'s"


class Hop(NamedTuple):
    """A message of a chain; `monitoring` is `None` for one of the application, which was sent at
    the event `sent[0]` and handled at the event `taken[0]`."""

    sender: str
    receiver: str
    sent: Place
    taken: Place
    name: str = ""
    monitoring: MonitorsMessage | None = None


def known_order(
    events: Sequence[RunEvent], messages: Sequence[MonitorsMessage], first: int, second: int
) -> tuple[Hop, ...] | None:
    """A chain from the event `first` to the event `second` (indices); empty where both are of one
    process. `None` if there is none among the kept events and messages."""
    ends = {event.index: event for event in events if event.index in (first, second)}
    one, other = ends.get(first), ends.get(second)
    if one is None or other is None or first > second:
        return None
    own = [
        Hop(
            event.message.sender,
            event.process,
            _at(event.sent_at),
            _at(event.index),
            str(event.message),
        )
        for event in events
        if event.index <= second and event.sent_at is not None and event.sent_at >= first
    ]
    chain = _chain(own, one, other)
    if chain is None and messages:
        others = [Hop(m.sender, m.receiver, m.sent, m.taken, "", m) for m in messages]
        chain = _chain(own + others, one, other)
    return chain


def _at(index: int) -> Place:
    return index, _LAST


def _chain(hops: Iterable[Hop], first: RunEvent, second: RunEvent) -> tuple[Hop, ...] | None:
    """Find a chain by visiting hops in the order of sending: so whatever was taken before a sending
    has been seen by then. For each process it keeps the earliest place that knew of the first
    event, and the hop to it."""
    begin, end = _at(first.index), _at(second.index)
    since = {first.process: begin}
    by: dict[str, Hop] = {}
    for hop in sorted(hops, key=lambda hop: hop.sent):
        if hop.sender not in since or hop.sent < since[hop.sender] or hop.taken > end:
            continue
        if hop.receiver not in since or hop.taken < since[hop.receiver]:
            since[hop.receiver] = hop.taken
            by[hop.receiver] = hop
    if second.process not in since:
        return None
    chain: list[Hop] = []
    process = second.process
    while process in by:
        chain.append(by[process])
        process = by[process].sender
    return tuple(reversed(chain))


def monitoring_hops(
    events: Sequence[RunEvent], messages: Sequence[MonitorsMessage], marked: Iterable[int]
) -> list[MonitorsMessage]:
    """The monitoring messages that show one of the marked events to be before the next, if only
    such messages order the two."""
    found: dict[MonitorsMessage, None] = {}
    if messages:
        for one, other in pairwise(sorted(marked)):
            chain = known_order(events, messages, one, other) or ()
            found |= {hop.monitoring: None for hop in chain if hop.monitoring is not None}
    return [*found]


def order_sentence(
    events: Sequence[RunEvent], messages: Sequence[MonitorsMessage], first: int, second: int
) -> str:
    """A sentence on how it is known that the event `first` came before the event `second`. Empty if
    both are of one process, or if one of them was not kept."""
    chain = known_order(events, messages, first, second)
    if chain is None:
        kept = {event.index for event in events}
        if not kept.issuperset((first, second)):
            return ""
        return "That order is known from messages between monitors."
    if not chain:
        return ""
    told = [_in_words(hop) for hop in chain[:MAX_HOPS]]
    left = len(chain) - len(told)
    if left:
        told.append(f"{left:,} more")
    return f"That order is known from {', then '.join(told)}."


def _in_words(hop: Hop) -> str:
    if hop.monitoring is None:
        return f"{hop.name} (events {hop.sent[0]} and {hop.taken[0]})"
    words = _KINDS.get(hop.monitoring.kind, _OTHERS)
    words = words.format(sender=hop.sender, receiver=hop.receiver)
    return f"{words} (taken before event {hop.taken[0]})"
