"""Deadlines: what is declared while answers are missing, and what becomes of it. A deadline
may pass at any time, so every monitor is silent now and then, some for long."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from choreomon.core.message import Message
from choreomon.core.verdict import (
    FRM,
    POSSIBLY_VIOLATED,
    VIOLATED,
    WITHDRAWN,
    Reference,
)
from choreomon.monitor.effects import Declared
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from tests.laws import planted
from tests.laws.interleaving import EXPIRE, Run
from tests.laws.reasons import fired_in
from tests.laws.test_guarantees import draw_run, runs
from tests.laws.unreliable import Execution, Setting
from tests.properties.stated import automaton_of


def early_words(run: Run) -> dict[int, Declared]:
    return {index: said for index, said in run.said() if said.provisional}


def expired_in_silence(run: Run) -> set[int]:
    """Events that were still undecided when their deadline passed, and about which nothing
    was said then."""
    found = set()
    for number, (move, process, effects) in enumerate(run.steps):
        if move.kind == EXPIRE and not effects:
            event = run.worlds[number].deadlines[move.which][1]
            index = run.index(process, event)
            told_before = {
                run.index(place, effect.event)
                for _, place, group in run.steps[:number]
                for effect in group
                if isinstance(effect, Declared)
            }
            if index not in told_before:
                found.add(index)
    return found


def test_provisional_verdicts_are_never_wrong_where_they_are_certain() -> None:
    words: Counter[tuple[str, str | None]] = Counter()
    for run in runs(1500, deadline=True):
        last = run.last_verdicts()
        for index, said in early_words(run).items():
            assert said.verdict is not None
            assert index in last
            if said.verdict.kind == VIOLATED:
                assert index in run.formed
            words[said.verdict.kind, last[index]] += 1
    # What was possible is revised to violated, stays possible, or is withdrawn.
    assert {last for word, last in words if word == POSSIBLY_VIOLATED} == {
        VIOLATED,
        POSSIBLY_VIOLATED,
        WITHDRAWN,
    }
    assert {last for word, last in words if word == VIOLATED} == {VIOLATED}
    assert min(words.values()) > 20


def test_silence_at_the_deadline_means_that_nothing_was_formed() -> None:
    silences = 0
    for run in runs(1500, deadline=True):
        silent = expired_in_silence(run)
        assert not silent & run.formed
        silences += len(silent)
    assert silences > 20


def test_the_law_of_silence_notices_judging_missing_answers_as_empty() -> None:
    rules = planted.TrustsWhatIsMissing()
    assert any(expired_in_silence(run) & run.formed for run in runs(300, rules, deadline=True))


def test_the_law_of_certain_words_notices_trusting_missing_answers() -> None:
    """Planted: what is known of the pre records alone is declared."""
    assert any(
        said.verdict and said.verdict.kind == VIOLATED and index not in run.formed
        for run in runs(1500, planted.TrustsWhatIsMissing(), deadline=True)
        for index, said in early_words(run).items()
    )


def test_the_guarantees_hold_with_deadlines_too() -> None:
    for run in runs(1500, deadline=True):
        assert not run.missed()
        assert not run.false_alarms()
        assert not run.unfinished()


def test_a_provisional_word_names_exactly_the_other_monitors_that_have_not_answered() -> None:
    """A monitor may also wait for what it asks itself, but it does not name itself."""
    named = alone = 0
    for seed in range(600):
        run = draw_run(Random(seed), deadline=True)
        for number, (move, process, effects) in enumerate(run.steps):
            for effect in effects:
                if not (isinstance(effect, Declared) and effect.provisional):
                    continue
                assert move.kind == EXPIRE
                assert effect.verdict is not None
                state = run.worlds[number].states[process]
                waiting = {
                    owner
                    for inspection in state.inspections
                    if inspection.event == effect.event and inspection.plan.final
                    for owner in inspection.waiting
                }
                own = run.system.processes[process]
                assert set(effect.verdict.silent) == waiting - {own}
                named += bool(effect.verdict.silent)
                alone += own in waiting
    assert named > 100
    assert alone > 5


def test_last_words_name_no_silent_monitor() -> None:
    for run in runs(300, deadline=True):
        for _, said in run.said():
            if not said.provisional and said.verdict:
                assert said.verdict.silent == ()


def sure_for_now(run: Run) -> tuple[int, int]:
    """How often a transition was found to have fired while answers were missing, and how often it
    had not."""
    sure = wrong = 0
    fired = fired_in(run.system.automaton, [event.label for event in run.events])
    for world in run.worlds:
        for place, state in enumerate(world.states):
            monitor = run.system.monitors[place]
            for inspection in state.inspections:
                at = run.index(place, inspection.event)
                findings = monitor.rules.findings(monitor, state, inspection)
                pairs = zip(inspection.plan.inspected, findings.judgements, strict=True)
                for each, judgement in pairs:
                    if judgement.result == FRM:
                        sure += 1
                        wrong += (at, states_of(each.reference)) not in fired
    return sure, wrong


def states_of(reference: Reference) -> tuple[str, str]:
    return reference.source, reference.target


@pytest.mark.parametrize("rules", [PRECISE, SOUND], ids=lambda rules: str(rules.name))
def test_what_is_sure_whatever_the_missing_answers_say_did_happen(rules: Rules) -> None:
    sure = 0
    for run in runs(200, rules, deadline=True):
        found, wrong = sure_for_now(run)
        assert not wrong
        sure += found
    assert sure > 100


def test_the_law_of_what_is_sure_for_now_notices_trusting_missing_answers() -> None:
    some = runs(200, planted.TrustsWhatIsMissing(), deadline=True)
    assert any(wrong for _, wrong in map(sure_for_now, some))


def test_a_word_is_violated_where_what_was_answered_is_enough() -> None:
    """Two events of P1; nobody can take the first step back, and P2 is silent."""
    a, b = Message("P1", "a", "P2"), Message("P2", "b", "P1")
    automaton = automaton_of("q0", "q2", ("q0", b, "q1"), ("q0", a, "q1"), ("q1", a, "q2"))
    for rules in (PRECISE, SOUND):
        run = Execution(Setting(automaton, ("P1", "P2"), rules, deadline=True))
        run.sends(a)
        run.sends(a)
        run.expires(0, 2)
        [(_, _, word)] = run.said()
        assert word.provisional
        assert word.verdict is not None
        assert (word.verdict.kind, word.verdict.silent) == (VIOLATED, ("P2",))
