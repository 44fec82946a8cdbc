"""What many outcomes come to together."""

from __future__ import annotations

import pytest

from choreomon.verify.outcome import Conclusion, Outcome, tally
from choreomon.verify.verdict import Answer, Verdict

ONE = {
    "bad": Outcome("t", "accept", None, 0.0, problem="?"),
    **{verdict.value: Outcome("t", "accept", Answer(verdict), 0.0) for verdict in Verdict},
}


@pytest.mark.parametrize(
    ("kinds", "conclusion"),
    [
        ([], "passed"),
        (["Pass", "WeakPass"], "passed"),
        (["Pass", "Inconc"], "inconclusive"),
        (["WeakFail"], "inconclusive"),
        (["Inconc", "Fail", "Pass"], "failed"),
        (["Fail", "bad", "Inconc"], "bad input"),
        (["Pass", "bad"], "bad input"),
    ],
    ids=str,
)
def test_the_gravest_comes_first(kinds: list[str], conclusion: Conclusion) -> None:
    assert tally(ONE[kind] for kind in kinds).conclusion == conclusion


def test_outcomes_are_counted_by_verdict() -> None:
    counted = tally(ONE[kind] for kind in ("Pass", "bad", "Pass", "Fail"))
    assert counted.verdicts == {Verdict.PASS: 2, Verdict.FAIL: 1}
    assert counted.unreadable == 1


@pytest.mark.parametrize("kind", ONE)
def test_an_outcome_alone_comes_to_the_same(kind: str) -> None:
    assert ONE[kind].conclusion == tally([ONE[kind]]).conclusion


def recording(*names: str) -> Outcome:
    return ONE["Pass"]._replace(recorded=names)


@pytest.mark.parametrize(
    ("outcomes", "apart"),
    [
        ([recording("a"), recording("b", "c"), recording("d")], True),
        ([recording("a"), recording("b", "c"), recording("c")], False),
        ([recording("a"), recording("b"), recording()], False),
        ([recording("a"), ONE["bad"], recording("b")], False),
        ([recording("a")], False),
        ([], False),
    ],
)
def test_logs_of_different_machines_are_noticed(outcomes: list[Outcome], apart: bool) -> None:
    assert tally(outcomes).apart == apart
