"""What a monitor remembers of its instances. Frozen values: a step makes new ones that share what
did not change."""

from __future__ import annotations

from typing import Final, NamedTuple

from immutables import Map

from choreomon.core.binding import Binding
from choreomon.core.message import Event
from choreomon.core.vector_clock import VectorClock, zero
from choreomon.core.verdict import VerdictKind
from choreomon.monitor.gaps import Gap
from choreomon.monitor.history import Chain
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.state import Decision, Evidence, Inspection


class InstanceEvent(NamedTuple):
    """An event of the process, which binds what its message carries."""

    event: Event
    binding: Binding


class Instance(NamedTuple):
    """What is remembered for one binding: of the transitions whose labels carry just its
    parameters. `chains`: one for each of these, in the order of the monitor's references; the rest
    as in `choreomon.monitor.state.MonitorState`. What carries fewer is remembered at the binding
    that it has, once for all that agree with it."""

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
        """Whether nothing of it goes on."""
        return not (self.inspections or self.postponed)


NOTHING: Final = Instance()


class OpenEvent(NamedTuple):
    """An own event under inspection, and its binding. `waiting`: who still has to answer.
    `decides`: a verdict about it is to come. `told`: the provisional one that was given."""

    event: VectorClock
    binding: Binding
    waiting: tuple[str, ...]
    decides: bool
    told: VerdictKind | None = None


class Shared(NamedTuple):
    """What all instances have together, so that none speaks for another.

    `promises` and `gaps` as in `MonitorState`. `open`: the events under inspection, oldest first,
    of all instances. `waiting`: by binding the instances with inquiries that may wait for what is
    under inspection there; `postponed`: how many inquiries wait. `unfinished`: instances where
    inquiries may be answered by now. `records`: of all instances. `created`: how many
    bindings were ever given something to remember. `unknown`: how many inquiries were about an
    instance of which nothing is remembered; where values differ between services, most are.
    """

    promises: tuple[int, ...]
    gaps: tuple[Gap, ...] = ()
    open: tuple[OpenEvent, ...] = ()
    waiting: Map[Binding, Map[Binding, None]] = Map()
    postponed: int = 0
    unfinished: tuple[Binding, ...] = ()
    records: int = 0
    created: int = 0
    unknown: int = 0


class InstancesState(NamedTuple):
    """The state of a monitor of instances: `instances` are all, or those that a store does not have
    as they are now."""

    shared: Shared
    instances: Map[Binding, Instance]

    def opened(self, until: VectorClock) -> InstancesState:
        """The state of a monitor that is opened at `until`, a clock of its own count that is no
        event: a gap hides what was before, of all instances."""
        gap = Gap(zero(len(until)), until)
        return self._replace(shared=self.shared._replace(gaps=(gap,)))

    @property
    def inspections(self) -> tuple[OpenEvent, ...]:
        """The events under inspection, oldest first."""
        return self.shared.open

    @property
    def decisions(self) -> tuple[OpenEvent, ...]:
        """Those about which a verdict is to come."""
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
