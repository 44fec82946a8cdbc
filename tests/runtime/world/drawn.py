"""What runs are made of, drawn from one source of randomness."""

from __future__ import annotations

from random import Random
from typing import Final

from choreomon.core.message import Message
from choreomon.formats.local import Policy
from choreomon.runtime.driver import Patience
from tests.laws.drawn import draw_automaton, draw_scripts, processes
from tests.runtime.world.playing import FAULTS, KINDS, Taste
from tests.runtime.world.services import InFlight
from tests.runtime.world.world import PATIENCE, Build, Case, CrashAt

POLICIES: Final[tuple[Policy, ...]] = ("block", "buffer", "let-go", "fire-and-forget")


def draw_case(
    random: Random,
    *,
    policies: tuple[Policy, ...] = POLICIES,
    events: tuple[int, int] = (3, 9),
    build: Build | None = None,
    crash_at: CrashAt | None = None,
    patience: Patience = PATIENCE,
) -> Case:
    """2 to 4 processes and one property or two; half of the runs have one policy for all."""
    names = processes(random.randint(2, 4))
    automata = tuple(draw_automaton(random, names) for _ in range(random.choice((1, 1, 1, 2))))
    scripts = draw_scripts(random, automata[0], names, events=events)
    one = random.choice(policies)
    same = random.random() < 0.5
    return Case(
        processes=names,
        automata=automata,
        scripts=tuple(tuple(InFlight(each, "") for each in script) for script in scripts),
        policies=tuple(one if same else random.choice(policies) for _ in names),
        offsets=tuple(random.choice((1.0, 50.0, 1e6)) for _ in range(2 * len(names))),
        concurrency=random.choice((1, 2, 4)),
        buffer=random.choice((1, 3, 10)),
        block_deadline=random.choice((None, None, 1.0)),
        most_open=random.choice((None, None, None, 2)),
        writes_at_once=random.random() < 0.5,
        patience=patience,
        build=build or Build(),
        crash_at=crash_at,
    )


def draw_chain(
    random: Random, *, build: Build | None = None, crash_at: CrashAt | None = None
) -> Case:
    """A system in which every message is sent after the one before was handled, so that the
    order of all events is known and nothing is uncertain."""
    names = processes(random.randint(2, 4))
    automaton = draw_automaton(random, names)
    mentioned = sorted({label.message for label in automaton.labels})
    scripts: dict[str, list[InFlight]] = {name: [] for name in names}
    at, turn = random.choice(names), 0
    for _ in range(random.randint(3, 8)):
        possible = [message for message in mentioned if message.sender == at]
        if not possible or random.random() < 0.1:
            message = Message(at, "noise", random.choice([name for name in names if name != at]))
        else:
            message = random.choice(possible)
        scripts[at].append(InFlight(message, "", turn))
        at, turn = message.receiver, turn + 1
    return Case(
        processes=names,
        automata=(automaton,),
        scripts=tuple(tuple(scripts[name]) for name in names),
        policies=("block",) * len(names),
        offsets=tuple(random.choice((1.0, 50.0, 1e6)) for _ in range(2 * len(names))),
        turns=True,
        writes_at_once=random.random() < 0.5,
        build=build or Build(),
        crash_at=crash_at,
    )


def draw_taste(
    random: Random, *, faults: tuple[str, ...] = FAULTS, most: int = 4, length: int = 150
) -> Taste:
    """How eager everything is, with up to `most` faults of some of these kinds."""
    weight = {kind: random.choice((0.1, 0.5, 1.0, 3.0)) for kind in KINDS}
    weight["time"] = random.choice((0.02, 0.1, 0.4))
    weight |= dict.fromkeys(FAULTS, random.choice((0.05, 0.2, 0.5)))
    weight["words"] = random.choice((0.05, 1.0))
    chosen = {kind: random.randint(1, most) for kind in faults if random.random() < 0.5}
    whole = random.choice((0.5, 0.9, 1.0))
    return Taste(weight, chosen, whole, random.random() < 0.7, length)
