"""Monitors beside the processes of a simulated world, one arrangement a strategy.

A *sidecar* stands beside one process: it is told of labelled events before a sent
message leaves (write-ahead), keeps its monitor, and carries out the effects of the
monitor's steps on the monitoring network. Monitors have channels of their own; the delays
of links hold for them too.

A monitor does one thing at a time, and takes monitoring messages before queued events
(Algorithm 1). What it does happens when it starts on it, as with the handlers of
processes; then it is busy for a drawn time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from choreomon.actors.delays import Sampler
from choreomon.core.errors import InternalError
from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import MonitorVerdict
from choreomon.formats.wire import encode
from choreomon.monitor.central import CentralMonitor
from choreomon.monitor.effects import Declared, Send, SetDeadline, Unsettled
from choreomon.monitor.host import Host
from choreomon.monitor.messages import MonitoringMessage, Notice
from choreomon.monitor.pull import Monitor
from choreomon.monitor.push import PushMonitor
from choreomon.monitor.rule_sets import RULES, WITHOUT_INQUIRIES
from choreomon.monitor.state import Expire, Input, MonitorState, Observe, ProcessNext
from choreomon.properties.tables import RulesName, TransitionTable
from simulator.event_queue import MONITORING, EventQueue
from simulator.linked_channels import LinkedChannels
from simulator.network import Channel, Network
from simulator.world import Watcher

StrategyName: TypeAlias = Literal["pull", "push", "central"]

CENTRE: Final = "(central)"
"""The name of the central monitor's end of its channels; no process can have it."""


def rules_with(strategy: StrategyName, rules: RulesName) -> RulesName:
    """By which rules monitors of this strategy judge, where these are asked for: only those that
    ask can ask a second time."""
    return rules if strategy == "pull" else WITHOUT_INQUIRIES[rules].name


Watchers: TypeAlias = Mapping[Label, Watcher]

Message = TypeVar("Message", bound=MonitoringMessage)


Remembering: TypeAlias = MonitorState | PushMonitor | CentralMonitor
"""What a monitor remembers: a value where it pulls, else the monitor itself."""


class Measurements(Protocol):
    """Where the measurements of monitors go."""

    def observed(self, label: Label, clock: VectorClock) -> None:
        """An event happened that labels a final transition."""

    def sent(self, message: MonitoringMessage, size: int) -> None:
        """A monitoring message of so many bytes left."""

    def stepped(self, process: str, records: int, monitor: Remembering) -> None:
        """The monitor of this process made a step, and has so many records; `monitor` is what
        remembers them, as it is now."""

    def unsettled(self, process: str, event: VectorClock) -> None:
        """The monitor of this process could not show that its possible verdict about the event is
        inherent in the order of the run."""

    def told(self, process: str, effect: Declared) -> None:
        """The monitor of, or for, this process declared something."""


class MonitorLog(Protocol):
    """Who is told of every message between monitors, where somebody wants to know."""

    def sent(self, message: MonitoringMessage, size: int, arrives: int) -> None:
        """A message of so many bytes left, and will be at its receiver then."""

    def taken(self, message: MonitoringMessage) -> None:
        """Its receiver starts on it, before anything becomes of it."""


class RunContext:
    """What all sidecars of one run share. `clocks[i]` is the clock of the process at `i`,
    shared with the world. `at_once`: services never take any time. Without a `log` nobody is told
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
        self.schedule = event_queue.schedule_of(MONITORING)

    def sent(self, message: MonitoringMessage, size: int, arrives: int) -> None:
        """A monitoring message of so many bytes left."""
        self.measurements.sent(message, size)
        if self.log is not None:
            self.log.sent(message, size, arrives)

    def channels(self, process: str) -> LinkedChannels:
        """Those of the monitor of this process."""
        return LinkedChannels(self.network, process, len(self.processes), self.sent)


class SingleServer:
    """One thing at a time, monitoring messages first; `handle` does it."""

    def __init__(self, context: RunContext, name: str, handle: Callable[[Any], None]) -> None:
        self._event_queue = context.event_queue
        self._schedule = context.schedule
        self._draw = context.service(name)
        self._handle = handle
        self._take = take = handle if context.log is None else _logging(context.log, handle)
        self._messages: deque[Any] = deque()
        self._events: deque[Any] = deque()
        self._busy = False
        self.message: Callable[[Any], None] = self._queue_message
        self.event: Callable[[Any], None] = self._queue_event
        if context.at_once:
            self.message, self.event = take, handle

    def _queue_message(self, given: object) -> None:
        self._messages.append(given)
        self._next()

    def _queue_event(self, given: object) -> None:
        self._events.append(given)
        self._next()

    def _next(self) -> None:
        while not self._busy and (self._messages or self._events):
            self._busy = True
            if self._messages:
                self._take(self._messages.popleft())
            else:
                self._handle(self._events.popleft())
            taken = self._draw()
            if taken:
                self._schedule(self._event_queue.now + taken, self._free, None)
            else:
                self._busy = False

    def _free(self, _: None) -> None:
        self._busy = False
        self._next()


def _logging(log: MonitorLog, handle: Callable[[Any], None]) -> Callable[[Any], None]:
    def take(message: MonitoringMessage) -> None:
        log.taken(message)
        handle(message)

    return take


class PullSidecar:
    """The host of a pulling monitor beside its process. The world keeps the clock of the process:
    the host gets it with every step, and what it made of it is put back."""

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
        watch = self._occur if context.at_once else self._observe
        self.watchers = _watching(host.monitor.table, watch, context.measurements)

    def connect(self, others: Mapping[str, PullSidecar]) -> None:
        """Make a channel to every other monitor that this one asks, or may be asked by."""
        for name in self._host.asks() | self._host.asked_by():
            other = others[name]
            self.channels.connect(name, other.channels, other.server.message)

    def _occur(self, label: Label, clock: VectorClock) -> None:
        self._step(Event(label, clock))

    def _observe(self, label: Label, clock: VectorClock) -> None:
        self._state, _, _ = self._advance(self._state, clock, Observe(Event(label, clock)))
        self.server.event(_PROCESS)

    def _step(self, given: Input) -> None:
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
        if state.history is not before.history:
            self._records = state.records
        measurements.stepped(self._process, self._records, state)

    def _set_deadline(self, event: VectorClock) -> None:
        context = self._context
        assert context.deadline is not None
        at = context.event_queue.now + context.deadline
        # Neither an event nor a message: it takes no service time, and delays nothing else.
        context.schedule(at, self._step, Expire(event))


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
        self.watchers = _watching(monitor.table, self._observe, context.measurements)

    def connect(self, others: Mapping[str, PushSidecar]) -> None:
        """Make a channel to every other monitor that this one tells something."""
        readers = {name for names in self._monitor.table.readers.values() for name in names}
        for name in readers - {self._process}:
            other = others[name]
            self.channels.connect(name, other.channels, other.server.message)

    def _observe(self, label: Label, clock: VectorClock) -> None:
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


class CentralNode:
    """The central monitor, and what tells it of the events of each process."""

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
            process: _watching(table, self._teller(process), context.measurements)
            for process, table in tables.items()
        }

    def _teller(self, process: str) -> Watcher:
        context = self._context
        channel: Channel[Notice] = context.network.channel(process, CENTRE, self._server.message)

        def tell(label: Label, clock: VectorClock) -> None:
            notice = Notice(process, label, clock)
            context.sent(notice, len(encode(notice)), channel(notice))

        return tell

    def _step(self, notice: Notice) -> None:
        measurements = self._context.measurements
        for process, effect in self._monitor.receive(notice):
            measurements.told(process, effect)
        measurements.stepped(CENTRE, self._monitor.records, self._monitor)


def _watching(table: TransitionTable, watch: Watcher, measurements: Measurements) -> Watchers:
    """A watcher for each label of a table, and measurements first where it may end a
    sequence."""

    def watch_final(label: Label, clock: VectorClock) -> None:
        measurements.observed(label, clock)
        watch(label, clock)

    return {
        label: watch_final if any(each.final for each in inspected) else watch
        for label, inspected in table.inspections.items()
    }


_PROCESS: Final = ProcessNext()


Explained: TypeAlias = Callable[[MonitorVerdict], MonitorVerdict]


class Monitors(NamedTuple):
    """The monitors of a strategy, in place.

    `watchers`: for each process, by its index, whom to tell of which labels. `explained`: a
    last verdict with the reasons that its monitor has by now, to be asked for when the network is
    quiet; pulling monitors give their final verdicts with them.
    """

    watchers: Sequence[Watchers]
    explained: Explained


def monitors(
    strategy: StrategyName,
    context: RunContext,
    tables: Mapping[str, TransitionTable],
    rules: RulesName,
) -> Monitors:
    """Put the monitors of a strategy in place, beside the processes that watch something by their
    `tables`. The others have nothing to ask, to answer or to tell.

    Tables of several properties can be together where no process watches for two of them.
    """
    processes = context.processes
    tables = {process: table for process, table in tables.items() if table.rows}

    def placed(watchers: Mapping[str, Watchers], explained: Explained) -> Monitors:
        return Monitors([watchers.get(process, {}) for process in processes], explained)

    told = WITHOUT_INQUIRIES[rules]
    if strategy == "central":
        centre = CentralMonitor(tuple(tables.values()), processes, told)
        return placed(CentralNode(context, centre, tables).watchers, centre.explained)
    if strategy == "push":
        telling = {
            process: PushMonitor(table, processes, told) for process, table in tables.items()
        }
        pushing = {
            process: PushSidecar(context, telling[process], own)
            for own, process in enumerate(processes)
            if process in telling
        }
        for sidecar in pushing.values():
            sidecar.connect(pushing)
        return placed(
            {process: sidecar.watchers for process, sidecar in pushing.items()},
            lambda verdict: telling[verdict.process].explained(verdict),
        )
    has_deadline = context.deadline is not None
    pulling = {
        process: PullSidecar(
            context, Host(Monitor(table, processes, RULES[rules], has_deadline=has_deadline))
        )
        for process, table in tables.items()
    }
    for puller in pulling.values():
        puller.connect(pulling)
    return placed(
        {process: puller.watchers for process, puller in pulling.items()}, lambda verdict: verdict
    )
