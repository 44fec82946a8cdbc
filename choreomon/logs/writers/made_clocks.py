"""Vector clocks of events that logs recorded without any.

They count what the messages tell: an event knows all before it in its process, and a handle what
the send of its message id knew. That is what `choreomon audit` takes to have happened before, but
for messages without ids, of which no clock can say who sent which.
"""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.core.recorded import RecordedEvent
from choreomon.logs.readers.span_order import sends_first


def with_clocks(events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """The events with clocks, in an order in which sends come before their handles, as far as there
    is one; as they are where all have clocks.

    Clocks of a session count its own events alone. Raises ValueError where only some have a clock,
    for a handle that has no message id, for one that is before its own send, and where two sends
    have one id.
    """
    without = [event for event in events if event.clock is None]
    if not without:
        return [*events]
    if len(without) < len(events):
        raise ValueError(
            f"{without[0].place}: has no clock, and others have one: vector clocks are of all "
            "events, or of none"
        )
    sessions: dict[str, list[RecordedEvent]] = {}
    for event in events:
        sessions.setdefault(event.session, []).append(event)
    return [made for own in sessions.values() for made in _counted(own)]


def _counted(events: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    sent_somewhere = {event.message_id for event in events if event.kind == "send"}
    sent: dict[str, dict[str, int]] = {}
    known: dict[str, dict[str, int]] = {}
    made = []
    for event in sends_first(events):
        clock = dict(known.get(event.process, ()))
        if event.kind == "handle":
            if event.message_id is None:
                raise ValueError(
                    f"{event.place}: handles {event.name} without a message id or a clock, so that "
                    "nobody can say after which send: a mapping can say message_id or clock"
                )
            if event.message_id in sent:
                for process, count in sent[event.message_id].items():
                    clock[process] = max(count, clock.get(process, 0))
            elif event.message_id in sent_somewhere:
                raise ValueError(
                    f"{event.place}: handles {event.name} before it is sent: what happened before "
                    "what goes in a circle there"
                )
        clock[event.process] = clock.get(event.process, 0) + 1
        known[event.process] = clock
        if event.kind == "send" and event.message_id is not None:
            if event.message_id in sent:
                raise ValueError(
                    f"{event.place}: sends {event.name} with the id {event.message_id}, which was "
                    "sent before: of which of them a handle knows, nobody can say"
                )
            sent[event.message_id] = clock
        made.append(event._replace(clock=clock))
    return made
