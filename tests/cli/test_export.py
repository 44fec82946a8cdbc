"""`choreomon export`, and interactions that are diagrams, in all commands that take one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon
from tests.cli.offline import INTERACTION, write_offline_files

FORMS = {
    "shiviz": "(?<event>.*)",
    "otlp": '{"resourceSpans":',
    "mermaid": "sequenceDiagram\n",
    "plantuml": "@startuml\n",
}
BEGIN = {"mermaid": "sequenceDiagram", "plantuml": "@startuml", "hif": "seq(", "json": "{"}
ENDS = {"mermaid": "mmd", "plantuml": "puml", "hif": "hif", "json": "json"}


class TestRuns:
    @pytest.mark.parametrize("form", FORMS)
    def test_of_documents_are_made(self, form: str) -> None:
        answer = choreomon("export", "violated.yaml", "--to", form)
        assert (answer.code, answer.err) == (0, "")
        assert answer.out.startswith(FORMS[form])
        assert answer.out.endswith("\n")
        assert "violated" in answer.out

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("seed", [0, 3])
    def test_of_traces_are_the_same(self, form: str, seed: int) -> None:
        results = choreomon("simulate", "violated.yaml", "--trace", "t", "--json", "--seed", seed)
        Path("r.json").write_text(results.out, encoding="utf-8")
        made = choreomon("export", "violated.yaml", "--to", form, "--seed", seed)
        trace = f"t/run-{seed}.jsonl"
        read = choreomon("export", trace, "--to", form, "--results", "r.json")
        assert read.code == 0
        assert sorted(read.out.splitlines()) == sorted(made.out.splitlines())
        without = choreomon("export", trace, "--to", form)
        assert without.code == 0
        assert "declares violated" not in without.out
        assert len(without.out) < len(read.out)

    def test_verdicts_are_those_of_the_seed(self) -> None:
        results = choreomon("simulate", "violated.yaml", "--trace", "t", "--json", "--runs", 3)
        Path("r.json").write_text(results.out, encoding="utf-8")
        Path("t/run-1.jsonl").rename("other.jsonl")
        answer = choreomon("export", "other.jsonl", "--to", "shiviz", "--results", "r.json")
        assert (answer.code, answer.out) == (2, "")
        assert "r.json: runs: should have one run; the seeds are 0, 1, 2" in answer.err
        options = ["--to", "shiviz", "--results", "r.json", "--seed", 1]
        assert choreomon("export", "other.jsonl", *options).code == 0

    def test_the_strategy_and_the_rules_are_those_of_the_simulator(self) -> None:
        for options in (["--strategy", "push"], ["--rules", "paper"], ["--rules", "precise"]):
            simulated = json.loads(choreomon("simulate", "possible.yaml", "--json", *options).out)[
                "runs"
            ][0]["verdicts"]
            answer = choreomon("export", "possible.yaml", "--to", "otlp", *options)
            assert answer.code == 0
            declared = answer.out.count('"key":"choreomon.monitor"')
            assert declared == len(simulated)

    def test_a_file_is_written_where_it_is_asked_for(self) -> None:
        answer = choreomon("export", "violated.yaml", "--to", "otlp", "-o", "spans.json")
        assert (answer.code, answer.out) == (0, "")
        spans = Path("spans.json").read_text(encoding="utf-8")
        assert spans == choreomon("export", "violated.yaml", "--to", "otlp").out

    def test_a_run_that_was_stopped_is_written_and_is_an_error(self) -> None:
        answer = choreomon("export", "endless.yaml", "--to", "mermaid")
        assert answer.code == 2
        assert "stopped after 300 events" in answer.err
        assert answer.out.startswith("sequenceDiagram")

    def test_a_trace_without_its_beginning_is_no_log_of_shiviz(self) -> None:
        choreomon("simulate", "violated.yaml", "--trace", "t")
        lines = Path("t/run-0.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        Path("t/run-0.jsonl").write_text("".join(lines[1:]), encoding="utf-8")
        answer = choreomon("export", "t/run-0.jsonl", "--to", "shiviz")
        assert (answer.code, answer.out) == (2, "")
        assert "t/run-0.jsonl: event 1 is the 2. of P1 by its clock" in answer.err
        assert choreomon("export", "t/run-0.jsonl", "--to", "mermaid").code == 0


class TestInteractions:
    @pytest.fixture(autouse=True)
    def _files(self, place: Path) -> None:
        write_offline_files(place)

    @pytest.mark.parametrize("form", BEGIN)
    @pytest.mark.parametrize("through", BEGIN)
    def test_come_back_from_every_format(self, form: str, through: str) -> None:
        file = f"other.{ENDS[through]}"
        assert choreomon("export", "i.hif", "--to", through, "-o", file).code == 0
        assert Path(file).read_text(encoding="utf-8").startswith(BEGIN[through])
        again = choreomon("export", file, "--to", form)
        assert (again.code, again.out) == (0, choreomon("export", "i.hif", "--to", form).out)

    @pytest.mark.parametrize("end", ["mmd", "puml"])
    def test_that_are_diagrams_are_taken_by_all_commands(self, end: str) -> None:
        assert choreomon("draw", "i.hif", "-o", f"i.{end}").code == 0
        file = f"i.{end}"
        checked = choreomon("check", file)
        assert (checked.code, checked.out) == (
            0,
            choreomon("check", "i.hif").out.replace("i.hif", file),
        )
        for trace, code in (("pass.htf", 0), ("fail.htf", 1)):
            assert choreomon("verify", "-i", file, trace).code == code
        assert choreomon("draw", file, "-o", "x.svg").code == 0
        assert choreomon("canonize", file).out == choreomon("canonize", "i.hif").out
        assert choreomon("explore", file, "--max-depth", 2).code == 0
        Path("s.hif").write_text("a -- m -> b", encoding="utf-8")
        assert choreomon("draw", "s.hif", "-o", file).code == 0
        assert choreomon("synthesize", file, "-o", "a.json").code == 0

    @pytest.mark.parametrize("end", ["mmd", "puml"])
    def test_that_are_diagrams_may_be_stated_by_documents(self, end: str) -> None:
        Path("p.hif").write_text("par(seq(go -> P1, P1 -- a -> P2), o)", encoding="utf-8")
        assert choreomon("draw", "p.hif", "-o", f"p.{end}").code == 0
        stated = Path("application.yaml").read_text(encoding="utf-8") + f"\ninteraction: p.{end}\n"
        Path("stated.yaml").write_text(stated, encoding="utf-8")
        answer = choreomon("simulate", "stated.yaml", "--verify", "accept", "--json")
        assert json.loads(answer.out)["runs"][0]["verification"]["verdict"] == "Pass"

    def test_that_cannot_be_read_are_refused_with_their_line(self) -> None:
        Path("d.mmd").write_text("sequenceDiagram\na->>b: m\nloop x\n", encoding="utf-8")
        for command in (["check", "d.mmd"], ["verify", "-i", "d.mmd", "pass.htf"]):
            answer = choreomon(*command)
            assert answer.code == 2
            assert "d.mmd:3: loop: is not closed: write `end` where it ends" in answer.err

    def test_names_that_hif_cannot_hold_are_written_elsewhere(self) -> None:
        Path("d.mmd").write_text("sequenceDiagram\na->>b: two words\n", encoding="utf-8")
        answer = choreomon("export", "d.mmd", "--to", "hif")
        assert answer.code == 2
        assert "d.mmd: 'two words' cannot be written in HIBOU's files" in answer.err
        assert choreomon("export", "d.mmd", "--to", "json").code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["i.hif", "--to", "shiviz"], "i.hif is an interaction: --to is one of mermaid, plantuml"),
        (["violated.yaml", "--to", "hif"], "violated.yaml is a run: --to is one of shiviz, otlp"),
        (["t.jsonl", "--to", "json"], "t.jsonl is a run: --to is one of shiviz, otlp"),
        (["pass.htf", "--to", "otlp"], "pass.htf holds no run and no interaction"),
        (["i.hif", "--to", "hif", "--seed", "1"], "--seed can only be used with runs"),
        (["i.hif", "--to", "hif", "--results", "r"], "--results can only be used with runs"),
        (
            ["t.jsonl", "--to", "otlp", "--rules", "sound"],
            "--rules can only be used with documents",
        ),
        (["t.jsonl", "--to", "otlp", "--strategy", "push"], "--strategy can only be used with"),
        (["t.jsonl", "--to", "otlp", "--seed", "1"], "--seed can only be used with documents, and"),
        (["violated.yaml", "--to", "otlp", "--results", "r"], "--results can only be used with tr"),
        (
            ["violated.yaml", "--to", "otlp", "--strategy", "push", "--rules", "precise"],
            "--rules precise can only be used with --strategy pull",
        ),
        (["violated.yaml"], "Missing option '--to'"),
        (["missing.yaml", "--to", "otlp"], "missing.yaml: cannot be read: there is no such file"),
        (["missing.jsonl", "--to", "otlp"], "missing.jsonl: cannot be read: there is no such file"),
        (["missing.mmd", "--to", "hif"], "missing.mmd: cannot be read: there is no such file"),
        (
            ["t.jsonl", "--to", "otlp", "--results", "missing"],
            "missing: cannot be read: there is no such file",
        ),
        (["i.hif", "--to", "hif", "-o", "i.hif"], "i.hif: is read, too: write another file"),
        (["t.jsonl", "--to", "otlp", "--results", "r", "-o", "r"], "r: is read, too"),
    ],
)
def test_bad_usage_is_refused(place: Path, options: list[str], said: str) -> None:
    write_offline_files(place)
    place.joinpath("t.jsonl").write_text("", encoding="utf-8")
    place.joinpath("r").write_text("", encoding="utf-8")
    answer = choreomon("export", *options)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert place.joinpath("i.hif").read_text(encoding="utf-8") == INTERACTION
