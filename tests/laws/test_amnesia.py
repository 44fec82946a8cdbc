"""Hosts that come back without what they did last, as after a power failure that took the last
commits: what they had been told since then is in a gap, and counts are left out, so that no two
events have the same one."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given

from choreomon.core.message import Message
from choreomon.core.verdict import POSSIBLY_VIOLATED
from choreomon.monitor import host
from choreomon.monitor.effects import Declared
from choreomon.monitor.history import MAX_CHAIN
from choreomon.monitor.host import LEAP, Host, HostState
from choreomon.monitor.inspection import SMALL
from tests.laws.faults import Faults, draw_execution, executions
from tests.laws.test_guarantees import randoms, thorough
from tests.laws.unreliable import FORGETS, Execution, Setting
from tests.properties.stated import automaton_of

AMNESIA = Faults(gaps=2, losses=3, repeats=4, amnesia=3)
LONG = (12, 30)


def wrong(run: Execution) -> list[object]:
    """As in tests/laws/test_gaps.py; but what was said and forgotten may be said again."""
    return [
        *(("missed", index) for index in run.missed()),
        *(("made up", index) for index in run.false_alarms()),
        *(("not covered", index) for index in run.uncovered()),
        *run.refused(),
        *run.unfinished(),
    ]


@thorough
@given(randoms)
def test_what_a_host_forgot_makes_nothing_missed_and_nothing_up(random: Random) -> None:
    assert not wrong(draw_execution(random, AMNESIA))


def test_the_guarantees_hold_over_many_runs_with_hosts_that_forget() -> None:
    seen: Counter[str] = Counter()
    for run in executions(800, AMNESIA, events=LONG, deadline=True):
        assert not wrong(run)
        seen["times"] += sum(step.kind == FORGETS for step in run.steps)
        seen["formed"] += len(run.formed)
        seen["formed and forgotten"] += sum(run.events[index].gap > 0 for index in run.formed)
        seen["given up"] += sum(
            isinstance(effect, Declared) and effect.event != step.after.clock
            for step in run.steps
            if step.kind == FORGETS
            for effect in step.effects
        )
    assert seen["times"] > 1500
    assert seen["formed"] > 5000
    assert seen["formed and forgotten"] > 1000
    assert seen["given up"] > 300


def test_no_count_is_given_to_two_events() -> None:
    for run in executions(300, AMNESIA, events=LONG):
        counts = [(e.process, e.number) for e in run.events if e.number is not None]
        assert len(set(counts)) == len(counts)


def test_the_law_of_amnesia_notices_counts_that_are_not_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host, "LEAP", 1)
    assert any(run.false_alarms() for run in executions(400, AMNESIA, events=LONG))


def test_the_law_of_amnesia_notices_that_nothing_is_told_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def leaps_only(host: Host, state: HostState, reached: int) -> Any:
        own, clock = host.monitor.own, state.clock
        count = max(reached, clock[own]) + LEAP
        return HostState((*clock[:own], count, *clock[own + 1 :]), state.monitor), []

    monkeypatch.setattr(Host, "forgot", leaps_only)
    runs = list(executions(200, AMNESIA, events=LONG))
    assert any(run.missed() for run in runs)
    assert any(run.uncovered() for run in runs)


# Why what is under inspection is given up.

S, B = Message("P2", "s", "P1"), Message("P1", "b", "P2")
PAIR = automaton_of("q0", "q2", ("q0", S, "q1"), ("q1", B, "q2"))


def a_promise_that_was_forgotten() -> Execution:
    """P1 asks about b, and is answered that s happened. Later it promises to ask only about events
    that know of more, so P2 drops that s: those after it know of b. Then P1 forgets the answer."""
    run = Execution(Setting(PAIR, ("P1", "P2")))
    run.sends(S)
    run.sends(B)
    run.delivers(0, 1)
    run.delivers(1, 0)
    answered = run.steps[-1]
    for _ in range(SMALL):
        run.sends(S)
    run.handles(S, SMALL)
    run.sends(B)
    run.delivers(0, 1)
    for _ in range(MAX_CHAIN - SMALL):
        run.sends(S)
    assert run.states[1].monitor.records < MAX_CHAIN
    run.forgets(answered)
    return run.settles()


def test_what_was_under_inspection_is_given_up_by_a_host_that_forgot() -> None:
    run = a_promise_that_was_forgotten()
    assert run.formed == {1, 6}
    assert run.words()[1] == POSSIBLY_VIOLATED
    assert not run.missed()


def test_that_run_shows_inspections_that_a_forgetful_host_goes_on_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Host, "give_up", lambda host, state, count: (state, []))
    assert a_promise_that_was_forgotten().missed() == {1}
