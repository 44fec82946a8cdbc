"""Random properties of several rules, some of which begin with the run, and what monitors say of
each rule, held against the rule by itself over all orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from choreomon.core.message import BEGIN, Label
from choreomon.core.stated_rule import RuleStates, StatedRule
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, VerdictKind
from choreomon.monitor.effects import Declared, Unsettled
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.rules import Rules
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton
from choreomon.properties.partial_order import Formed
from choreomon.properties.parts import joined, restricted
from tests.laws.drawn import Dense, draw_dense_automaton, draw_scripts, processes
from tests.laws.every_event import Played, Wrong, exact, wrong_early, wrong_words
from tests.laws.families import SLOW
from tests.laws.interleaving import EXPIRE, Run, System, play, weighted


class Drawing(NamedTuple):
    """How properties and runs are drawn; `begin`: how likely a rule begins with the run."""

    dense: Dense = Dense(states=(3, 4), labels=(2, 2))
    rules: tuple[int, ...] = (2, 2, 3)
    processes: tuple[int, ...] = (2, 3)
    events: tuple[int, int] = (4, 10)
    begin: float = 0.5
    deadline: bool = False


def draw_rules(random: Random, names: tuple[str, ...], drawing: Drawing) -> SequenceAutomaton:
    """Rules over few labels, which most of them share."""
    parts: list[SequenceAutomaton] = []
    pool: list[Label] = []
    for number in range(random.choice(drawing.rules)):
        begin = BEGIN if random.random() < drawing.begin else None
        drawn = draw_dense_automaton(random, names, drawing.dense._replace(begin=begin))
        pool += drawn.labels
        parts.append(_renamed(random, drawn, f"r{number}", pool))
    return joined(parts)


def _renamed(
    random: Random, drawn: SequenceAutomaton, name: str, pool: Sequence[Label]
) -> SequenceAutomaton:
    """The automaton as the rule of that name, with labels of others in place of some of its own."""
    other = {label: random.choice(pool) for label in drawn.labels if random.random() < 0.5}
    transitions = [
        StatedTransition(f"{name}.{t.source}", other.get(t.label, t.label), f"{name}.{t.target}")
        for t in (*drawn.forward, *drawn.backward)
    ]
    made = sequence_automaton(
        initial=[f"{name}.{state}" for state in drawn.initial],
        final=[f"{name}.{state}" for state in drawn.final],
        transitions=transitions,
    )
    return replace(made, rules=(RuleStates(StatedRule(name), frozenset(made.states)),))


def played_rules(random: Random, drawing: Drawing, rules: Rules = PRECISE) -> Played:
    """A run, and what is wrong with what was said of any rule."""
    names = processes(random.choice(drawing.processes))
    automaton = draw_rules(random, names, drawing)
    scripts = draw_scripts(random, automaton, names, events=drawing.events, noise=0.1)
    system = System(
        automaton,
        names,
        rules,
        in_order=random.random() < 0.5,
        queued=random.random() < 0.3,
        handles=random.random() < 0.7,
        deadline=drawing.deadline,
    )
    run = play(system, scripts, weighted(random, SLOW))
    return judged(run, precise=True)


def judged(run: Run, *, precise: bool) -> Played:
    """What is wrong with the words about each rule."""
    system = run.system
    counts = dict.fromkeys(("may form", VIOLATED, POSSIBLY_VIOLATED), 0)
    wrong = [Wrong("waits for ever", each) for each in run.unfinished()]
    words = words_by_rule(run)
    events = 0
    unsettled = {
        effect.event
        for _, _, effects in run.steps
        for effect in effects
        if isinstance(effect, Unsettled)
    }
    for stated, states in system.automaton.rules:
        rule = restricted(system.automaton, states)
        orders = exact(rule, system.processes, run.events)
        found = words.get(stated.id, Words({}, set(), set()))
        faults = wrong_words(orders, found.last, (), precise=precise)
        wrong += [
            fault._replace(fault=f"{stated.id}: {fault.fault}")
            for fault in (*faults, *wrong_early(orders, found.early, ()))
            if fault.fault != "avoidable" or fault.event not in unsettled
        ]
        events += len(orders)
        counts["may form"] += sum(each is not Formed.NEVER for each in orders.values())
        for kind in (VIOLATED, POSSIBLY_VIOLATED):
            counts[kind] += sum(word == kind for word in found.last.values())
    return Played(
        events,
        len(run.formed),
        counts["may form"],
        counts[VIOLATED],
        counts[POSSIBLY_VIOLATED],
        len(unsettled),
        tuple(wrong),
    )


class Words(NamedTuple):
    """The last words about one rule by events, of which `violated` was said early, and which were
    told twice for good."""

    last: dict[VectorClock, VerdictKind | None]
    early: set[VectorClock]
    twice: set[VectorClock]


def words_by_rule(run: Run) -> Mapping[str, Words]:
    found: dict[str, Words] = {}
    for move, process, effects in run.steps:
        for effect in effects:
            if not isinstance(effect, Declared):
                continue
            table = run.system.monitors[process].table
            stated, states = table.rules[effect.rule]
            if effect.verdict is not None:
                assert all(each.source in states for each in effect.verdict.transitions)
            words = found.setdefault(stated.id, Words({}, set(), set()))
            if effect.provisional:
                assert move.kind == EXPIRE
                if effect.verdict and effect.verdict.kind == VIOLATED:
                    words.early.add(effect.event)
                continue
            if effect.event in words.last:
                words.twice.add(effect.event)
            words.last[effect.event] = effect.verdict.kind if effect.verdict else None
    return found


def first_wrong(
    runs: int, drawing: Drawing, seed: str, rules: Rules = PRECISE
) -> tuple[int, tuple[Wrong, ...]] | None:
    """The first of so many runs with something wrong."""
    for number in range(runs):
        played = played_rules(Random(f"{seed} {number}"), drawing, rules)
        if played.wrong:
            return number, played.wrong
    return None
