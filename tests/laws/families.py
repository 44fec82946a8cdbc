"""Families of random runs, each a frozen value: what is drawn, how fast everything is, what goes
wrong. A run of a family and a seed is judged by `tests.laws.every_event`, event by event.

Many events are open at once: automata of few labels on many transitions, processes that are 30 to
150 times faster than answers, answers that overtake each other or come twice. So each monitor puts
together what others knew at many different times. Of hosts and agents beside these: gaps,
amnesia, giving up, restarts: events in gaps have no words of their own, and what is hidden may have
been in any of its places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from choreomon.core.message import BEGIN
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor.effects import Declared, Unsettled
from choreomon.monitor.precise import PRECISE, Precise
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import Formed, evaluate
from tests.laws import of_instances
from tests.laws.course import with_hidden
from tests.laws.dense_agents import AGENTS, played_agents
from tests.laws.drawn import FIRST, Dense, draw_dense_automaton, draw_scripts, processes
from tests.laws.every_event import Played, Wrong, exact, words_of, wrong_early, wrong_words
from tests.laws.faults import NO_FAULTS, Faults, Player
from tests.laws.interleaving import (
    DELIVER,
    EXPIRE,
    PERFORM,
    TAKE,
    WORK,
    Move,
    Run,
    Script,
    System,
    Tempo,
    World,
    play,
    weighted,
)  # fmt: skip
from tests.laws.unreliable import EXPIRES, Execution, Setting
from tests.runtime.world.drawn import Flavor

SLOW: Final[Tempo] = {
    PERFORM: (3.0,),
    TAKE: (0.03, 0.3, 1.0),
    WORK: (0.1, 3.0),
    DELIVER: (0.02, 0.05, 0.1),
    EXPIRE: (0.02, 0.1),
    "sends": (3.0,),
    "handles": (0.03, 0.3, 1.0),
    "works": (0.1, 3.0),
    "delivers": (0.02, 0.05, 0.1),
    "expires": (0.02, 0.1),
    "copies": (0.02, 0.1),
    "loses": (0.01, 0.05),
    "asks again": (0.02, 0.1),
    "gives up": (0.01, 0.05),
}
"""Answers are 30 to 150 times slower than events."""

Kind: TypeAlias = Literal["monitors", "hosts", "agents", "instances"]


class Family(NamedTuple):
    """What its runs have in common. `noise`: messages that no property mentions, which carry clocks
    around. `tempo`: see `tests.laws.interleaving`. `queued`, `in_order`, `handled`: how likely
    events wait in queues, monitoring messages do not overtake each other, messages are handled.
    `faults`, `most_open` and `in_slices` are of hosts, `flavor` is of agents; `of_instances` is all
    that there is of properties for each instance."""

    name: str
    kind: Kind = "monitors"
    dense: Dense = Dense()
    processes: tuple[int, ...] = (2, 2, 3)
    events: tuple[int, int] = (5, 14)
    noise: float = 0.1
    tempo: Mapping[str, tuple[float, ...]] = SLOW
    queued: float = 0.3
    in_order: float = 0.5
    handled: float = 0.7
    rules: str = "precise"
    faults: Faults = NO_FAULTS
    deadline: bool = False
    most_open: int | None = None
    in_slices: bool = False
    flavor: Flavor = AGENTS
    of_instances: of_instances.Flavor = of_instances.PLAIN


class Hurried(Precise):
    """`precise` with so long a backlog that hardly any search comes to its end."""

    def most_states(self, backlog: int) -> int:
        return 4


class Overwhelmed(Precise):
    """`precise` with so long a backlog that nothing is searched."""

    def most_states(self, backlog: int) -> int:
        return 0


RULES: Final[Mapping[str, Rules]] = {
    "precise": PRECISE,
    "hurried": Hurried(),
    "overwhelmed": Overwhelmed(),
    "sound": SOUND,
}


class Drawn(NamedTuple):
    automaton: SequenceAutomaton
    processes: tuple[str, ...]
    scripts: tuple[Script, ...]


def draw(random: Random, family: Family) -> Drawn:
    """A property and what each process sends; that of `FIRST`, where there is one, sends nothing
    more."""
    names = processes(random.choice(family.processes))
    automaton = draw_dense_automaton(random, names, family.dense)
    if family.dense.begin == FIRST:
        names = (*names, FIRST.process)
    scripts = draw_scripts(random, automaton, names, events=family.events, noise=family.noise)
    if family.dense.begin == FIRST:
        scripts = tuple(tuple(m for m in script if m != FIRST.message) for script in scripts)
    return Drawn(automaton, names, scripts)


def played(family: Family, seed: int) -> Played:
    """The run of a family that this seed draws."""
    return _KINDS[family.kind](family, Random(f"{family.name} {seed}"))


def _monitors(family: Family, random: Random) -> Played:
    automaton, names, scripts = draw(random, family)
    system = System(
        automaton,
        names,
        RULES[family.rules],
        in_order=random.random() < family.in_order,
        queued=random.random() < family.queued,
        handles=random.random() < family.handled,
        deadline=family.deadline,
    )
    start = begun(system, scripts) if family.dense.begin == FIRST else None
    run = play(system, scripts, weighted(random, family.tempo), start=start)
    orders = exact(automaton, names, run.events)
    effects = [effect for _, _, group in run.steps for effect in group]
    last, unsettled = words_of(effects)
    wrong = [*wrong_words(orders, last, unsettled, precise=family.rules != "sound")]
    wrong += wrong_early(orders, *_at_deadlines(run))
    wrong += [Wrong("waits for ever", each) for each in run.unfinished()]
    return Played(
        len(orders),
        len(run.formed),
        sum(each is not Formed.NEVER for each in orders.values()),
        sum(word == VIOLATED for word in last.values()),
        sum(word == POSSIBLY_VIOLATED for word in last.values()),
        len(unsettled),
        tuple(wrong),
    )


def begun(system: System, scripts: Sequence[Script]) -> World:
    """The world after `FIRST`, of which everybody knows before doing anything."""
    count = len(system.processes)
    last = count - 1
    world = system.start([*((),) * last, (FIRST.message,)])
    world, _ = system.perform(world, Move(PERFORM, last))
    while world.states[last].unprocessed:
        world, _ = system.perform(world, Move(WORK, last))
    clocks = (world.clocks[last],) * count
    return world._replace(clocks=clocks, scripts=tuple(scripts), inboxes=((),) * count)


def _at_deadlines(run: Run) -> tuple[set[VectorClock], set[VectorClock]]:
    """Of which events `violated` was said for now, and at the deadlines of which nothing was,
    before anything else was."""
    early: set[VectorClock] = set()
    silent: set[VectorClock] = set()
    told: set[VectorClock] = set()
    for (move, _, effects), world in zip(run.steps, run.worlds, strict=False):
        words = [each for each in effects if isinstance(each, Declared)]
        if move.kind == EXPIRE and not words:
            silent |= {world.deadlines[move.which][1]} - told
        told |= {word.event for word in words}
        early |= {w.event for w in words if w.provisional and w.verdict.kind == VIOLATED}
    return early, silent


def _hosts(family: Family, random: Random) -> Played:
    automaton, names, scripts = draw(random, family)
    setting = Setting(
        automaton,
        names,
        RULES[family.rules],
        in_order=random.random() < family.in_order,
        # Who bounds what is open bounds answers, too, and lets no events queue (`Rules.most_told`).
        queued=random.random() < family.queued and family.most_open is None,
        deadline=family.deadline,
        most_open=family.most_open,
        in_slices=family.in_slices,
    )
    faults = family.faults
    dead = random.sample(range(len(names)), min(faults.dead, len(names)))
    run = Execution(setting, dead=dead)
    if family.dense.begin == FIRST:
        run.begins(FIRST.message)
    Player(run, scripts, faults, random, family.tempo).play()
    if dead:
        run.gives_all_up()
    return judged(run, family)


def judged(run: Execution, family: Family) -> Played:
    """Every event that was told and not forgotten, in all orders of all that happened."""
    names = run.setting.processes
    index_of = {(e.process, e.number): i for i, e in enumerate(run.events) if e.clock}
    orders = dict(enumerate(evaluate(run.automaton, names, with_hidden(run, names))))
    orders = {index: each for index, each in orders.items() if not run.events[index].gap}
    last = {index: word for index, word in run.words().items() if not run.events[index].gap}
    unsettled = {index_of[at] for at in _unsettled(run)}
    precise = family.rules != "sound"
    wrong = [*wrong_words(orders, last, unsettled & {*orders}, precise=precise)]
    if any(each.fault == "avoidable" for each in wrong):
        # What was known at events that were lost with a disk is known to nobody, or to few.
        inherent = evaluate(run.automaton, names, with_hidden(run, names, forgetful=True))
        at: dict[Any, Formed] = dict(enumerate(inherent))
        wrong = [w for w in wrong if w.fault != "avoidable" or at[w.event] is not Formed.SOMETIMES]
    early, silent = _at_deadlines_of_hosts(run)
    wrong += wrong_early(orders, {index_of[at] for at in early}, {index_of[at] for at in silent})
    told_again = [] if family.faults.amnesia else run.told_again()
    wrong += [Wrong("missed", each) for each in run.missed()]
    wrong += [Wrong("made up in the real order", each) for each in run.false_alarms()]
    wrong += [Wrong("not covered", each) for each in run.uncovered()]
    wrong += [Wrong("told again", each) for each in told_again]
    wrong += [Wrong("refused", each) for each in run.refused()]
    wrong += [Wrong("waits for ever", each) for each in run.unfinished()]
    return Played(
        len(run.events),
        len(run.formed),
        sum(each is not Formed.NEVER for each in orders.values()),
        len(run.violated()),
        len(run.possibly()),
        len(unsettled),
        tuple(wrong),
    )


def _unsettled(run: Execution) -> set[tuple[int, int]]:
    """The events whose last word is unsettled, by process and count: of the words of a host that
    forgot what it had said only its new ones."""
    found: set[tuple[int, int]] = set()
    now: set[tuple[int, int]] = set()
    for process, effect in run.effects():
        match effect:
            case Unsettled(event):
                now.add((process, event[process]))
            case Declared(event, _, False):
                at = (process, event[process])
                (found.add if at in now else found.discard)(at)
                now.discard(at)
            case _:
                pass
    return found


def _at_deadlines_of_hosts(run: Execution) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Of which events `violated` was said for now, and at the deadlines of which nothing was,
    before anything else was: process and count."""
    early: set[tuple[int, int]] = set()
    silent: set[tuple[int, int]] = set()
    told: set[tuple[int, int]] = set()
    for step in run.steps:
        words = [each for each in step.effects if isinstance(each, Declared)]
        if step.kind == EXPIRES and not words and (step.process, step.about) not in told:
            silent.add((step.process, step.about))
        for word in words:
            at = (step.process, word.event[step.process])
            told.add(at)
            if word.provisional and word.verdict and word.verdict.kind == VIOLATED:
                early.add(at)
    return early, silent


def _agents(family: Family, random: Random) -> Played:
    least, most = min(family.processes), max(family.processes)
    flavor = family.flavor._replace(
        dense=family.dense, processes=(least, most), events=family.events
    )
    return played_agents(flavor, RULES[family.rules], random)


def _instances(family: Family, random: Random) -> Played:
    run = of_instances.Run(random, family.of_instances).play()
    exact = run.exact() if family.of_instances.is_exact else {}
    return Played(
        len(run.events),
        len(run.formed()),
        sum(each is not Formed.NEVER for each in exact.values()),
        sum(word == VIOLATED for word in run.said.values()),
        sum(word == POSSIBLY_VIOLATED for word in run.said.values()),
        len(run.unsettled),
        tuple(Wrong(fault, times) for fault, times in run.wrong().items()),
    )


_KINDS: Final[Mapping[Kind, Callable[[Family, Random], Played]]] = {
    "monitors": _monitors,
    "hosts": _hosts,
    "agents": _agents,
    "instances": _instances,
}

_OVERTAKEN: Final = Family(
    "overtaken",
    dense=Dense(states=(4, 5), labels=(3, 4), handled=0),
    processes=(2,),
    events=(6, 12),
    noise=0,
    tempo={**SLOW, DELIVER: (0.05, 0.2, 0.5), "delivers": (0.05, 0.2, 0.5)},
    queued=0,
    in_order=0,
    handled=0,
)
_LONG: Final = _OVERTAKEN._replace(
    name="long",
    dense=Dense(states=(4, 5), labels=(2, 4), handled=0),
    events=(10, 18),
    tempo={**SLOW, DELIVER: (0.1, 0.3), "delivers": (0.1, 0.3)},
)
_FIRST: Final = Dense(begin=FIRST)
_BEGIN: Final = Dense(begin=BEGIN)
_SEVERAL: Final = Dense(initial=2, final=2)
_LATE: Final = Faults(losses=4, copies=6, repeats=6)
_GIVING_UP: Final = Faults(give_ups=4, losses=2, repeats=4)
_GAPS: Final = Faults(gaps=4, kept_back=2, losses=1, repeats=2)
_AMNESIA: Final = Faults(gaps=1, losses=2, repeats=3, amnesia=2)
_ALL: Final = Faults(gaps=2, kept_back=1, losses=2, copies=2, repeats=3, give_ups=2, amnesia=1)
_GAPS_OF_AGENTS: Final = AGENTS._replace(
    policies=("let-go", "buffer", "block"), faults=("crash", "cut", "kill", "power")
)

FAMILIES: Final = (
    Family("plain"),
    _OVERTAKEN,
    _LONG,
    Family("begin", dense=_FIRST),
    Family("since the beginning", dense=_BEGIN),
    Family("several", dense=_SEVERAL, in_order=0.2),
    Family("queues", dense=_SEVERAL, queued=1, in_order=0.2),
    Family("wide", dense=Dense(labels=(3, 5), final=1), processes=(3, 3, 4), events=(6, 14)),
    Family("deadlines", deadline=True),
    Family("hurried", dense=_SEVERAL, rules="hurried", deadline=True),
    Family("overwhelmed", dense=_SEVERAL, rules="overwhelmed", deadline=True),
    Family("sound", dense=_SEVERAL, rules="sound", deadline=True),
    Family("late", "hosts", faults=_LATE, deadline=True),
    _LONG._replace(name="late and long", kind="hosts", faults=_LATE),
    Family("late, hurried", "hosts", rules="hurried", faults=_LATE, deadline=True),
    Family("late, overwhelmed", "hosts", rules="overwhelmed", faults=_LATE, deadline=True),
    Family("late, begin", "hosts", dense=_FIRST, faults=_LATE, deadline=True),
    Family("since the beginning, late", "hosts", dense=_BEGIN, faults=_LATE, deadline=True),
    Family("giving up", "hosts", faults=_GIVING_UP, deadline=True),
    Family("dead", "hosts", dense=_SEVERAL, faults=Faults(dead=1, give_ups=2), deadline=True),
    Family("two open", "hosts", faults=Faults(repeats=2), most_open=2),
    Family("gaps", "hosts", dense=_SEVERAL, faults=_GAPS, deadline=True),
    Family("gaps, begin", "hosts", dense=_FIRST, faults=_GAPS, deadline=True),
    Family("since the beginning, gaps", "hosts", dense=_BEGIN, faults=_GAPS, deadline=True),
    Family(
        "since the beginning, everything",
        "hosts",
        dense=_BEGIN,
        faults=_ALL,
        deadline=True,
        most_open=3,
    ),
    Family("amnesia", "hosts", faults=_AMNESIA, deadline=True),
    Family("everything", "hosts", faults=_ALL, deadline=True, most_open=3),
    Family("in slices", "hosts", dense=_SEVERAL, faults=_LATE, in_slices=True, deadline=True),
    Family(
        "in slices, everything", "hosts", faults=_ALL, deadline=True, most_open=3, in_slices=True
    ),
    Family("sound, everything", "hosts", faults=_ALL, deadline=True, most_open=3, rules="sound"),
    Family("agents", "agents", processes=(2, 3), events=(5, 12)),
    Family("agents, several", "agents", dense=_SEVERAL, processes=(2, 3), events=(5, 12)),
    Family("since the beginning, agents", "agents", dense=_BEGIN, processes=(2, 3), events=(5, 12)),
    Family("agents, gaps", "agents", processes=(2, 3), events=(5, 12), flavor=_GAPS_OF_AGENTS),
    *(
        Family(f"instances, {name}", "instances", of_instances=flavor)
        for name, flavor in of_instances.FLAVORS.items()
    ),
)
