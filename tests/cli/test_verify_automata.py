"""`choreomon verify --automaton`: the same answers as by the interaction, and by automata of other
origin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from choreomon.batch.outcomes import outcomes
from choreomon.batch.question import Question
from choreomon.interaction_files.automaton_file import load_automaton
from choreomon.verify.papers.options import Analysis, Options
from choreomon.verify.verdict import Verdict
from tests.cli.command_line import Answer, choreomon
from tests.cli.offline import write_offline_files

TRACES = ("pass.htf", "weak.htf", "fail.htf", "late.htf", "unknown.htf")
INTERACTION = "seq(a -- m -> b, loopS(seq(b -- n -> c, c -- k -> b)))\n"

TIMBUK = """\
Ops x:1 y:1 z:1 start:0
Automaton A
States q0 q1 q2
Final States q2
Transitions
start -> q0
x(q0) -> q1
y(q1) -> q1
z(q1) -> q2
"""
LOCATIONS = {"kind": "locations", "locations": {"p": ["x", "z"], "q": ["y"]}}


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    write_offline_files(place)
    place.joinpath("i.hif").write_text(INTERACTION, encoding="utf-8")
    assert choreomon("synthesize", "i.hif", "-o", "i.json").code == 0
    place.joinpath("t.timbuk").write_text(TIMBUK, encoding="utf-8")
    place.joinpath("l.json").write_text(json.dumps(LOCATIONS), encoding="utf-8")
    for name, text in (
        ("whole", "{ [p] p!x.p!z; [q] q!y.q!y }"),
        ("cut", "{ [p] p!x; [q] q!y }"),
        ("begun", "{ [p] p!z; [q] q!y }"),
        ("none", "{ [p] p!z.p!x; [q] }"),
    ):
        place.joinpath(f"{name}.htf").write_text(text, encoding="utf-8")


def lines(answer: Answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in answer.out.splitlines()]


def verdicts(*arguments: object) -> list[str]:
    return [line["verdict"] for line in lines(choreomon("verify", *arguments, "--json"))]


@pytest.mark.parametrize("mode", ["accept", "multiprefix", "slice"])
def test_verdicts_are_those_of_the_interaction(mode: str) -> None:
    by_automaton = verdicts("--automaton", "i.json", "--mode", mode, *TRACES)
    assert by_automaton == verdicts("-i", "i.hif", "--mode", mode, *TRACES)
    assert len(set(by_automaton)) > 1


def test_the_default_mode_and_exit_codes_are_the_same() -> None:
    assert verdicts("--automaton", "i.json", *TRACES) == verdicts(
        "--automaton", "i.json", "--mode", "multiprefix", *TRACES
    )
    assert choreomon("verify", "--automaton", "i.json", "pass.htf", "weak.htf").code == 0
    assert choreomon("verify", "--automaton", "i.json", "fail.htf").code == 1
    assert choreomon("verify", "--automaton", "i.json", "pass.htf", "bad.htf").code == 2
    stopped = choreomon("verify", "--automaton", "i.json", "pass.htf", "--budget", "0.000000001")
    assert stopped.code == 3


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("accept", ["Pass", "Fail", "Fail", "Fail"]),
        ("multiprefix", ["Pass", "WeakPass", "Fail", "Fail"]),
        ("slice", ["Pass", "WeakPass", "WeakPass", "Fail"]),
    ],
)
def test_automata_of_other_origin_are_protocols(mode: str, expected: list[str]) -> None:
    given = ("--automaton", "t.timbuk", "--locations", "l.json", "--mode", mode)
    assert verdicts(*given, "whole.htf", "cut.htf", "begun.htf", "none.htf") == expected


def test_letters_of_json_automata_may_be_in_locations() -> None:
    document = {
        "kind": "automaton",
        "letters": ["x", "y", "z"],
        "states": 3,
        "initial": [0],
        "final": [2],
        "edges": [[0, "x", 1], [1, "y", 1], [1, "z", 2]],
    }
    Path("t.json").write_text(json.dumps(document), encoding="utf-8")
    given = ("--automaton", "t.json", "--locations", "l.json")
    assert verdicts(*given, "whole.htf", "none.htf") == ["Pass", "Fail"]
    answer = choreomon("verify", "--automaton", "t.json", "whole.htf")
    assert answer.code == 2
    assert "t.json:1: letters[0]: is no action; write `lifeline!message`" in answer.err


def test_several_processes_give_the_same_lines() -> None:
    given = ("--automaton", "t.timbuk", "--locations", "l.json", "--mode", "slice")
    names = ("whole.htf", "cut.htf", "begun.htf", "none.htf")
    assert verdicts(*given, *names, "--jobs", 2) == verdicts(*given, *names)


def test_verdicts_are_explained() -> None:
    given = ("--automaton", "t.timbuk", "--locations", "l.json", "--mode", "slice", "--explain")
    found = lines(choreomon("verify", *given, "begun.htf", "none.htf", "--json"))
    assert found[0]["witness"] == [
        {"action": "p!x", "observed": False},
        {"action": "q!y", "observed": True},
        {"action": "p!z", "observed": True},
    ]
    assert found[1]["failure"] == [
        {"lifelines": ["p"], "position": 1, "next": "p!x", "allowed": [], "rank": 1, "sent": None},
        {
            "lifelines": ["q"],
            "position": 0,
            "next": None,
            "allowed": ["q!y"],
            "rank": None,
            "sent": None,
        },
    ]
    said = choreomon("verify", *given, "begun.htf", "none.htf").out
    assert "Explained by this trace of 3 actions" in said
    assert "p: the first of 2 actions is explained; then comes p!x" in said


def test_results_are_written_as_junit() -> None:
    answer = choreomon("verify", "--automaton", "i.json", "fail.htf", "--junit", "r.xml")
    assert answer.code == 1
    assert 'name="choreomon verify i.json"' in Path("r.xml").read_text(encoding="utf-8")
    for read in ("i.json", "fail.htf"):
        refused = choreomon("verify", "--automaton", "i.json", "fail.htf", "--junit", read)
        assert refused.code == 2
        assert f"{read}: is read, too" in refused.err
    given = ("--automaton", "t.timbuk", "--locations", "l.json")
    assert choreomon("verify", *given, "cut.htf", "--junit", "l.json").code == 2


def test_a_signature_is_kept_to() -> None:
    (line,) = lines(
        choreomon("verify", "--automaton", "i.json", "-s", "s.hsf", "unknown.htf", "--json")
    )
    assert line["verdict"] is None
    assert "unknown.htf:1: " in line["reason"]


@pytest.mark.parametrize("mode", ["test", "prefix", "simulate"])
def test_other_modes_are_bad_usage(mode: str) -> None:
    answer = choreomon("verify", "--automaton", "i.json", "pass.htf", "--mode", mode)
    assert answer.code == 2
    assert f"automata answer accept, multiprefix, slice, and not {mode}" in answer.err


@pytest.mark.parametrize(
    "option",
    [
        ["--method", "search"],
        ["--method", "removal"],
        ["--config", "c.hcf"],
        ["--por"],
        ["--paper-por"],
        ["--local", "all"],
        ["--local-on", "all"],
        ["--whole-graph"],
        ["--strategy", "bfs"],
    ],
    ids=lambda option: option[0],
)
def test_options_of_a_search_of_interactions_are_bad_usage(option: list[str]) -> None:
    answer = choreomon("verify", "--automaton", "i.json", "pass.htf", *option)
    assert answer.code == 2
    assert f"{option[0].partition('/')[0]}" in answer.err
    assert "can only be used with --interaction" in answer.err


def test_the_protocol_is_one_file() -> None:
    for given in ([], ["-i", "i.hif", "--automaton", "i.json"]):
        answer = choreomon("verify", *given, "pass.htf")
        assert answer.code == 2
        assert "say what should happen: by --interaction FILE or by --automaton FILE" in answer.err
    answer = choreomon("verify", "-i", "i.hif", "--locations", "l.json", "pass.htf")
    assert answer.code == 2
    assert "--locations can only be used with --automaton" in answer.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TIMBUK.replace("start -> q0\n", ""), "t.timbuk: Transitions: has no initial state"),
        (TIMBUK.replace("y(q1) -> q1", "y(q1) -> q9"), "t.timbuk:8: Transitions: unknown state"),
        (TIMBUK[:40], "t.timbuk: States: is missing: the file may have been cut off"),
        ("{}", "t.timbuk:1: starts with '{}': a Timbuk file starts with Ops"),
    ],
)
def test_automata_that_cannot_be_used_are_told(text: str, said: str) -> None:
    Path("t.timbuk").write_text(text, encoding="utf-8")
    given = ("--automaton", "t.timbuk", "--locations", "l.json")
    answer = choreomon("verify", *given, "whole.htf")
    assert answer.code == 2
    assert said in answer.err


def test_a_program_may_ask_by_an_automaton_of_its_own() -> None:
    one = load_automaton("i.json")
    found = [*outcomes(Question(automaton=one), ["pass.htf", "fail.htf"])]
    assert [outcome.answer and outcome.answer.verdict for outcome in found] == [
        Verdict.PASS,
        Verdict.FAIL,
    ]
    with pytest.raises(ValueError, match="give one of the two"):
        outcomes(Question(), ["pass.htf"])
    with pytest.raises(ValueError, match="give one of the two"):
        outcomes(Question(interaction="i.hif", automaton=one), ["pass.htf"])
    with pytest.raises(ValueError, match="locations are of the letters"):
        outcomes(Question(automaton=one, locations="l.json"), ["pass.htf"])
    with pytest.raises(ValueError, match="not searched as the papers search"):
        outcomes(Question(automaton=one, analysis=Analysis(search=Options())), ["pass.htf"])
    with pytest.raises(ValueError, match="and not prefix"):
        outcomes(Question(automaton=one, analysis=Analysis("prefix")), ["pass.htf"])
