"""Random runs with all that their monitors said, for `tests.laws.explanations`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from random import Random
from typing import Any, Final, NamedTuple

from benchmarks.truth.documents import FAMILIES as DOCUMENTS
from benchmarks.truth.documents import document_of
from choreomon.core.message import BEGINNING, Event
from choreomon.core.run import BEFORE_ALL, MonitorsMessage, RunEvent, RunReason, RunVerdict
from choreomon.core.strategy_names import StrategyName
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import GAP, MonitorVerdict, Reason, Reference
from choreomon.documents.read import parse_document
from choreomon.monitor.effects import Declared, Unsettled
from choreomon.properties.automaton import SequenceAutomaton
from simulator.run import Simulation, simulation
from tests.laws.course import with_hidden
from tests.laws.drawn import FIRST
from tests.laws.families import FAMILIES, RULES, Family, begun, draw
from tests.laws.faults import Player
from tests.laws.interleaving import System, play, weighted
from tests.laws.unreliable import Execution, Setting
from tests.simulator.monitored import draw_simulation

_STRATEGIES: Final[Sequence[tuple[StrategyName, str | None]]] = (
    *(("pull", "precise"),) * 5,
    *(("pull", "sound"),) * 2,
    ("push", None),
    ("central", None),
)


PAUSE: Final = 2_000
"""In milliseconds. No message is under way so long."""


class Word(NamedTuple):
    """Something that was said, `last` for good or `unsettled`."""

    verdict: RunVerdict
    last: bool
    unsettled: bool


class Story(NamedTuple):
    """A run with all that is explained of it. `said`: what was ever said of which event. `precise`:
    by which rules the monitors pulled; `gives_up`: whether they may have done without answers."""

    automaton: SequenceAutomaton
    processes: Sequence[str]
    events: Sequence[RunEvent]
    words: Sequence[Word]
    said: Collection[tuple[int, str]]
    precise: bool
    gives_up: bool = False
    messages: Sequence[MonitorsMessage] | None = None
    gaps: Collection[int] = ()


def simulated(number: int) -> Story:
    """A document of `benchmarks.truth`, simulated; what pulling monitors say for now, too."""
    random = Random(f"explanations {number}")
    text, name = document_of(random.choice([*DOCUMENTS]), number)
    return _simulated(simulation(parse_document(text, name)), random.randrange(1 << 31), random)


def pausing(number: int) -> Story:
    """The same in bursts with pauses, in which everything is decided."""
    random = Random(f"explanations, pausing {number}")
    text, name = document_of(random.choice(("dense", "ends", "handles", "sequences")), number)
    document = json.loads(text)
    paused = 0
    for start in document["application"]["start"]:
        paused += PAUSE * (random.random() < 0.3)
        start["at"] = start.get("at", 0) + paused
    drawn = simulation(parse_document(json.dumps(document), name))
    return _simulated(drawn, random.randrange(1 << 31), random)


def rounds(number: int) -> Story:
    """A property whose cancellation goes back to its middle, on two processes, in bursts with
    pauses: what one round leaves open the next one still knows."""
    random = Random(f"explanations, rounds {number}")
    at = 0
    start = [{"to": "A", "message": "a", "at": 0}]
    for _ in range(random.randint(5, 9)):
        at += random.choice((0, 1, 1, 2, 5, 20, PAUSE))
        process, message = random.choice((*(("A", "go"),) * 3, ("A", "v"), ("A", "v"), ("B", "d")))
        start.append({"to": process, "message": message, "at": at})
    sent = [{"send": {"to": "B", "message": "b"}}]
    document = {
        "application": {
            "processes": [
                {"id": "A", "handlers": {"a": [], "go": sent, "v": []}},
                {"id": "B", "handlers": {"b": [], "d": []}},
            ],
            "start": start,
        },
        "network": {"delay": {"constant": 10}},
        "property": {
            "automaton": {
                "initial": ["q0"],
                "final": ["q3"],
                "transitions": [
                    {"from": source, "to": target, "on": label}
                    for source, label, target in (
                        ("q0", "handle env -> A : a", "q1"),
                        ("q1", "A -> B : b", "q2"),
                        ("q2", "handle A -> B : b", "q3"),
                        ("q1", "handle env -> B : d", "q3"),
                        ("q3", "handle env -> A : v", "q1"),
                    )
                ],
            }
        },
    }
    drawn = simulation(parse_document(json.dumps(document), "rounds.json"))
    return _simulated(drawn, random.randrange(1 << 31), random)


def reacting(number: int) -> Story:
    """An application of `tests.simulator.monitored`, whose messages lead to further ones: rounds
    of a property one after the other."""
    random = Random(f"explanations, reacting {number}")
    return _simulated(draw_simulation(random, number, max_events=60), number, random)


def _simulated(drawn: Simulation, seed: int, random: Random) -> Story:
    strategy, rules = random.choice(_STRATEGIES)
    said: list[RunVerdict] = []
    run = drawn.run(
        seed,
        strategy=strategy,
        rules=rules,  # type: ignore[arg-type]
        keep_events=True,
        on_verdict=said.append,
    )
    assert drawn.automaton is not None
    words = [Word(each, False, False) for each in said if each.early]
    words += [Word(each, True, each.event_index in run.unsettled) for each in run.verdicts]
    precise = (strategy, rules) == ("pull", "precise")
    return Story(
        drawn.automaton,
        run.processes,
        run.kept_events,
        words,
        {(each.event_index, each.verdict) for each in said},
        precise,
        messages=run.kept_messages,
    )


def interleaved(family: Family, seed: int) -> Story:
    """A run of monitors or of hosts, of a family of `tests.laws.families`."""
    random = Random(f"{family.name} explained {seed}")
    automaton, names, scripts = draw(random, family)
    common: dict[str, Any] = {
        "in_order": random.random() < family.in_order,
        "queued": random.random() < family.queued and family.most_open is None,
        "deadline": family.deadline,
    }
    rules = RULES[family.rules]
    effects: list[tuple[str, object]] = []
    if family.kind == "monitors":
        handles = random.random() < family.handled
        system = System(automaton, names, rules, handles=handles, **common)
        start = begun(system, scripts) if family.dense.begin == FIRST else None
        run = play(system, scripts, weighted(random, family.tempo), start=start)
        events: Sequence[Event] = run.events
        effects += [(names[place], each) for _, place, group in run.steps for each in group]
        at = {
            (each.process, each.clock[system.index_of[each.process]]): index
            for index, each in enumerate(events)
        }
    else:
        setting = Setting(automaton, names, rules, most_open=family.most_open, **common)
        dead = random.sample(range(len(names)), min(family.faults.dead, len(names)))
        execution = Execution(setting, dead=dead)
        if family.dense.begin == FIRST:
            execution.begins(FIRST.message)
        Player(execution, scripts, family.faults, random, family.tempo).play()
        if dead:
            execution.gives_all_up()
        events = with_hidden(execution, names)
        effects += [(names[place], each) for place, each in execution.effects()]
        at = {
            (names[each.process], each.number): index
            for index, each in enumerate(execution.events)
            if each.number is not None
        }
    told = [
        RunEvent(index, 0, each.label.kind, each.process, each.label.message, each.clock)
        for index, each in enumerate(events)
    ]
    gaps: set[int] = set()
    words = _words(names, told, effects, at, gaps)
    return Story(
        automaton,
        names,
        told,
        words,
        {(each.verdict.event_index, each.verdict.verdict) for each in words},
        family.rules == "precise",
        family.kind == "hosts",
        gaps=gaps,
    )


def _words(
    processes: Sequence[str],
    events: Sequence[RunEvent],
    effects: Sequence[tuple[str, object]],
    at: Mapping[tuple[str, int], int],
    gaps: set[int],
) -> list[Word]:
    """What was said of events that nobody has forgotten, `at` their indices by process and count,
    for reasons that are not forgotten. New `gaps` are put there."""
    place = {process: index for index, process in enumerate(processes)}
    unsettled = {
        at.get((process, each.event[place[process]]))
        for process, each in effects
        if isinstance(each, Unsettled)
    }
    gap_at: dict[tuple[Reference, VectorClock, VectorClock | None], int] = {}

    def index(reference: Reference, clock: VectorClock) -> int:
        if reference.process == BEGINNING:
            return BEFORE_ALL
        return at[reference.process, clock[place[reference.process]]]

    def index_of(reason: Reason) -> int:
        if reason.result != GAP:
            return index(reason.reference, reason.clock)
        key = (reason.reference, reason.clock, reason.since)
        found = gap_at.setdefault(key, len(events) + len(gaps))
        gaps.add(found)
        return found

    def index_of_pre(reason: Reason) -> int | None:
        if reason.of is None or reason.of_reference is None:
            return None
        for (reference, clock, _), found in gap_at.items():
            if (reference, clock) == (reason.of_reference, reason.of):
                return found
        return index(reason.of_reference, reason.of)

    def looked_up(verdict: MonitorVerdict, early: bool) -> RunVerdict:
        judged = at[verdict.process, verdict.clock[place[verdict.process]]]
        because = [
            RunReason(
                index_of(each),
                (each.reference.source, each.reference.target),
                each.role,
                each.result,
                each.relation,
                each.certain,
                of=index_of_pre(each),
                of_transition=(each.of_reference.source, each.of_reference.target)
                if each.of_reference
                else None,
                since=index(each.reference, each.since)
                if each.since and each.result != GAP
                else None,
            )
            for each in verdict.because
        ]
        return RunVerdict(
            verdict=verdict.kind,
            monitor=verdict.process,
            event_index=judged,
            transitions=tuple((each.source, each.target) for each in verdict.transitions),
            label=str(events[judged].label),
            because=tuple(because),
            declared_at=0,
            silent=verdict.silent,
            early=early,
        )

    words = []
    for _, each in effects:
        if isinstance(each, Declared) and each.verdict is not None and not each.verdict.unseen:
            with suppress(KeyError):
                verdict = looked_up(each.verdict, each.provisional)
                words.append(Word(verdict, not each.provisional, verdict.event_index in unsettled))
    return words


PLAYED: Final = tuple(family for family in FAMILIES if family.kind in ("monitors", "hosts"))


def stories(seed: int) -> Iterator[Story]:
    """Without end, of each kind in turn."""
    for number in count(seed * 1_000_000):
        yield simulated(number)
        yield pausing(number)
        yield rounds(number)
        yield reacting(number)
        yield interleaved(PLAYED[number % len(PLAYED)], number)
