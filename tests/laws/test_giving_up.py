"""Giving up: after any inspection a monitor may be told to wait no longer, and a bound on what may
be open makes it do so by itself. What it says then is said for good."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.message import Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, POSSIBLY_VIOLATED, VIOLATED, Reference
from choreomon.monitor import pull
from choreomon.monitor.effects import Declared, Effect
from choreomon.monitor.messages import Response
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.provisional import provisional_verdicts
from choreomon.monitor.pull import WAITING_PER_OPEN, Monitor
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.monitor.state import MonitorState
from tests.laws import planted
from tests.laws.faults import Faults, draw_execution, executions
from tests.laws.reasons import untrue_of
from tests.laws.test_gaps import wrong
from tests.laws.test_guarantees import randoms, thorough
from tests.laws.unreliable import DELIVERS, GIVES_UP, Execution, Setting
from tests.properties.stated import automaton_of

GIVING_UP = Faults(give_ups=6, losses=4, repeats=4)
MUTE = Faults(give_ups=4, dead=9)
BOUNDS = (1, 2, 3)


@thorough
@given(randoms, st.sampled_from([None, *BOUNDS]))
def test_whoever_is_given_up_nothing_is_missed_or_made_up(
    random: Random, most_open: int | None
) -> None:
    assert not wrong(draw_execution(random, GIVING_UP, most_open=most_open))


def test_the_guarantees_hold_over_many_runs_in_which_monitors_give_up() -> None:
    seen: Counter[str] = Counter()
    for run in executions(2000, GIVING_UP, deadline=True):
        assert not wrong(run)
        seen["formed"] += len(run.formed)
        seen["violated"] += len(run.violated())
        for step in run.steps:
            if step.kind == GIVES_UP:
                seen["given up"] += 1
                words = [e.verdict for e in step.effects if isinstance(e, Declared) and e.verdict]
                seen["violated all the same"] += any(v.kind == VIOLATED for v in words)
                seen["naming silent ones"] += any(v.silent for v in words)
    assert seen["formed"] > 4000
    assert seen["violated"] > 2500
    assert seen["given up"] > 2000
    assert seen["violated all the same"] > 5
    assert seen["naming silent ones"] > 500


@pytest.mark.parametrize("most_open", BOUNDS)
def test_a_bound_on_open_inspections_holds_and_keeps_the_guarantees(most_open: int) -> None:
    """The newest event may have as many as it needs: who gives up all gives up everything."""
    given_up = 0
    for run in executions(800, most_open=most_open, deadline=True):
        assert not wrong(run)
        for step in run.steps:
            opened = step.after.monitor.inspections
            newest = [each for each in opened if each.event == opened[-1].event]
            assert len(opened) <= max(most_open, len(newest))
            assert len(step.after.monitor.postponed) <= WAITING_PER_OPEN * most_open + len(newest)
        given_up += sum(
            declared.verdict is not None and bool(declared.verdict.silent)
            for _, _, declared in run.said()
            if not declared.provisional
        )
    assert given_up > 40


def test_where_nobody_ever_answers_every_event_gets_its_word_in_the_end() -> None:
    words: Counter[str | None] = Counter()
    for run in executions(1000, MUTE, deadline=True):
        run.gives_all_up()
        assert not wrong(run)
        words.update(run.words().values())
    assert words[VIOLATED] > 500  # of what their own monitors are sure without any answer
    assert words[POSSIBLY_VIOLATED] > 1000


def opened(process: int, state: MonitorState) -> set[tuple[int, Reference, int]]:
    return {(process, each.plan.key, each.event[process]) for each in state.inspections}


def test_answers_after_a_word_change_nothing() -> None:
    """But for the clock and the promise that they bring."""
    late = 0
    for run in executions(600, GIVING_UP):
        gone: set[tuple[int, Reference, int]] = set()
        for step in run.steps:
            before, after = step.before.monitor, step.after.monitor
            if step.kind == GIVES_UP:
                gone |= opened(step.process, before) - opened(step.process, after)
            given = step.given
            if step.kind == DELIVERS and isinstance(given, Response):
                key = (step.process, given.inspected, given.event_count)
                if key in gone:
                    late += 1
                    assert not step.effects
                    assert after == before._replace(settled=after.settled)
    assert late > 300


def test_the_law_of_giving_up_notices_taking_missing_answers_for_empty_ones() -> None:
    runs = list(executions(600, GIVING_UP, rules=planted.TrustsWhatIsMissing()))
    assert any(run.missed() for run in runs)
    assert any(run.false_alarms() for run in runs)


@pytest.mark.parametrize("rules", [PRECISE, SOUND], ids=lambda rules: str(rules.name))
def test_what_reasons_call_certain_is_so_whoever_was_given_up(rules: Rules) -> None:
    certain = 0
    for faults in (GIVING_UP, MUTE):
        for run in executions(250, faults, rules=rules, deadline=True):
            run.gives_all_up()
            assert not untrue_of(run, run.setting.processes)
            words = [declared.verdict for _, _, declared in run.said() if declared.verdict]
            certain += sum(r.certain for word in words if word.silent for r in word.because)
    assert certain > 20


def test_the_law_of_reasons_notices_that_who_may_have_cancelled_was_not_heard() -> None:
    runs = executions(100, MUTE, rules=planted.TrustsWhatWasAnswered())
    assert any(untrue_of(run.gives_all_up(), run.setting.processes) for run in runs)


def test_the_law_of_final_verdicts_notices_expecting_answers_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted: what is given up is judged as for now, and its inspections stay open."""

    def for_now(
        monitor: Monitor, state: MonitorState, event: VectorClock, effects: list[Effect]
    ) -> MonitorState:
        state, early = provisional_verdicts(monitor, state, event)
        effects += [each._replace(provisional=False) for each in early]
        return state

    monkeypatch.setattr(pull, "given_up", for_now)
    runs = list(executions(100, GIVING_UP))
    assert any(run.told_again() for run in runs)


# One run, written down.

A, B, C = Message("P1", "a", "P2"), Message("P2", "b", "P3"), Message("P3", "c", "P1")
CHAIN = automaton_of("q0", "q3", ("q0", A, "q1"), ("q1", B, "q2"), ("q2", C, "q3"))
NAMES = ("P1", "P2", "P3")


def words_of(effects: list[Any]) -> list[tuple[str, tuple[str, ...], bool]]:
    return [
        (effect.verdict.kind, effect.verdict.silent, effect.provisional)
        for effect in effects
        if isinstance(effect, Declared) and effect.verdict
    ]


def test_what_is_given_up_is_said_at_once_with_who_was_silent_and_then_never_again() -> None:
    run = Execution(Setting(CHAIN, NAMES, deadline=True))
    run.sends(A)
    run.sends(B)
    run.sends(C)
    run.expires(2, 1)
    assert words_of(run.steps[-1].effects) == [(POSSIBLY_VIOLATED, ("P2",), True)]
    run.gives_up(2, 1)
    assert words_of(run.steps[-1].effects) == [(POSSIBLY_VIOLATED, ("P2",), False)]
    run.settles()
    assert [words_of(step.effects) for step in run.steps].count([]) == len(run.steps) - 2


def test_who_asks_about_what_was_given_up_is_told_that_it_possibly_happened() -> None:
    """b is given up, since P1 does not answer; c is judged by it."""
    run = Execution(Setting(CHAIN, NAMES))
    run.sends(A)
    run.sends(B)
    run.handles(B)
    run.sends(C)
    run.delivers(2, 1)
    assert len(run.states[1].monitor.postponed) == 1
    run.gives_up(1, 1)
    assert not run.states[1].monitor.postponed
    run.delivers(1, 2)
    assert run.words() == {2: POSSIBLY_VIOLATED}


def test_what_nobody_is_known_to_have_cancelled_is_not_certain_while_somebody_is_silent() -> None:
    """v of P2 takes the second step back before the last a; P2 never answers."""
    a0, a1, v = Message("P1", "a0", "P2"), Message("P1", "a1", "P2"), Message("P2", "v", "P1")
    automaton = automaton_of(
        "q0", "q3", ("q0", a1, "q1"), ("q1", a0, "q2"), ("q2", a1, "q3"), ("q3", v, "q1")
    )
    for rules in (PRECISE, SOUND):
        run = Execution(Setting(automaton, ("P1", "P2"), rules, deadline=True), dead=[1])
        for message in (a1, a0, a1, v, a1):
            run.sends(message)
        for count in (1, 3, 4):
            run.gives_up(0, count)
        *_, (_, _, word) = run.said()
        assert word.verdict is not None
        assert (word.verdict.kind, word.verdict.silent) == (POSSIBLY_VIOLATED, ("P2",))
        assert [(r.role, r.result, r.certain) for r in word.verdict.because] == [
            ("pre", FRM, False)
        ]
        assert not untrue_of(run, run.setting.processes)
