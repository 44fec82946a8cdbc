"""Recorded events -> events of a run, to be drawn.

They stand in an order that fits what the logs say: in that of their clocks where all have one, else
each send before its receptions (`span_order`). A log says no real order, and no times that would
mean something between processes: `index` is the place in that order, and so is `time`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import Final, TypeAlias

from choreomon.core.message import ENVIRONMENT, HANDLE, SEND, Message
from choreomon.core.recorded import RecordedEvent
from choreomon.core.run import RunEvent
from choreomon.core.vector_clock import VectorClock, merge, tick, zero
from choreomon.logs.readers.span_order import sends_first

UNKNOWN: Final = "unknown"
"""The receiver of a message, where no log says it; with a number where a process is called so."""


def run_events(recorded: Sequence[RecordedEvent]) -> tuple[tuple[RunEvent, ...], tuple[str, ...]]:
    """The sends and handles of one session as events of a run, and their processes: those that
    have events, sorted, and then those that only other ones name. A message that comes from nobody
    knows where is one of the environment.

    A handle goes with the send of its message id. Without an id it goes with the first send of the
    same name and ends that it can know of and that has no other handle yet; the clocks of a process
    have to grow. Clocks are those of the log where all events have one, else they count what the
    messages here tell.
    """
    clocked = all(event.clock is not None for event in recorded)
    if clocked:  # earlier events know less
        ordered = sorted(recorded, key=lambda event: sum((event.clock or {}).values()))
    else:
        ordered = [*sends_first(recorded)]
    ordered = [event for event in ordered if event.kind != "local"]
    processes = tuple(sorted({event.process for event in recorded}))
    unknown = _name_of_unknown({*processes, *(event.peer for event in recorded)})
    sent = _sends_of(ordered)
    peers = {at: ordered[number].process for number, at in sent.items()}
    peers |= {number: ordered[at].process for number, at in sent.items()}
    clocks: list[VectorClock] = []
    last = {process: zero(len(processes)) for process in processes}
    made: list[RunEvent] = []
    for index, event in enumerate(ordered):
        peer = event.peer or peers.get(index)
        at = sent.get(index)
        if clocked:
            clock = tuple((event.clock or {}).get(process, 0) for process in processes)
        else:
            clock = last[event.process] if at is None else merge(last[event.process], clocks[at])
            clock = tick(clock, processes.index(event.process))
            last[event.process] = clock
        clocks.append(clock)
        if event.kind == "send":
            message = Message(event.process, event.name, peer or unknown)
            made.append(RunEvent(index, index, SEND, event.process, message, clock))
            continue
        message = Message(peer or ENVIRONMENT, event.name, event.process)
        made.append(RunEvent(index, index, HANDLE, event.process, message, clock, at))
    ends = {end for event in made for end in (event.message.sender, event.message.receiver)}
    return tuple(made), (*processes, *sorted(ends.difference(processes, (ENVIRONMENT,))))


def _name_of_unknown(taken: Container[str | None]) -> str:
    """A name for receivers that nobody knows, where these names are taken."""
    numbered = (f"{UNKNOWN}-{number}" for number in count(2))
    return next(name for name in chain((UNKNOWN,), numbered) if name not in taken)


_OpenSends: TypeAlias = "defaultdict[tuple[str, str, str | None, bool], deque[int]]"
"""Sends without ids that have no handle yet, in order, by sender, name, receiver, and whether they
have clocks: where a handle cannot know of the first of a queue, it can of none of it."""


def _sends_of(ordered: Sequence[RecordedEvent]) -> dict[int, int]:
    """Match handles with sends, by their places; sends that stand later are left out. A send has
    one handle."""
    sent: dict[int, int] = {}
    by_id: dict[str, int] = {}
    open_sends: _OpenSends = defaultdict(deque)
    for index, event in enumerate(ordered):
        if event.kind == "send":
            if event.message_id is not None:
                by_id.setdefault(event.message_id, index)
            else:
                key = (event.process, event.name, event.peer, event.clock is not None)
                open_sends[key].append(index)
        elif event.message_id is not None:
            if event.message_id in by_id:
                sent[index] = by_id.pop(event.message_id)
        elif event.peer is not None:
            found = [
                waiting
                for receiver in (event.process, None)
                for clocked in (True, False)
                if (waiting := open_sends.get((event.peer, event.name, receiver, clocked)))
                and _may_know(event, ordered[waiting[0]])
            ]
            if found:
                sent[index] = min(found, key=itemgetter(0)).popleft()
    return sent


def _may_know(handle: RecordedEvent, send: RecordedEvent) -> bool:
    if send.clock is None or handle.clock is None:
        return True
    return handle.clock.get(send.process, 0) >= send.clock.get(send.process, 0)
