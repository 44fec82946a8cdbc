"""Every schedule of a small system, its worlds as values.

What `tests.laws.interleaving.System` does in a world concerns one process and one message: the step
of a process depends on nothing but its *local state* and what it is given. So each such step is
made once, and remembered by numbers; a world is the number of each process's local state, and the
set of messages that are on their way, as bits. What was said last of each event is part of the
local state, since it is what the end is judged by, and so are the process's own events with their
clocks. Left out is the real order of events of different processes: the law of
`tests.laws.every_event` is about all orders, and the real one is among them. So worlds that differ
in the order of moves of different processes alone are one, and nothing is lost:
tests/laws/test_schedules.py compares the ends, and the number of ways to them, with plain
exploration. Monitoring messages may overtake each other; schedules in which they do not are among
these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from choreomon.core.message import Event
from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.effects import Declared, Effect, Unsettled
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.rules import Rules
from choreomon.monitor.state import MonitorState
from choreomon.properties.partial_order import Formed
from tests.laws.every_event import Wrong, exact, words_of, wrong_words
from tests.laws.interleaving import (
    DELIVER,
    PERFORM,
    TAKE,
    WORK,
    InFlight,
    Move,
    Script,
    System,
    World,
)
from tests.laws.small_systems import Small

MOST_WORLDS: Final = 100_000
"""Of one system; one with more is left there, and counted as cut off."""

PERFORMS: Final = -1
WORKS: Final = -2


class Local(NamedTuple):
    """All that a process remembers, its script, and for the end its events and its words."""

    clock: VectorClock
    state: MonitorState
    script: Script
    events: tuple[Event, ...]
    words: tuple[Effect, ...]


class OnTheWay(NamedTuple):
    receiver: int
    message: Inquiry | Response | InFlight


Numbered: TypeAlias = tuple[int, ...]
"""A world: local states by number, and last the messages on their way as bits."""


class Repeated(Exception):
    """The same message is on its way twice: a set of bits would forget one."""


class Explored(NamedTuple):
    """What is true of all schedules of a system, or, where it was `cut_off`, of as many worlds.
    `ends`: worlds in which nothing is left to do. `words`: of events at different ends."""

    worlds: int
    ends: int
    schedules: int
    words: int
    wrong: tuple[Wrong, ...]
    cut_off: bool


@dataclass
class Explorer:
    """The worlds of one system with these scripts."""

    system: System
    scripts: Sequence[Script]
    ends: list[Numbered] = field(init=False)
    _locals: list[dict[Local, int]] = field(init=False)
    _values: list[list[Local]] = field(init=False)
    _messages: dict[OnTheWay, int] = field(default_factory=dict)
    _ways: list[OnTheWay] = field(default_factory=list)
    _steps: list[dict[tuple[int, int], tuple[int, int]]] = field(init=False)
    _exact: dict[tuple[object, ...], dict[VectorClock, Formed]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.system.processes)
        self._locals = [{} for _ in range(count)]
        self._values = [[] for _ in range(count)]
        self._steps = [{} for _ in range(count)]
        self._empty = self.system.start(((),) * count)

    def start(self) -> Numbered:
        world = self.system.start(self.scripts)
        return (
            *(self._number(p, self._local(world, p, (), ())) for p in range(len(self._locals))),
            0,
        )

    # Worlds by number.

    def following(self, world: Numbered) -> list[Numbered]:
        *places, mask = world
        found = []
        for process, local in enumerate(places):
            value = self._values[process][local]
            for given, possible in ((PERFORMS, value.script), (WORKS, value.state.unprocessed)):
                if possible:
                    found.append(self._after(world, process, given, mask))
        left = mask
        while left:
            bit = left & -left
            left ^= bit
            given = bit.bit_length() - 1
            found.append(self._after(world, self._ways[given].receiver, given, mask ^ bit))
        return found

    def _after(self, world: Numbered, process: int, given: int, mask: int) -> Numbered:
        at = (world[process], given)
        step = self._steps[process].get(at)
        if step is None:
            step = self._steps[process][at] = self._step(process, *at)
        local, sent = step
        if mask & sent:
            raise Repeated
        return (*world[:process], local, *world[process + 1 : -1], mask | sent)

    # One step of one process, by the one who knows how.

    def _step(self, process: int, local: int, given: int) -> tuple[int, int]:
        system, before = self.system, self._values[process][local]
        count = len(system.processes)
        world = self._empty._replace(
            clocks=_at(self._empty.clocks, process, before.clock),
            states=_at(self._empty.states, process, before.state),
            scripts=_at(self._empty.scripts, process, before.script),
        )
        if given == PERFORMS:
            move = Move(PERFORM, process)
        elif given == WORKS:
            move = Move(WORK, process)
        else:
            message = self._ways[given].message
            if isinstance(message, InFlight):
                world = world._replace(inboxes=_at(world.inboxes, process, (message,)))
                move = Move(TAKE, process)
            else:
                sender = system.index_of[message.sender]
                channel = sender * count + process
                world = world._replace(channels=_at(world.channels, channel, (message,)))
                move = Move(DELIVER, channel)
        world, effects = system.perform(world, move)
        words = [each for each in effects if isinstance(each, Declared | Unsettled)]
        after = self._local(world, process, before.events, (*before.words, *words))
        sent = 0
        for number, channel_ in enumerate(world.channels):
            for each in channel_:
                sent |= self._bit(OnTheWay(number % count, each))
        for receiver, inbox in enumerate(world.inboxes):
            for flight in inbox:
                sent |= self._bit(OnTheWay(receiver, flight))
        return self._number(process, after), sent

    def _local(
        self, world: World, process: int, events: tuple[Event, ...], words: tuple[Effect, ...]
    ) -> Local:
        return Local(
            world.clocks[process],
            world.states[process],
            world.scripts[process],
            events + world.events,
            words,
        )

    def _number(self, process: int, local: Local) -> int:
        known = self._locals[process]
        number = known.setdefault(local, len(known))
        if number == len(self._values[process]):
            self._values[process].append(local)
        return number

    def _bit(self, message: OnTheWay) -> int:
        number = self._messages.setdefault(message, len(self._messages))
        if number == len(self._ways):
            self._ways.append(message)
        return 1 << number

    # All of them.

    def explore(self, most: int = MOST_WORLDS) -> Explored:
        """Visit every world once, and count the ways from the start to the ends."""
        start = self.start()
        ways: dict[Numbered, int] = {}
        expanded: dict[Numbered, list[Numbered]] = {}
        stack = [start]
        ends: list[Numbered] = []
        while stack and len(expanded) <= most:
            world = stack[-1]
            if world in ways:
                stack.pop()
                continue
            after = expanded.get(world)
            if after is None:
                after = expanded[world] = self.following(world)
                if not after:
                    ends.append(world)
                    ways[world] = 1
                    stack.pop()
                    continue
                stack += [each for each in after if each not in ways]
                continue
            ways[world] = sum(map(ways.__getitem__, after))
            stack.pop()
        self.ends = ends
        judged = [self.judge(world) for world in ends]
        return Explored(
            len(expanded),
            len(ends),
            ways.get(start, 0),
            sum(words for words, _ in judged),
            tuple(dict.fromkeys(each for _, wrong in judged for each in wrong)),
            bool(stack),
        )

    def end(self, world: Numbered) -> tuple[tuple[Event, ...], tuple[Effect, ...]]:
        """The events and the words of a world."""
        values = [self._values[process][local] for process, local in enumerate(world[:-1])]
        return (
            tuple(each for value in values for each in value.events),
            tuple(each for value in values for each in value.words),
        )

    def judge(self, world: Numbered) -> tuple[int, tuple[Wrong, ...]]:
        """How many words there are at an end, and what is wrong there."""
        events, words = self.end(world)
        orders = self._exact.get(events)
        if orders is None:
            orders = exact(self.system.automaton, self.system.processes, events)
            self._exact[events] = orders
        last, unsettled = words_of(words)
        wrong = tuple(
            wrong_words(orders, last, unsettled, precise=self.system.rules.name == "precise")
        )
        waits = [Wrong("waits for ever", each) for each in self._unfinished(world)]
        return len(last), (*wrong, *waits)

    def _unfinished(self, world: Numbered) -> Iterator[object]:
        for process, local in enumerate(world[:-1]):
            state = self._values[process][local].state
            yield from (*state.unprocessed, *state.inspections, *state.postponed, *state.decisions)


def explored(small: Small, rules: Rules = PRECISE) -> Explored:
    """Every schedule of a system in which nothing waits in queues and nothing is handled."""
    automaton, processes, scripts = small
    system = System(automaton, processes, rules, in_order=False, queued=False, handles=False)
    return Explorer(system, scripts).explore()


def _at(values: tuple, place: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*values[:place], value, *values[place + 1 :])
