"""Systems of any size with properties about a part of them, or about all, for `benchmarks.scale`.

Processes stand in groups of ten. Each works `WORK` times, which is to send a message to the next one
of its group, and calls another process, whichever, `CALLS` times; so the events of a process do not
depend on how many there are. The sending of work of every process of a *monitored* group is a label
of the group's property: a sequence of six steps, by six processes in an order that is drawn, and four
messages that cancel it, by the other four.

- `fixed`: one group is monitored, in a system that grows around it;
- `groups`: every group is monitored, each with a property of its own, so the monitored part grows
  with the system.

In `owners` the system stays and the property grows: any of so many processes begins the sequence, so
that many monitors are asked at its second step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from choreomon.actors.application import Application, Process, Start, Tell
from choreomon.core.message import SEND, Label, Message
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from choreomon.properties.tables import TransitionTable, transition_tables

GROUP: Final = 10
STEPS: Final = 6
WORK: Final = 10
CALLS: Final = 3
SECONDS: Final = 10
"""In which all starts lie, equally likely anywhere: a process works once a second."""


@dataclass(frozen=True)
class Workload:
    """A system, and the tables of the processes that watch something."""

    application: Application
    tables: Mapping[str, TransitionTable]


def names(processes: int) -> tuple[str, ...]:
    return tuple(f"P{number}" for number in range(processes))


def fixed(processes: int, seed: int) -> Workload:
    random = Random(f"scale {seed}")
    everybody = names(processes)
    tables = _tables_of_group(everybody[:GROUP], random)
    return Workload(_application(everybody, random), tables)


def groups(processes: int, seed: int) -> Workload:
    random = Random(f"scale {seed}")
    everybody = names(processes)
    tables: dict[str, TransitionTable] = {}
    for first in range(0, processes, GROUP):
        tables |= _tables_of_group(everybody[first : first + GROUP], random)
    return Workload(_application(everybody, random), tables)


def owners(asked: int, processes: int, seed: int) -> Workload:
    """Of the second step `asked` other monitors are asked."""
    random = Random(f"scale {seed}")
    everybody = names(processes)
    last, *first = everybody[: asked + 1]
    automaton = sequence_automaton(
        initial=["q0"],
        final=["q2"],
        transitions=[
            *(StatedTransition("q0", _working(everybody, name), "q1") for name in first),
            StatedTransition("q1", _working(everybody, last), "q2"),
        ],
    )
    return Workload(_application(everybody, random), _tables(automaton, everybody[: asked + 1]))


def _tables_of_group(group: tuple[str, ...], random: Random) -> dict[str, TransitionTable]:
    labels = [_working(group, name) for name in random.sample(group, len(group))]
    steps, others = labels[:STEPS], labels[STEPS:]
    cancel = tuple(Cancellation(on, (place, place), 0) for place, on in enumerate(others, 1))
    return _tables(sequences_automaton([MessageSequence(tuple(steps), cancel)]), group)


def _tables(automaton: SequenceAutomaton, among: tuple[str, ...]) -> dict[str, TransitionTable]:
    return transition_tables(automaton, among)


def _next(everybody: tuple[str, ...], name: str) -> str:
    """The next one of its group."""
    index = int(name.removeprefix("P"))
    first = index - index % GROUP
    return f"P{first + (index + 1 - first) % GROUP}"


def _working(everybody: tuple[str, ...], name: str) -> Label:
    return Label(SEND, Message(name, "work", _next(everybody, name)))


def _application(everybody: tuple[str, ...], random: Random) -> Application:
    starts: list[Start] = []
    processes: list[Process] = []
    for name in everybody:
        called = random.choice(everybody)
        processes.append(
            Process(
                name,
                {
                    "work": (),
                    "call": (),
                    "do": (Tell(_next(everybody, name), "work"),),
                    "ask": (Tell(called, "call"),),
                },
            )
        )
        starts += [
            Start(name, message, random.randrange(SECONDS * 1_000_000))
            for message, times in (("do", WORK), ("ask", CALLS))
            for _ in range(times)
        ]
    return Application(tuple(processes), tuple(starts))
