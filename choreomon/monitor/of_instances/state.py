"""What a monitor remembers of its instances. Frozen values: a step makes new ones that share what
did not change."""

from __future__ import annotations

from typing import Final, NamedTuple

from immutables import Map

from choreomon.core.binding import Binding
from choreomon.core.message import Event
from choreomon.core.vector_clock import VectorClock, zero
from choreomon.core.verdict import FORGOTTEN
from choreomon.monitor.gaps import Gap
from choreomon.monitor.history import Chain
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.of_instances.forgetting import NOTHING_FORGOTTEN, Forgotten
from choreomon.monitor.of_instances.open_events import NONE_OPEN, OpenEvent, OpenEvents
from choreomon.monitor.state import Decision, Evidence, Inspection


class InstanceEvent(NamedTuple):
    """An event of the process, which binds what its message carries."""

    event: Event
    binding: Binding


class Instance(NamedTuple):
    """Memory of one binding: of the transitions whose labels carry just its parameters. `chains`:
    one for each of these, in the order of the monitor's references; the rest as in
    `choreomon.monitor.state.MonitorState`. What carries fewer is remembered at the binding that it
    has, once for all that agree with it. Of one that may have been forgotten before it began,
    chains begin with what that hides."""

    chains: tuple[Chain, ...] = ()
    inspections: tuple[Inspection, ...] = ()
    decisions: tuple[Decision, ...] = ()
    postponed: tuple[Inquiry, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def records(self) -> int:
        """The size of its history, with what it rests on."""
        return sum(map(len, self.chains)) + sum([len(each.records) for each in self.evidence])

    @property
    def is_idle(self) -> bool:
        """Tell whether the instance has nothing under way."""
        return not (self.inspections or self.postponed)

    @property
    def has_records(self) -> bool:
        """Tell whether there are records beside those that may have been forgotten."""
        newest = [chain[-1].result for chain in self.chains if chain]
        return newest.count(FORGOTTEN) < len(newest)

    @property
    def is_bare(self) -> bool:
        """Tell whether nothing is remembered but records, if any; without any but of what may have
        been forgotten it is as all instances that are not known."""
        return not (self.inspections or self.postponed or self.decisions or self.evidence)

    def may_be_forgotten(self, own: int, until: VectorClock) -> bool:
        """Tell whether the instance is idle, and no record of the process at `own` is newer than
        this clock."""
        last = [chain[-1].clock[own] for chain in self.chains if chain]
        return self.is_idle and max(last, default=0) <= until[own]


NOTHING: Final = Instance()


class Shared(NamedTuple):
    """State that all instances have together, so that none speaks for another.

    `promises` and `gaps` as in `MonitorState`. `open`: the events under inspection, of all
    instances. `waiting`: by binding the instances with inquiries that may wait for what is
    under inspection there; `postponed`: how many inquiries wait. `unfinished`: instances where
    inquiries may be answered by now. `records`: of all instances. `created`: how many
    bindings were ever given something to remember; of `emptied` nothing was left to remember, since
    none of it mattered any more. `unknown`: how many inquiries were about an
    instance of which nothing is remembered; where values differ between services, most are.
    `forgotten`: what is known of instances that were.
    """

    promises: tuple[int, ...]
    gaps: tuple[Gap, ...] = ()
    open: OpenEvents = NONE_OPEN
    waiting: Map[Binding, Map[Binding, None]] = Map()
    postponed: int = 0
    unfinished: tuple[Binding, ...] = ()
    records: int = 0
    created: int = 0
    unknown: int = 0
    forgotten: Forgotten = NOTHING_FORGOTTEN
    emptied: int = 0

    @property
    def remembered(self) -> int:
        """The number of instances that have records."""
        return self.created - self.emptied - self.forgotten.instances


class InstancesState(NamedTuple):
    """State of a monitor of instances. `instances` are all, or those whose present state is not in
    a store."""

    shared: Shared
    instances: Map[Binding, Instance]

    def opened(self, until: VectorClock) -> InstancesState:
        """The state of a monitor that is opened at `until`, a clock of its own count that is no
        event: a gap hides what was before, of all instances."""
        gap = Gap(zero(len(until)), until)
        return self._replace(shared=self.shared._replace(gaps=(gap,)))

    def without(self, until: VectorClock, instances: int, records: int) -> InstancesState:
        """The state after so many instances were forgotten, with so many records, the newest of
        them no newer than `until`. None of them is in the state."""
        before = self.shared.forgotten
        forgotten = before._replace(until=until, instances=before.instances + instances)
        left = self.shared.records - records
        return self._replace(shared=self.shared._replace(forgotten=forgotten, records=left))

    @property
    def inspections(self) -> tuple[OpenEvent, ...]:
        """The events under inspection, oldest first."""
        return tuple(self.shared.open)

    @property
    def decisions(self) -> tuple[OpenEvent, ...]:
        """Return the events about which a verdict is to come."""
        return tuple([each for each in self.shared.open if each.decides])

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return self.shared.gaps

    @property
    def unprocessed(self) -> tuple[Event, ...]:
        """Always empty: events are processed as they happen."""
        return ()

    @property
    def records(self) -> int:
        """The size of the histories, with what they rest on."""
        return self.shared.records
