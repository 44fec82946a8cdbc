"""What services said of events beside their labels, as far as verdicts need it: values and traces.
Monitors know nothing of traces, so agents tell each other of them beside answers.

All of it is bounded. What was said of an own event, and what others told beside answers about it,
is kept until its last verdict is said. For others, and for verdicts about later events, the traces
of the newest own events are kept, however old the events are of which there are still records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeVar

from immutables import Map

from choreomon.agent_files.told_traces import MOST_TOLD, EventTrace, ToldTraces
from choreomon.agent_files.values import TRACE
from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.verdict import MonitorVerdict
from choreomon.monitor.messages import Response, Waiting
from choreomon.monitor.of_instances.messages import InstanceMessage, said_in
from choreomon.monitor.setup import MonitorSetup

_Kept = TypeVar("_Kept")

MOST_OWN: Final = 4096
"""The newest own events of each property, of which traces are kept."""

MOST_HEARD: Final = 256
"""Events of others of which traces are kept for one own event; a verdict names at most 16."""


class SaidOfEvents(NamedTuple):
    """`values`: by the place of a property and count those of own events of which the last verdict
    is not said, of a property for each instance, and their traces
    (`choreomon.agent_files.values.without_trace`). `own`: by place, and count modulo `MOST_OWN`,
    the count of an own event and its trace. `heard`: by place and count of an own event without a
    last verdict the traces of others' events."""

    values: Map[tuple[int, int], Binding] = Map()
    own: Map[tuple[int, int], tuple[int, bytes]] = Map()
    heard: Map[tuple[int, int], tuple[EventTrace, ...]] = Map()

    def happened(
        self, place: int, monitor: MonitorSetup, label: Label, count: int, said: Binding, trace: str
    ) -> SaidOfEvents:
        """Add what was said of an own event, where a verdict may be about it, and its trace, where
        one may name it. `trace`: its id, or nothing."""
        plans = monitor.plans[label]
        known = self
        if any(plan.final for plan in plans):
            kept = (*said, (TRACE, trace)) if trace else said
            known = known._replace(values=known.values.set((place, count), kept))
        if trace and any(monitor.remembers[n] for plan in plans for n in plan.places):
            known = known.with_own(place, count, bytes.fromhex(trace))
        return known

    def with_own(self, place: int, count: int, trace: bytes) -> SaidOfEvents:
        """Add the trace of an own event, in place of an older one's."""
        return self._replace(own=self.own.set((place, count % MOST_OWN), (count, trace)))

    def told(self, place: int, told: ToldTraces) -> SaidOfEvents:
        """Add what another agent told; the same object where that is nothing new."""
        at = (place, told.event_count)
        before = self.heard.get(at, ())
        known = {each[:2]: each for each in before}
        for number, trace in sorted(told.traces.items(), reverse=True):
            if len(known) < MOST_HEARD:
                event = EventTrace(told.sender, number, trace)
                known.setdefault(event[:2], event)
        if len(known) == len(before):
            return self
        return self._replace(heard=self.heard.set(at, tuple(known.values())))

    def is_needed(self, place: int, count: int) -> bool:
        """Tell whether anything is kept until the last verdict about this own event."""
        at = (place, count)
        return at in self.values or at in self.heard

    def without(self, place: int, count: int) -> SaidOfEvents:
        """Drop what is kept for the last verdict on this own event."""
        at = (place, count)
        values = self.values.delete(at) if at in self.values else self.values
        heard = self.heard.delete(at) if at in self.heard else self.heard
        return SaidOfEvents(values, self.own, heard)

    def beside(
        self, place: int, own: int, answer: Response | Waiting | InstanceMessage
    ) -> tuple[tuple[int, bytes], ...]:
        """The traces to tell beside an answer of this process, which is at `own` in clocks: by
        count, of the newest `MOST_TOLD` events whose records are in it."""
        response = said_in(answer)
        if not isinstance(response, Response):
            return ()
        counts = {record.clock[own] for record in response.records}
        known = [(count, self._of_own(place, count)) for count in sorted(counts, reverse=True)]
        return tuple([(count, trace) for count, trace in known if trace is not None][:MOST_TOLD])

    def named_in(
        self, place: int, count: int, verdict: MonitorVerdict, entries: Mapping[str, int]
    ) -> tuple[EventTrace, ...]:
        """The traces of the events that a verdict about the own event of this count names in its
        reasons. `entries`: of processes in clocks."""
        if not (self.own or self.heard):
            return ()
        heard = {each[:2]: each.trace for each in self.heard.get((place, count), ())}
        found: dict[EventTrace, None] = {}
        for reason in verdict.because:
            process = reason.reference.process
            if process not in entries:
                continue  # the beginning
            number = reason.clock[entries[process]]
            own = self._of_own(place, number) if process == verdict.process else None
            trace = own or heard.get((process, number))
            if trace is not None:
                found[EventTrace(process, number, trace)] = None
        return tuple(found)

    def _of_own(self, place: int, count: int) -> bytes | None:
        found = self.own.get((place, count % MOST_OWN))
        return found[1] if found is not None and found[0] == count else None

    def moved(self, places: Mapping[int, int]) -> SaidOfEvents:
        """Return the same words for properties at other places, without properties that have
        none."""
        values, own, heard = self
        return SaidOfEvents(_moved(values, places), _moved(own, places), _moved(heard, places))


def _moved(
    known: Map[tuple[int, int], _Kept], places: Mapping[int, int]
) -> Map[tuple[int, int], _Kept]:
    return Map({(places[n], at): kept for (n, at), kept in known.items() if n in places})


NOTHING_SAID: Final = SaidOfEvents()
