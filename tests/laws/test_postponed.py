"""What waits at a monitor has a reason to: after every step each postponed inquiry is about a
transition that is undecided at an event which happened before. So nobody is kept waiting, although
the postponed ones are looked through only when something was decided that they may wait for."""

from __future__ import annotations

from typing import Any

import pytest

from choreomon.monitor import pull
from choreomon.monitor.answering import must_wait, undecided
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from tests.laws.course import Step
from tests.laws.faults import Faults, executions
from tests.laws.unreliable import Execution

EVERYTHING = Faults(gaps=3, losses=4, copies=4, repeats=4, give_ups=3)


def kept_waiting(run: Execution) -> list[tuple[Step, Inquiry]]:
    """Postponed inquiries that need not wait, with the steps after which they did."""
    found: list[tuple[Step, Inquiry]] = []
    for step in run.steps:
        monitor, state = run.setting.hosts[step.process].monitor, step.after.monitor
        if state.postponed:
            open_now = undecided(monitor, state)
            found += [
                (step, each) for each in state.postponed if not must_wait(monitor, open_now, each)
            ]
    return found


@pytest.mark.parametrize(
    ("rules", "most_open", "number"), [(SOUND, None, 1000), (SOUND, 2, 1000), (PRECISE, None, 300)]
)
def test_nothing_is_kept_waiting_that_need_not_wait(
    rules: Rules, most_open: int | None, number: int
) -> None:
    """Nor a second inquiry of precise rules, which waits for first answers alone."""
    waited = 0
    for run in executions(number, EVERYTHING, deadline=True, most_open=most_open, rules=rules):
        assert not kept_waiting(run)
        waited += sum(bool(step.after.monitor.postponed) for step in run.steps)
    assert waited > number


def test_that_law_notices_when_only_the_newest_is_thought_to_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted: what was decided is taken to have had something older of its transition before it,
    so that the postponed ones need not be looked through."""

    def always_older(*given: Any) -> dict[object, int]:
        return dict.fromkeys(undecided(*given), 0)

    monkeypatch.setattr(pull, "undecided", always_older)
    assert any(kept_waiting(run) for run in executions(300, EVERYTHING))
