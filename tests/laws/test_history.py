"""What the history drops, merges and promises (choreomon/monitor/history.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings

from choreomon.core.message import Event, Message
from choreomon.core.vector_clock import VectorClock, knows
from choreomon.core.verdict import FRM, FRM_P, Reference, Result
from choreomon.monitor import answering, inspection, pull
from choreomon.monitor.answering import FEW
from choreomon.monitor.history import (
    MAX_CHAIN,
    OPEN,
    Chain,
    Record,
    RecordResult,
    merged,
    relevant,
    without_dominated,
)
from choreomon.monitor.inspection import SMALL
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.state import MonitorState
from choreomon.properties.tables import Inspected
from tests.laws.drawn import draw_automaton, draw_scripts, processes
from tests.laws.interleaving import DELIVER, Run, System, Told, play, weighted
from tests.laws.planted import ForgetsAllButTheLast, WholeChains
from tests.laws.test_guarantees import randoms, runs, thorough
from tests.properties.stated import automaton_of


class Case(NamedTuple):
    """An inspection at an event, and for each process that it asks the chains there."""

    inspected: Inspected
    event: VectorClock
    own: int
    chains: tuple[tuple[int, Chain], ...]
    index_of: dict[str, int]


def cases(random: Random) -> Iterator[Case]:
    """Every inspection of one random execution, with records whose results are drawn: what
    is claimed of chains must hold for any."""
    names = processes(random.randint(2, 3))
    automaton = draw_automaton(random, names)
    scripts = draw_scripts(random, automaton, names, events=(12, 24))
    system = System(automaton, names)
    events = play(system, scripts, weighted(random)).events
    for event in events:
        own = system.index_of[event.process]
        table = system.monitors[own].table
        for inspected in table.inspections.get(event.label, ()):
            if inspected.starts:
                continue
            chains = []
            for owner, asked in inspected.asks:
                place = system.index_of[owner]
                watched = system.monitors[place].table.watched_by
                for reference in asked:
                    chain = tuple(
                        Record(reference, other.clock, result)
                        for other in events
                        if other.process == owner
                        and other.label in watched[reference]
                        and (result := draw_result(random, event, other, place))
                    )
                    chains += [(place, chain)]
            yield Case(inspected, event.clock, own, tuple(chains), system.index_of)


def draw_result(random: Random, event: Event, other: Event, place: int) -> RecordResult | None:
    """What was found at `other`; still open only where an answer need not wait for it."""
    results: list[RecordResult | None] = [FRM, FRM_P, None]
    if other != event and not knows(event.clock, place, other.clock[place]):
        results.append(OPEN)
    return random.choice(results)


Answer = Callable[[Chain, int, VectorClock, int], list[Record]]


def judge(case: Case, answer: Answer) -> Result | None:
    records = [
        record
        for place, chain in case.chains
        for record in answer(chain, place, case.event, case.own)
    ]
    return SOUND.judge(case.inspected, case.event, case.own, records, case.index_of).result


def whole(chain: Chain, place: int, event: VectorClock, asker: int) -> list[Record]:
    return WholeChains().tell(chain, place, event, asker)


def last_of_each(chain: Chain, place: int, event: VectorClock, asker: int) -> list[Record]:
    """Planted: the last record before, and the last one otherwise, certain or not."""
    told = relevant(chain, place, event, asker)
    return [r for r in told if r is not told[-1] or r.result != FRM or len(told) == 1]


def after_dropping(random: Random, drop: Callable[[Chain, int, int], Chain]) -> Answer:
    """Answers from chains of which `drop` took what every future inquiry may know."""

    def answer(chain: Chain, place: int, event: VectorClock, asker: int) -> list[Record]:
        known = event[place] - (asker == place)
        return relevant(drop(chain, place, random.randint(0, known)), place, event, asker)

    return answer


def keep_the_last(chain: Chain, own: int, settled: int) -> Chain:
    """Planted: of the settled records only the last is kept."""
    old = [r for r in chain if r.clock[own] <= settled]
    return (*old[-1:], *(r for r in chain if r.clock[own] > settled))


@settings(thorough, max_examples=120)
@given(randoms)
def test_three_records_of_a_chain_judge_as_all_of_them(random: Random) -> None:
    for case in cases(random):
        assert judge(case, relevant) == judge(case, whole)
        for place, chain in case.chains:
            assert len(relevant(chain, place, case.event, case.own)) <= 3


@settings(thorough, max_examples=120)
@given(randoms)
def test_dropping_dominated_records_changes_no_judgement(random: Random) -> None:
    for case in cases(random):
        assert judge(case, after_dropping(random, without_dominated)) == judge(case, whole)


def test_the_law_of_three_records_notices_two() -> None:
    assert any(
        judge(case, last_of_each) != judge(case, whole)
        for seed in range(100)
        for case in cases(Random(seed))
    )


def test_the_law_of_dropping_notices_dropping_the_last_certain_record() -> None:
    random = Random(0)
    assert any(
        judge(case, after_dropping(random, keep_the_last)) != judge(case, whole)
        for seed in range(100)
        for case in cases(Random(seed))
    )


def test_monitors_that_drop_declare_what_monitors_that_keep_everything_declare() -> None:
    dropped = 0
    for run, keeping in zip(runs(800), runs(800, WholeChains()), strict=True):
        assert run.events == keeping.events
        assert run.last_verdicts() == keeping.last_verdicts()
        dropped += sum(s.records for s in keeping.worlds[-1].states)
        dropped -= sum(s.records for s in run.worlds[-1].states)
    assert dropped > 500


def test_the_comparison_notices_dropping_too_much() -> None:
    pairs = zip(runs(300), runs(300, ForgetsAllButTheLast()), strict=True)
    assert any(run.last_verdicts() != broken.last_verdicts() for run, broken in pairs)


def chain_of(results: str) -> Chain:
    """One letter a record: `F` surely, `p` possibly, `?` open; clocks 1, 2, ..."""
    reference = Reference("q0", "P1", "q1")
    states: dict[str, RecordResult] = {"F": FRM, "p": FRM_P, "?": OPEN}
    return tuple(
        Record(reference, (count,), states[letter]) for count, letter in enumerate(results, 1)
    )


def shown(chain: Chain) -> str:
    letters = {FRM: "F", FRM_P: "p", OPEN: "?"}
    return " ".join(
        letters[r.result] + (f"{r.since[0]}-{r.clock[0]}" if r.since else f"{r.clock[0]}")
        for r in chain
    )


@pytest.mark.parametrize(
    ("results", "settled", "expected"),
    [
        ("ppp", 1, "p1 p2 p3"),
        ("pp", 2, "p2"),
        ("ppp", 2, "p2 p3"),
        ("ppp", 3, "p3"),
        ("FpFp", 4, "F3 p4"),
        ("Fppp", 3, "F1 p3 p4"),
        ("pFF", 3, "F3"),
        ("p?p", 3, "?2 p3"),
        ("F?p?", 4, "F1 ?2 p3 ?4"),
    ],
)
def test_of_what_is_settled_the_last_is_kept_and_the_last_certain_and_the_open(
    results: str, settled: int, expected: str
) -> None:
    assert shown(without_dominated(chain_of(results), 0, settled)) == expected


# Merging.


@pytest.mark.parametrize(
    ("results", "longest", "expected"),
    [
        ("ppp", 3, "p1 p2 p3"),
        ("pppp", 3, "p1-2 p3 p4"),
        ("ppppp", 3, "p1-3 p4 p5"),
        ("Fppp", 3, "F1 p2-3 p4"),
        ("FpFp", 3, "p1-2 F3 p4"),
        ("Fp", 1, "p1-2"),
        ("pF", 1, "F1-2"),
        ("FpF?F", 2, "F1-3 ?4 F5"),
        ("p?pp", 3, "p1 ?2 p3-4"),
        ("?p?p", 1, "?1 p2 ?3 p4"),
        ("Fp?p", 3, "p1-2 ?3 p4"),
    ],
)
def test_the_oldest_neighbours_are_merged_sparing_the_last_certain_and_the_open(
    results: str, longest: int, expected: str
) -> None:
    assert shown(merged(chain_of(results), longest)) == expected


def test_nothing_is_kept_of_what_nobody_asks_for_but_open_records() -> None:
    unread = 0
    for run in runs(200):
        for monitor, states in zip(
            run.system.monitors, zip(*(w.states for w in run.worlds), strict=True), strict=True
        ):
            for place, readers in enumerate(monitor.readers_of):
                if readers or monitor.asks_itself[place]:
                    continue
                unread += 1
                kept = [record for state in states for record in state.history[place]]
                assert {record.result for record in kept} <= {OPEN}
    assert unread > 100


# Promises.


def broken_promises(run: Run) -> Iterator[tuple[str, Inquiry]]:
    """Inquiries that wait or come after a promise of their sender that does not hold for
    them."""
    names = run.system.processes
    promised = {(a, b): 0 for a in names for b in names}
    for number, (move, _, _) in enumerate(run.steps):
        before, after = run.worlds[number], run.worlds[number + 1]
        arrived = []
        if move.kind == DELIVER:
            message = before.channels[move.place][move.which]
            key = (message.sender, message.receiver)
            promised[key] = max(promised[key], message.settled)
            arrived = [message]
        for place, (name, state) in enumerate(zip(names, after.states, strict=True)):
            waiting = [*state.postponed, *(m for m in arrived if m.receiver == name)]
            for inquiry in waiting:
                if (
                    isinstance(inquiry, Inquiry)
                    and inquiry.sender != name
                    and inquiry.event[place] < promised[inquiry.sender, name]
                ):
                    yield name, inquiry


def test_promises_about_future_inquiries_are_true_however_late_they_arrive() -> None:
    promises = 0
    for run in runs(1500):
        assert not list(broken_promises(run))
        promises += sum(
            state.settled != (0,) * len(state.settled) for state in run.worlds[-1].states
        )
    assert promises > 1000


def test_the_law_of_promises_notices_promising_what_open_inspections_do_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pull, "promise", lambda state, clock, reader: clock[reader])
    assert any(list(broken_promises(run)) for run in runs(1500))


def test_a_later_promise_never_says_less() -> None:
    for run in runs(300):
        for before, after in zip(run.worlds, run.worlds[1:], strict=False):
            for old, new in zip(before.states, after.states, strict=True):
                assert all(a <= b for a, b in zip(old.settled, new.settled, strict=True))


# Backlogs.


def test_with_many_open_inspections_monitors_say_what_they_say_with_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Above FEW they are looked up by other ways, which hold for any number."""
    few = [run.steps for run in runs(600)]
    monkeypatch.setattr(answering, "FEW", 0)
    monkeypatch.setattr(inspection, "FEW", 0)
    assert [run.steps for run in runs(600)] == few


# Bounds.


A, B = Message("P1", "a", "P2"), Message("P2", "b", "P1")
PAIR = automaton_of("q0", "q2", ("q0", A, "q1"), ("q1", B, "q2"))


def merged_records(state: MonitorState) -> list[Record]:
    return [record for chain in state.history for record in chain if record.since]


def test_a_chain_whose_reader_stays_silent_stops_growing() -> None:
    told = Told.of(System(PAIR, ("P1", "P2"), handles=False))
    for _ in range(10 * MAX_CHAIN):
        told.sends(A)
        told.works("P1")
        assert told.world.states[0].records <= MAX_CHAIN
    assert told.world.states[0].records == MAX_CHAIN
    told.sends(B)
    told.works("P2")
    run = told.settles()
    assert run.possibly() == run.formed == {10 * MAX_CHAIN}


def test_a_chain_whose_reader_talks_stays_short() -> None:
    told = Told.of(System(PAIR, ("P1", "P2")))
    for _ in range(10 * MAX_CHAIN):
        told.sends(A)
        told.works("P1")
        told.handles(A)
        told.sends(B)
        told.works("P2")
        told.settles()
        assert told.world.states[0].records <= 2 * SMALL
        assert not merged_records(told.world.states[0])
    assert len(told.run.violated()) == 10 * MAX_CHAIN


def test_a_chain_that_only_its_own_process_reads_stays_short() -> None:
    """Nothing waits, so everything is known at once of what was before."""
    c = Message("P1", "c", "P2")
    automaton = automaton_of("q0", "q2", ("q0", A, "q1"), ("q1", c, "q2"))
    told = Told.of(System(automaton, ("P1", "P2")))
    for _ in range(10 * MAX_CHAIN):
        for message in (A, c):
            told.sends(message)
            told.works("P1")
        assert told.world.states[0].records <= SMALL
        assert not merged_records(told.world.states[0])
    assert len(told.run.violated()) == 10 * MAX_CHAIN


def test_only_open_inspections_let_a_chain_grow_beyond_its_bound() -> None:
    """Open records are not merged, nor what one stands between; and in a backlog of more
    than FEW open inspections a chain may be longer by their number."""
    longest = 0
    for run in runs(60, count=(2, 3), events=(60, 90)):
        backlog = [0] * len(run.system.processes)
        for world in run.worlds:
            for place, state in enumerate(world.states):
                backlog[place] = max(backlog[place], len(state.inspections))
                slack = backlog[place] if backlog[place] > FEW else 0
                for chain in state.history:
                    opened = sum(record.result == OPEN for record in chain)
                    assert len(chain) - opened <= max(MAX_CHAIN, opened + 1) + slack
                    longest = max(longest, len(chain) - opened)
    assert longest >= MAX_CHAIN
