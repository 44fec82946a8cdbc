"""The context that the sidecars of one run share: channels, clocks, and who is told of their
steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from choreomon.actors.delays import Sampler
from choreomon.core.message import Label
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import MonitorVerdict
from choreomon.monitor.central import CentralMonitor
from choreomon.monitor.effects import Declared
from choreomon.monitor.messages import MonitoringMessage
from choreomon.monitor.of_instances.messages import InstanceMessage
from choreomon.monitor.of_instances.state import InstancesState
from choreomon.monitor.push import PushMonitor
from choreomon.monitor.state import MonitorState
from simulator.event_queue import MONITORING, EventQueue
from simulator.linked_channels import LinkedChannels
from simulator.network import Network
from simulator.world import Watcher

Watchers: TypeAlias = Mapping[Label, Watcher]
"""The watchers of one process, by label."""

Explained: TypeAlias = Callable[[MonitorVerdict], MonitorVerdict]
"""Gives a last verdict the reasons that its monitor has by now."""

Silence: TypeAlias = Callable[[int], None]
"""Silences a monitor until a time: nobody runs it."""

AnyMessage: TypeAlias = MonitoringMessage | InstanceMessage
"""A message between monitors, about an instance or about none."""

Remembering: TypeAlias = MonitorState | InstancesState | PushMonitor | CentralMonitor
"""The state of a monitor: a value for pulling ones, else the monitor itself."""


class Measurements(Protocol):
    """Receiver of the measurements of monitors."""

    def observed(self, label: Label, clock: VectorClock) -> None:
        """An event happened that labels a final transition."""

    def sent(self, message: AnyMessage, size: int) -> None:
        """A monitoring message of `size` bytes left."""

    def stepped(self, process: str, records: int, monitor: Remembering) -> None:
        """The monitor of this process made a step, and has this many records; `monitor` is its
        present state."""

    def unsettled(self, process: str, event: VectorClock) -> None:
        """The monitor of this process could not show that its possible verdict about the event is
        inherent in the order of the run."""

    def told(self, process: str, effect: Declared) -> None:
        """The monitor of, or for, this process declared something."""


class MonitorLog(Protocol):
    """Listener to every message between monitors."""

    def sent(self, message: AnyMessage, size: int, arrives: int) -> None:
        """A message of `size` bytes left, and will arrive at the time `arrives`."""

    def taken(self, message: AnyMessage) -> None:
        """The receiver of a message starts on it; called before it has any effect."""


class RunContext:
    """The context of all sidecars of one run. `clocks[i]` is the clock of the process at `i`,
    shared with the world. `at_once`: services never take any time, and nobody is ever silent.
    `silences` are those of monitors, by process. Without a `log` nobody is told
    of messages."""

    def __init__(
        self,
        *,
        event_queue: EventQueue,
        clocks: list[VectorClock],
        processes: tuple[str, ...],
        network: Network,
        service: Callable[[str], Sampler],
        at_once: bool,
        deadline: int | None,
        measurements: Measurements,
        log: MonitorLog | None = None,
    ) -> None:
        self.event_queue = event_queue
        self.clocks = clocks
        self.processes = processes
        self.network = network
        self.service = service
        self.at_once = at_once
        self.deadline = deadline
        self.measurements = measurements
        self.log = log
        self.silences: dict[str, Silence] = {}
        self.schedule = event_queue.schedule_of(MONITORING)

    def sent(self, message: AnyMessage, size: int, arrives: int) -> None:
        """A monitoring message of `size` bytes left."""
        self.measurements.sent(message, size)
        if self.log is not None:
            self.log.sent(message, size, arrives)

    def channels(self, process: str) -> LinkedChannels:
        """The channels of the monitor of this process."""
        return LinkedChannels(self.network, process, len(self.processes), self.sent)
