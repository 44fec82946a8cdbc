"""`choreomon verify --method`: procedures about automata, what decided, and who is to blame."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from choreomon.reports.outcome_json import outcome_schema
from tests.cli.command_line import choreomon
from tests.cli.offline import write_offline_files

SMALL = "seq(loopS(a -- m -> b), alt(b -- n -> c, b -- o -> c))\n"
ENDLESS = SMALL.replace("loopS", "loopW")
FAULTS: dict[str, dict[str, Any] | None] = {
    "right": None,
    "wrong": {"kind": "LocalError", "locations": [["b"]]},
    "apart": {
        "kind": "InterError",
        "locations": [["b"], ["c"]],
        "pairs": [[["b"], ["c"]]],
    },
    "late": {"kind": "CentralError", "locations": [["a"], ["b"]]},
}
TRACES = {
    "right": "[a] a!m; [b] b?m.b!n; [c] c?n",
    "wrong": "[a] a!m; [b] b?m.b?m; [c] c?n",
    "apart": "[a] a!m; [b] b?m.b!n; [c] c?o",
    "late": "[a] a!m.a!m; [b] b?m.b!n; [c] c?n",
}


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    write_offline_files(place)
    place.joinpath("small.hif").write_text(SMALL, encoding="utf-8")
    place.joinpath("endless.hif").write_text(ENDLESS, encoding="utf-8")
    for name, text in TRACES.items():
        place.joinpath(f"{name}.htf").write_text(f"{{{text}}}\n", encoding="utf-8")
    assert choreomon("synthesize", "small.hif", "-o", "small.json").code == 0


def asked(
    *options: object, protocol: tuple[str, str] = ("-i", "small.hif")
) -> list[dict[str, Any]]:
    traces = [f"{name}.htf" for name in TRACES]
    answer = choreomon("verify", *protocol, *traces, "--json", *options)
    assert answer.code in (0, 1, 3), answer.err
    found = [json.loads(line) for line in answer.out.splitlines()]
    for line in found:
        Draft202012Validator(outcome_schema()).validate(line)
    return found


METHODS = ("auto", "reduced", "centralized", "semi-centralized")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("protocol", [("-i", "small.hif"), ("--automaton", "small.json")])
def test_every_method_says_the_same(method: str, protocol: tuple[str, str]) -> None:
    found = asked("--method", method, "--mode", "accept", protocol=protocol)
    quickest = "reduced" if "--automaton" in protocol else "exact"
    assert {line["method"] for line in found} == {quickest if method == "auto" else method}
    assert [line["verdict"] for line in found] == ["Pass", "Fail", "Fail", "Fail"]
    assert [line["fault"] for line in found] == [*FAULTS.values()]


def test_where_only_the_strict_reading_has_an_automaton_that_says_who_is_to_blame() -> None:
    found = asked("--mode", "accept", protocol=("-i", "endless.hif"))
    assert {line["method"] for line in found} == {"exact"}
    assert [line["fault"] for line in found] == [
        None,
        {"kind": "LocalError", "locations": [["b"]]},
        {"kind": "CentralError", "locations": [["b"], ["c"]]},
        {"kind": "CentralError", "locations": [["a"], ["b"]]},
    ]


@pytest.mark.parametrize(
    ("options", "method"),
    [
        (["--mode", "prefix"], "exact"),
        (["--mode", "test"], "exact search"),
        (["--mode", "simulate"], "exact search"),
        (["--mode", "accept", "--por"], "search"),
        (["--method", "removal"], "removal"),
        (["--method", "search"], "search"),
        (["--strategy", "bfs"], "removal"),
        (["--strategy", "portfolio"], "removal"),
    ],
    ids=" ".join,
)
def test_what_decided_is_said(options: list[str], method: str) -> None:
    assert {line["method"] for line in asked(*options)} == set(method.split())


@pytest.mark.parametrize("method", ["reduced", "centralized", "semi-centralized"])
def test_an_automaton_that_is_too_large_is_told(method: str) -> None:
    answer = choreomon("verify", "-i", "endless.hif", "right.htf", "--method", method)
    assert answer.code == 2
    assert "endless.hif: has " in answer.err
    assert f", and {method} needs its automaton" in answer.err


@pytest.mark.parametrize("method", ["centralized", "semi-centralized"])
def test_states_have_a_limit(method: str) -> None:
    found = asked("--method", method, "--mode", "accept", "--max-states", "2")
    assert (found[0]["verdict"], found[0]["reason"]) == ("Inconc", "TooManyStates")
    answer = choreomon(
        *("verify", "-i", "small.hif", "right.htf", "--method", method, "--max-states", "2")
    )
    assert answer.code == 3
    assert "TooManyStates" in answer.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--method", "reduced", "--mode", "prefix"], "automata answer accept, multiprefix, slice"),
        (["--method", "centralized", "--mode", "test"], "and not test"),
        (["--method", "semi-centralized", "--mode", "simulate"], "and not simulate"),
        (["--method", "centralized", "--por"], "decides by an automaton and does not search"),
        (
            ["--method", "reduced", "--strategy", "bfs"],
            "decides by an automaton and does not search",
        ),
        (["--max-states", "7"], "--max-states is for --method centralized and semi-centralized"),
        (["--method", "reduced", "--max-states", "7"], "--max-states is for"),
        (
            ["--method", "removal", "--mode", "slice"],
            "--method removal is for --mode multiprefix only",
        ),
    ],
    ids=lambda asked: " ".join(asked) if isinstance(asked, list) else "",
)
def test_what_does_not_go_together_is_bad_usage(options: list[str], said: str) -> None:
    answer = choreomon("verify", "-i", "small.hif", "right.htf", *options)
    assert answer.code == 2
    assert said in answer.err


def test_tables_explanations_and_junit_say_who_is_to_blame() -> None:
    files = [f"{name}.htf" for name in TRACES]
    answer = choreomon(
        *("verify", "-i", "small.hif", *files, "--mode", "accept", "--explain", "--junit", "x.xml")
    )
    for words in ("LocalError: b", "InterError: b, c", "CentralError: a, b"):
        assert words in answer.out
    assert "LocalError: the log of b is wrong, whatever happened elsewhere." in answer.out
    assert "CentralError: the logs of a and b do not go together, whatever happened" in answer.out
    cases = ElementTree.parse("x.xml").getroot()
    kinds = [failure.get("type") for case in cases for failure in case]
    assert kinds == ["LocalError", "InterError", "CentralError"]
    assert "Fail: CentralError [a] [b]" in Path("x.xml").read_text("utf-8")


def test_pictures_say_who_is_to_blame() -> None:
    asked = ("draw", "small.hif", "--explain", "--mode", "accept", "-o", "x.svg", "--json")
    found = json.loads(choreomon(*asked, "--trace", "late.htf").out)["components"]
    assert [part.get("blame") for part in found] == [
        "does not go with b",
        "does not go with a",
        None,
    ]
    assert "does not go with b" in Path("x.svg").read_text("utf-8")
    found = json.loads(choreomon(*asked, "--trace", "wrong.htf").out)["components"]
    assert [part.get("blame") for part in found] == [None, "wrong by itself", None]
