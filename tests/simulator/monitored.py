"""Random applications with random properties about what they really do, and their runs.

The events of a run do not depend on monitors, so an unmonitored run of the same seed says
which labels occur; a property about these is formed now and then. All from one `Random`:
`random.Random(seed)`, or hypothesis' `st.randoms()`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from choreomon.actors.application import Application, Assign, If, Process, Start, Statement, Tell
from choreomon.actors.compilation import compile_application
from choreomon.actors.delays import (
    NO_TIME,
    Constant,
    Delay,
    Exponential,
    LinkDelays,
    LogNormal,
    Uniform,
    microseconds,
)
from choreomon.core.errors import PropertyError
from choreomon.core.message import HANDLE, Label, Message
from choreomon.core.run import Run, RunEvent, RunVerdict
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.reference import formations
from simulator.run import Simulation
from tests.laws.drawn import draw_automaton

MESSAGES = ("a", "b", "c")
DELAYS: tuple[Delay, ...] = (
    Uniform(1, 20),
    Uniform(0, 3),
    Exponential(8),
    LogNormal(5, 1),
    Constant(4),
    Constant(0),
)
SERVICES: tuple[Delay, ...] = (NO_TIME, NO_TIME, Constant(2), Uniform(0, 10))


def draw_application(random: Random) -> Application:
    """2 to 4 processes that all handle `a`, `b` and `c`, send to each other and to
    themselves, and are started up to five times within 30 ms."""
    names = [f"P{number + 1}" for number in range(random.choice((2, 3, 3, 4)))]

    def sends() -> Statement:
        return Tell(random.choice(names), random.choice(MESSAGES))

    def statement() -> Statement:
        kind = random.random()
        if kind < 0.7:
            return sends()
        if kind < 0.85:
            return Assign("flag", random.random() < 0.5)
        return If("flag", (sends(),), (sends(),), random.random() < 0.5)

    def statements() -> tuple[Statement, ...]:
        return tuple(statement() for _ in range(random.choice((0, 0, 1, 1, 2, 3))))

    return Application(
        tuple(
            Process(name, {message: statements() for message in MESSAGES}, {"flag": False})
            for name in names
        ),
        tuple(
            Start(random.choice(names), random.choice(MESSAGES), random.randrange(30_000))
            for _ in range(random.choice((2, 3, 4, 5)))
        ),
    )


def draw_property(random: Random, labels: list[Label]) -> SequenceAutomaton:
    """An automaton of `tests.laws.drawn` with these labels instead of its own, as far as
    there are enough; some labels never occur."""
    while True:
        drawn = draw_automaton(random, ("P1", "P2", "P3"))
        own = list(dict.fromkeys(drawn.labels))
        instead = dict(zip(own, random.sample(labels, min(len(labels), len(own))), strict=False))
        processes = sorted({label.process for label in labels})
        never = Message(processes[0], "never", processes[0])
        stated = [
            StatedTransition(t.source, instead.get(t.label, Label(HANDLE, never)), t.target)
            for t in (*drawn.forward, *drawn.backward)
        ]
        try:
            return sequence_automaton(
                initial=drawn.initial, final=drawn.final, transitions=list(dict.fromkeys(stated))
            )
        except PropertyError:
            continue


def draw_simulation(random: Random, seed: int, *, max_events: int = 40) -> Simulation:
    """An application with a property about what it does when it is run with `seed`, on
    any network that a document can describe; a third of them with a deadline."""
    application = draw_application(random)
    names = application.names
    plain = Simulation(
        application=compile_application(application),
        delays=LinkDelays(
            random.choice(DELAYS),
            {
                (random.choice(names), random.choice(names)): random.choice(DELAYS)
                for _ in range(random.choice((0, 0, 1, 2)))
            },
        ),
        service=random.choice(SERVICES),
        max_events=max_events,
        automaton=None,
        rules="sound",
        in_order=random.random() < 0.7,
        monitoring_service=random.choice(SERVICES),
        deadline=random.choice((None, None, microseconds(random.choice((0, 1, 8))))),
    )
    happened = plain.run(seed, keep_events=True).kept_events
    labels = list(dict.fromkeys(event.label for event in happened))
    return replace(plain, automaton=draw_property(random, labels))


@dataclass(frozen=True)
class Judged:
    """A run with all its events and every word in the order in which it was given."""

    run: Run
    events: tuple[RunEvent, ...]
    words: tuple[RunVerdict, ...]
    formed: frozenset[int]

    def indices(self, word: str) -> frozenset[int]:
        return frozenset(v.event_index for v in self.run.verdicts if v.verdict == word)

    @property
    def violated(self) -> frozenset[int]:
        return self.indices(VIOLATED)

    @property
    def possible(self) -> frozenset[int]:
        return self.indices(POSSIBLY_VIOLATED)

    @property
    def withdrawn(self) -> frozenset[int]:
        return self.indices(WITHDRAWN)


def judged(simulation: Simulation, seed: int, **settings: Any) -> Judged:
    """Run once; `settings` are those of `Simulation.run`."""
    assert simulation.automaton is not None
    events: list[RunEvent] = []
    words: list[RunVerdict] = []
    run = simulation.run(seed, recorder=events.append, on_verdict=words.append, **settings)
    labels = [event.label for event in events]
    formed = frozenset(f.index for f in formations(simulation.automaton, labels))
    return Judged(run, tuple(events), tuple(words), formed)
