"""Two bugs that break neither guarantee and show only in how much is left open
(G3 in docs/verdicts.md, "What is guaranteed"): answers that do not wait for open records,
and clocks of monitoring messages that are not merged. Counted over the same seeds,
against the exact answer.

The counts are those of the random source of Python; a change of the rules changes them,
and then must not raise them.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from choreomon.monitor import pull
from choreomon.properties.partial_order import Formed, evaluate
from tests.laws.test_guarantees import runs

RUNS = 1500


class Counts(NamedTuple):
    """Over all runs: formations, `violated`, `possibly-violated`, and of the latter the
    avoidable ones, about which all orders consistent with the run's clocks agree."""

    formed: int
    violated: int
    possibly: int
    avoidable: int


def count(*, clocks_tell_all: bool = True) -> Counts:
    """`clocks_tell_all`: no monitor knows more of the order than the clocks say."""
    formed = violated = possibly = avoidable = 0
    for run in runs(RUNS):
        assert not run.missed()
        assert not run.false_alarms()
        system = run.system
        exact = evaluate(system.automaton, system.processes, run.events)
        assert all(exact[index] != Formed.NEVER for index in run.formed)
        if clocks_tell_all:
            assert all(exact[index] == Formed.ALWAYS for index in run.violated())
        formed += len(run.formed)
        violated += len(run.violated())
        possibly += len(run.possibly())
        avoidable += sum(exact[index] != Formed.SOMETIMES for index in run.possibly())
    return Counts(formed, violated, possibly, avoidable)


@pytest.fixture(scope="module")
def right() -> Counts:
    return count()


def test_the_right_rules_leave_this_much_open(right: Counts) -> None:
    assert right == Counts(formed=3681, violated=3032, possibly=1334, avoidable=326)


def test_answers_that_wait_for_nothing_leave_more_open(
    right: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pull, "must_wait", lambda monitor, undecided, inquiry: False)
    hasty = count()
    assert hasty.possibly > 1.1 * right.possibly
    assert hasty.avoidable > 1.4 * right.avoidable


def test_clocks_that_are_not_merged_leave_more_open(
    right: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer of these are avoidable than it seems: the clocks are poorer themselves."""
    monkeypatch.setattr(pull, "merge", lambda own, heard: own)
    deaf = count(clocks_tell_all=False)
    assert deaf.possibly > 1.15 * right.possibly
    assert deaf.avoidable > right.avoidable
