"""`choreomon simulate --verify`: the logs of runs, judged by the interaction of their document."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import Answer, choreomon

APPLICATION = """
application:
  processes:
    - id: P
      handlers: {go: [{send: {to: Q, message: a}}]}
    - id: Q
      handlers: {a: [], go: [{send: {to: R, message: b}}]}
    - id: R
      handlers: {b: []}
  start: [{to: P, message: go, at: 0}, {to: Q, message: go, at: 500}]
"""
VIOLATED = 'property: {sequences: [{steps: ["P -> Q : a"]}]}\n'
RIGHT = 'interaction: "seq(go -> P, P -- a -> Q, go -> Q, Q -- b -> R)"\n'
WRONG = 'interaction: "seq(go -> P, go -> Q, Q -- b -> R, P -- a -> Q)"\n'


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    for name, more in (
        ("right", RIGHT + VIOLATED),
        ("right-quiet", RIGHT),
        ("wrong", WRONG),
        ("none", ""),
    ):
        place.joinpath(f"{name}.yaml").write_text(APPLICATION + more, encoding="utf-8")


def simulate(document: str, *options: object) -> Answer:
    return choreomon("simulate", f"{document}.yaml", *options)


def runs(answer: Answer) -> list[dict[str, Any]]:
    found = json.loads(answer.out)["runs"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(
    ("document", "code", "line"),
    [
        ("right-quiet", 0, "The logs fit the interaction: Pass (6 of 6 events seen, mode accept)."),
        (
            "wrong",
            1,
            "The logs do not fit the interaction: Fail (6 of 6 events seen, mode accept).",
        ),
    ],
)
def test_the_last_line_and_the_exit_code_say_whether_the_logs_fit(
    document: str, code: int, line: str
) -> None:
    answer = simulate(document, "--verify", "accept")
    assert answer.code == code
    assert answer.out.splitlines()[-1] == line
    assert simulate(document).code == 0


def test_a_single_run_whose_logs_do_not_fit_is_explained() -> None:
    answer = simulate("wrong", "--verify", "accept")
    said = " ".join(answer.out.split())
    assert "its first action is Q?a, but only Q?go may come first." in said
    assert "explained" not in simulate("right-quiet", "--verify", "accept").out
    assert "explained" not in simulate("wrong", "--verify", "accept", "--runs", 2).out


def test_memory_that_is_used_up_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("choreomon.batch.bounds.resident_bytes", lambda: 1_001_000_000)
    answer = simulate("right-quiet", "--verify", "accept", "--json")
    (run,) = runs(answer)
    found = run["verification"]
    assert (found["verdict"], found["reason"], answer.code) == ("Inconc", "OutOfMemory", 3)


def test_a_violation_by_the_monitors_is_one_still() -> None:
    assert simulate("right", "--verify", "accept").code == simulate("right").code == 1


def test_what_is_not_known_is_the_exit_code_3() -> None:
    """Bounded simulation finds nothing here, and does not know more."""
    answer = simulate("wrong", "--verify", "simulate")
    assert answer.code == 3
    assert answer.out.splitlines()[-1].startswith(
        "Whether the logs fit the interaction is not known: WeakFail"
    )


def test_many_runs_are_counted_and_have_a_column() -> None:
    answer = simulate("right", "--verify", "accept", "--runs", 3)
    assert "┃ logs " in answer.out
    assert answer.out.count("│ Pass │") == 1
    assert re.search(r"│ logs verified +│ +3 Pass", answer.out)
    assert answer.out.splitlines()[-1] == (
        "The logs fit the interaction in 3 of 3 runs: 3 Pass (mode accept)."
    )


def test_json_says_it_of_every_run_and_only_where_it_was_asked_for() -> None:
    (run,) = runs(simulate("wrong", "--verify", "accept", "--json"))
    assert run["verification"] == {
        "mode": "accept",
        "verdict": "Fail",
        "reason": "",
        "logs": [
            {"processes": ["P"], "seen": 2, "events": 2},
            {"processes": ["Q"], "seen": 3, "events": 3},
            {"processes": ["R"], "seen": 1, "events": 1},
        ],
    }
    assert all("verification" not in run for run in runs(simulate("wrong", "--json")))


def test_the_page_shows_what_should_happen_and_which_logs_do_not_fit() -> None:
    text = Path("right.yaml").read_text(encoding="utf-8").replace(RIGHT, WRONG)
    Path("both.yaml").write_text(text, encoding="utf-8")
    answer = simulate("both", "--verify", "multiprefix", "--runs", 2, "--report", "page.html")
    assert answer.code == 1
    page = Path("page.html").read_text(encoding="utf-8")
    for said in (
        "What should happen",
        "The logs fit the interaction in 0 of 2 runs: 2 Fail (mode multiprefix).",
        "Fail: seed 0",
        "may come first.",
        "<td>multiprefix</td>",
        "<td>document</td>",
    ):
        assert said in page
    assert simulate("both", "--report", "page.html").code == 1
    assert "What should happen" not in Path("page.html").read_text(encoding="utf-8")


class TestWindows:
    def observed(self, windows: str, mode: str = "slice", runs_: int = 12) -> list[dict[str, Any]]:
        options = ["--verify", mode, "--windows", windows, "--runs", runs_, "--json"]
        return [run["verification"] for run in runs(simulate("right-quiet", *options))]

    def test_cut_logs_at_random(self) -> None:
        for windows, mode in (("multiprefix", "multiprefix"), ("slice", "slice")):
            found = self.observed(windows, mode)
            assert {one["verdict"] for one in found} <= {"Pass", "WeakPass"}
            assert len({tuple(log["seen"] for log in one["logs"]) for one in found}) > 3
            assert found == self.observed(windows, mode)

    def test_of_the_document_hold_where_none_are_asked_for(self) -> None:
        text = Path("right-quiet.yaml").read_text(encoding="utf-8")
        text += "observation: {start: {constant: 400}}\n"
        Path("right-quiet.yaml").write_text(text, encoding="utf-8")
        options = ["--verify", "slice", "--json"]
        for more, seen in (
            ([], [0, 2, 1]),
            (["--windows", "document"], [0, 2, 1]),
            (["--windows", "whole"], [2, 3, 1]),
        ):
            (run,) = runs(simulate("right-quiet", *options, *more))
            assert [log["seen"] for log in run["verification"]["logs"]] == seen

    def test_leave_the_run_as_it_is(self) -> None:
        plain = runs(simulate("right", "--json", "--runs", 3))
        cut = runs(
            simulate("right", "--json", "--runs", 3, "--verify", "slice", "--windows", "slice")
        )
        assert [{k: v for k, v in run.items() if k != "verification"} for run in cut] == plain


def test_traces_beside_it_are_whole() -> None:
    options = ["--verify", "slice", "--windows", "slice", "--trace", "t"]
    assert simulate("right-quiet", *options).code == 0
    assert len(Path("t/run-0.jsonl").read_text(encoding="utf-8").splitlines()) == 6


@pytest.mark.parametrize(
    ("document", "options", "said"),
    [
        ("none", ["--verify", "accept"], "none.yaml has no interaction: --verify needs one"),
        ("right", ["--windows", "slice"], "--windows says what --verify sees: give both"),
        ("right", ["--verify", "guess"], "'guess' is not one of"),
        ("right", ["--verify", "slice", "--windows", "open"], "'open' is not one of"),
    ],
    ids=str,
)
def test_wrong_options_are_bad_usage(document: str, options: list[str], said: str) -> None:
    answer = simulate(document, *options)
    assert (answer.code, answer.out) == (2, "")
    assert said in " ".join(answer.err.split())


def test_a_run_that_was_stopped_is_bad_input_whatever_its_logs_say() -> None:
    text = Path("endless.yaml").read_text(encoding="utf-8")
    text += "interaction: loopW(alt(A -- m -> A, m -> A))\n"
    Path("endless.yaml").write_text(text, encoding="utf-8")
    answer = simulate("endless", "--verify", "multiprefix")
    assert answer.code == 2
    assert answer.out.splitlines()[-1].startswith("The logs fit the interaction: ")
