"""`choreomon experiment`: options, output and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import ROOT, choreomon

OFFLINE = ROOT / "tests" / "data" / "offline"
SAMPLE = OFFLINE / "multiprefix-sample.jsonl"
TINY = ("--interactions", 1, "--traces", 3, "--operators", "seq,alt", "--budget", 20)


def multiprefix(*arguments: object) -> dict[str, object]:
    answer = choreomon("experiment", "multiprefix", *arguments, "--json")
    assert answer.code == 0, answer
    found: dict[str, object] = json.loads(answer.out)
    return found


def test_published_data_are_measured_and_the_tables_and_plots_written(tmp_path: Path) -> None:
    answer = choreomon(
        *("experiment", "multiprefix", "--data", SAMPLE, "--interactions", 2, "--limit", 3),
        *("--budget", 1, "-o", tmp_path),
    )
    assert answer.code == 0
    assert answer.out.startswith("6 multi-traces of 2 interactions\n")
    assert "| timeout, POR and LOC |" in answer.out
    assert "| timeout, default |" in answer.out
    assert "\nRight: " in answer.out
    assert tmp_path.joinpath("multiprefix.md").read_text("utf-8") == answer.out
    assert {path.name for path in tmp_path.iterdir()} == {
        "multiprefix.md",
        "multiprefix.json",
        *(f"{m}-by-{by}.svg" for m in ("sizes", "times") for by in ("length", "kind")),
    }
    assert json.loads(tmp_path.joinpath("multiprefix.json").read_text("utf-8"))["wrong"] == []


def test_wrong_verdicts_make_the_exit_code_1(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    case = {"kind": "NOIS", "trace": "t", "htf": "{[l1] l1!m}", "accept": 0, "prefix": 0}
    data.write_text(json.dumps({"name": "i", "hif": "l1 -- m ->|", "cases": [case]}))
    answer = choreomon("experiment", "multiprefix", "--data", data, "--measure", "times")
    assert answer.code == 1
    assert answer.out.count("- i, t: analysis, ") == 5


def test_only_what_is_asked_for_is_measured() -> None:
    sizes = multiprefix(*TINY, "--measure", "sizes")
    assert "sizes" in sizes
    assert "times" not in sizes
    assert "times" in multiprefix(*TINY, "--measure", "times")


def test_fresh_interactions_follow_the_seed() -> None:
    arguments = (*TINY, "--measure", "sizes", "--limit", 4, "--procedures", "sound")
    first = multiprefix(*arguments, "--seed", 1)
    assert multiprefix(*arguments, "--seed", 1) == first
    assert multiprefix(*arguments, "--seed", 2) != first


def test_several_jobs_give_the_same_sizes() -> None:
    arguments = (*TINY, "--interactions", 3, "--measure", "sizes")  # graphs far below the budget
    assert multiprefix(*arguments, "--jobs", 2) == multiprefix(*arguments)


def test_a_signature_refuses_what_it_does_not_declare(tmp_path: Path) -> None:
    signature = tmp_path / "s.hsf"
    signature.write_text("@lifeline{l1}@message{m1}")
    answer = choreomon(
        "experiment", "multiprefix", "--data", SAMPLE, "--signature", signature, "--limit", 1
    )
    assert answer.code == 2
    assert "unknown lifeline" in answer.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("multiprefix", "--operators", "nor"), "no operator is called 'nor'"),
        (("multiprefix", "--signature", SAMPLE), "--signature is about the interactions of --data"),
        (("multiprefix", "--budget", 0), "'--budget'"),
        (("slices", "--budget", "nan"), "'nan' is no number"),
        (
            ("multiprefix", "--data", SAMPLE, "--operators", "seq", "--traces", 240),
            "--operators and --traces can only be used for fresh interactions, without --data",
        ),
        (
            ("slices", "--model", "i1", "--slices", 2),
            "--slices can only be used where slices are random ones",
        ),
        (
            ("slices", "--interaction", SAMPLE, "--exhaustive", "--multi-traces", 2),
            "--multi-traces can only be used where",
        ),
        (("slices", "--exhaustive"), "are about an --interaction"),
        (("slices", "--model", "i1", "--interaction", SAMPLE), "exclude each other"),
        (("slices", "--model", "i1", "--partition", "l1;l2"), "must have the lifelines l1, l2, l3"),
        (("slices", "--model", "i1", "--partition", "l1;l1"), "l1 is in two co-localizations"),
    ],
)
def test_bad_usage_is_told(arguments: tuple[object, ...], told: str) -> None:
    answer = choreomon("experiment", *arguments)
    assert answer.code == 2
    assert told in answer.err


@pytest.mark.parametrize("experiment", ["multiprefix", "slices"])
def test_what_cannot_be_written_is_found_out_before_the_work(
    experiment: str, tmp_path: Path
) -> None:
    tmp_path.joinpath(f"{experiment}.md").mkdir()
    answer = choreomon("experiment", experiment, "--limit", 10**6, "-o", tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert f"{experiment}.md: cannot be written" in answer.err


def test_slices_of_the_papers_models_are_measured_and_plotted(tmp_path: Path) -> None:
    answer = choreomon("experiment", "slices", "--model", "i1", "--limit", 8, "-o", tmp_path)
    assert answer.code == 0, answer
    assert "| simulate | foreign components | 8 |" in answer.out
    assert "| HIBOU, the slices paper | all |" in answer.out
    assert "No answer is wrong." in answer.out
    assert tmp_path.joinpath("slices.md").read_text("utf-8") == answer.out
    assert {path.name for path in tmp_path.iterdir()} == {
        *("slices.md", "slices.json", "slices-i1-slice.svg", "slices-i1-simulate.svg")
    }


def test_slices_of_any_interaction_over_any_partition() -> None:
    model = OFFLINE / "models" / "slices_i1.hif"
    answer = choreomon(
        *("experiment", "slices", "--interaction", model, "--partition", "l3; l1, l2"),
        *("--signature", model.with_suffix(".hsf"), "--exhaustive", "--loops", 1),
        *("--seed", 3, "--budget", 20, "--jobs", 2, "--json"),
    )
    assert answer.code == 0, answer
    (found,) = json.loads(answer.out).values()
    rows = {(row["decider"], row["kind"]): row for row in found["rows"]}
    # One message there and one back, l1!m1 l2?m1 l2!m5 l1?m5: eleven windows, l3 silent.
    assert rows["slice", "slices"]["number"] == 11
    assert rows["slice", "slices"]["passed"] == 11


def test_random_slices_of_any_interaction() -> None:
    model = OFFLINE / "models" / "slices_i2.hif"
    answer = choreomon(
        *("experiment", "slices", "--interaction", model, "--loops", 3, "--multi-traces", 4),
        *("--slices", 2, "--limit", 5, "--json"),
    )
    assert answer.code == 0, answer
    rows = json.loads(answer.out)["slices_i2"]["rows"]
    numbers = {row["kind"]: row["number"] for row in rows if row["decider"] == "slice"}
    assert numbers["accepted"] == 4
    assert numbers["slices"] == 5
