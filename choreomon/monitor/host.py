"""The host of a monitor: all that decides beside one process, for one property, as a value.

A `HostState` holds the clock that a process shares with its monitor, and the state of the
monitor, its queue of events included. Simulator and live agents drive the same host: what they
add is time, networks, disks. The simulator, whose world keeps the clocks of processes, calls
`step` with them; a live agent calls the rest. What a driver does:

- An event that some row mentions is reported: `heard` with the clock of what was handled or heard
  since the last report, then `report`. One that no row mentions only carries the clock on; it
  does not tick.
- A monitoring message arrives: `receive`. What a peer may not say is refused, with an effect.
- A deadline passes: `expire`, and at last `give_up`. A step was left `Unfinished`: `go_on`.
- Events happen that are not told: `gap_opens` before the first, `gap_ends` after the last. A clock
  that knows more of this process than the process itself tells of a lost disk: that is a gap, too.
- After a restart, or where messages may have been lost: send `outstanding` again.

The state is a value: what is not committed yet can be computed again from the same inputs.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.binding import Binding
from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock, as_far_as_can_be, merge, tick, zero
from choreomon.core.verdict import NEVER
from choreomon.monitor.effects import Effect
from choreomon.monitor.messages import (
    Inquiry,
    MonitoringMessage,
    Notice,
    Push,
    Response,
    Waiting,
)
from choreomon.monitor.of_instances.messages import InstanceMessage
from choreomon.monitor.of_instances.monitor import InstanceInput, InstanceMonitor
from choreomon.monitor.of_instances.state import InstanceEvent, InstancesState
from choreomon.monitor.pull import Monitor
from choreomon.monitor.retransmission import open_inquiries
from choreomon.monitor.rights import FARTHEST, Refused, Rights, rights_of
from choreomon.monitor.state import (
    Expire,
    GapEnds,
    GapOpens,
    GiveUp,
    GoOn,
    Input,
    MonitorState,
    ProcessNext,
)

LEAP: Final = 1 << 20
"""Counts that are left out after a lost disk: more events than these, and than what any clock
that arrived told of, must not have been lost, or two events have one count."""


AnyState: TypeAlias = MonitorState | InstancesState
"""Of a monitor, or of one of a property for each instance."""

AnyInput: TypeAlias = Input | InstanceInput | MonitoringMessage


class HostState(NamedTuple):
    """State of a host: the clock of the process, which its monitor shares, and the memory of the
    monitor."""

    clock: VectorClock
    monitor: AnyState


HostEffect: TypeAlias = Effect | Refused
Stepped: TypeAlias = tuple[HostState, list[HostEffect]]


@dataclass(frozen=True)
class Host:
    """The host of one monitor; it has no state of its own."""

    monitor: Monitor | InstanceMonitor
    _rights: Rights = field(init=False, repr=False)
    _of_instances: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rights", rights_of(self.monitor))
        object.__setattr__(self, "_of_instances", isinstance(self.monitor, InstanceMonitor))

    @property
    def rights(self) -> Rights:
        """Return what others may say to this one."""
        return self._rights

    def initial(self) -> HostState:
        return HostState(zero(len(self.monitor.processes)), self.monitor.initial())

    def mentions(self, label: Label) -> bool:
        """Tell whether a row mentions the label, so that its events must be reported."""
        return label in self.monitor.plans

    def asks(self) -> frozenset[str]:
        """The other processes whose monitors this one may ask."""
        return frozenset(owner for _, owner in self._rights.asked_of) | {*self._rights.named_of}

    def asked_by(self) -> frozenset[str]:
        """The other processes whose monitors may ask this one."""
        own = self.monitor.process
        readers = {*self._rights.may_ask, *self._rights.may_name}
        return frozenset(reader for reader in readers if reader != own)

    # Events of the process.

    def heard(self, state: HostState, clock: VectorClock) -> Stepped:
        """The process got to know this clock."""
        own, process = self.monitor.own, self.monitor.process
        effects: list[HostEffect] = []
        if clock[own] > state.clock[own]:
            if clock[own] > FARTHEST:
                return state, [Refused("clock", process, "it heard of more than can have happened")]
            state, effects = self.forgot(state, clock[own])
        merged = merge(state.clock, clock)
        return (state if merged == state.clock else HostState(merged, state.monitor)), effects

    def report(
        self, state: HostState, label: Label, binding: Binding = ()
    ) -> tuple[HostState, VectorClock, list[HostEffect]]:
        """An event with this label happens now; the clock right after it, which its message
        carries, and what to do. What was heard before is told with `heard` first. `binding`: what
        its message carries, of a property for each instance."""
        clock = tick(state.clock, self.monitor.own)
        event = Event(label, clock)
        given = InstanceEvent(event, binding) if self._of_instances else event
        stepped, effects = self._step(HostState(clock, state.monitor), given)
        return stepped, clock, effects

    # Other monitors.

    def receive(self, state: HostState, message: MonitoringMessage | InstanceMessage) -> Stepped:
        """A message of another monitor. One that may not be sent is refused; one that arrives
        again, or too late, does no harm."""
        return self._step(state, message)

    def approach(
        self, state: HostState, message: Inquiry | Response | Waiting | InstanceMessage
    ) -> Stepped:
        """A message whose clock is far beyond this one is not taken, but this one comes nearer.

        What a monitor knows is never forgotten. One that was made to know too much by something
        wrong (a frame that was damaged is enough) would be refused by all others for ever; so it is
        refused until they know as much, and they get there in steps: one for each message, which
        is repeated.
        """
        refused = self._refusal(state.clock, message)
        if refused is not None:
            return state, [refused]
        return self.heard(state, as_far_as_can_be(message.clock, state.clock))

    def expire(self, state: HostState, count: int) -> Stepped:
        """The deadline for answers about the own event number `count` has passed."""
        own, monitor = self.monitor.own, state.monitor
        if isinstance(monitor, InstancesState):
            opened = monitor.shared.open.at(count)
            events = [opened.event] if opened is not None and opened.decides else []
        else:
            events = [each.event for each in monitor.decisions if each.event[own] == count]
        return self._step(state, Expire(events[0])) if events else (state, [])

    def give_up(self, state: HostState, count: int) -> Stepped:
        """Wait for nothing more about the own event number `count`."""
        own, monitor = self.monitor.own, state.monitor
        if isinstance(monitor, InstancesState):
            opened = monitor.shared.open.at(count)
            events = [] if opened is None else [opened.event]
        else:
            events = [each.event for each in monitor.inspections if each.event[own] == count]
        return self._step(state, GiveUp(events[0])) if events else (state, [])

    def go_on(self, state: HostState) -> Stepped:
        """Continue what a step left unfinished, if the monitor works in slices."""
        return self._step(state, GoOn())

    # Gaps.

    def gap_opens(self, state: HostState, since: VectorClock | None = None) -> HostState:
        """Open a gap: from now on, or ever since the clock was `since`, events may happen that are
        not told."""
        stepped, _ = self._step(state, GapOpens(since))
        return stepped

    def gap_ends(
        self, state: HostState, *, lost: bool, since: VectorClock | None = None
    ) -> Stepped:
        """End a gap: every event is told again. `lost`: some that happened never will be, since the
        clock was `since`, or since the gap opened."""
        if not lost:
            return self._step(state, GapEnds(None))
        until = tick(state.clock, self.monitor.own)
        return self._step(HostState(until, state.monitor), GapEnds(until, since or state.clock))

    def forgot(self, state: HostState, reached: int) -> Stepped:
        """The process did more than this state knows of, up to the count `reached` at least.

        Whatever is under inspection is given up: this process may have promised others not to ask
        about it any more, so they may have dropped what would be needed. That the process
        has come back so must never be forgotten itself: the next time it would count alike.
        """
        own, since = self.monitor.own, state.clock
        count = max(reached, since[own]) + LEAP
        until = (*since[:own], count, *since[own + 1 :])
        stepped, effects = self._step(HostState(until, state.monitor), GapEnds(until, since))
        gaps = state.monitor.gaps
        if gaps and gaps[-1].until[own] == NEVER:
            stepped = self.gap_opens(stepped)  # what opened it goes on
        while stepped.monitor.unprocessed:
            stepped, more = self._step(stepped, ProcessNext())
            effects += more
        for event in self.inspected(stepped):
            stepped, more = self.give_up(stepped, event)
            effects += more
        return stepped, effects

    # After a restart.

    def outstanding(self, state: HostState) -> list[Inquiry | InstanceMessage]:
        """The inquiries that are not answered, oldest event first."""
        monitor = state.monitor
        if isinstance(self.monitor, InstanceMonitor):
            assert isinstance(monitor, InstancesState)
            return [*self.monitor.open_inquiries(monitor, state.clock)]
        assert isinstance(monitor, MonitorState)
        return [*open_inquiries(self.monitor, monitor, state.clock)]

    def undecided(self, state: HostState) -> list[int]:
        """The own events without a last verdict, by count, oldest first."""
        own = self.monitor.own
        return [decision.event[own] for decision in state.monitor.decisions]

    def is_undecided(self, state: HostState, count: int) -> bool:
        """Tell whether a last verdict about the own event number `count` is to come."""
        own, monitor = self.monitor.own, state.monitor
        if isinstance(monitor, InstancesState):
            opened = monitor.shared.open.at(count)
            return opened is not None and opened.decides
        at = bisect_left(monitor.decisions, count, key=lambda each: each.event[own])
        return any(each.event[own] == count for each in monitor.decisions[at : at + 1])

    def inspected(self, state: HostState) -> list[int]:
        """The counts of the own events under inspection, oldest first."""
        own = self.monitor.own
        return list(dict.fromkeys(each.event[own] for each in state.monitor.inspections))

    # All of it.

    def step(
        self, state: AnyState, clock: VectorClock, input_: AnyInput
    ) -> tuple[AnyState, VectorClock, list[HostEffect]]:
        """`Monitor.step`, but what a peer may not say is refused, and a clock that knows more of
        this process than it does itself tells of a gap. All else comes to this; a driver whose
        processes keep their clocks calls it with them."""
        # By type and by place, as in `Monitor.step`: all monitoring messages pass here.
        kind = type(input_)
        if kind is Inquiry:
            refused = self._rights.wrong_inquiry(input_)  # type: ignore[arg-type]
        elif kind is Response:
            refused = self._rights.wrong_response(clock, input_)  # type: ignore[arg-type]
        elif kind is Waiting:
            refused = self._rights.wrong_waiting(input_)  # type: ignore[arg-type]
        elif kind is InstanceMessage:
            refused = self._refusal(clock, input_)  # type: ignore[arg-type]
        elif kind is Push or kind is Notice:
            refused = Refused("kind", input_.sender, f"a {kind.__name__}")  # type: ignore[union-attr]
        else:
            return self.monitor.step(state, clock, input_)  # type: ignore[arg-type, return-value]
        if refused is None and (kind is InstanceMessage) is not self._of_instances:
            told = "it is about an instance" if kind is InstanceMessage else "it is about none"
            refused = Refused("kind", input_.sender, told)  # type: ignore[union-attr]
        if refused is not None:
            return state, clock, [refused]
        own = self.monitor.own
        reached = input_.clock[own]  # type: ignore[union-attr]
        if reached > clock[own]:
            if reached > FARTHEST:
                told = "it knows of more than can have happened here"
                return state, clock, [Refused("clock", input_.sender, told)]  # type: ignore[union-attr]
            (clock, state), effects = self.forgot(HostState(clock, state), reached)
            state, clock, more = self.monitor.step(state, clock, input_)  # type: ignore[arg-type]
            return state, clock, effects + more
        return self.monitor.step(state, clock, input_)  # type: ignore[arg-type, return-value]

    def _refusal(
        self, clock: VectorClock, message: Inquiry | Response | Waiting | InstanceMessage
    ) -> Refused | None:
        """Say why it may not be sent."""
        if type(message) is Inquiry:
            return self._rights.wrong_inquiry(message)
        if type(message) is Response:
            return self._rights.wrong_response(clock, message)
        if type(message) is Waiting:
            return self._rights.wrong_waiting(message)
        assert type(message) is InstanceMessage
        return self._rights.wrong_binding(message) or self._refusal(clock, message.message)

    def _step(self, state: HostState, input_: AnyInput) -> Stepped:
        clock, before = state
        monitor, merged, effects = self.step(before, clock, input_)
        if monitor is before and merged == clock:
            return state, effects
        return HostState(merged, monitor), effects
