"""The sidecars of the pull strategy: monitors that ask each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from choreomon.core.binding import Binding
from choreomon.core.errors import InternalError
from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.effects import Declared, Send, SetDeadline, Unsettled
from choreomon.monitor.host import AnyInput, Host
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.of_instances.state import InstanceEvent
from choreomon.monitor.pull import Monitor
from choreomon.monitor.rule_sets import RULES
from choreomon.monitor.state import Expire, GoOn, MonitorState, Observe, ProcessNext
from choreomon.properties.tables import RulesName, TransitionTable
from simulator.sidecars.run_context import Explained, RunContext, Watchers
from simulator.sidecars.single_server import SingleServer, watching

_PROCESS: Final = ProcessNext()
_GO_ON: Final = GoOn()


def pulling(
    context: RunContext, tables: Mapping[str, TransitionTable], rules: RulesName
) -> tuple[Mapping[str, Watchers], Explained]:
    """Put a sidecar beside each process; final verdicts have all their reasons."""
    has_deadline = context.deadline is not None

    def monitor(table: TransitionTable) -> Monitor | InstanceMonitor:
        kind = InstanceMonitor if table.parameters else Monitor
        return kind(table, context.processes, RULES[rules], has_deadline=has_deadline)

    sidecars = {
        process: PullSidecar(context, Host(monitor(table))) for process, table in tables.items()
    }
    for sidecar in sidecars.values():
        sidecar.connect(sidecars)
    return {name: each.watchers for name, each in sidecars.items()}, lambda verdict: verdict


class PullSidecar:
    """The host of a pulling monitor beside its process. The world keeps the clock of the process:
    the host gets it with every step, and the merged clock is put back."""

    def __init__(self, context: RunContext, host: Host) -> None:
        self._context = context
        self._clocks = context.clocks
        self._measurements = context.measurements
        self._host = host
        self._advance = host.step
        self._own = host.monitor.own
        self._process = host.monitor.process
        self._state = host.monitor.initial()
        self._records = 0
        self.channels = context.channels(self._process)
        self.server = SingleServer(context, self._process, self._step)
        self._carries = {
            label: frozenset(names) for label, names in host.monitor.table.carries.items()
        }
        watch = self._occur if context.at_once else self._observe
        if host.monitor.table.parameters:
            watch = self._occur_of_instance if context.at_once else self._observe_of_instance
        self.watchers = watching(host.monitor.table, watch, context.measurements)

    def connect(self, others: Mapping[str, PullSidecar]) -> None:
        """Make a channel to every other monitor that this one asks, or may be asked by."""
        for name in self._host.asks() | self._host.asked_by():
            other = others[name]
            self.channels.connect(name, other.channels, other.server.message)

    def _occur(self, label: Label, clock: VectorClock, values: Binding) -> None:
        self._step(Event(label, clock))

    def _observe(self, label: Label, clock: VectorClock, values: Binding) -> None:
        self._state, _, _ = self._advance(self._state, clock, Observe(Event(label, clock)))
        self.server.event(_PROCESS)

    def _occur_of_instance(self, label: Label, clock: VectorClock, values: Binding) -> None:
        names = self._carries[label]
        binding = tuple([value for value in values if value[0] in names])
        self._step(InstanceEvent(Event(label, clock), binding))

    def _observe_of_instance(self, label: Label, clock: VectorClock, values: Binding) -> None:
        # Events of instances do not queue: each is judged at once, and takes its time then.
        self._occur_of_instance(label, clock, values)
        self.server.event(_GO_ON)

    def _step(self, given: AnyInput) -> None:
        own, clocks, before = self._own, self._clocks, self._state
        state, clocks[own], effects = self._advance(before, clocks[own], given)
        self._state = state
        measurements = self._measurements
        for effect in effects:
            kind = type(effect)
            if kind is Send:
                self.channels.send(effect.message)  # type: ignore[union-attr]
            elif kind is Declared:
                measurements.told(self._process, effect)  # type: ignore[arg-type]
            elif kind is SetDeadline:
                self._set_deadline(effect.event)  # type: ignore[union-attr]
            elif kind is Unsettled:
                measurements.unsettled(self._process, effect.event)  # type: ignore[union-attr]
            else:
                raise InternalError(f"{self._process}: {effect}")
        # Counting those of one instance takes long, those of all instances are counted.
        if type(state) is not MonitorState or state.history is not before.history:  # type: ignore[union-attr]
            self._records = state.records
        measurements.stepped(self._process, self._records, state)

    def _set_deadline(self, event: VectorClock) -> None:
        context = self._context
        assert context.deadline is not None
        at = context.event_queue.now + context.deadline
        # Neither an event nor a message: it takes no service time, and delays nothing else.
        context.schedule(at, self._expire, Expire(event))

    def _expire(self, expired: Expire) -> None:
        if self.server.is_silent:
            self.server.event(expired)
        else:
            self._step(expired)
