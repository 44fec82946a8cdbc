"""`choreomon draw`: the automaton and a run, in three formats."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from simulator.run import Simulation
from tests.cli.command_line import choreomon

SIGNATURES = {
    "svg": b"<?xml",
    "png": b"\x89PNG\r\n\x1a\n",
    "mmd": b"flowchart",
}


@pytest.mark.parametrize("kind", SIGNATURES)
@pytest.mark.parametrize("what", [[], ["--run"]], ids=["automaton", "run"])
def test_both_pictures_are_written_in_every_format(kind: str, what: list[str]) -> None:
    answer = choreomon("draw", "violated.yaml", *what, "-o", f"x.{kind}")
    assert answer == type(answer)(0, "", "")
    content = Path(f"x.{kind}").read_bytes()
    expected = b"sequenceDiagram" if (kind, what) == ("mmd", ["--run"]) else SIGNATURES[kind]
    assert content.lstrip().startswith((expected, b"<svg")) or expected in content[:200]
    if kind == "svg":
        ElementTree.fromstring(content)


@pytest.mark.parametrize("kind", SIGNATURES)
def test_a_suffix_may_be_in_capitals(kind: str) -> None:
    capitals = f"x.{kind.upper()}"
    assert choreomon("draw", "violated.yaml", "-o", capitals).code == 0
    choreomon("draw", "violated.yaml", "-o", f"y.{kind}")
    assert Path(capitals).read_bytes() == Path(f"y.{kind}").read_bytes()


def test_a_picture_that_cannot_be_written_is_said_before_its_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(Simulation, "run")
    answer = choreomon("draw", "violated.yaml", "--run", "-o", "nowhere/x.svg")
    assert (answer.code, answer.out) == (2, "")
    assert "nowhere/x.svg: cannot be written: No such file or directory" in answer.err


def test_the_automaton_has_its_states_and_a_run_its_processes() -> None:
    choreomon("draw", "violated.yaml", "-o", "automaton.svg")
    choreomon("draw", "violated.yaml", "--run", "-o", "run.svg")
    automaton, run = Path("automaton.svg").read_text(), Path("run.svg").read_text()
    assert all(state in automaton for state in ("q0", "q1", "q2"))
    assert all(process in run for process in ("P1", "P2", "P3"))


def test_a_run_is_drawn_with_its_violating_sequence_marked() -> None:
    answer = choreomon("draw", "violated.yaml", "--run", "-o", "run.svg", "--json")
    events = json.loads(answer.out)["events"]
    assert [e["index"] for e in events if e["role"]] == [1, 4]  # a and b, of P1 and P2
    plain = choreomon("draw", "conforming.yaml", "--run", "-o", "x.svg", "--json")
    assert not any(event["role"] for event in json.loads(plain.out)["events"])


def test_seed_strategy_and_rules_are_those_of_the_run() -> None:
    def drawn(*options: object) -> str:
        assert choreomon("draw", "conforming.yaml", "--run", "-o", "x.svg", *options).code == 0
        return Path("x.svg").read_text(encoding="utf-8")

    assert drawn() == drawn("--seed", 0, "--strategy", "pull", "--rules", "sound")
    assert drawn() != drawn("--seed", 1)
    assert drawn() != drawn("--strategy", "push")


def test_the_rules_of_the_run_can_be_chosen() -> None:
    """q1 is initial although a transition leads to it, which the paper's tables forget."""
    text = (
        Path("violated.yaml").read_text(encoding="utf-8").split("property:")[0]
        + """
property:
  automaton:
    initial: [q0, q1]
    final: [q2]
    transitions:
      - {from: q0, to: q1, on: "P1 -> P2 : a"}
      - {from: q1, to: q2, on: "handle env -> P1 : go"}
"""
    )
    Path("started.yaml").write_text(text, encoding="utf-8")
    pictures = []
    for rules in ("sound", "paper"):
        answer = choreomon("draw", "started.yaml", "--run", "-o", f"{rules}.svg", "--rules", rules)
        assert answer.code == 0
        pictures.append(Path(f"{rules}.svg").read_text(encoding="utf-8"))
    assert pictures[0] != pictures[1]


def test_a_run_that_reaches_max_events_is_drawn_and_said_to_have() -> None:
    answer = choreomon("draw", "endless.yaml", "--run", "-o", "x.svg")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("endless.yaml: network.max_events: stopped after 300 events")
    assert Path("x.svg").exists()


def test_without_the_extra_a_png_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = choreomon("draw", "violated.yaml", "-o", "x.png")
    assert (answer.code, answer.out) == (2, "")
    assert "choreomon[plot]" in answer.err
    assert "Traceback" not in answer.err
    assert not Path("x.png").exists()
    assert choreomon("draw", "violated.yaml", "-o", "x.svg").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["violated.yaml"], "Missing option '-o'"),
        (["violated.yaml", "-o", "x.gif"], "x.gif: the suffix must be .svg, .png or .mmd"),
        (["violated.yaml", "-o", "x"], "x: the suffix must be"),
        (["violated.yaml", "-o", "."], "is a directory"),
        (["violated.yaml", "-o", "nowhere/x.svg"], "nowhere/x.svg: cannot be written"),
        (["application.yaml", "-o", "x.svg"], "has no property to draw; --run draws a run"),
        (["property.yaml", "-o", "x.svg", "--run"], "there is nothing to simulate"),
        (["nowhere.yaml", "-o", "x.svg"], "there is no such file"),
        (["violated.yaml", "-o", ""], "Invalid value for '-o' / '--output': a file needs a name"),
        (["violated.yaml", "-o", "x.svg", "--seed", "0"], "--seed can only be used with --run"),
        (
            ["violated.yaml", "-o", "x.svg", "--rules", "paper", "--strategy", "pull"],
            "--strategy and --rules can only be used with --run",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_drawn_is_exit_code_2_and_why(arguments: list[str], said: str) -> None:
    answer = choreomon("draw", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_a_property_without_an_application_and_the_other_way_round_can_be_drawn() -> None:
    assert choreomon("draw", "property.yaml", "-o", "x.svg").code == 0
    assert choreomon("draw", "application.yaml", "--run", "-o", "x.svg").code == 0
