"""The sidecars of the push strategy: monitors that tell each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from choreomon.core.binding import Binding
from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.effects import Send
from choreomon.monitor.push import PushMonitor
from choreomon.monitor.rule_sets import WITHOUT_INQUIRIES
from choreomon.properties.tables import RulesName, TransitionTable
from simulator.sidecars.run_context import Explained, RunContext, Watchers
from simulator.sidecars.single_server import SingleServer, watching


def pushing(
    context: RunContext, tables: Mapping[str, TransitionTable], rules: RulesName
) -> tuple[Mapping[str, Watchers], Explained]:
    """Put a sidecar beside each process."""
    processes, told = context.processes, WITHOUT_INQUIRIES[rules]
    monitors = {process: PushMonitor(table, processes, told) for process, table in tables.items()}
    sidecars = {
        process: PushSidecar(context, monitors[process], own)
        for own, process in enumerate(processes)
        if process in monitors
    }
    for sidecar in sidecars.values():
        sidecar.connect(sidecars)
    return (
        {name: each.watchers for name, each in sidecars.items()},
        lambda verdict: monitors[verdict.process].explained(verdict),
    )


class PushSidecar:
    """A pushing monitor beside its process."""

    def __init__(self, context: RunContext, monitor: PushMonitor, own: int) -> None:
        self._context = context
        self._clocks = context.clocks
        self._monitor = monitor
        self._own = own
        self._process = context.processes[own]
        self.channels = context.channels(self._process)
        self.server = SingleServer(context, self._process, self._step)
        self.watchers = watching(monitor.table, self._observe, context.measurements)

    def connect(self, others: Mapping[str, PushSidecar]) -> None:
        """Make a channel to every other monitor that this one tells something."""
        readers = {name for names in self._monitor.table.readers.values() for name in names}
        for name in readers - {self._process}:
            other = others[name]
            self.channels.connect(name, other.channels, other.server.message)

    def _observe(self, label: Label, clock: VectorClock, _: Binding) -> None:
        self.server.event(Event(label, clock))

    def _step(self, given: Any) -> None:
        own = self._own
        clock = self._clocks[own]
        if type(given) is Event:
            effects = self._monitor.observe(given, clock)
        else:
            self._clocks[own], effects = self._monitor.receive(given, clock)
        measurements = self._context.measurements
        for effect in effects:
            if type(effect) is Send:
                self.channels.send(effect.message)
            else:
                measurements.told(self._process, effect)  # type: ignore[arg-type]
        measurements.stepped(self._process, self._monitor.records, self._monitor)
