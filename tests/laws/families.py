"""Families of random runs, each a frozen value: what is drawn, how fast everything is, what goes
wrong. A run of a family and a seed is judged by `tests.laws.every_event`, event by event.

Where many events are open at once: automata of few labels on many transitions, processes that are 30
to 150 times faster than answers, answers that overtake each other or come twice. There each monitor
puts together what others knew at many different times. Of hosts and agents beside these: gaps,
amnesia, giving up, restarts. What is promised then is less, and is asked for: `Family.promised`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor.effects import Declared, Effect, Unsettled
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import Formed, evaluate
from choreomon.properties.reference import formations
from tests.laws.dense_agents import AGENTS, played_agents
from tests.laws.drawn import BEGIN, Dense, draw_dense_automaton, draw_scripts, processes
from tests.laws.course import with_hidden
from tests.laws.every_event import Played, Wrong, exact, words_of, wrong_early, wrong_words
from tests.laws.faults import NO_FAULTS, Faults, Player
from tests.laws.interleaving import (
    DELIVER, EXPIRE, PERFORM, TAKE, WORK, Script, System, Tempo, play, weighted,
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

Kind: TypeAlias = Literal["monitors", "hosts", "agents"]


class Family(NamedTuple):
    """What its runs have in common. `noise`: messages that no property mentions, which carry clocks
    around. `rules` are found by name in `RULES`, so that a family stays a value.

    `promised`: "every event" of all that were told; "what was told" where there are gaps: the same,
    but of events in gaps; "the real order": G1 and G2 alone.
    """

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
    flavor: Flavor = AGENTS


RULES: Final[Mapping[str, Rules]] = {"precise": PRECISE, "sound": SOUND}


class Drawn(NamedTuple):
    automaton: SequenceAutomaton
    processes: tuple[str, ...]
    scripts: tuple[Script, ...]


def draw(random: Random, family: Family) -> Drawn:
    """A property and what each process sends; that of `BEGIN`, where there is one, sends nothing
    more."""
    names = processes(random.choice(family.processes))
    automaton = draw_dense_automaton(random, names, family.dense)
    if family.dense.begin:
        names = (*names, BEGIN.process)
    scripts = draw_scripts(random, automaton, names, events=family.events, noise=family.noise)
    if family.dense.begin:
        scripts = tuple(tuple(m for m in script if m != BEGIN.message) for script in scripts)
    return Drawn(automaton, names, scripts)


def played(family: Family, seed: int) -> Played:
    """The run of a family that this seed draws."""
    return _KINDS[family.kind](family, Random(seed))


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
    begin = BEGIN.message if family.dense.begin else None
    run = play(system, scripts, weighted(random, family.tempo), begin=begin)
    orders = exact(automaton, names, run.events)
    effects = [effect for _, _, group in run.steps for effect in group]
    last, unsettled = words_of(effects)
    wrong = [*wrong_words(orders, last, unsettled, precise=family.rules == "precise")]
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


def _hosts(family: Family, random: Random) -> Played:
    automaton, names, scripts = draw(random, family)
    setting = Setting(
        automaton,
        names,
        RULES[family.rules],
        in_order=random.random() < family.in_order,
        queued=random.random() < family.queued,
        deadline=family.deadline,
        most_open=family.most_open,
    )
    faults = family.faults
    dead = random.sample(range(len(names)), min(faults.dead, len(names)))
    run = Execution(setting, dead=dead)
    if family.dense.begin:
        run.begins(BEGIN.message)
    Player(run, scripts, faults, random, family.tempo).play()
    if dead:
        run.gives_all_up()
    return judged(run, family)


def judged(run: Execution, family: Family) -> Played:
    """Of what was told and not forgotten every event, in all orders of it and of what was hidden."""
    names = run.setting.processes
    index_of = {(e.process, e.number): i for i, e in enumerate(run.events) if e.clock}
    orders = dict(enumerate(evaluate(run.automaton, names, with_hidden(run, names))))
    orders = {index: each for index, each in orders.items() if not run.events[index].gap}
    last = {index: word for index, word in run.words().items() if not run.events[index].gap}
    unsettled = {
        index_of[process, effect.event[process]]
        for process, effect in run.effects()
        if isinstance(effect, Unsettled)
    }
    precise = family.rules == "precise"
    wrong = [*wrong_words(orders, last, unsettled & {*orders}, precise=precise)]
    early, silent = _at_deadlines(run)
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


def _at_deadlines(run: Execution) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
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
    flavor = family.flavor._replace(dense=family.dense, processes=(2,3), events=family.events)
    return played_agents(flavor, RULES[family.rules], random)


_KINDS = {"monitors": _monitors, "hosts": _hosts, "agents": _agents}
GAPS = Faults(gaps=4, kept_back=2)
FAMILIES = (
    Family("plain"), Family("begin", dense=Dense(begin=True)),
    Family("h-late", "hosts", faults=Faults(copies=6, repeats=6, losses=4)),
    Family("h-giving-up", "hosts", faults=Faults(give_ups=4, losses=2, repeats=4), deadline=True),
    Family("h-dead", "hosts", faults=Faults(give_ups=2, dead=1), deadline=True),
    Family("h-few", "hosts", faults=Faults(repeats=2), most_open=2),
    Family("h-gaps", "hosts", faults=GAPS, deadline=True),
    Family("a-block", "agents", events=(5, 12)),
    Family("h-amnesia", "hosts", faults=Faults(gaps=1, losses=2, repeats=3, amnesia=2)),
)
