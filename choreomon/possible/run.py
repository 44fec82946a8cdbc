"""A run that a search found, as pictures want it: events with clocks."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

from choreomon.core.message import ENVIRONMENT, SEND, Label, Message
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.core.run import RunEvent
from choreomon.core.vector_clock import VectorClock


def run_events(
    run: Sequence[Label], processes: Sequence[str], roles: Roles = NO_ROLES
) -> list[RunEvent]:
    """The events of a run in its order, which is all that their times say. What is handled is the
    oldest message of its kind that was sent and is not handled yet; none where there is none.
    `processes` has the process of each label, in the order of the entries of clocks. A slot's
    message is one of its `roles`, since nothing says which slot it is from."""
    index_of = {process: place for place, process in enumerate(processes)}
    clocks: dict[str, VectorClock] = dict.fromkeys(processes, (0,) * len(processes))
    on_their_way: defaultdict[Message, deque[int]] = defaultdict(deque)
    events: list[RunEvent] = []
    for index, label in enumerate(run):
        own, message = label.process, label.message
        kind = roles.of_roles(label).message
        clock, sent_at = clocks[own], None
        if label.kind == SEND:
            on_their_way[kind].append(index)
        elif message.sender != ENVIRONMENT and on_their_way[kind]:
            sent_at = on_their_way[kind].popleft()
            clock = tuple(map(max, clock, events[sent_at].clock))
        place = index_of[own]
        clocks[own] = clock = (*clock[:place], clock[place] + 1, *clock[place + 1 :])
        events.append(RunEvent(index, index, label.kind, own, message, clock, sent_at))
    return events
