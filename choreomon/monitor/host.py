"""The host of a monitor: all that decides beside one process, for one property, as a value.

A `HostState` holds the clock that a process shares with its monitor, and the state of the
monitor, its queue of events included. Simulator and live agents drive the same host: what they
add is time, networks, disks. What a driver does:

- An event that some row mentions is reported: `heard` with the clock of what was handled or heard
  since the last report, then `report`. One that no row mentions only carries the clock on; it
  does not tick.
- A monitoring message arrives: `receive`. What a peer may not say is refused, with an effect.
- A deadline passes: `expire`, and at last `give_up`.
- Events happen that are not told: `gap_opens` before the first, `gap_ends` after the last. A clock
  that knows more of this process than the process itself tells of a lost disk: that is a gap, too.
- After a restart, or where messages may have been lost: send `outstanding` again.

The state is a value: what is not committed yet can be computed again from the same inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.message import Event, Label
from choreomon.core.vector_clock import VectorClock, merge, tick, zero
from choreomon.core.verdict import GAP, NEVER, Reference
from choreomon.monitor.effects import Effect
from choreomon.monitor.messages import Inquiry, MonitoringMessage, Response, Waiting
from choreomon.monitor.pull import Monitor, open_inquiries
from choreomon.monitor.state import (
    Expire,
    GapEnds,
    GapOpens,
    GiveUp,
    Input,
    MonitorState,
    Observe,
    ProcessNext,
)

LEAP: Final = 1 << 20
"""Counts that are left out after a lost disk: more events than these, and than what any clock
that arrived told of, must not have been lost, or two events have one count."""

RefusalReason: TypeAlias = Literal["kind", "receiver", "rights", "answer", "clock"]


class Refused(NamedTuple):
    """A message that its sender may not send; nothing of it was taken. `detail` is for logs."""

    reason: RefusalReason
    sender: str
    detail: str


class HostState(NamedTuple):
    """The clock of the process as its monitor shares it, and what the monitor remembers."""

    clock: VectorClock
    monitor: MonitorState


HostEffect: TypeAlias = Effect | Refused
Stepped: TypeAlias = tuple[HostState, list[HostEffect]]


@dataclass(frozen=True)
class Host:
    """The host of one monitor; it has no state of its own."""

    monitor: Monitor
    _may_ask: frozenset[tuple[str, Reference]] = field(init=False, repr=False)
    _asked_of: Mapping[tuple[Reference, str], frozenset[Reference]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        table = self.monitor.table
        may_ask = frozenset(
            (reader, reference)
            for reference, readers in table.readers.items()
            for reader in readers
        )
        asked_of = {
            (plan.inspected.reference, owner): frozenset(asked)
            for plans in self.monitor.plans.values()
            for plan in plans
            for owner, _, asked in plan.others
        }
        object.__setattr__(self, "_may_ask", may_ask)
        object.__setattr__(self, "_asked_of", asked_of)

    def initial(self) -> HostState:
        return HostState(zero(len(self.monitor.processes)), self.monitor.initial())

    def mentions(self, label: Label) -> bool:
        """Whether some row does, so that the event is to be reported."""
        return label in self.monitor.plans

    def asks(self) -> frozenset[str]:
        """The other processes whose monitors this one may ask."""
        return frozenset(owner for _, owner in self._asked_of)

    def asked_by(self) -> frozenset[str]:
        """The other processes whose monitors may ask this one."""
        own = self.monitor.process
        return frozenset(reader for reader, _ in self._may_ask if reader != own)

    # Events of the process.

    def heard(self, state: HostState, clock: VectorClock) -> Stepped:
        """The process, or its monitor, got to know this clock."""
        own = self.monitor.own
        effects: list[HostEffect] = []
        if clock[own] > state.clock[own]:
            state, effects = self.forgot(state, clock[own])
        merged = merge(state.clock, clock)
        return (state if merged == state.clock else HostState(merged, state.monitor)), effects

    def report(
        self, state: HostState, label: Label
    ) -> tuple[HostState, VectorClock, list[HostEffect]]:
        """An event with this label happens now; the clock right after it, which its message
        carries, and what to do. What was heard before is told with `heard` first."""
        clock = tick(state.clock, self.monitor.own)
        stepped, effects = self._step(HostState(clock, state.monitor), Event(label, clock))
        return stepped, clock, effects

    def observe(self, state: HostState, event: Event) -> HostState:
        """An event happened whose clock its driver has ticked; it waits for `process_next`."""
        stepped, _ = self._step(HostState(event.clock, state.monitor), Observe(event))
        return stepped

    def process_next(self, state: HostState) -> Stepped:
        """The oldest event that waits is judged."""
        return self._step(state, ProcessNext())

    # Other monitors.

    def receive(self, state: HostState, message: MonitoringMessage) -> Stepped:
        """A message of another monitor. One that may not be sent is refused; one that arrives
        again, or too late, does no harm."""
        refused = self._refusal(state, message)
        if refused is not None:
            return state, [refused]
        assert isinstance(message, Inquiry | Response | Waiting)
        own = self.monitor.own
        effects: list[HostEffect] = []
        reached = message.clock[own]
        if reached > state.clock[own]:
            state, effects = self.forgot(state, reached)
        state, more = self._step(state, message)
        return state, effects + more if effects else more

    def _refusal(self, state: HostState, message: MonitoringMessage) -> Refused | None:
        monitor = self.monitor
        if not isinstance(message, Inquiry | Response | Waiting):
            return Refused("kind", message.sender, f"a {type(message).__name__}")
        sender = message.sender
        if message.receiver != monitor.process or sender == monitor.process:
            return Refused("receiver", sender, f"it is for {message.receiver}")
        own, peer, clock = monitor.own, monitor.index_of[sender], message.clock
        if type(message) is Inquiry:
            for reference in message.asked:
                if (sender, reference) not in self._may_ask:
                    return Refused("rights", sender, f"it asks about {reference}")
            event = message.event
            if message.inspected.process != sender:
                return Refused("rights", sender, f"it inspects {message.inspected}")
            if event[peer] > clock[peer] or event[own] > clock[own] or message.settled > clock[own]:
                return Refused("clock", sender, "it asks about more than it knows of")
        elif type(message) is Response:
            if message.settled > max(state.clock[own], clock[own]):
                return Refused("clock", sender, "it promises more than happened")
            asked = self._asked_of.get((message.inspected, sender), frozenset())
            for record in message.records:
                if record.reference not in asked:
                    return Refused("answer", sender, f"it was not asked about {record.reference}")
                reached = record.clock[peer] > clock[peer] and record.result != GAP
                if reached or record.clock[own] > max(state.clock[own], clock[own]):
                    return Refused("clock", sender, "it tells of more than it knows of")
        return None

    def expire(self, state: HostState, count: int) -> Stepped:
        """The deadline for answers about the own event number `count` has passed."""
        own = self.monitor.own
        for decision in state.monitor.decisions:
            if decision.event[own] == count:
                if decision.told is not None:
                    break  # after a restart deadlines begin anew, and it was said before
                return self._step(state, Expire(decision.event))
        return state, []

    def give_up(self, state: HostState, count: int) -> Stepped:
        """Nothing more is waited for about the own event number `count`."""
        own = self.monitor.own
        for inspection in state.monitor.inspections:
            if inspection.event[own] == count:
                return self._step(state, GiveUp(inspection.event))
        return state, []

    # Gaps.

    def gap_opens(self, state: HostState, since: VectorClock | None = None) -> HostState:
        """From now on events may happen that are not told, or ever since the clock was `since`."""
        stepped, _ = self._step(state, GapOpens(since))
        return stepped

    def gap_ends(
        self, state: HostState, *, lost: bool, since: VectorClock | None = None
    ) -> Stepped:
        """Every event is told again. `lost`: some that happened never will be, since the clock was
        `since`, or since the gap opened."""
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
            stepped, more = self.process_next(stepped)
            effects += more
        for event in self.inspected(stepped):
            stepped, more = self.give_up(stepped, event)
            effects += more
        return stepped, effects

    # After a restart.

    def outstanding(self, state: HostState) -> list[Inquiry]:
        """The inquiries that are not answered, oldest event first."""
        return list(open_inquiries(self.monitor, state.monitor, state.clock))

    def undecided(self, state: HostState) -> list[int]:
        """The counts of the own events of which the last word is not said, oldest first."""
        own = self.monitor.own
        return [decision.event[own] for decision in state.monitor.decisions]

    def inspected(self, state: HostState) -> list[int]:
        """The counts of the own events under inspection, oldest first."""
        own = self.monitor.own
        return list(dict.fromkeys(each.event[own] for each in state.monitor.inspections))

    def _step(self, state: HostState, given: Input) -> Stepped:
        monitor, clock, effects = self.monitor.step(state.monitor, state.clock, given)
        if monitor is state.monitor and clock == state.clock:
            return state, effects  # type: ignore[return-value]  # fewer kinds of effects are fine
        return HostState(clock, monitor), effects  # type: ignore[return-value]
