"""Outcomes as JUnit XML."""

from __future__ import annotations

from xml.etree import ElementTree

from choreomon.reports.junit import Case, case_of_outcome, junit_xml
from choreomon.verify.outcome import Outcome
from choreomon.verify.verdict import Answer, Verdict


def outcome(trace: str, verdict: Verdict | None, reason: str = "", problem: str = "") -> Outcome:
    answer = None if verdict is None else Answer(verdict, reason, 3)
    return Outcome(trace, "slice", answer, 0.25, problem=problem)


OUTCOMES = [
    outcome("logs/a.htf", Verdict.PASS),
    outcome("logs/b.htf", Verdict.WEAK_PASS),
    outcome("c.htf", Verdict.FAIL),
    outcome("d.htf", Verdict.INCONC, "TimedOut"),
    outcome("e.htf", Verdict.WEAK_FAIL),
    outcome("f.htf", None, problem="f.htf:1: expected `<` & found \x00"),
]
CASES = [*map(case_of_outcome, OUTCOMES)]


def test_every_verdict_has_its_element() -> None:
    suite = ElementTree.fromstring(junit_xml("suite <&\"'>", CASES))
    assert suite.attrib == {
        "name": "suite <&\"'>",
        "tests": "6",
        "failures": "1",
        "errors": "1",
        "skipped": "2",
        "time": "1.500000",
    }
    found = [
        (case.attrib["classname"], case.attrib["name"], [child.tag for child in case])
        for case in suite
    ]
    assert found == [
        ("logs", "a.htf", []),
        ("logs", "b.htf", []),
        (".", "c.htf", ["failure"]),
        (".", "d.htf", ["skipped"]),
        (".", "e.htf", ["skipped"]),
        (".", "f.htf", ["error"]),
    ]


def test_reasons_and_problems_are_told() -> None:
    suite = ElementTree.fromstring(junit_xml("s", CASES))
    elements = {case.attrib["name"]: case[0] for case in suite if len(case)}
    assert elements["c.htf"].text == "c.htf, mode slice: Fail"
    assert elements["d.htf"].attrib["message"] == "Inconc: TimedOut"
    assert elements["f.htf"].text == "f.htf:1: expected `<` & found \N{REPLACEMENT CHARACTER}"


def test_no_outcome_is_an_empty_suite() -> None:
    assert len(ElementTree.fromstring(junit_xml("s", []))) == 0


def test_cases_that_nobody_measured_have_no_time() -> None:
    suite = ElementTree.fromstring(junit_xml("s", [Case("a.yaml", "seed 1")]))
    assert "time" not in suite.attrib
    assert suite[0].attrib == {"classname": "a.yaml", "name": "seed 1"}
