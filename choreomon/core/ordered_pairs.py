"""Ordered pairs: the share of pairs of events whose order is known from logs. The order is known
within one process, from a send to its handle, and from vector clocks. The share is that of a
beginning of the logs, since it is computed pair by pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from choreomon.core.message import HANDLE, SEND
from choreomon.core.recorded import RecordedEvent

MOST_OF_A_PROCESS: Final = 200
MOST_PROCESSES: Final = 20
"""Bounds on processes, and on events of each: the first ones of the first session."""


class OrderedPairs(NamedTuple):
    """The pairs of `events`, and how many of them are ordered: within one process, also by
    messages, matched by id or else by counting, and also by clocks."""

    events: int
    by_process: int
    by_messages: int
    by_clocks: int

    @property
    def pairs(self) -> int:
        return self.events * (self.events - 1) // 2


class Beginning:
    """Keeps the beginning of the logs."""

    def __init__(self) -> None:
        self._session: str | None = None
        self._events: dict[str, list[RecordedEvent]] = {}

    def add(self, event: RecordedEvent) -> None:
        """Keep an event, if it is among the first ones."""
        if self._session is None:
            self._session = event.session
        if event.session != self._session:
            return
        own = self._events.get(event.process)
        if own is None:
            if len(self._events) >= MOST_PROCESSES:
                return
            own = self._events[event.process] = []
        if len(own) < MOST_OF_A_PROCESS:
            own.append(event)

    def ordered(self) -> OrderedPairs:
        """Count the pairs."""
        return ordered_pairs([*self._events.values()])


def ordered_pairs(logs: Sequence[Sequence[RecordedEvent]]) -> OrderedPairs:
    """Count the pairs whose order is known; `logs` are the events of each process. If these orders
    form a cycle, what closes it does not count."""
    events = [event for own in logs for event in own]
    chain: list[list[int]] = []
    for own in logs:
        first = sum(map(len, chain))
        chain.append([*range(first, first + len(own))])
    sent = {
        event.message_id: number
        for number, event in enumerate(events)
        if event.kind == SEND and event.message_id is not None
    }
    links = [
        [sent[event.message_id]] if event.kind == HANDLE and event.message_id in sent else []
        for event in events
    ]
    for handle, send in _counted(events):
        links[handle].append(send)
    counted = {
        (event.process, event.clock[event.process]): number
        for number, event in enumerate(events)
        if event.clock is not None and event.process in event.clock
    }
    known = [
        [
            number
            for process, count in (event.clock or {}).items()
            if process != event.process and (number := _last(counted, process, count)) is not None
        ]
        for event in events
    ]
    both = [[*one, *other] for one, other in zip(links, known, strict=True)]
    by_process = sum(len(own) * (len(own) - 1) // 2 for own in logs)
    by_messages = _pairs(chain, links)
    return OrderedPairs(len(events), by_process, by_messages, max(by_messages, _pairs(chain, both)))


def _counted(events: Sequence[RecordedEvent]) -> Iterator[tuple[int, int]]:
    """Handles without ids, and their sends: for each message name and pair of processes the first
    handle belongs to the first send, and so on."""
    sends: dict[tuple[str | None, ...], list[int]] = {}
    handles: dict[tuple[str | None, ...], list[int]] = {}
    for number, event in enumerate(events):
        if event.message_id is None and event.peer is not None:
            if event.kind == SEND:
                sends.setdefault((event.process, event.name, event.peer), []).append(number)
            elif event.kind == HANDLE:
                handles.setdefault((event.peer, event.name, event.process), []).append(number)
    for channel, own in handles.items():
        yield from zip(own, sends.get(channel, ()), strict=False)


def _last(counted: dict[tuple[str, int], int], process: str, count: int) -> int | None:
    """The event of a process that a clock with this count knows, or the one before it if not all
    are counted."""
    for one in range(count, max(0, count - MOST_OF_A_PROCESS), -1):
        if (process, one) in counted:
            return counted[process, one]
    return None


def _pairs(chains: Sequence[Sequence[int]], before: Sequence[Sequence[int]]) -> int:
    """Count ordered pairs, where events of a chain are in its order and each event is after those
    `before` it. A set of events is a bit mask."""
    past: dict[int, int] = {}
    done = [0] * len(chains)
    total = 0
    while True:
        moved = False
        for place, chain in enumerate(chains):
            while done[place] < len(chain):
                number = chain[done[place]]
                if any(other not in past for other in before[number]):
                    break
                total += _happen(past, chain, done[place], before[number])
                done[place] += 1
                moved = True
        if moved:
            continue
        stuck = [place for place, chain in enumerate(chains) if done[place] < len(chain)]
        if not stuck:
            return total
        place = stuck[0]  # a cycle: unknown predecessors of its event are left out
        number = chains[place][done[place]]
        told = [other for other in before[number] if other in past]
        total += _happen(past, chains[place], done[place], told)
        done[place] += 1


def _happen(past: dict[int, int], chain: Sequence[int], place: int, before: Sequence[int]) -> int:
    """Add an event with all its predecessors, and count these."""
    mask = 0
    for other in (*chain[max(0, place - 1) : place], *before):
        mask |= past[other] | 1 << other
    past[chain[place]] = mask
    return mask.bit_count()
