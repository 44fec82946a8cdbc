"""Executions of monitored processes, one atomic move at a time, in any order.

A scheduler without a simulator: no time, no network model, only what may happen next. A
*world* is a value; `moves` lists what can happen in it and `perform` does one. Whoever
chooses among the moves (a random source, hypothesis, an exhaustive search) decides the
interleaving of events, queued events and monitoring messages. The real order of events is
the order in which they are performed.

Every process sends the messages of its script in order, and may handle any message that is
in flight to it at any time. Monitoring messages travel in order between two monitors or
overtake each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.message import HANDLE, SEND, Event, Label, Message
from choreomon.core.vector_clock import VectorClock, merge, tick, zero
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, VerdictKind
from choreomon.monitor.effects import Declared, Effect, Send, SetDeadline
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.pull import Monitor
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.monitor.state import Expire, MonitorState, Observe, ProcessNext
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.reference import formations
from choreomon.properties.tables import transition_tables

Script: TypeAlias = tuple[Message, ...]

PERFORM: Final = "perform"
TAKE: Final = "take"
WORK: Final = "work"
DELIVER: Final = "deliver"
EXPIRE: Final = "expire"


class Move(NamedTuple):
    """What may happen next. `place` is a process, or for `deliver` a channel (sender times
    the number of processes plus receiver); `which` a position in what waits there."""

    kind: str
    place: int
    which: int = 0


class InFlight(NamedTuple):
    """An application message that was sent and is not handled yet."""

    message: Message
    clock: VectorClock


class World(NamedTuple):
    """Everything that the future depends on, and the real order of events so far."""

    clocks: tuple[VectorClock, ...]
    states: tuple[MonitorState, ...]
    scripts: tuple[Script, ...]
    inboxes: tuple[tuple[InFlight, ...], ...]
    channels: tuple[tuple[Inquiry | Response, ...], ...]
    deadlines: tuple[tuple[int, VectorClock], ...]
    events: tuple[Event, ...]


@dataclass(frozen=True)
class System:
    """Processes with their monitors. `queued`: whether an event waits in its monitor's
    queue until a move of its own, or is processed at once. `handles`: whether messages are
    ever handled."""

    automaton: SequenceAutomaton
    processes: tuple[str, ...]
    rules: Rules = SOUND
    in_order: bool = True
    queued: bool = True
    handles: bool = True
    deadline: bool = False
    monitors: tuple[Monitor, ...] = field(init=False)

    def __post_init__(self) -> None:
        tables = transition_tables(self.automaton, self.processes, self.rules.name)
        object.__setattr__(
            self,
            "monitors",
            tuple(
                Monitor(tables[process], self.processes, self.rules, has_deadline=self.deadline)
                for process in self.processes
            ),
        )

    @cached_property
    def index_of(self) -> dict[str, int]:
        return {process: index for index, process in enumerate(self.processes)}

    def start(self, scripts: Sequence[Script]) -> World:
        count = len(self.processes)
        return World(
            clocks=(zero(count),) * count,
            states=tuple(monitor.initial() for monitor in self.monitors),
            scripts=tuple(scripts),
            inboxes=((),) * count,
            channels=((),) * (count * count),
            deadlines=(),
            events=(),
        )

    def moves(self, world: World) -> list[Move]:
        found = [Move(PERFORM, p) for p, script in enumerate(world.scripts) if script]
        if self.handles:
            found += [
                Move(TAKE, p, i) for p, inbox in enumerate(world.inboxes) for i in range(len(inbox))
            ]
        found += [Move(WORK, p) for p, state in enumerate(world.states) if state.unprocessed]
        for number, channel in enumerate(world.channels):
            if channel:
                reachable = 1 if self.in_order else len(channel)
                found += [Move(DELIVER, number, i) for i in range(reachable)]
        found += [Move(EXPIRE, p, i) for i, (p, _) in enumerate(world.deadlines)]
        return found

    def perform(self, world: World, move: Move) -> tuple[World, list[Effect]]:
        """The world after the move, and what the monitor that took part in it did."""
        match move.kind:
            case "perform":
                return self._send(world, move.place)
            case "take":
                return self._take(world, move.place, move.which)
            case "work":
                return self._step(world, move.place, ProcessNext())
            case "deliver":
                message = world.channels[move.place][move.which]
                channels = _without(world.channels, move.place, move.which)
                receiver = move.place % len(self.processes)
                return self._step(world._replace(channels=channels), receiver, message)
            case _:
                process, event = world.deadlines[move.which]
                left = world.deadlines[: move.which] + world.deadlines[move.which + 1 :]
                return self._step(world._replace(deadlines=left), process, Expire(event))

    def _send(self, world: World, process: int) -> tuple[World, list[Effect]]:
        message, *rest = world.scripts[process]
        clock = tick(world.clocks[process], process)
        receiver = self.index_of[message.receiver]
        inboxes = world.inboxes
        if self.handles:
            inboxes = _set(inboxes, receiver, (*inboxes[receiver], InFlight(message, clock)))
        world = world._replace(scripts=_set(world.scripts, process, tuple(rest)), inboxes=inboxes)
        return self._happen(world, process, Event(Label(SEND, message), clock))

    def _take(self, world: World, process: int, which: int) -> tuple[World, list[Effect]]:
        message, clock = world.inboxes[process][which]
        clock = tick(merge(world.clocks[process], clock), process)
        world = world._replace(inboxes=_without(world.inboxes, process, which))
        return self._happen(world, process, Event(Label(HANDLE, message), clock))

    def _happen(self, world: World, process: int, event: Event) -> tuple[World, list[Effect]]:
        world = world._replace(
            clocks=_set(world.clocks, process, event.clock), events=(*world.events, event)
        )
        if event.label not in self.monitors[process].table.inspections:
            return world, []
        world, effects = self._step(world, process, Observe(event))
        if self.queued:
            return world, effects
        world, more = self._step(world, process, ProcessNext())
        return world, effects + more

    def _step(
        self, world: World, process: int, given: Observe | ProcessNext | Inquiry | Response | Expire
    ) -> tuple[World, list[Effect]]:
        state, clock, effects = self.monitors[process].step(
            world.states[process], world.clocks[process], given
        )
        channels, deadlines = world.channels, world.deadlines
        for effect in effects:
            match effect:
                case Send(message):
                    assert isinstance(message, Inquiry | Response)
                    number = process * len(self.processes) + self.index_of[message.receiver]
                    channels = _set(channels, number, (*channels[number], message))
                case SetDeadline(event):
                    deadlines = (*deadlines, (process, event))
                case _:
                    pass
        return world._replace(
            states=_set(world.states, process, state),
            clocks=_set(world.clocks, process, clock),
            channels=channels,
            deadlines=deadlines,
        ), effects


Choose: TypeAlias = Callable[[Sequence[Move]], Move]


class Said(NamedTuple):
    """A `Declared` of the monitor of `process`; `after` events had happened by then."""

    process: int
    declared: Declared
    after: int


@dataclass
class Run:
    """What happened: every world, every move, every effect with the number of its step."""

    system: System
    worlds: list[World]
    steps: list[tuple[Move, int, list[Effect]]] = field(default_factory=list)

    @property
    def events(self) -> tuple[Event, ...]:
        """In the real order."""
        return self.worlds[-1].events

    @property
    def formed(self) -> set[int]:
        """The indices of the events at which the property was formed."""
        labels = [event.label for event in self.events]
        return {formation.index for formation in formations(self.system.automaton, labels)}

    def index(self, process: int, clock: VectorClock) -> int:
        """The event of a process with this clock."""
        name = self.system.processes[process]
        return next(
            i
            for i, event in enumerate(self.events)
            if event.process == name and event.clock[process] == clock[process]
        )

    def said(self) -> list[tuple[int, Declared]]:
        """All words, provisional ones too, with the index of their event."""
        return [
            (self.index(process, effect.event), effect)
            for _, process, effects in self.steps
            for effect in effects
            if isinstance(effect, Declared)
        ]

    def last_verdicts(self) -> dict[int, VerdictKind | None]:
        """By event index, what was finally declared; silent events are left out."""
        return {
            index: declared.verdict.kind if declared.verdict else None
            for index, declared in self.said()
            if not declared.provisional
        }

    def violated(self) -> set[int]:
        return {index for index, word in self.last_verdicts().items() if word == VIOLATED}

    def possibly(self) -> set[int]:
        return {index for index, word in self.last_verdicts().items() if word == POSSIBLY_VIOLATED}

    def missed(self) -> set[int]:
        """What breaks G1: the property was formed there, and nothing was declared."""
        return self.formed - self.violated() - self.possibly()

    def false_alarms(self) -> set[int]:
        """What breaks G2: declared violated where the property was not formed."""
        return self.violated() - self.formed

    def unfinished(self) -> list[str]:
        """What still waits although nothing can happen any more."""
        return [
            f"{process}: {what}"
            for process, state in zip(self.system.processes, self.worlds[-1].states, strict=True)
            for what in (*state.unprocessed, *state.inspections, *state.postponed)
        ]


def play(
    system: System, scripts: Sequence[Script], choose: Choose, *, start: World | None = None
) -> Run:
    """Perform chosen moves until there are none, from the start or another world."""
    world = start or system.start(scripts)
    run = Run(system, [world])
    while moves := system.moves(world):
        move = choose(moves)
        world, effects = system.perform(world, move)
        place = move.place
        if move.kind == DELIVER:
            place %= len(system.processes)
        elif move.kind == EXPIRE:
            place = run.worlds[-1].deadlines[move.which][0]
        run.worlds.append(world)
        run.steps.append((move, place, effects))
    return run


Tempo: TypeAlias = Mapping[str, tuple[float, ...]]
"""How eager moves of a kind are beside the others: what one is drawn of for each run."""

ANY_TEMPO: Final = (0.05, 0.3, 1.0, 3.0)
"""Where a tempo says nothing else: fast and slow monitors both occur."""


def weighted(random: Random, tempo: Tempo | None = None) -> Choose:
    """A choice with one taste a run: how eager events, handling, queued events and
    monitoring messages are."""
    tempo = tempo or {}
    eager = {
        kind: random.choice(tempo.get(kind, ANY_TEMPO))
        for kind in (PERFORM, TAKE, WORK, DELIVER, EXPIRE)
    }

    def choose(moves: Sequence[Move]) -> Move:
        return random.choices(moves, [eager[move.kind] for move in moves])[0]

    return choose


def following(choices: bytes) -> Choose:
    """The choice that hypothesis shrinks: one byte a move; afterwards always the first."""
    left = iter(choices)

    def choose(moves: Sequence[Move]) -> Move:
        return moves[next(left, 0) % len(moves)]

    return choose


def _set(values: tuple, place: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:place], value, *values[place + 1 :])


def _without(values: tuple, place: int, which: int) -> tuple:  # type: ignore[type-arg]
    group = values[place]
    return _set(values, place, group[:which] + group[which + 1 :])


class Stuck(Exception):
    """The steps of a written-down run cannot be taken."""


@dataclass
class Told:
    """A run told step by step, for tests that are about one particular order."""

    system: System
    world: World
    run: Run

    @classmethod
    def of(cls, system: System) -> Told:
        world = system.start(((),) * len(system.processes))
        return cls(system, world, Run(system, [world]))

    def _do(self, move: Move, process: int) -> list[Effect]:
        self.world, effects = self.system.perform(self.world, move)
        self.run.worlds.append(self.world)
        self.run.steps.append((move, process, effects))
        return effects

    def sends(self, message: Message) -> list[Effect]:
        """The sender performs the send; its monitor only queues it where events queue."""
        process = self.system.index_of[message.sender]
        self.world = self.world._replace(scripts=_set(self.world.scripts, process, (message,)))
        return self._do(Move(PERFORM, process), process)

    def handles(self, message: Message) -> list[Effect]:
        process = self.system.index_of[message.receiver]
        inbox = [flight.message for flight in self.world.inboxes[process]]
        return self._do(Move(TAKE, process, inbox.index(message)), process)

    def works(self, name: str) -> list[Effect]:
        process = self.system.index_of[name]
        return self._do(Move(WORK, process), process)

    def delivers(self, sender: str, receiver: str) -> list[Effect]:
        """The oldest monitoring message between the two arrives."""
        process = self.system.index_of[receiver]
        number = self.system.index_of[sender] * len(self.system.processes) + process
        if not self.world.channels[number]:
            raise Stuck(f"no monitoring message from {sender} to {receiver}")
        return self._do(Move(DELIVER, number), process)

    def settles(self) -> Run:
        """Everything that waits is worked off, monitoring messages first come; no message
        is handled any more."""
        kinds = (WORK, DELIVER)
        while moves := [m for m in self.system.moves(self.world) if m.kind in kinds]:
            move = moves[0]
            place = move.place
            if move.kind == DELIVER:
                place %= len(self.system.processes)
            self._do(move, place)
        return self.run
