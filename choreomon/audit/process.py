"""A process whose log was read so far, and what it waits for."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeAlias

from choreomon.audit.items import Clock
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.message import SEND, Label
from choreomon.core.recorded import UNCOUNTED, Place, RecordedEvent
from choreomon.core.roles import NO_ROLES, Roles

if TYPE_CHECKING:
    from choreomon.audit.numbers import Numbering

Channel: TypeAlias = tuple[str, str, str]
"""Sender, message name, receiver."""

Key: TypeAlias = str | Channel
"""A key by which a reception finds its send: a message id, or a channel on which messages are
counted."""

Sends: TypeAlias = str | tuple[str, str] | Channel
"""The sends of a process, of one message name of it, or of a channel."""


class Process:
    """State of one process. `index`: in clocks, None if the property has no label of it. `last` is
    the number of its last event, and `item_numbers` those of its items from number `forgotten` + 1
    on, which are unknown for items before events without a number. `numbered`: an event stated its
    number; `whole`: numbers go on through all sessions. `told` is its last vector clock, if `known`
    does not have it yet."""

    __slots__ = (
        *("name", "index", "watched", "last", "last_place", "known", "told", "raw", "heard"),
        *(
            "item_numbers",
            "forgotten",
            "items",
            "numbered",
            "whole",
            "queue",
            "awaits",
            "awaited_by",
        ),
    )

    def __init__(self, name: str, index: int | None, size: int) -> None:
        self.name = name
        self.index = index
        self.watched: Watched | None = None
        self.last: float = 0
        self.last_place: Place | None = None
        self.known: Clock = (0,) * size
        self.told: Mapping[str, int] | None = None
        self.raw: Mapping[str, int] | None = None
        self.heard: Clock | None = None
        self.item_numbers: list[float] = []
        self.forgotten = 0
        self.items = 0
        self.numbered = False
        self.whole: Numbering | None = None
        self.queue: deque[RecordedEvent] = deque()
        self.awaits: Key | Process | None = None
        self.awaited_by: list[Process] | None = None


Watched: TypeAlias = Mapping[tuple[str, str], tuple[Label, ...]]
"""Labels by the kind and the message name of their events."""


@lru_cache(maxsize=16)
def watched_labels(processes: tuple[str, ...], labels: tuple[Label, ...]) -> Mapping[str, Watched]:
    """The labels of each process. Kept, as the audits of a thousand sessions ask for the same."""
    found: dict[str, dict[tuple[str, str], tuple[Label, ...]]] = {name: {} for name in processes}
    for label in labels:
        own = found[label.process]
        key = (label.kind, label.message.name)
        own[key] = (*own.get(key, ()), label)
    return found


def known_items(process: Process, watching: Sequence[Process]) -> Clock:
    """The knowledge of the process, with its last vector clock, in numbers of items of the
    processes `watching`, which are in the order of clocks."""
    told = process.told
    if told is None:
        return process.known
    process.known, settled = with_clock(process.known, told, watching, process)
    if settled:
        process.told = None
    return process.known


def with_clock(
    known: Clock, told: Mapping[str, int], watching: Sequence[Process], own: Process | None = None
) -> tuple[Clock, bool]:
    """Merge a vector clock into what is known of all processes but its `own`; and tell whether that
    is everything the clock says, whatever is read later."""
    found = [*known]
    settled = True
    for index, other in enumerate(watching):
        count = told.get(other.name)
        if count and other is not own:
            items = _items_up_to(other, count)
            if items > found[index]:
                found[index] = items
            if count >= other.last:  # more may follow about its last event
                settled = False
    return tuple(found), settled


def now_numbered(process: Process, event: RecordedEvent, number: int) -> tuple[int, bool]:
    """The next event of the process has this number, and says so. Gives their numbers to items
    before it that had none.

    The last number before it; and whether there were events without a number that its clocks did
    not count, so that it is not known where one that is missing would have been. Raises
    DocumentError where numbers do not grow.
    """
    last, first = int(process.last), not process.numbered
    counted = process.last == last
    process.numbered = True
    if first and number <= last:  # those before it were not counted
        last, counted = 0, False
    if number <= last:
        told = f"{event_name(event)} is number {number} of {process.name}"
        if process.last_place is None:
            told += ": the events of a process are numbered from 1"
        else:
            told += (
                f", after number {last} ({process.last_place}): the numbers of a process have to "
                "grow with its events; of several runs in one log say what tells them apart "
                "(--session-key, --delimiter)"
            )
        raise DocumentError((Problem(event.place.file, event.place.line, "", told),))
    if not counted:
        numbers = process.item_numbers
        unknown = bisect_right(numbers, last)
        numbers[unknown:] = [number] * (len(numbers) - unknown)
    return last, not counted


def senders_of(
    reception: RecordedEvent, watching: Iterable[Process], roles: Roles = NO_ROLES
) -> set[str]:
    """Possible senders of what was received: the one that is named, or all for which the property
    names such a message; of a role all replicas."""
    if reception.peer is not None:
        return {*roles.slots_of(reception.peer)}
    labels = (
        label for each in watching for group in (each.watched or {}).values() for label in group
    )
    told = (reception.name, roles.role_of(reception.process))
    return {
        sender
        for label in labels
        if (label.message.name, roles.role_of(label.message.receiver)) == told
        for sender in roles.slots_of(label.message.sender)
    }


def stated_number(event: RecordedEvent) -> int | None:
    """The number of the event in its process, as its clock says or else it itself; None, too, where
    it says that it is not counted."""
    own = None if event.clock is None else event.clock.get(event.process)
    if own is None and event.number != UNCOUNTED:
        own = event.number
    return own


def next_number(process: Process) -> float:
    """The first number that an event that waits says; else that of the first one, if all are
    counted, and more than any."""
    for event in process.queue:
        number = stated_number(event)
        if number is not None:
            return number
    return inf if process.numbered or process.whole else process.last + 1


def forget_settled(process: Process, watching: Sequence[Process]) -> None:
    """The numbers of items that every process of the property knows need not be looked up any
    more: what other processes know of them tells these nothing new."""
    index = process.index
    assert index is not None
    least = process.items
    for each in watching:
        least = min(least, known_items(each, watching)[index])
    settled = least - 1 - process.forgotten
    if settled > 0:
        del process.item_numbers[:settled]
        process.forgotten += settled


def _items_up_to(process: Process, count: int) -> int:
    return process.forgotten + bisect_right(process.item_numbers, count)


class Queued(NamedTuple):
    """The sends that wait: the keys by which they are asked for; the channels of those without
    message ids; and those that are not counted, of all channels, of a process and a message name,
    or of a process."""

    keys: set[Key]
    plain: set[Channel]
    uncounted: set[Sends]
    roles: Roles = NO_ROLES

    def otherwise(self, reception: RecordedEvent) -> bool:
        """Return whether its send may wait under another key: with an id though it has none,
        without one though it has one, or where sends cannot be counted."""
        receiver = self.roles.role_of(reception.process)
        channel = (reception.peer or "", reception.name, receiver)
        if reception.message_id is not None:
            return channel in self.plain
        return not self.uncounted.isdisjoint((channel[0], channel[:2], channel))


def sends_in_queues(processes: Iterable[Process], roles: Roles = NO_ROLES) -> Queued:
    """The sends that wait in queues of any process."""
    queued = Queued(set(), set(), set(), roles)
    for process in processes:
        for event, key in _asked_for(process, queued.uncounted, roles):
            if event.kind == SEND and event.message_id is None:
                receiver = roles.role_of(event.peer or "")
                queued.plain.add((process.name, event.name, receiver))
            if key is not None:
                queued.keys.add(key)
    return queued


def _asked_for(
    process: Process, uncounted: set[Sends], roles: Roles
) -> Iterator[tuple[RecordedEvent, Key | None]]:
    """The events that wait, with the key by which sends are asked for. What is not counted any
    more is added to `uncounted`; sends without ids have no key there."""
    last, numbered, counted = process.last, process.numbered, True
    for event in process.queue:
        number = stated_number(event)
        if number is None:
            counted = counted and not numbered
            last += 1
        else:
            if process.whole is None:
                follows = number == last + 1
            else:
                follows = process.whole.missing(process.name, last, number) is None
            counted = counted and follows
            last, numbered = number, True
        if not counted:
            uncounted.add(process.name)
        if event.kind != SEND:
            continue
        if event.peer is None:
            uncounted.add((process.name, event.name))
            yield event, event.message_id
            continue
        channel = (process.name, event.name, roles.role_of(event.peer))
        if event.message_id is not None:
            uncounted.add(channel)
            yield event, event.message_id
        else:
            asked = uncounted.isdisjoint((channel[0], channel[:2], channel))
            yield event, channel if asked else None


def owner(
    processes: Iterable[Process], awaited: Key | Process | None, roles: Roles = NO_ROLES
) -> Process | None:
    """The process whose queue holds what is awaited; None if that is uncertain, as its next event
    states no number."""
    if isinstance(awaited, Process):
        silent = awaited.numbered and awaited.queue and stated_number(awaited.queue[0]) is None
        return awaited if awaited.queue and not silent else None
    for process in processes:
        for _, key in _asked_for(process, set(), roles):
            if key is not None and awaited == key:
                return process
    return None


def refuse_cycle(processes: Iterable[Process], process: Process, roles: Roles = NO_ROLES) -> None:
    """Raises `DocumentError` where the process waits for what in turn waits for it."""
    every = list(processes)
    path: list[Process] = []
    following: Process | None = process
    while following is not None and following not in path:
        path.append(following)
        following = owner(every, following.awaits, roles) if following.queue else None
    if following is not None:
        _refuse([each.queue[0] for each in path[path.index(following) :]])


def event_name(event: RecordedEvent) -> str:
    """The event as sentences call it."""
    what = {"send": "the send of ", "handle": "the reception of "}.get(event.kind, "")
    return f"{what}{event.name} at {event.process}"


def _refuse(cycle: Sequence[RecordedEvent]) -> NoReturn:
    told = "; ".join(f"{event_name(event)} ({event.place})" for event in cycle)
    place = cycle[0].place
    message = f"happened-before has a cycle, each of these is before itself: {told}"
    raise DocumentError((Problem(place.file, place.line, "", message),))
