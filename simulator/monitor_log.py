"""A log of monitors in a run, told to a recorder as they act.

It names the events of the run, so that a reader needs nothing else. Recording changes nothing in
the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from choreomon.core.binding import Binding
from choreomon.core.monitor_log import (
    LogEntry,
    MessageKind,
    MessageSent,
    MessageTaken,
    VerdictDeclared,
)
from choreomon.core.run import RunVerdict
from choreomon.core.stated_rule import StatedRule
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Reference
from choreomon.monitor.messages import Inquiry, MonitoringMessage, Notice, Push, Response, Waiting
from choreomon.monitor.of_instances.messages import InstanceMessage
from simulator.measuring import TimedVerdict
from simulator.sidecars.central import CENTRE
from simulator.sidecars.run_context import AnyMessage
from simulator.world import World

MonitorRecorder: TypeAlias = Callable[[LogEntry], None]
"""Called with everything that a monitor sends, takes or declares, as it does so."""

_KINDS: Final[Mapping[type, MessageKind]] = {
    Inquiry: "inquiry",
    Response: "response",
    Waiting: "waiting",
    Push: "push",
    Notice: "notice",
}


class RecordedMonitors:
    """Implements `simulator.sidecars.run_context.MonitorLog` for the monitors of one world."""

    def __init__(self, world: World, recorder: MonitorRecorder) -> None:
        self._world = world
        self._index_of = {process: index for index, process in enumerate(world.processes)}
        self._recorder = recorder
        self._number = 0
        # Keyed by identity: the event queue or a server keeps a message under way alive, so nothing
        # else has its identity before it is taken.
        self._under_way: dict[int, int] = {}

    def sent(self, told: AnyMessage, size: int, arrives: int) -> None:
        number = self._number
        self._number = number + 1
        self._under_way[id(told)] = number
        message: MonitoringMessage
        binding: Binding = ()
        if isinstance(told, InstanceMessage):
            message, binding = told
        else:
            message = told
        world = self._world
        process, count = self._event(message)
        inspected, references = _transitions(message)
        self._recorder(
            MessageSent(
                number,
                world.event_queue.now,
                world.events,
                _KINDS[type(message)],
                message.sender,
                CENTRE if isinstance(message, Notice) else message.receiver,
                arrives,
                size,
                world.event_index(self._index_of[process], count),
                None if inspected is None else _arrow(inspected),
                tuple(map(_arrow, references)),
                _clock(message),
                binding,
            )
        )

    def taken(self, message: AnyMessage) -> None:
        number = self._under_way.pop(id(message))
        self._recorder(MessageTaken(number, self._world.event_queue.now, self._world.events))

    def declared(
        self, timed: TimedVerdict, verdict: RunVerdict | None, rule: StatedRule | None
    ) -> None:
        """Record a verdict. `verdict` is that of `timed`, looked up; `rule` is what it is about."""
        own = self._index_of[timed.process]
        self._recorder(
            VerdictDeclared(
                timed.time,
                self._world.events,
                timed.process,
                self._world.event_index(own, timed.event[own]),
                str(timed.label),
                timed.provisional,
                verdict,
                timed.binding,
                rule,
            )
        )

    def _event(self, message: MonitoringMessage) -> tuple[str, int]:
        """The process of the event that a message is about, and the event's count."""
        match message:
            case Response() | Waiting():
                return message.receiver, message.event_count
            case Inquiry() | Push() | Notice():
                return message.sender, message.event[self._index_of[message.sender]]


def _transitions(message: MonitoringMessage) -> tuple[Reference | None, tuple[Reference, ...]]:
    """The transition under inspection, and those asked for or told."""
    match message:
        case Inquiry():
            named = tuple([each.reference for each in message.named])
            return message.inspected, message.asked + named
        case Response():
            told = (*message.records, *message.evidence)
            return message.inspected, tuple([record.reference for record in told])
        case Waiting():
            return message.inspected, ()
        case Push():
            return None, (message.reference,)
        case Notice():
            return None, ()


def _clock(message: MonitoringMessage) -> VectorClock:
    return message.event if isinstance(message, Notice) else message.clock


def _arrow(reference: Reference) -> tuple[str, str]:
    return (reference.source, reference.target)
