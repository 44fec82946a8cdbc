"""Many multi-traces of one interaction, from a program: budgets, bounds, processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import choreomon.batch
from choreomon.batch import bounds, judge
from choreomon.batch.outcomes import outcomes
from choreomon.batch.question import Question
from choreomon.core.errors import ChoreomonError, DocumentError, WorkerLost
from choreomon.hibou.model import read_interaction
from choreomon.hibou.multitrace import read_multi_trace
from choreomon.interaction.term import Interaction
from choreomon.verify.outcome import Outcome
from choreomon.verify.papers.graph import SearchResult
from choreomon.verify.papers.options import Analysis, Options
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier
from tests.cli.offline import ENDLESS, INTERACTION, TRACES, write_offline_files

READABLE = ["pass.htf", "weak.htf", "fail.htf", "late.htf", "unknown.htf"]
TERM = read_interaction(INTERACTION)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_offline_files(tmp_path)


def without_seconds(found: Outcome) -> Outcome:
    return found._replace(seconds=0.0)


def verdicts(found: list[Outcome]) -> list[tuple[Verdict, str] | None]:
    return [one.answer and (one.answer.verdict, one.answer.reason) for one in found]


def asked(question: Question, *paths: str, jobs: int = 1) -> list[Outcome]:
    return [*map(without_seconds, outcomes(question, paths, jobs))]


def test_outcomes_come_in_the_order_of_what_was_asked_about() -> None:
    found = asked(Question(interaction="i.hif"), "weak.htf", "fail.htf", "pass.htf", "weak.htf")
    assert [one.trace for one in found] == ["weak.htf", "fail.htf", "pass.htf", "weak.htf"]
    weak, failed, passed = (Verdict.WEAK_PASS, ""), (Verdict.FAIL, ""), (Verdict.PASS, "")
    assert verdicts(found) == [weak, failed, passed, weak]


def test_what_cannot_be_read_spoils_its_own_outcome_alone() -> None:
    found = asked(Question(interaction="i.hif"), "bad.htf", "missing.htf", "pass.htf")
    assert verdicts(found) == [None, None, (Verdict.PASS, "")]
    bad, missing, good = found
    assert bad.problem.startswith("bad.htf:1")
    assert missing.problem.startswith("missing.htf: ")
    assert good.problem == ""


@pytest.mark.parametrize("explain", [False, True])
def test_an_outcome_says_who_is_to_blame_what_was_recorded_and_why(explain: bool) -> None:
    question = Question(interaction="i.hif", analysis=Analysis("multiprefix"), explain=explain)
    passed, late, failed = asked(question, "pass.htf", "late.htf", "fail.htf")
    assert [(one.explanation is not None) for one in (passed, late, failed)] == [explain] * 3
    assert [one.recorded for one in (passed, late)] == [("a", "b", "c"), ("b", "c")]
    assert passed.fault is None
    for one in (late, failed):
        assert one.fault is not None
        assert (one.fault.kind, one.fault.locations) == ("LocalError", (("b",),))
    assert [one.fits_late for one in (passed, late, failed)] == [False, True, False]


@pytest.mark.parametrize("explain", [False, True])
@pytest.mark.parametrize("mode", ["accept", "multiprefix", "slice"])
def test_several_processes_say_in_the_same_order_what_one_says(mode: str, explain: bool) -> None:
    analysis = Analysis(mode)  # type: ignore[arg-type]
    question = Question(interaction="i.hif", signature="s.hsf", analysis=analysis, explain=explain)
    paths = [*READABLE, "bad.htf"] * 3
    alone = asked(question, *paths)
    assert {one.conclusion for one in alone} >= {"passed", "failed", "bad input"}
    assert asked(question, *paths, jobs=2) == alone


@pytest.mark.parametrize("jobs", [1, 2])
def test_values_are_judged_as_their_files_are(jobs: int) -> None:
    """A lifeline without a component is observed and silent in both."""
    Path("silent.htf").write_text("{ [a] a!m; [b] b?m }", encoding="utf-8")
    paths = [*READABLE, "silent.htf"]
    values = [(path, read_multi_trace(Path(path).read_text("utf-8"))) for path in paths]
    question = Question(interaction=TERM, explain=True)
    found = [*map(without_seconds, outcomes(question, values, jobs))]
    assert found == asked(Question(interaction="i.hif", explain=True), *paths)


def endless() -> Question:
    """About `endless.htf` it has an answer after hours, about `empty.htf` at once."""
    logs = "; ".join(f"[{name}] " + ".".join([f"{name}!m"] * 40) for name in "abc")
    Path("endless.htf").write_text(f"{{ {logs} }}", encoding="utf-8")
    Path("empty.htf").write_text("{ [a]; [b]; [c] }", encoding="utf-8")
    Path("endless.hif").write_text(ENDLESS, encoding="utf-8")
    searched = Analysis("slice", search=Options(strategy="bfs", local=None))
    return Question(interaction="endless.hif", analysis=searched)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_budget_ends_a_decision_with_its_reason_and_the_next_one_has_its_own(jobs: int) -> None:
    question = replace(endless(), budget=0.2)
    found = asked(question, "endless.htf", "empty.htf", jobs=jobs)
    assert verdicts(found) == [(Verdict.INCONC, "TimedOut"), (Verdict.PASS, "")]


def test_memory_that_is_used_up_is_a_reason_too() -> None:
    question = Question(interaction="i.hif", analysis=Analysis(search=Options()), memory=1)
    assert verdicts(asked(question, "pass.htf")) == [(Verdict.INCONC, "OutOfMemory")]


def test_memory_is_bounded_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    used = {"now": 999_000_000}
    monkeypatch.setattr(bounds, "resident_bytes", lambda: used["now"])
    question = Question(interaction="i.hif", explain=True)
    assert verdicts(asked(question, "pass.htf")) == [(Verdict.PASS, "")]
    used["now"] = 1_001_000_000
    assert verdicts(asked(question, "pass.htf")) == [(Verdict.INCONC, "OutOfMemory")]
    unbounded = replace(question, memory=None)
    assert verdicts(asked(unbounded, "pass.htf")) == [(Verdict.PASS, "")]


def test_what_is_kept_is_dropped_where_memory_is_tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """So one decision that needed too much does not end the next ones."""
    made = []

    class Counted(Verifier):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            made.append(1)

    monkeypatch.setattr(judge, "Verifier", Counted)
    found = judge.Judge(Question(interaction="i.hif", memory=100))
    for megabytes, verifiers in ((40, 1), (40, 1), (60, 2), (40, 2)):
        monkeypatch.setattr(bounds, "resident_bytes", lambda now=megabytes: now * 1_000_000)
        assert verdicts([found.judge("pass.htf")]) == [(Verdict.PASS, "")]
        assert len(made) == verifiers


def test_what_is_kept_is_dropped_where_memory_is_tight_before_each_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the verdict, of why, of who is to blame, and of whether it fits late."""
    question = Question(interaction="i.hif", analysis=Analysis("multiprefix"), explain=True)
    found = judge.Judge(replace(question, memory=100))
    monkeypatch.setattr(bounds.Bounds, "is_tight", True)
    dropped: list[int] = []
    monkeypatch.setattr(judge, "forget_steps", lambda: dropped.append(1))
    assert found.judge("late.htf").fits_late
    assert len(dropped) == 4


def test_only_so_many_states_are_visited_as_the_analysis_allows() -> None:
    term = read_interaction("seq(a -- m -> b, alt(b -- n -> c, c -- k -> b))")
    Path("k.htf").write_text("{ [a] a!m; [b] b?m.b?k; [c] c!k }", encoding="utf-8")
    question = Question(interaction=term, analysis=Analysis(procedure="centralized"))
    assert verdicts(asked(question, "k.htf")) == [(Verdict.PASS, "")]
    few = replace(question, analysis=Analysis(procedure="centralized", max_states=1))
    assert verdicts(asked(few, "k.htf")) == [(Verdict.INCONC, "TooManyStates")]


def test_where_memory_runs_out_while_reading_the_rest_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load = judge.load_multi_trace

    def loaded(path: str, *more: object) -> object:
        if path == "weak.htf":
            raise MemoryError
        return load(path, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(judge, "load_multi_trace", loaded)
    found = asked(Question(interaction="i.hif", explain=True), "weak.htf", "pass.htf")
    assert verdicts(found) == [(Verdict.INCONC, "OutOfMemory"), (Verdict.PASS, "")]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_wrong_with_the_question_is_told_before_the_first_outcome(jobs: int) -> None:
    def ask(question: Question) -> object:
        return outcomes(question, READABLE, jobs)

    with pytest.raises(DocumentError, match=r"missing\.hif"):
        ask(Question(interaction="missing.hif"))
    with pytest.raises(DocumentError, match=r"missing\.hsf"):
        ask(Question(interaction="i.hif", signature="missing.hsf"))
    with pytest.raises(ValueError, match="for the mode multiprefix only"):
        ask(Question(interaction="i.hif", analysis=Analysis("slice", Options(method="removal"))))
    with pytest.raises(ValueError, match="say how to search"):
        ask(Question(interaction="i.hif", on_search=counted))
    with pytest.raises(ValueError, match="0 processes"):
        outcomes(Question(interaction="i.hif"), READABLE, 0)


def counted(name: str, interaction: Interaction, found: SearchResult) -> None:
    """Writes how large each graph is, complains of one, and ends the process of another."""
    assert found.graph is not None
    assert interaction is TERM
    Path(f"{name}.vertices").write_text(str(found.vertices), encoding="utf-8")
    if name == "weak.htf":
        raise ChoreomonError("nobody draws that")
    if name == "late.htf":
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("jobs", [1, 2])
def test_graphs_are_handed_on_where_they_were_searched(jobs: int) -> None:
    question = Question(interaction="i.hif", analysis=Analysis(search=Options()), on_search=counted)
    first, second = asked(question, "pass.htf", "weak.htf", jobs=jobs)
    assert first.answer is not None
    assert Path("pass.htf.vertices").read_text(encoding="utf-8") == str(first.answer.vertices)
    assert (second.answer, second.problem) == (
        None,
        "weak.htf: is WeakPass, but nobody draws that",
    )


def test_a_process_that_is_killed_is_told_after_what_was_answered() -> None:
    question = Question(interaction="i.hif", analysis=Analysis(search=Options()), on_search=counted)
    found = outcomes(question, ["late.htf", *TRACES] * 2, 2)
    with pytest.raises(WorkerLost, match="killed before it had answered"):
        list(found)


def test_who_has_heard_enough_need_not_wait_for_the_rest() -> None:
    """Of two processes one searches without end."""
    found = outcomes(endless(), ["empty.htf", "endless.htf"], 2)
    assert next(found).conclusion == "passed"
    found.close()  # type: ignore[attr-defined]


def examples() -> list[str]:
    """Those of the page and of the package, as programs."""
    page = Path(__file__).parents[2].joinpath("docs", "verify.md").read_text(encoding="utf-8")
    of_page = page.partition("```python\n")[2].partition("```")[0]
    said, _, _ = (choreomon.batch.__doc__ or "").partition("Here files are read")
    lines = said.splitlines()
    return [of_page, dedent("\n".join(line for line in lines if line.startswith("    ")))]


@pytest.mark.parametrize("number", [0, 1])
def test_the_examples_in_the_documentation_run(number: int) -> None:
    Path("logs").mkdir()
    Path("order.hif").write_text(INTERACTION, encoding="utf-8")
    named = {"logs/early.htf": "weak.htf", "logs/wrong.htf": "fail.htf"}
    for name, kind in {**named, "monday.htf": "weak.htf", "tuesday.htf": "fail.htf"}.items():
        Path(name).write_text(TRACES[kind], encoding="utf-8")
    Path("example.py").write_text(examples()[number], encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "example.py"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split()[1] for line in shown.stdout.splitlines()] == ["passed", "failed"]
