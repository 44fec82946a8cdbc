"""One process as its log was read so far, and what it waits for."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NoReturn, TypeAlias

from choreomon.audit.items import Clock
from choreomon.core.errors import DocumentError, Problem
from choreomon.core.message import SEND, Label
from choreomon.core.recorded import Place, RecordedEvent

Channel: TypeAlias = tuple[str, str, str]
"""Sender, message name, receiver."""

Key: TypeAlias = str | Channel
"""By what a reception finds its send: a message id, or counting."""


class Process:
    """What is known of one process. `index`: in clocks, None where the property has no label of it.
    `last` is the number of its last event, and `item_numbers` those of its items from number
    `forgotten` + 1 on. `told` is its last vector clock, where `known` does not have it yet."""

    __slots__ = (
        *("name", "index", "watched", "last", "last_place", "known", "told", "raw", "heard"),
        *("item_numbers", "forgotten", "items", "queue", "awaits", "awaited_by"),
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
    """What the process knows, with what its last vector clock says, in numbers of items of the
    processes `watching`, which are in the order of clocks."""
    told = process.told
    if told is None:
        return process.known
    known = [*process.known]
    settled = True
    for index, other in enumerate(watching):
        count = told.get(other.name)
        if count and other is not process:
            items = _items_up_to(other, count)
            if items > known[index]:
                known[index] = items
            if count >= other.last:  # of its last event more may be to come
                settled = False
    if settled:
        process.told = None
    process.known = tuple(known)
    return process.known


def number_of(process: Process, event: RecordedEvent, own: int | None, whole: bool) -> float:
    """The number of the next event, whose clock has this entry of its own process. `whole`: numbers
    go on through all sessions, so an event without one is between two numbers."""
    if own is not None:
        return own
    if event.number is not None and event.clock is None:
        return event.number
    last = process.last
    if event.number is not None or (process.raw is None and not whole):
        return last + 1
    # Clocks do not count it, so who knows the next one knows it, and nobody else.
    return last + 0.5 if last == int(last) else last


def next_number(process: Process) -> float:
    """The number of the first event that waits."""
    event = process.queue[0]
    if event.clock is not None:
        return event.clock.get(process.name, process.last + 1)
    return process.last + 1 if event.number is None else event.number


def forget_settled(
    process: Process, watching: Sequence[Process], heard_of: Iterable[Process]
) -> None:
    """The numbers of items that every process knows need not be looked up any more."""
    index = process.index
    assert index is not None
    least = process.items
    for each in watching:
        least = min(least, known_items(each, watching)[index])
    for each in heard_of:
        if each.index is None:
            told = each.known[index]
            if each.raw is not None:
                told = _items_up_to(process, each.raw.get(process.name, 0))
            least = min(least, told)
    settled = least - 1 - process.forgotten
    if settled > 0:
        del process.item_numbers[:settled]
        process.forgotten += settled


def _items_up_to(process: Process, count: int) -> int:
    return process.forgotten + bisect_right(process.item_numbers, count)


def senders(watching: Iterable[Process], reception: RecordedEvent) -> list[str]:
    """Who may have sent a message whose log does not say who did: those that labels name."""
    return [
        label.message.sender
        for each in watching
        for labels in (each.watched or {}).values()
        for label in labels
        if (label.message.name, label.message.receiver) == (reception.name, reception.process)
    ]


def sends_in_queues(processes: Iterable[Process]) -> set[Key]:
    """The sends that wait."""
    queued: set[Key] = set()
    for process in processes:
        for event in process.queue:
            if event.kind == SEND and event.message_id is not None:
                queued.add(event.message_id)
            elif event.kind == SEND and event.peer is not None:
                queued.add((process.name, event.name, event.peer))
    return queued


def owner(processes: Iterable[Process], awaited: Key | Process | None) -> Process | None:
    """In whose queue it is that is waited for."""
    if isinstance(awaited, Process):
        return awaited if awaited.queue else None
    for process in processes:
        for event in process.queue:
            if event.kind == SEND and awaited in (
                event.message_id,
                (process.name, event.name, event.peer),
            ):
                return process
    return None


def refuse_cycle(processes: Iterable[Process], process: Process) -> None:
    """Raises `DocumentError` where the process waits for what in turn waits for it."""
    every = list(processes)
    path: list[Process] = []
    following: Process | None = process
    while following is not None and following not in path:
        path.append(following)
        following = owner(every, following.awaits) if following.queue else None
    if following is not None:
        _refuse([each.queue[0] for each in path[path.index(following) :]])


def event_name(event: RecordedEvent) -> str:
    """As sentences call it."""
    what = {"send": "the send of ", "handle": "the reception of "}.get(event.kind, "")
    return f"{what}{event.name} at {event.process}"


def _refuse(cycle: Sequence[RecordedEvent]) -> NoReturn:
    told = "; ".join(f"{event_name(event)} ({event.place})" for event in cycle)
    place = cycle[0].place
    message = f"happened-before has a cycle, each of these is before itself: {told}"
    raise DocumentError((Problem(place.file, place.line, "", message),))
