"""What runs are made of, drawn from one source of randomness."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from random import Random
from typing import Final, NamedTuple

from choreomon.agent_files.local import Policy
from choreomon.core.message import SEND, Label, Message
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.instances import Forgetting, Parameters
from choreomon.runtime.driver import Timeouts
from tests.laws.drawn import (
    Dense,
    draw_automaton,
    draw_dense_automaton,
    draw_label,
    draw_scripts,
    processes,
)
from tests.laws.interleaving import Tempo
from tests.laws.of_instances import well_formed
from tests.runtime.world.playing import FAULTS, KINDS, Taste
from tests.runtime.world.services import InFlight
from tests.runtime.world.world import PATIENCE, Build, Case, CrashAt

POLICIES: Final[tuple[Policy, ...]] = ("block", "buffer", "let-go", "fire-and-forget")


class Flavor(NamedTuple):
    """What the runs of a kind have in common: how many processes and messages, the policies of
    services, what rarely happens, and what often; which faults there may be, and how many of each.
    `instances`: the first property is for each; `forgets`: and they are forgotten when they were
    idle for a moment. `small`: properties of two steps and a
    cancellation or two, of which much is formed. `dense`: properties of few labels on many
    transitions. `tempo`: how eager moves of a kind are, where that is not left to chance."""

    processes: tuple[int, int] = (2, 4)
    events: tuple[int, int] = (3, 9)
    policies: tuple[Policy, ...] = POLICIES
    rare: tuple[str, ...] = ()
    often: tuple[str, ...] = ()
    faults: tuple[str, ...] = tuple(fault for fault in FAULTS if fault != "power")
    most_faults: int = 4
    length: int = 150
    most_sessions: int = 1024
    small: bool = False
    dense: Dense | None = None
    tempo: Tempo | None = None
    instances: bool = False
    forgets: bool = False


ANY: Final = Flavor()
BATCHES: Final = Flavor(
    processes=(2, 3),
    policies=("block",),
    rare=("flush",),
    often=("crash", "kill", "deliver", "up"),
    faults=("crash", "kill", "cut", "copy"),
    length=200,
)
GAPS: Final = Flavor(
    processes=(2, 3),
    events=(12, 30),
    policies=("let-go", "let-go", "block"),
    rare=("wake",),
    often=("time", "cut", "deliver"),
    faults=("cut", "crash", "drop"),
    most_faults=8,
    length=500,
    small=True,
)
BUFFERS: Final = GAPS._replace(
    policies=("buffer", "buffer", "block"), faults=("cut", "crash", "kill", "drop")
)
POWER: Final = Flavor(
    processes=(2, 3), often=("power",), faults=("power", "crash", "cut"), length=200
)


def draw_small_automaton(random: Random, names: tuple[str, ...]) -> SequenceAutomaton:
    """Two steps, each possibly by one of two messages, and what takes the first one back. In half
    of them the process that takes it back does something else, too, that only another sequence
    mentions: a gap there may hide that, and then it hides nothing that matters here."""
    labels = [draw_label(random, names, number, 0.15) for number in range(random.randint(3, 4))]
    pairs = [("q0", "q1"), ("q1", "q2"), ("q1", "q0")]
    pairs += random.sample(pairs, random.randint(0, 2))
    stated = [StatedTransition(source, random.choice(labels), target) for source, target in pairs]
    final = ["q2"]
    if random.random() < 0.5:
        sender, _, receiver = stated[2].label.message
        other = Label(SEND, Message(sender, "other", receiver))
        last = Label(SEND, Message(receiver, "last", sender))
        stated += [StatedTransition("q0", other, "q3"), StatedTransition("q3", last, "q4")]
        final.append("q4")
    return sequence_automaton(initial=["q0"], final=final, transitions=stated)


def draw_case(
    random: Random,
    flavor: Flavor = ANY,
    *,
    build: Build | None = None,
    crash_at: CrashAt | None = None,
    timeouts: Timeouts = PATIENCE,
) -> Case:
    """One property or two; half of the runs have one policy for all."""
    names = processes(random.randint(*flavor.processes))
    draw = draw_small_automaton if flavor.small else draw_automaton
    if flavor.dense is not None:
        draw = partial(draw_dense_automaton, dense=flavor.dense)
    automata = tuple(draw(random, names) for _ in range(random.choice((1, 1, 1, 2))))
    scripts = draw_scripts(random, automata[0], names, events=flavor.events)
    one = random.choice(flavor.policies)
    same = random.random() < 0.5
    case = Case(
        processes=names,
        automata=automata,
        scripts=tuple(tuple(InFlight(each, "") for each in script) for script in scripts),
        policies=tuple(one if same else random.choice(flavor.policies) for _ in names),
        offsets=tuple(random.choice((1.0, 50.0, 1e6)) for _ in range(2 * len(names))),
        concurrency=random.choice((1, 2, 4)),
        buffer=random.choice((1, 3, 10)),
        block_deadline=random.choice((None, None, 1.0)),
        most_open=random.choice((None, None, None, 2)),
        most_sessions=flavor.most_sessions,
        writes_at_once=random.random() < 0.5,
        timeouts=timeouts,
        build=build or Build(),
        crash_at=crash_at,
    )
    return draw_instances(random, case, forgets=flavor.forgets) if flavor.instances else case


def draw_instances(random: Random, case: Case, *, forgets: bool = False) -> Case:
    """The case with its first property for each instance, of one or two parameters."""
    names = ("order", "tenant")[: random.randint(1, 2)]
    messages = dict.fromkeys(label.message for label in case.automata[0].labels)
    drawn = {m: frozenset(n for n in names if random.random() < 0.7) for m in messages}
    carried = {m: tuple(sorted(c)) for m, c in well_formed(case.automata[0], drawn).items()}

    def valued(flight: InFlight) -> InFlight:
        values = [(n, f"{n} number {random.randrange(2)}") for n in carried.get(flight.message, ())]
        return flight._replace(values=tuple(values))

    return case._replace(
        scripts=tuple(tuple(map(valued, script)) for script in case.scripts),
        parameters=(
            Parameters(names, carried, draw_forgetting(random, names) if forgets else None),
            *[None for _ in case.automata[1:]],
        ),
    )


def draw_forgetting(random: Random, names: tuple[str, ...]) -> Forgetting:
    """All instances, whatever they bind, after a moment."""
    sets = [each for size in range(len(names) + 1) for each in combinations(names, size)]
    return Forgetting(random.choice((0.0, 0.01, 0.1, 1.0)), frozenset(sets))


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


def draw_taste(random: Random, flavor: Flavor = ANY) -> Taste:
    """How eager everything is, and some of the faults."""
    weight = {kind: random.choice((0.1, 0.5, 1.0, 3.0)) for kind in KINDS}
    weight["time"] = random.choice((0.02, 0.1, 0.4))
    weight |= dict.fromkeys(FAULTS, random.choice((0.05, 0.2, 0.5)))
    weight["words"] = random.choice((0.05, 1.0))
    for kind in flavor.rare:
        weight[kind] *= 0.2
    for kind in flavor.often:
        weight[kind] *= 3
    weight |= {kind: random.choice(eager) for kind, eager in (flavor.tempo or {}).items()}
    chosen = {
        kind: random.randint(1, flavor.most_faults)
        for kind in flavor.faults
        if random.random() < 0.5
    }
    whole = random.choice((0.5, 0.9, 1.0))
    return Taste(weight, chosen, whole, random.random() < 0.7, flavor.length)
