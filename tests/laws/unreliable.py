"""Executions of hosts as live agents drive them, in which things go wrong.

As in `tests.laws.interleaving` there is no time and no network model, and the real order of events
is the order in which they happen. But a service and its host do not share a clock here: what a
message carries is what the service got to know, an event that no row mentions is not reported and
does not tick, and what was heard is told with the next report. And events may happen that the host
is not told, and hosts may give up, or come back without what they did last.

Whoever drives an execution takes it step by step: `tests.laws.faults` at random.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from choreomon.core.message import HANDLE, SEND, Event, Label, Message
from choreomon.core.vector_clock import VectorClock, merge, tick, zero
from choreomon.monitor.effects import Send, SetDeadline, Unfinished
from choreomon.monitor.host import Host, HostEffect, HostState
from choreomon.monitor.messages import Inquiry, PeerMessage
from choreomon.monitor.pull import Monitor
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.monitor.state import Observe, ProcessNext
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.tables import transition_tables
from tests.laws.course import Course, Happened, Step

WORKS: Final = "works"
DELIVERS: Final = "delivers"
EXPIRES: Final = "expires"
OPENS: Final = "opens"
ENDS: Final = "ends"
GIVES_UP: Final = "gives up"
GOES_ON: Final = "goes on"
FORGETS: Final = "forgets"

ROUNDS: Final = 10
"""Rounds of asking again after which what is still not answered never will be."""


@dataclass(frozen=True)
class Setting:
    """Processes with their hosts, as `tests.laws.interleaving.System` has monitors."""

    automaton: SequenceAutomaton
    processes: tuple[str, ...]
    rules: Rules = SOUND
    in_order: bool = True
    queued: bool = False
    deadline: bool = False
    most_open: int | None = None
    in_slices: bool = False
    hosts: tuple[Host, ...] = field(init=False)

    def __post_init__(self) -> None:
        tables = transition_tables(self.automaton, self.processes, self.rules.name)
        hosts = tuple(
            Host(
                Monitor(
                    tables[process],
                    self.processes,
                    self.rules,
                    has_deadline=self.deadline,
                    most_open=self.most_open,
                    in_slices=self.in_slices,
                )
            )
            for process in self.processes
        )
        object.__setattr__(self, "hosts", hosts)


class InFlight(NamedTuple):
    """A message that was sent and is not handled yet, with the clock that it carries, and the
    indices of the told events that happened before it was sent or are its sending."""

    message: Message
    clock: VectorClock
    past: frozenset[int]


class Execution(Course):
    """A run so far, and what may be done in it. `dead`: no monitoring message from or to these
    arrives."""

    def __init__(self, setting: Setting, *, dead: Collection[int] = ()) -> None:
        super().__init__(setting.automaton)
        count = len(setting.processes)
        self.setting = setting
        self.dead = frozenset(dead)
        self.index_of = {process: place for place, process in enumerate(setting.processes)}
        self.states = [host.initial() for host in setting.hosts]
        self.carried = [zero(count)] * count
        self.heard = [zero(count)] * count
        self.pasts: list[frozenset[int]] = [frozenset()] * count
        self.inboxes: list[list[InFlight]] = [[] for _ in range(count)]
        self.channels: dict[tuple[int, int], list[PeerMessage]] = {
            (sender, receiver): []
            for sender in range(count)
            for receiver in range(count)
            if sender != receiver
        }
        self.deadlines: list[tuple[int, int]] = []
        self.behind: set[int] = set()
        """Whose last steps left something unfinished."""
        self.is_open = [False] * count
        self.gap = [0] * count
        self.hidden = [False] * count
        self.since: list[VectorClock | None] = [None] * count
        self.began = [zero(count)] * count
        self.knew: list[VectorClock | None] = [None] * count
        """What each of them knew that was lost with its disk."""

    # Events.

    def sends(self, message: Message, *, told: bool = True) -> None:
        """The service sends; an untold message carries what the service knew."""
        process = self.index_of[message.sender]
        self._happens(process, Label(SEND, message), told)
        receiver = self.index_of[message.receiver]
        flight = InFlight(message, self.carried[process], self.pasts[process])
        self.inboxes[receiver].append(flight)

    def begins(self, message: Message) -> None:
        """The sender does it, and everybody knows of it before doing anything."""
        process = self.index_of[message.sender]
        self.sends(message)
        for _ in self.states[process].monitor.unprocessed:
            self.works(process)
        count = len(self.states)
        self.carried = [self.carried[process]] * count
        self.heard = [self.carried[process]] * count
        self.pasts = [self.pasts[process]] * count
        self.inboxes = [[] for _ in range(count)]

    def handles(self, message: Message, which: int | None = None, *, told: bool = True) -> None:
        process = self.index_of[message.receiver]
        inbox = self.inboxes[process]
        if which is None:
            which = [flight.message for flight in inbox].index(message)
        _, clock, past = inbox.pop(which)
        self.carried[process] = merge(self.carried[process], clock)
        self.heard[process] = merge(self.heard[process], clock)
        self.pasts[process] |= past
        self._happens(process, Label(HANDLE, message), told)

    def _happens(self, process: int, label: Label, told: bool) -> None:
        host = self.setting.hosts[process]
        if not host.mentions(label):
            return
        if not told:
            in_gap = self.is_open[process] or self.since[process]
            assert in_gap, f"{label} is not told, outside of a gap"
            self.hidden[process] = True
            since, knew = self.began[process], self.knew[process]
            self.events.append(Happened(label, process, None, self.gap[process], since, knew))
            return
        before = self.states[process]
        state, effects = host.heard(before, self.heard[process])
        self.heard[process] = zero(len(self.states))
        if self.setting.queued:
            clock = tick(state.clock, process)
            monitor, clock, _ = host.step(state.monitor, clock, Observe(Event(label, clock)))
            state = HostState(clock, monitor)
        else:
            state, clock, more = host.report(state, label)
            effects = effects + more
        self.carried[process] = merge(self.carried[process], clock)
        self._did(label.kind, process, state, effects)
        self.past_of[len(self.events)] = self.pasts[process]
        self.pasts[process] |= {len(self.events)}
        self.events.append(Happened(label, process, clock, knew=self.knew[process]))

    def works(self, process: int) -> None:
        clock, state = self.states[process]
        state, clock, effects = self.setting.hosts[process].step(state, clock, ProcessNext())
        self._did(WORKS, process, HostState(clock, state), effects)

    # Gaps.

    def keeps_back(self, process: int) -> None:
        """From now on the service tells nothing, but may do so later: the host lets nobody ask it
        until then, or until it takes all that is kept back for a gap."""
        self.since[process] = self.began[process] = self.states[process].clock
        self.hidden[process] = False
        self.gap[process] += 1

    def opens(self, process: int) -> None:
        """From now on the host need not be told, or ever since the service keeps back."""
        host, since = self.setting.hosts[process], self.since[process]
        if since is None:
            self.began[process] = self.states[process].clock
            self.hidden[process] = False
            self.gap[process] += 1
        self.is_open[process] = True
        self.since[process] = None
        self._did(OPENS, process, host.gap_opens(self.states[process], since), [])

    def ends(self, process: int, *, lost: bool = True) -> None:
        """Everything is told again; also where it was not said before that something was not."""
        host, since = self.setting.hosts[process], self.since[process]
        state, effects = host.gap_ends(self.states[process], lost=lost, since=since)
        self.is_open[process] = False
        self.since[process] = None
        if lost:
            self.ends_of[process, self.gap[process]] = state.clock[process]
            self.carried[process] = merge(self.carried[process], state.clock)
        self._did(ENDS, process, state, effects)

    def forgets(self, last: Step) -> None:
        """The host comes back as it was before a step. What it was told since then is in a gap."""
        process, earlier = last.process, last.before
        host = self.setting.hosts[process]
        if not self.is_open[process]:
            self.gap[process] += 1
        gap = self.gap[process]
        knew_now, before = self.states[process].clock, self.knew[process]
        self.knew[process] = merge(before, knew_now) if before else knew_now
        for index, event in enumerate(self.events):
            if event.process == process and index >= last.events:
                since = tuple(map(min, event.since or earlier.clock, earlier.clock))
                knew = event.knew or event.clock or event.since
                self.events[index] = event._replace(gap=gap, since=since, knew=knew)
        self.states[process] = earlier
        state, effects = host.forgot(earlier, 0)
        self.ends_of[process, gap] = state.clock[process]
        if self.is_open[process]:
            state = host.gap_opens(state)
            self.gap[process] += 1
        self._did(FORGETS, process, state, effects)
        if self.setting.in_slices:
            self.behind.add(process)  # as after every restart

    # Monitoring messages.

    def delivers(self, sender: int, receiver: int, which: int = 0) -> list[HostEffect]:
        message = self.channels[sender, receiver].pop(which)
        if self.since[receiver] is not None and isinstance(message, Inquiry):
            return []
        host = self.setting.hosts[receiver]
        stepped = host.receive(self.states[receiver], message)
        return self._did(DELIVERS, receiver, *stepped, given=message)

    def asks_again(self, process: int) -> int:
        """Whatever is not answered; how many these are."""
        again = self.setting.hosts[process].outstanding(self.states[process])
        for inquiry in again:
            self._leaves(process, inquiry)
        return len(again)

    def asks_everybody_again(self) -> None:
        """All of them at once, and whatever follows of that arrives."""
        for process in range(len(self.states)):
            self.asks_again(process)
        self._delivers_all()

    def expires(self, process: int, count: int) -> None:
        self.deadlines.remove((process, count))
        host = self.setting.hosts[process]
        self._did(EXPIRES, process, *host.expire(self.states[process], count), about=count)

    def goes_on(self, process: int) -> None:
        self.behind.discard(process)
        self._did(GOES_ON, process, *self.setting.hosts[process].go_on(self.states[process]))

    def gives_up(self, process: int, count: int) -> None:
        host = self.setting.hosts[process]
        self._did(GIVES_UP, process, *host.give_up(self.states[process], count))

    def _did(
        self,
        kind: str,
        process: int,
        state: HostState,
        effects: list[HostEffect],
        given: PeerMessage | None = None,
        about: int = 0,
    ) -> list[HostEffect]:
        for effect in effects:
            match effect:
                case Send(message):
                    self._leaves(process, message)
                case SetDeadline(event):
                    self.deadlines.append((process, event[process]))
                case Unfinished():
                    self.behind.add(process)
                case _:
                    pass
        before = self.states[process]
        self.states[process] = state
        happened = len(self.events)
        self.steps.append(Step(kind, process, before, state, effects, happened, given, about))
        return effects

    def _leaves(self, sender: int, message: PeerMessage) -> None:
        receiver = self.index_of[message.receiver]
        if sender not in self.dead and receiver not in self.dead:
            self.channels[sender, receiver].append(message)

    # To the end.

    def _delivers_all(self) -> None:
        """Whatever is under way or queued, and what follows of it."""
        while (
            self.behind
            or any(self.channels.values())
            or any(state.monitor.unprocessed for state in self.states)
        ):
            for process, state in enumerate(self.states):
                for _ in state.monitor.unprocessed:
                    self.works(process)
            for process in sorted(self.behind):
                self.goes_on(process)
            for (sender, receiver), channel in self.channels.items():
                while channel:
                    self.delivers(sender, receiver)

    def settles(self) -> Execution:
        """Everything that waits is worked off, and asked again where it was lost. What is open
        after that, nothing will end. Who keeps back does so for ever."""
        for process, since in enumerate(self.since):
            if since is not None:
                self.opens(process)
        for _ in range(ROUNDS):
            self._delivers_all()
            if not sum(map(self.asks_again, range(len(self.states)))):
                break
        return self

    def gives_all_up(self) -> Execution:
        for process, host in enumerate(self.setting.hosts):
            while counts := host.inspected(self.states[process]):
                self.gives_up(process, counts[0])
        return self

    def unfinished(self) -> list[str]:
        """What still waits although nothing can happen any more."""
        return [
            f"{process}: {what}"
            for process, (_, state) in zip(self.setting.processes, self.states, strict=True)
            for what in (*state.unprocessed, *state.inspections, *state.postponed, *state.decisions)
        ]
