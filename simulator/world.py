"""The world: an application run in virtual time.

A process has a FIFO mailbox and takes the next message as soon as it is idle. Then the
handle event happens, and all statements of the handler at the same virtual time, each
send being an event; then the process is busy for its drawn service time, during which
messages gather in the mailbox. Messages from the environment enter the mailbox at their
time, without a delay, and carry no clock.

Clocks (docs/adr/022-monitors.md, "Clocks"): a process's clock ticks at every send and every
handle; at a handle it first merges the clock of the message, which is that of its send
event.

Monitors see events through `watchers`, and may merge (never tick) into `clocks` at any
time. A sent message leaves after its watcher returned: monitoring is write-ahead. Nothing
that watchers do changes which events happen, in which order, or when; only clocks.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from choreomon.actors.application import Given
from choreomon.actors.balancing import Balancer
from choreomon.actors.compilation import CompiledApplication, Route, Sending
from choreomon.actors.delays import NO_TIME, Delay, LinkDelays, sampler
from choreomon.actors.program import Program, carried, perform, translated
from choreomon.actors.randomness import Streams
from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.run import RunEvent
from choreomon.core.vector_clock import MANY, VectorClock, merge, zero
from simulator.event_queue import APPLICATION, EventQueue
from simulator.network import Channel, Network

Watcher: TypeAlias = Callable[[Label, VectorClock, Binding], None]
"""Called at an event with its label, the clock right after it, and the values of its message."""

Recorder: TypeAlias = Callable[[RunEvent], None]
"""Called with every event."""

Envelope: TypeAlias = tuple[Route, VectorClock | None, int | None, Binding]
"""A message under way or in a mailbox: its route, the clock and index of its send event (`None` if
from the environment), and the values that it carries."""

Posting: TypeAlias = tuple[Label, Route, Channel[Envelope], Given]
"""A send as this driver of programs knows it: its label, its route, the channel, and the values
that it is to carry."""

MAX_EVENTS: Final = 1_000_000

GONE: Final = -1
"""Stands for the time at which a process becomes idle that takes no messages: nobody is there."""


def _balanced(
    balancer: Balancer, routes: Sequence[Route], channels: Sequence[Channel[Envelope]]
) -> Channel[Envelope]:
    """A channel to all replicas of a role, of which each message takes one; where none serves, it
    is lost."""

    def send(envelope: Envelope) -> int:
        _, clock, sent_at, values = envelope
        place = balancer(values)
        return 0 if place is None else channels[place]((routes[place], clock, sent_at, values))

    return send


class World:
    """The processes of an application, their mailboxes, clocks and channels.

    - `clocks`: for each process its clock as it is now; monitors may put merged ones here.
    - `watchers`: for each process a mapping from labels to watchers; each event costs exactly one
      look-up in that of its process.
    - `balancers`: of messages to each role.
    - `events`: how many events have happened; the next one has this index.
    - `reached_max_events`: whether the run was stopped at `max_events` events. Then the rest of the
      application is dropped, and monitors go on until they are done.
    """

    def __init__(
        self,
        application: CompiledApplication,
        seed: int,
        delays: LinkDelays,
        *,
        service: Delay = NO_TIME,
        max_events: int = MAX_EVENTS,
        recorder: Recorder | None = None,
    ) -> None:
        if max_events < 1:
            raise ValueError(f"max_events should be at least 1, not {max_events}")
        self.processes = application.processes
        self.event_queue = EventQueue()
        self._schedule = self.event_queue.schedule_of(APPLICATION)
        self.events = 0
        self.max_events = max_events
        self.reached_max_events = False
        streams = Streams(seed)
        processes = len(self.processes)
        self.clocks: list[VectorClock] = [zero(processes)] * processes
        self.watchers: list[Mapping[Label, Watcher]] = [{} for _ in self.processes]
        self._indices = [array("q") for _ in self.processes]
        self._recorder = recorder
        self._first = application.variables
        self._variables = [[*values] for values in application.variables]
        self._mailboxes: list[deque[Envelope]] = [deque() for _ in self.processes]
        self._busy = [0] * processes  # the time until then, which is never 0
        self._serves = service != NO_TIME
        self._services = [
            sampler(service, streams.stream("service", process)) for process in self.processes
        ]
        network = Network(self.event_queue, APPLICATION, delays, streams, name="application")
        self.balancers = {
            role: application.replicas.balancer(role, streams)
            for role in application.replicas.roles.slots
        }
        self._programs = self._linked(application, network, self.balancers)
        for at, routes, values in application.starts:
            envelope: Envelope = (routes[0], None, None, values)
            if len(routes) == 1:
                self._schedule(at, self._arrive, envelope)
                continue
            role = application.replicas.roles.role_of(self.processes[routes[0].receiver])
            self._schedule(at, self._enter, (self.balancers[role], routes, envelope))

    def _linked(
        self,
        application: CompiledApplication,
        network: Network,
        balancers: Mapping[str, Balancer],
    ) -> list[Program[Posting]]:
        """Link programs to the channel of each send, so that sending needs no look-up; to those of
        all replicas where there are several. Only channels that some send may use are opened."""
        channels: dict[tuple[str, str], Channel[Envelope]] = {}

        def channel(sender: str, receiver: str) -> Channel[Envelope]:
            pair = (sender, receiver)
            if pair not in channels:
                channels[pair] = network.channel(*pair, self._arrive)
            return channels[pair]

        def posting(sending: Sending) -> Posting:
            label, routes, given = sending
            sender, _, receiver = label.message
            of = [channel(sender, self.processes[route.receiver]) for route in routes]
            send = of[0]
            if len(routes) > 1:
                send = _balanced(balancers[receiver], routes, of)
            return label, routes[0], send, given

        return [translated(program, posting) for program in application.programs]

    def event_index(self, process: int, count: int) -> int:
        """The index of the event number `count` (from 1) of the process at this index."""
        return self._indices[process][count - 1]

    def run(self) -> None:
        """Run until the event queue is empty: the application and the monitors are done."""
        self.event_queue.run()

    def _arrive(self, envelope: Envelope) -> None:
        """Deliver a message to its receiver, which handles it unless it is busy.

        The hot loop: all the work for a message but its program and its channel happens here, in
        one frame. `tick` of `core.vector_clock` is written out, and so is `merge` for few
        processes, since two more calls and a copy are a fifth of the price of a message.
        """
        (process, label, program), sent_clock, sent_at, handled = envelope
        if self._busy[process]:
            self._mailboxes[process].append(envelope)
            return
        clocks = self.clocks
        if sent_clock is None:
            entries = [*clocks[process]]
        elif len(sent_clock) >= MANY:
            entries = [*merge(clocks[process], sent_clock)]
        else:
            entries = [
                a if a >= b else b
                for a, b in zip(clocks[process], sent_clock)  # noqa: B905 - strict costs a third
            ]
        entries[process] += 1
        clocks[process] = clock = tuple(entries)
        index = self.events
        self.events = index + 1
        indices = self._indices[process]
        indices.append(index)
        watching = self.watchers[process]
        watcher = watching.get(label)
        if watcher is not None:
            watcher(label, clock, handled)
            entries = [*clocks[process]]
        recorder = self._recorder
        if recorder is not None:
            recorder(self._run_event(index, label, clock, sent_at, handled))
        last = self.max_events - 1
        if index == last:
            self._stop()
            return
        for label, route, send, given in perform(self._programs[program], self._variables[process]):
            values = carried(given, handled) if given else ()
            entries[process] += 1
            clocks[process] = clock = tuple(entries)
            index = self.events
            self.events = index + 1
            indices.append(index)
            watcher = watching.get(label)
            if watcher is not None:
                watcher(label, clock, values)
                entries = [*clocks[process]]
            if recorder is not None:
                recorder(self._run_event(index, label, clock, None, values))
            send((route, clock, index, values))
            if index == last:
                self._stop()
                return
        if self._serves:
            service = self._services[process]()
            if service:
                until = self.event_queue.now + service
                self._busy[process] = until
                self._schedule(until, self._become_idle, process)

    def _enter(self, entering: tuple[Balancer, Sequence[Route], Envelope]) -> None:
        """Deliver a message of the environment to a role."""
        balancer, routes, (_, clock, sent_at, values) = entering
        place = balancer(values)
        if place is not None:
            self._arrive((routes[place], clock, sent_at, values))

    def kill(self, process: int) -> None:
        """End a process: messages that it was sent are lost, and those that will be."""
        self._busy[process] = GONE
        self._mailboxes[process] = deque(maxlen=0)

    def renew(self, process: int) -> None:
        """Begin a process anew, with the first values of its variables. What another one was sent
        that left in order is handled."""
        self._variables[process] = [*self._first[process]]
        if self._busy[process] == GONE:
            self._busy[process] = 0
            self._mailboxes[process] = deque()

    def _become_idle(self, process: int) -> None:
        busy = self._busy
        if busy[process] != self.event_queue.now:
            return  # whoever was busy was killed
        busy[process] = 0
        mailbox = self._mailboxes[process]
        while mailbox and not busy[process]:
            self._arrive(mailbox.popleft())

    def _run_event(
        self, index: int, label: Label, clock: VectorClock, sent_at: int | None, values: Binding
    ) -> RunEvent:
        kind, message = label
        now, process = self.event_queue.now, label.process
        return RunEvent(index, now, kind, process, message, clock, sent_at, values)

    def _stop(self) -> None:
        self.reached_max_events = True
        self.event_queue.drop(APPLICATION)
        for mailbox in self._mailboxes:
            mailbox.clear()
