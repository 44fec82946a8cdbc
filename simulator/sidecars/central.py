"""The sidecars of the central strategy: all processes tell one monitor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from choreomon.agent_files.wire import encode
from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.central import CentralMonitor
from choreomon.monitor.messages import Notice
from choreomon.monitor.rule_sets import WITHOUT_INQUIRIES
from choreomon.properties.tables import RulesName, TransitionTable
from simulator.network import Channel
from simulator.sidecars.run_context import Explained, RunContext, Watchers
from simulator.sidecars.single_server import SingleServer, watching
from simulator.world import Watcher

CENTRE: Final = "(central)"
"""The name of the central monitor's end of its channels; no process can have it."""


def centrally(
    context: RunContext, tables: Mapping[str, TransitionTable], rules: RulesName
) -> tuple[Mapping[str, Watchers], Explained]:
    """Put a central monitor in place, and a teller beside each process."""
    monitor = CentralMonitor(tuple(tables.values()), context.processes, WITHOUT_INQUIRIES[rules])
    return CentralNode(context, monitor, tables).watchers, monitor.explained


class CentralNode:
    """The central monitor, and the watchers that tell it of the events of each process."""

    def __init__(
        self,
        context: RunContext,
        monitor: CentralMonitor,
        tables: Mapping[str, TransitionTable],
    ) -> None:
        self._context = context
        self._monitor = monitor
        self._server = SingleServer(context, CENTRE, self._step)
        self.watchers = {
            process: watching(table, self._teller(process), context.measurements)
            for process, table in tables.items()
        }

    def _teller(self, process: str) -> Watcher:
        context = self._context
        channel: Channel[Notice] = context.network.channel(process, CENTRE, self._server.message)

        def tell(label: Label, clock: VectorClock, _: Binding) -> None:
            notice = Notice(process, label, clock)
            context.sent(notice, len(encode(notice)), channel(notice))

        return tell

    def _step(self, notice: Notice) -> None:
        measurements = self._context.measurements
        for process, effect in self._monitor.receive(notice):
            measurements.told(process, effect)
        measurements.stepped(CENTRE, self._monitor.records, self._monitor)
