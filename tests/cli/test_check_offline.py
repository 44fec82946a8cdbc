"""`choreomon check` of interactions, signatures and multi-traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import choreomon
from tests.cli.offline import write_offline_files


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    write_offline_files(place)


def found(file: str) -> dict[str, Any]:
    answer = choreomon("check", file, "--json")
    assert answer.code == 0, answer.err
    content = json.loads(answer.out)
    assert isinstance(content, dict)
    return content


def test_of_an_interaction_it_says_who_sends_and_receives_what() -> None:
    answer = choreomon("check", "i.hif")
    assert answer.code == 0
    said, *table = answer.out.splitlines()
    assert said == "i.hif: the interaction is valid: 12 symbols, 1 loop, 3 messages"
    assert [[cell.strip() for cell in row.split("│")[1:-1]] for row in table if "│" in row] == [
        ["a", "m", ""],
        ["b", "n", "k, m"],
        ["c", "k", "n"],
    ]
    assert found("i.hif") == {
        "file": "i.hif",
        "kind": "interaction",
        "symbols": 12,
        "depth": 5,
        "actions": 6,
        "loops": 1,
        "loop_depth": 1,
        "lifelines": {
            "a": {"sends": ["m"], "receives": []},
            "b": {"sends": ["n"], "receives": ["k", "m"]},
            "c": {"sends": ["k"], "receives": ["n"]},
        },
        "messages": ["k", "m", "n"],
    }


def test_of_a_signature_it_says_what_it_declares() -> None:
    said, *table = choreomon("check", "s.hsf").out.splitlines()
    assert said == "s.hsf: the signature is valid: 3 lifelines, 3 messages"
    assert any("a, b, c" in row and "m, n, k" in row for row in table)
    assert (found("s.hsf")["lifelines"], found("s.hsf")["messages"]) == (
        ["a", "b", "c"],
        ["m", "n", "k"],
    )


def test_of_a_multi_trace_it_says_how_much_each_clock_recorded() -> None:
    Path("shared.htf").write_text("{[b,a] a!m.b?m; [c]}", encoding="utf-8")
    said, *table = choreomon("check", "shared.htf").out.splitlines()
    assert said == "shared.htf: the multi-trace is valid: 2 actions on 2 clocks"
    assert any("a, b" in row and "2" in row for row in table)
    assert found("shared.htf")["components"] == [
        {"lifelines": ["a", "b"], "actions": 2},
        {"lifelines": ["c"], "actions": 0},
    ]


CONFIGURATION = "@analyze_option{ analysis_kind = prefix; strategy = DFS }"


def test_of_a_configuration_it_says_every_option() -> None:
    Path("c.hcf").write_text(CONFIGURATION, encoding="utf-8")
    said, *table = choreomon("check", "c.hcf").out.splitlines()
    assert said == "c.hcf: the configuration is valid: 1 section"
    cells = [[cell.strip() for cell in row.split("│")[1:-1]] for row in table if "│" in row]
    assert ["analyze", "mode", '"prefix"'] in cells
    assert ["analyze", "strategy", '"dfs"'] in cells
    assert found("c.hcf")["analyze"]["mode"] == "prefix"


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (["canonize", "i.hif", "-o", "x.json"], "interaction"),
        (["join", "pass.htf", "-o", "x.json"], "multi-trace"),
    ],
)
def test_json_says_itself_what_it_is(command: list[str], kind: str) -> None:
    assert choreomon(*command).code == 0
    assert found("x.json")["kind"] == kind


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["bad.htf"], "bad.htf:1: "),
        (["missing.hif"], "missing.hif: cannot be read: there is no such file"),
        (["i.hif", "--tables"], "--tables is about properties: i.hif holds an interaction"),
    ],
)
def test_what_cannot_be_read_or_asked_is_told(arguments: list[str], told: str) -> None:
    answer = choreomon("check", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err


@pytest.mark.parametrize(
    ("command", "file", "told"),
    [
        (("simulate",), "i.hif", "i.hif: holds an interaction: expected a scenario or property"),
        (("simulate",), "s.hsf", "s.hsf: holds a signature: expected a scenario or property"),
        (("simulate",), "pass.htf", "pass.htf: holds a multi-trace: expected a scenario or"),
        (("simulate",), "c.hcf", "c.hcf: holds a configuration: expected a scenario or"),
        (("simulate",), "a.timbuk", "a.timbuk: holds an automaton: expected a scenario or"),
        (("draw", "-o", "x.svg"), "c.hcf", "c.hcf is a configuration: it is for the drawing of"),
    ],
)
def test_files_of_other_kinds_are_no_documents(
    command: tuple[str, ...], file: str, told: str
) -> None:
    Path("c.hcf").write_text(CONFIGURATION, encoding="utf-8")
    Path("a.timbuk").write_text("Ops a:1\n", encoding="utf-8")
    answer = choreomon(*command, file)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err


@pytest.mark.parametrize(
    ("kind", "meant"), [("interactions", "; did you mean 'interaction'?"), (1, "")]
)
def test_json_of_no_known_kind_is_told(kind: object, meant: str) -> None:
    Path("x.json").write_text(json.dumps({"kind": kind}), encoding="utf-8")
    answer = choreomon("check", "x.json")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "x.json: kind: should be interaction, signature, multi-trace, configuration, automaton, "
        f"locations, or not there in a document{meant}\n"
    )
