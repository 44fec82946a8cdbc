"""Monitoring messages that are lost, arrive twice, late, or in another order, and inquiries that
are made again while they are not answered: whatever arrives once more changes nothing."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given

from choreomon.core.verdict import Reference
from choreomon.monitor import host, inspection, pull
from choreomon.monitor.effects import Send
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.pull import Monitor
from choreomon.monitor.retransmission import open_inquiries
from choreomon.monitor.state import MonitorState
from tests.laws.course import Step
from tests.laws.faults import Faults, draw_execution, executions
from tests.laws.test_gaps import wrong
from tests.laws.test_guarantees import randoms, thorough
from tests.laws.unreliable import DELIVERS, Execution

UNRELIABLE = Faults(losses=8, copies=8, repeats=8)


def postponed_twice(run: Execution) -> list[tuple[Step, object]]:
    """Inquiries that wait twice at one monitor."""
    found: list[tuple[Step, object]] = []
    for step in run.steps:
        waiting = Counter(
            (each.sender, each.inspected, each.event[run.index_of[each.sender]])
            for each in step.after.monitor.postponed
        )
        found += [(step, key) for key, number in waiting.items() if number > 1]
    return found


@thorough
@given(randoms)
def test_a_network_that_loses_and_repeats_makes_nothing_missed_and_nothing_up(
    random: Random,
) -> None:
    run = draw_execution(random, UNRELIABLE)
    assert not wrong(run)
    assert not postponed_twice(run)


def test_the_guarantees_hold_over_many_runs_with_lost_and_repeated_messages() -> None:
    """What is asked again until it is answered ends, whatever was lost."""
    seen: Counter[str] = Counter()
    for run in executions(2000, UNRELIABLE, deadline=True):
        assert not wrong(run)
        assert not postponed_twice(run)
        seen["formed"] += len(run.formed)
        seen["violated"] += len(run.violated())
        seen["notices of waiting"] += sum(
            isinstance(effect, Send) and isinstance(effect.message, Waiting)
            for _, effect in run.effects()
        )
        seen["answers that nobody waits for"] += sum(
            isinstance(step.given, Response)
            and step.before.monitor.inspections == step.after.monitor.inspections
            for step in run.steps
        )
    assert seen["formed"] > 4000
    assert seen["violated"] > 4000
    assert seen["notices of waiting"] > 100
    assert seen["answers that nobody waits for"] > 2000


def test_everything_goes_wrong_at_once() -> None:
    faults = Faults(gaps=4, losses=5, copies=5, repeats=5, give_ups=3)
    for run in executions(1500, faults, deadline=True, most_open=3):
        assert not wrong(run)
        assert not postponed_twice(run)


def test_a_message_that_arrives_twice_at_once_is_answered_twice_and_changes_nothing() -> None:
    seen: Counter[str] = Counter()
    for run in executions(300):
        for step in run.steps:
            if step.kind != DELIVERS or step.given is None:
                continue
            own = run.setting.hosts[step.process]
            state, effects = own.receive(step.after, step.given)
            assert state == step.after
            if isinstance(step.given, Inquiry):
                (again,) = effects
                assert isinstance(again, Send)
                if isinstance(again.message, Waiting):
                    assert not any(isinstance(e, Send) for e in step.effects)
                else:
                    assert again in step.effects
                seen[type(again.message).__name__] += 1
            else:
                assert not effects
                seen["nothing"] += 1
    assert seen["Response"] > 500
    assert seen["Waiting"] > 50
    assert seen["nothing"] > 500


def test_that_law_notices_an_inquiry_that_waits_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pull, "same_inquiry", lambda inquiry, other, asker: False)
    assert any(postponed_twice(run) for run in executions(200, UNRELIABLE))


def test_the_guarantees_notice_answers_that_are_taken_for_those_about_another_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A late answer is about an older event, of which more was not known yet."""

    def whatever_waits(
        monitor: Monitor, state: MonitorState, owner: str, reference: Reference, count: int
    ) -> int | None:
        for place, each in enumerate(state.inspections):
            if each.plan.key == reference and owner in each.waiting:
                return place
        return None

    monkeypatch.setattr(inspection, "inspection_at", whatever_waits)
    assert any(run.missed() for run in executions(1000, UNRELIABLE))


def test_the_law_of_ends_notices_what_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the oldest of what is not answered is left out."""

    def but_the_oldest(*given: Any) -> list[Inquiry]:
        return list(open_inquiries(*given))[1:]

    monkeypatch.setattr(host, "open_inquiries", but_the_oldest)
    assert any(run.unfinished() for run in executions(100, UNRELIABLE))
