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
from choreomon.properties.partial_order import Formed
from choreomon.properties.reference import formations
from tests.laws.drawn import BEGIN, Dense, draw_dense_automaton, draw_scripts, processes
from tests.laws.every_event import Wrong, exact, words_of, wrong_words
from tests.laws.faults import NO_FAULTS, Faults, Player
from tests.laws.interleaving import (
    DELIVER, EXPIRE, PERFORM, TAKE, WORK, Script, System, Tempo, play, weighted,
)  # fmt: skip
from tests.laws.unreliable import Execution, Setting

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


RULES: Final[Mapping[str, Rules]] = {"precise": PRECISE, "sound": SOUND}


class Played(NamedTuple):
    """A run: how many events there were with one of the property's labels, at how many the real
    order formed it, at how many some order does; words; and what is wrong."""

    events: int
    formed: int
    may_form: int
    violated: int
    possibly: int
    unsettled: int
    wrong: tuple[Wrong, ...]


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
_KINDS = {"monitors": _monitors}
FAMILIES = (Family("plain"), Family("begin", dense=Dense(begin=True)))
