"""`benchmarks.explanations`: what is wrong with an explanation is noticed."""

from __future__ import annotations

import pytest

from benchmarks.explanations import Case, cases, fault, report
from benchmarks.middle.corpora import Question
from choreomon.hibou.model import read_interaction
from choreomon.hibou.multitrace import read_multi_trace
from choreomon.verify.explanation import Explanation, explain
from choreomon.verify.verdict import Mode
from choreomon.verify.witness import WitnessStep

PAIR = read_interaction("loopW(seq(a -- m -> b, b -- n -> a))")


@pytest.mark.parametrize(
    ("text", "mode", "wrong"),
    [
        ("{ [a] a!m.a?n; [b] b?m.b!n }", "slice", ""),
        ("{ [a] a!m.a?n; [b] b?m }", "slice", "is projected to other logs"),
        ("{ [a] a!m; [b] b!n }", "multiprefix", "something unobserved before the end of its log"),
        ("{ [a] a!m; [b] b!n }", "accept", "something unobserved"),
    ],
)
def test_a_witness_has_the_logs_as_its_projections(text: str, mode: Mode, wrong: str) -> None:
    """Explained as slices, and checked in other modes, or with other logs."""
    found = explain(PAIR, read_multi_trace(text), "slice")
    assert fault(PAIR, read_multi_trace(text), "slice", found) == ""
    other = text if "unobserved" in wrong or not wrong else "{ [a] a!m.a?n; [b] b!n }"
    assert fault(PAIR, read_multi_trace(other), mode, found) == wrong


def test_a_witness_must_be_a_trace_that_is_accepted() -> None:
    whole = read_multi_trace("{ [a] a!m.a?n; [b] b?m.b!n }")
    found = explain(PAIR, whole, "accept")
    assert found.witness is not None
    first, second, *rest = found.witness
    turned = found._replace(witness=(second, first, *rest))
    assert fault(PAIR, whole, "accept", turned) == "is no trace from action 1 on"
    more = found._replace(witness=(*found.witness, WitnessStep(first.action, False)))
    assert fault(PAIR, whole, "slice", more) == "is not accepted"
    assert "no witness" in fault(PAIR, whole, "accept", found._replace(witness=None))


def test_what_is_explained_must_fit_together() -> None:
    wrong = read_multi_trace("{ [a] a!m.a?n.a?n; [b] b?m.b!n }")
    found = explain(PAIR, wrong, "slice")
    assert fault(PAIR, wrong, "slice", found) == ""
    assert found.failure is not None
    first, *rest = found.failure
    further = found._replace(failure=(first._replace(position=3), *rest))
    assert fault(PAIR, wrong, "slice", further) == "everything is explained"
    assert fault(PAIR, wrong, "slice", Explanation(found.verdict, None, None, "cut")) == (
        "no furthest places: cut"
    )


def test_every_log_is_asked_about_in_every_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    # In a process that has run other tests each collection of garbage takes a second.
    monkeypatch.setattr("benchmarks.explanations.gc.collect", lambda: 0)
    found = cases("orders", 2_000, "repeat", 0, 60.0)
    assert len(found) == 3 * 4 * 4
    assert [one for one in found if one.wrong] == []


def test_the_report_names_what_is_late_or_wrong() -> None:
    question = Question("orders", "random", "one", "late", "slice")
    good = Case(question, 2_000, "Pass", 1.0, 3.9, 50, "")
    late, wrong = good._replace(explaining=4.1), good._replace(wrong="is not accepted")
    lines = report([good, late, wrong])
    assert "3 cases; 1 take longer than 3 times the verdict and 1 s; 1 are wrong, or" in lines[4]
    assert len(lines) == 10
    assert "1.00 | 4.10 |  |" in lines[8]
    assert lines[9].endswith("| is not accepted |")
