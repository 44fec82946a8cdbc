"""Deadlines: what is declared while answers are missing, and what becomes of it. A deadline
may pass at any time, so every monitor is silent now and then, some for long."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from choreomon.core.verdict import (
    FRM_P,
    POSSIBLY_VIOLATED,
    VIOLATED,
    WITHDRAWN,
)
from choreomon.monitor import record_by_record
from choreomon.monitor.effects import Declared
from tests.laws import planted
from tests.laws.interleaving import EXPIRE, Run
from tests.laws.test_guarantees import draw_run, runs


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


def test_the_law_of_silence_notices_judging_missing_answers_as_empty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record_by_record, "early_judgement", planted.trusting_what_is_missing)
    assert any(expired_in_silence(run) & run.formed for run in runs(300, deadline=True))


def test_the_law_of_certain_words_notices_trusting_missing_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted: what is known of the pre records alone is declared."""

    monkeypatch.setattr(record_by_record, "early_judgement", planted.trusting_what_is_missing)
    assert any(
        said.verdict and said.verdict.kind == VIOLATED and index not in run.formed
        for run in runs(1500, deadline=True)
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


def test_what_is_possible_while_an_owner_is_silent_is_not_called_certain() -> None:
    """The judgement that stands in for missing answers is never more than possible."""
    for run in runs(200, deadline=True):
        for world in run.worlds:
            for place, state in enumerate(world.states):
                monitor = run.system.monitors[place]
                for inspection in state.inspections:
                    found = monitor.rules.findings(monitor, state, inspection).judgements
                    assert all(each.result in (None, FRM_P) for each in found)
