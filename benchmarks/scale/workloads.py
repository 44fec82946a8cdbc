"""Systems of any size, with properties about a part of them, or about all.

Processes stand in groups of ten. Each works `WORK` times, which is to send a message to the next
one of its group, and calls another process, whichever, `CALLS` times; so what a process does does
not depend on how many there are. Where a group is monitored, the sending of work by each of its
processes is a label of the group's property: a sequence of six steps by six processes, in an order
that is drawn, and four messages that cancel it, by the other four, one after each of the first four
steps.

- `fixed`: one group is monitored, in a system that grows around it;
- `groups`: every group is monitored, each with a property of its own, so what is monitored grows
  with the system.

In `owners` the system stays and the property grows: any of so many processes begins its sequence,
so at the second step that many monitors are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Final

from choreomon.actors.application import Application, Process, Start, Tell
from choreomon.core.message import SEND, Label, Message
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from choreomon.properties.tables import RulesName, TransitionTable, transition_tables

GROUP: Final = 10
STEPS: Final = 6
WORK: Final = 10
CALLS: Final = 3
SECONDS: Final = 10
"""In which all starts lie, anywhere with equal likelihood: a process works once a second."""


@dataclass(frozen=True)
class Property:
    """What must not happen among some processes, who do not watch for anything else."""

    automaton: SequenceAutomaton
    processes: tuple[str, ...]

    def tables(self, rules: RulesName) -> Mapping[str, TransitionTable]:
        return transition_tables(self.automaton, self.processes, rules)


@dataclass(frozen=True)
class Workload:
    """A system, and the properties that are monitored in it."""

    application: Application
    properties: tuple[Property, ...]


def fixed(processes: int, seed: int) -> Workload:
    """`processes`: a multiple of `GROUP`."""
    random = Random(f"scale {seed}")
    application = _application(processes, random)
    return Workload(application, (_of_group(application.names[:GROUP], random),))


def groups(processes: int, seed: int) -> Workload:
    """`processes`: a multiple of `GROUP`."""
    random = Random(f"scale {seed}")
    application = _application(processes, random)
    monitored = [
        _of_group(application.names[first : first + GROUP], random)
        for first in range(0, processes, GROUP)
    ]
    return Workload(application, tuple(monitored))


def owners(asked: int, processes: int, seed: int) -> Workload:
    """`processes`: a multiple of `GROUP` above `asked`, who are asked at the second step."""
    application = _application(processes, Random(f"scale {seed}"))
    last, *first = application.names[: asked + 1]
    automaton = sequence_automaton(
        initial=["q0"],
        final=["q2"],
        transitions=[
            *(StatedTransition("q0", working(name), "q1") for name in first),
            StatedTransition("q1", working(last), "q2"),
        ],
    )
    return Workload(application, (Property(automaton, (last, *first)),))


WORKLOADS: Final[Mapping[str, Callable[[int, int], Workload]]] = MappingProxyType(
    {"fixed": fixed, "groups": groups}
)


def working(name: str) -> Label:
    """That the process sends work to the next one of its group."""
    index = int(name.removeprefix("P"))
    place = index % GROUP
    return Label(SEND, Message(name, "work", f"P{index - place + (place + 1) % GROUP}"))


def _of_group(group: tuple[str, ...], random: Random) -> Property:
    labels = [working(name) for name in random.sample(group, len(group))]
    steps, others = labels[:STEPS], labels[STEPS:]
    cancel = tuple(Cancellation(on, (place, place), 0) for place, on in enumerate(others, 1))
    return Property(sequences_automaton([MessageSequence(tuple(steps), cancel)]), group)


def _application(number: int, random: Random) -> Application:
    names = [f"P{index}" for index in range(number)]
    processes = tuple(
        Process(
            name,
            {
                "do": (Tell(working(name).message.receiver, "work"),),
                "ask": (Tell(random.choice(names), "call"),),
                "work": (),
                "call": (),
            },
        )
        for name in names
    )
    starts = tuple(
        Start(name, message, random.randrange(SECONDS * 1_000_000))
        for name in names
        for message, times in (("do", WORK), ("ask", CALLS))
        for _ in range(times)
    )
    return Application(processes, starts)
