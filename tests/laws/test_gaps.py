"""Gaps (choreomon/monitor/gaps.py): events of which the host of a process is not told, against the
reference over all events in their real order, the untold ones too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given

from choreomon.core.message import Message
from choreomon.core.verdict import GAP, NEVER, POSSIBLY_VIOLATED, VIOLATED
from choreomon.monitor import gap_bounds, gaps, pull, record_by_record
from choreomon.monitor.gap_bounds import gap_ended
from choreomon.monitor.gaps import MAX_GAPS
from choreomon.monitor.host import Host
from tests.laws import planted
from tests.laws.faults import Faults, draw_execution, executions
from tests.laws.test_guarantees import randoms, thorough
from tests.laws.unreliable import Execution, Setting
from tests.properties.stated import automaton_of

GAPS = Faults(gaps=6, kept_back=3)
AT_ONCE = Faults(gaps=8)
LATE = Faults(kept_back=8)


def wrong(run: Execution) -> list[object]:
    """Whatever breaks G1, G2, the cover of what nobody saw, or the rules among hosts."""
    return [
        *(("missed", index) for index in run.missed()),
        *(("made up", index) for index in run.false_alarms()),
        *(("not covered", index) for index in run.uncovered()),
        *(("told again", *again) for again in run.told_again()),
        *run.refused(),
        *run.unfinished(),
    ]


@thorough
@given(randoms)
def test_what_was_not_told_makes_nothing_missed_and_nothing_up(random: Random) -> None:
    assert not wrong(draw_execution(random, GAPS))


def test_the_guarantees_hold_over_many_runs_with_gaps() -> None:
    """That the numbers are not small shows that the runs are about something."""
    seen: Counter[str] = Counter()
    for run in executions(2500, GAPS, deadline=True):
        assert not wrong(run)
        untold = {index for index in run.formed if run.events[index].gap}
        seen["formed in gaps"] += len(untold)
        seen["formed elsewhere"] += len(run.formed - untold)
        seen["said of gaps"] += sum(
            declared.verdict is not None and declared.verdict.unseen
            for _, _, declared in run.said()
        )
        seen["gaps open at the end"] += sum(run.is_open)
        if any(event.gap for event in run.events):
            seen["violated nevertheless"] += len(run.violated())
            seen["possibly because of gaps"] += len(rests_on_gaps(run))
            seen["nothing nevertheless"] += list(run.words().values()).count(None)
    assert seen["formed in gaps"] > 1000
    assert seen["formed elsewhere"] > 3500
    assert seen["said of gaps"] > 3000
    assert seen["gaps open at the end"] > 300
    assert seen["violated nevertheless"] > 1000
    assert seen["possibly because of gaps"] > 500
    assert seen["nothing nevertheless"] > 200


def rests_on_gaps(run: Execution) -> list[object]:
    """Words for which a gap is among the reasons; none of them is certain of it."""
    found: list[object] = []
    for _, _, declared in run.said():
        verdict = declared.verdict
        because = verdict.because if verdict else ()
        assert not any(r.certain for r in because if r.result == GAP)
        if verdict and any(reason.result == GAP for reason in because):
            found.append(verdict)
    return found


@pytest.mark.parametrize("most", [1, 2])
def test_gaps_that_became_one_hide_nothing(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaps, "MAX_GAPS", most)
    merged = 0
    for run in executions(800, Faults(gaps=12), count=(2, 3), events=(12, 30)):
        assert not wrong(run)
        merged += sum(
            sum(process == p for process, _ in run.ends_of) > most for p in range(len(run.states))
        )
    assert merged > 300


def test_no_monitor_keeps_more_gaps_than_it_may() -> None:
    most = 0
    for run in executions(200, Faults(gaps=40), count=(2, 2), events=(30, 60)):
        assert not wrong(run)
        for step in run.steps:
            ended = [gap for gap in step.after.monitor.gaps if gap.until[step.process] != NEVER]
            assert len(step.after.monitor.gaps) - len(ended) <= 1
            assert len(ended) <= MAX_GAPS
            most = max(most, max((number for _, number in run.ends_of), default=0))
    assert most > 2 * MAX_GAPS


PLANTED: list[tuple[Any, str, Callable[..., object], int]] = [
    (record_by_record, "relevant_gaps", planted.no_gaps, 400),
    (record_by_record, "relevant_gaps", planted.gaps_before, 400),
    (record_by_record, "relevant_gaps", planted.gaps_not_before, 400),
    (record_by_record, "gap_records", planted.gaps_as_possible_events, 400),
    (record_by_record, "gap_records", planted.gaps_as_moments, 400),
    (gap_bounds, "with_gap", planted.only_the_last_gap, 2000),
    (gap_bounds, "with_gap", planted.last_gap_without_the_first, 2000),
]


@pytest.mark.parametrize(
    ("module", "name", "bug", "number"), PLANTED, ids=[bug.__name__ for _, _, bug, _ in PLANTED]
)
def test_the_law_of_gaps_notices(
    module: Any, name: str, bug: object, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, bug)
    assert any(run.missed() for run in executions(number, AT_ONCE))


def test_the_law_of_definite_words_notices_gaps_that_are_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record_by_record, "relevant_gaps", planted.no_gaps)
    assert any(run.false_alarms() for run in executions(400, AT_ONCE))


def test_the_law_of_cover_notices_gaps_that_end_in_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def silently(*given: Any) -> Any:
        state, _ = gap_ended(*given)
        return state, []

    monkeypatch.setattr(pull, "gap_ended", silently)
    assert any(run.uncovered() for run in executions(100, GAPS))


# Why a gap is not simply an event that possibly happened.

A, B = Message("P1", "a", "P2"), Message("P2", "b", "P1")
V = Message("P3", "v", "P2")
CANCELLED = automaton_of("q0", "q2", ("q0", A, "q1"), ("q1", B, "q2"), ("q1", V, "q0"))


def a_cancellation_that_never_was() -> Execution:
    """a, then b, about which P3 is asked, so that it knows of a; then a gap of P3 in which nothing
    happened; then b again. Had v happened, which takes back what a did, it would have done so
    whether or not P3 is sure of it: v leaves the state that a leads to. But there was no v."""
    run = Execution(Setting(CANCELLED, ("P1", "P2", "P3")))
    noise = Message("P3", "noise", "P2")
    run.sends(A)
    run.handles(A)
    run.sends(B)
    run.settles()
    run.opens(2)
    run.ends(2, lost=True)
    run.sends(noise)
    run.handles(noise)
    run.sends(B)
    return run.settles()


def test_a_gap_may_be_a_cancellation_and_may_be_none() -> None:
    run = a_cancellation_that_never_was()
    assert run.formed == {1, 2}
    assert run.words() == {1: VIOLATED, 2: POSSIBLY_VIOLATED}


def test_that_run_shows_taking_a_gap_for_an_event_that_possibly_happened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record_by_record, "gap_records", planted.gaps_as_possible_events)
    assert a_cancellation_that_never_was().missed() == {2}


# Why a gap that is found out late begins where everything had been told.

C, X = Message("P2", "c", "P1"), Message("P1", "x", "P2")
TWO_WAYS = automaton_of(
    "q0", "q2", ("q0", A, "q1"), ("q1", B, "q2"), ("q0", C, "q3"), ("q3", X, "q2")
)


def a_start_that_is_kept_back() -> Execution:
    """P1 asks P2 about x, then keeps back a; P2 does b, asks P1, which lets nobody ask it, and
    answers about x; so P1 knows of b when it finds out that something was not told."""
    run = Execution(Setting(TWO_WAYS, ("P1", "P2")))
    run.sends(X)
    run.keeps_back(0)
    run.sends(A, told=False)
    run.sends(B)
    run.delivers(1, 0)
    run.delivers(0, 1)
    run.delivers(1, 0)
    run.opens(0)
    return run.settles()


def test_a_gap_that_is_found_out_late_hides_what_was_kept_back() -> None:
    run = a_start_that_is_kept_back()
    assert run.formed == {2}
    assert run.words() == {0: None, 2: POSSIBLY_VIOLATED}


def test_that_run_shows_a_gap_that_begins_when_it_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opens = Host.gap_opens
    monkeypatch.setattr(Host, "gap_opens", lambda host, state, since=None: opens(host, state))
    assert a_start_that_is_kept_back().missed() == {2}
