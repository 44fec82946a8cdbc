"""`choreomon generate`: what is written, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from choreomon.cli.simulation.generate import CLASSES
from choreomon.documents.read import load_document, parse_document
from simulator.generation import parameters
from simulator.generation.parameters import COMPLEXITY_CLASSES, of_class
from tests.cli.command_line import choreomon
from tests.simulator.promises import broken_promises, document_text

C3 = ("--class", "C3")
SIZE = ("--processes", 3, "--handlers", 3, "--chain", 3)


def generated(*options: object) -> str:
    answer = choreomon("generate", *options)
    assert (answer.code, answer.err) == (0, ""), answer.err
    return answer.out


def without_head(text: str) -> str:
    """Without the comment and the name."""
    return text.split("\n", maxsplit=2)[2]


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_has_a_document_with_what_is_taken_where_nothing_is_said(name: str) -> None:
    document = parse_document(generated("--class", name), "g.yaml")
    assert broken_promises(document, of_class(name)) == set()


def test_the_classes_and_shares_are_those_of_the_generator() -> None:
    assert tuple(COMPLEXITY_CLASSES) == CLASSES
    asked = generated(*C3, "--cancellations", parameters.CANCELLATIONS)
    assert asked == generated(*C3, "--branching", parameters.BRANCHING) == generated(*C3)


def test_options_say_what_is_drawn() -> None:
    options = ["--chain", 4, "--sequences", 4, "--length", 6]
    shares = ["--cancellations", 0.45, "--branching", 0.7]
    document = parse_document(generated("--class", "C6", *options, *shares), "g.yaml")
    wanted = of_class("C6", chain=4, sequences=4, length=6, cancellations=0.45, branching=0.7)
    assert broken_promises(document, wanted) == set()


def test_it_is_what_the_function_draws() -> None:
    options = ["--class", "C5", "--sequences", 2, "--length", 7, "--seed", 11]
    made = document_text(of_class("C5", sequences=2, length=7), 11)
    assert without_head(generated(*options)) == made.split("\n", maxsplit=1)[1]


def test_a_class_is_short_for_its_numbers() -> None:
    assert generated(*C3, "--length", 9) == generated(*SIZE, "--length", 9)


def test_one_seed_gives_one_document() -> None:
    assert generated(*C3) == generated(*C3, "--seed", 0)
    assert without_head(generated(*C3)) != without_head(generated(*C3, "--seed", 1))


def test_the_first_line_says_how_to_make_it_again() -> None:
    text = generated("--class", "C6", "--sequences", 3, "--length", 7, "--seed", -5)
    line = text.splitlines()[0]
    assert line == (
        "# choreomon generate --processes 7 --handlers 5 --chain 6 --sequences 3 --length 7 "
        "--cancellations 0.3 --branching 0.5 --seed -5"
    )
    assert generated(*line.split()[3:]) == text


def test_writes_yaml_or_json_as_the_name_says() -> None:
    assert generated(*C3, "-o", "c3.yaml") == ""
    assert Path("c3.yaml").read_text(encoding="utf-8") == generated(*C3, "-o", "-")
    assert generated(*C3, "--output", "c3.JSON") == ""
    assert json.loads(Path("c3.JSON").read_text(encoding="utf-8"))["application"]
    one, other = load_document("c3.yaml"), load_document("c3.JSON")
    assert (one.application, one.property, one.network) == (
        other.application,
        other.property,
        other.network,
    )


@pytest.mark.parametrize("command", [["simulate"], ["run", "--embedded", "--speed", 20]])
def test_simulate_and_run_take_what_is_written(command: list[object]) -> None:
    generated("--class", "C3", "--sequences", 2, "--length", 4, "-o", "c3.yaml")
    assert choreomon("check", "c3.yaml").code == 0
    assert choreomon(*command, "c3.yaml").code in (0, 1, 3)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "give --class C1 to C9, or --processes, --handlers and --chain"),
        (["--processes", 3], "--handlers and --chain missing: give all three of --processes, "),
        (["--processes", 3, "--handlers", 2], "--chain missing: give"),
        (["--class", "C0"], "Invalid value for '--class': 'C0' is not one of"),
        ([*C3, "--processes", 4], "--processes 4 and --class C3 both say how large"),
        ([*C3, "--handlers", 4], "leave one of the two out"),
        ([*C3, "--chain", 5], "Invalid value for --chain: 5 is more than the 3 processes"),
        ([*C3, "--chain", 0], "Invalid value for --chain: 0 is too small: 1 is the least"),
        ([*C3, "--sequences", 0], "Invalid value for --sequences: 0 is too small"),
        ([*C3, "--sequences", 3], "Invalid value for --sequences: 3 are more than the 2"),
        ([*C3, "--length", 10], "Invalid value for --length: 10 is more than the 9 steps"),
        ([*C3, "--cancellations", 1.5], "Invalid value for --cancellations: 1.5 is no share"),
        ([*C3, "--branching", "nan"], "Invalid value for --branching: nan is no share"),
        ([*SIZE, "--processes", 1], "Invalid value for --processes: 1 is too small"),
        ([*SIZE, "--handlers", 9999], "Invalid value for --handlers: 3 processes with 9999"),
        ([*C3, "-o", ""], "this one is empty"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_wrong_options_are_bad_usage(options: list[object], told: str) -> None:
    before = sorted(Path().iterdir())
    answer = choreomon("generate", *options, columns=300)
    assert (answer.code, answer.out) == (2, "")
    assert "Usage: choreomon generate" in answer.err
    assert told in answer.err
    assert sorted(Path().iterdir()) == before


def test_where_nothing_can_be_written_is_told() -> None:
    answer = choreomon("generate", *C3, "-o", "empty.yaml/c3.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "Error: empty.yaml: is no folder: name another one\n"


def test_the_folder_is_made() -> None:
    assert choreomon("generate", *C3, "-o", "a/b/c3.yaml").code == 0
    assert Path("a/b/c3.yaml").is_file()


def test_instances_are_written_for_simulate() -> None:
    text = generated(*C3, "--instances", 20)
    assert text.startswith("# choreomon generate --processes 3")
    assert "--instances 20 " in text
    assert 'repeat: {instance: "1..20", every: 5}' in text
    Path("g.yaml").write_text(text, encoding="utf-8")
    answer = choreomon("simulate", "g.yaml", "--json")
    assert answer.code in (0, 1, 3)
    told = json.loads(answer.out)["runs"][0]["verdicts"]
    assert all({*verdict["for"]} == {"instance"} for verdict in told)
    refused = choreomon("generate", *C3, "--instances", 100_001)
    assert "100001 are more than 100000: ask for fewer" in refused.err


def test_replicas_are_written_for_simulate() -> None:
    text = generated(*C3, "--branching", 0, "--replicas", 3)
    assert text.startswith("# choreomon generate --processes 3")
    assert "--branching 0.0 --replicas 3 " in text
    Path("g.yaml").write_text(text, encoding="utf-8")
    assert list(load_document("g.yaml").replicas.roles.slots.values()) == [3]
    assert choreomon("simulate", "g.yaml", "--trace", "run.jsonl").code in (0, 1, 3)
    audited = json.loads(choreomon("audit", "g.yaml", "run.jsonl", "--json").out)
    assert audited["gaps"] == []
    of_instances = generated(*C3, "--instances", 2, "--replicas", 3)
    assert "{slots: 3, balance: {by: instance}}" in of_instances
    refused = choreomon("generate", *C3, "--replicas", 3)
    assert refused.code == 2
    assert "--replicas: 3 have variables of their own" in refused.err
