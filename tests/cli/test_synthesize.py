"""`choreomon synthesize`, and what other commands do with the automata that it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from choreomon.cli.offline import synthesize as module
from choreomon.interaction_files.automaton_file import load_automaton
from tests.cli.command_line import ROOT, Answer, choreomon
from tests.cli.offline import SIGNATURE, write_offline_files

MODELS = ROOT / "tests" / "data" / "offline" / "models"


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    write_offline_files(place)
    place.joinpath("turns.hif").write_text(
        "loopW(seq(a -- m -> b, b -- k -> a))\n", encoding="utf-8"
    )
    place.joinpath("ahead.hif").write_text("seq(loopW(a -- m -> b), o)\n", encoding="utf-8")
    # Follow-ups that are different terms, and one state of the smallest automaton.
    place.joinpath("abp.hif").write_bytes(MODELS.joinpath("abp.hif").read_bytes())


def synthesized(*arguments: object) -> dict[str, Any]:
    answer = choreomon("synthesize", *arguments, "--json")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    assert isinstance(found, dict)
    return found


def test_an_automaton_is_written_and_told() -> None:
    answer = choreomon("synthesize", "turns.hif", "-o", "turns.json")
    assert answer == Answer(
        0,
        "turns.hif: 4 states, 4 edges, 4 letters on 2 lifelines, deterministic; written to "
        "turns.json\n",
        "",
    )
    one = load_automaton("turns.json")
    assert (one.states, one.is_deterministic) == (4, True)
    assert Draft202012Validator(schema("automaton")).is_valid(
        json.loads(Path("turns.json").read_text(encoding="utf-8"))
    )


def schema(kind: str) -> dict[str, Any]:
    found = json.loads(choreomon("schema", "--of", kind).out)
    assert isinstance(found, dict)
    return found


def test_schemas_are_printed() -> None:
    for kind in ("automaton", "locations"):
        Draft202012Validator.check_schema(schema(kind))
        assert schema(kind)["title"] == f"choreomon {kind}"


def test_json_says_what_there_is() -> None:
    found = synthesized("abp.hif", "-o", "abp.json")
    one = load_automaton("abp.json")
    assert found == {
        "file": "abp.hif",
        "states": 68,
        "edges": 94,
        "letters": 23,
        "lifelines": list(one.lifelines),
        "deterministic": False,
        "digest": one.digest,
        "follow_ups": {"states": 68, "symbols": 264},
    }


def test_the_minimal_automaton_is_deterministic() -> None:
    found = synthesized("abp.hif", "-o", "abp.json", "--minimal")
    assert (found["states"], found["deterministic"]) == (64, True)
    assert found["follow_ups"]["states"] == 68
    said = choreomon("synthesize", "abp.hif", "-o", "abp.json", "--minimal").out
    assert said == (
        "abp.hif: 64 states, 90 edges, 23 letters on 4 lifelines, the deterministic one with the "
        "fewest states; written to abp.json\n"
    )


def test_a_signature_is_kept_to() -> None:
    Path("narrow.hsf").write_text("@message{m} @lifeline{a;b}\n", encoding="utf-8")
    answer = choreomon("synthesize", "turns.hif", "-o", "t.json", "-s", "narrow.hsf")
    assert answer.code == 2
    assert "k" in answer.err
    assert not Path("t.json").exists()
    Path("wide.hsf").write_text(SIGNATURE, encoding="utf-8")
    assert choreomon("synthesize", "turns.hif", "-o", "t.json", "-s", "wide.hsf").code == 0


def test_past_the_bound_of_states_the_loop_is_named() -> None:
    answer = choreomon("synthesize", "ahead.hif", "-o", "ahead.json", "--max-states", 50)
    assert answer == Answer(
        2,
        "",
        "Error: ahead.hif: has more than 50 states; loopW(strict(a!m,b?m)) is too large alone; "
        "loopS in its place ends each iteration before the next one begins; --max-states allows "
        "more; choreomon verify --interaction needs no automaton\n",
    )
    assert not Path("ahead.json").exists()


def test_past_the_bound_of_symbols_the_loop_is_named() -> None:
    answer = choreomon("synthesize", "ahead.hif", "-o", "ahead.json", "--max-symbols", 12)
    assert answer.code == 2
    assert "has states of more than 12 symbols; loopW(strict(a!m,b?m)) is too large" in answer.err
    assert "--max-symbols allows more" in answer.err


def test_loops_that_are_too_large_together_are_told_as_they_are() -> None:
    Path("two.hif").write_text("par(loopS(a -- m -> b), loopS(c -- m -> a))\n", encoding="utf-8")
    answer = choreomon("synthesize", "two.hif", "-o", "two.json", "--max-states", 3)
    assert "without loopS(strict(a!m,b?m)) it is not; --max-states" in answer.err
    Path("par.hif").write_text("par(a -- m -> b, b -- m -> a, c -- m -> a)\n", encoding="utf-8")
    answer = choreomon("synthesize", "par.hif", "-o", "two.json", "--max-states", 3)
    assert "has more than 3 states; no single loop makes it so large; --max-states" in answer.err


def test_a_minimal_automaton_that_is_too_large_on_the_way_is_told() -> None:
    """The last but two letter tells, and nobody knows which one that is."""
    tail = "alt(a -- m ->|, a -- k ->|)"
    Path("tail.hif").write_text(
        f"strict(loopS({tail}), a -- m ->|, {tail}, {tail}, {tail})\n", encoding="utf-8"
    )
    bounded = ("-o", "tail.json", "--max-states", 12)
    assert synthesized("tail.hif", *bounded)["states"] <= 12
    answer = choreomon("synthesize", "tail.hif", *bounded, "--minimal")
    assert answer == Answer(
        2,
        "",
        "Error: tail.hif: more than 12 states after determinization; --max-states allows more, and "
        "without --minimal it has fewer\n",
    )


@pytest.mark.parametrize("name", ["t.svg", "t.png"])
def test_it_is_drawn(name: str) -> None:
    assert choreomon("synthesize", "turns.hif", "-o", "t.json", "--draw", name).code == 0
    assert Path(name).read_bytes()[:4] in (b"<?xm", b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["turns.hif", "-o", "t.timbuk"], "t.timbuk: automata are written as JSON: call it .json"),
        (
            ["turns.hif", "-o", "t.json", "--draw", "t.pdf"],
            "t.pdf: the suffix must be .svg or",
        ),
        (["turns.hif", "-o", "turns.hif"], "turns.hif: is read, too: write another file"),
        (["turns.hif"], "Missing option '-o'"),
        (["turns.hif", "-o", "t.json", "--max-states", "0"], "0 is not in the range 1<=x<=100000"),
        (["turns.hif", "-o", "turns.hif/t.json"], "turns.hif: is no folder"),
        (["none.hif", "-o", "t.json"], "none.hif: cannot be read: there is no such file"),
        (["pass.htf", "-o", "t.json"], "pass.htf:1: "),
    ],
)
def test_what_cannot_be_done_is_told_first(arguments: list[str], said: str) -> None:
    answer = choreomon("synthesize", *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert not Path("t.json").exists()


def test_names_that_cannot_be_written_are_told() -> None:
    nodes = [{"op": "action", "action": "a!m"}]
    Path("i.json").write_text(json.dumps({"kind": "interaction", "nodes": nodes}), encoding="utf-8")
    assert synthesized("i.json", "-o", "t.json")["states"] == 2


def test_progress_is_counted_over_all_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Status:
        def __enter__(self) -> Status:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def update(self, text: str) -> None:
            shown.append(text)

    class Errors:
        is_terminal = True

        def status(self, text: str) -> Status:
            shown.append(text)
            return Status()

    monkeypatch.setattr("choreomon.cli.command_line.screen.screens", lambda: (None, Errors()))
    monkeypatch.setattr(module, "TELL", 20)
    assert choreomon("synthesize", "ahead.hif", "-o", "t.json", "--max-states", 70).code == 2
    assert shown[0] == "0 states"
    tried = shown.index("0 states tried, to find the loop that makes it too large")
    assert shown[1:tried] == [f"{number} states" for number in range(20, 20 * tried, 20)]
    assert tried > 1


# ---------------------------------------------------------------- check and draw


def test_an_automaton_is_checked() -> None:
    synthesized("turns.hif", "-o", "turns.json")
    said = choreomon("check", "turns.json").out
    assert said.startswith(
        "turns.json: the automaton is valid: 4 states, 4 edges, 4 letters, deterministic\n"
    )
    found = json.loads(choreomon("check", "turns.json", "--json").out)
    assert found == {
        "file": "turns.json",
        "kind": "automaton",
        "states": 4,
        "edges": 4,
        "initial": 1,
        "final": 1,
        "idle": 0,
        "deterministic": True,
        "letters": {"a": ["a!m", "a?k"], "b": ["b!k", "b?m"]},
        "shortest": [],
        "digest": load_automaton("turns.json").digest,
    }


def test_states_of_no_use_are_told() -> None:
    write_timbuk()
    said = choreomon("check", "one.timbuk", "--locations", "l.json").out
    assert said.splitlines()[0] == (
        "one.timbuk: the automaton is valid: 3 states, 3 edges, 2 letters, deterministic; 1 state "
        "on no way from the beginning to an end"
    )
    found = json.loads(choreomon("check", "one.timbuk", "--locations", "l.json", "--json").out)
    assert (found["idle"], found["shortest"]) == (1, ["p!x"])
    answer = choreomon("check", "one.timbuk")
    assert answer.code == 2
    assert "one.timbuk: has letters without locations: say by --locations FILE" in answer.err


def test_an_automaton_that_accepts_nothing_is_told() -> None:
    write_timbuk()
    text = Path("one.timbuk").read_text(encoding="utf-8")
    Path("one.timbuk").write_text(text.replace("Final States q1", "Final States q2"), "utf-8")
    given = ("check", "one.timbuk", "--locations", "l.json")
    assert choreomon(*given).out.splitlines()[0].endswith("deterministic; it accepts nothing")
    assert json.loads(choreomon(*given, "--json").out)["shortest"] is None


def write_timbuk() -> None:
    Path("one.timbuk").write_text(
        "Ops x:1 y:1 start:0\nAutomaton A\nStates q0 q1 q2\nFinal States q1\nTransitions\n"
        "start -> q0\nx(q0) -> q1\ny(q1) -> q0\ny(q2) -> q1\n",
        encoding="utf-8",
    )
    places = {"kind": "locations", "locations": {"p": ["x"], "q": ["y"]}}
    Path("l.json").write_text(json.dumps(places), encoding="utf-8")


def test_locations_are_checked() -> None:
    write_timbuk()
    assert json.loads(choreomon("check", "l.json", "--json").out) == {
        "file": "l.json",
        "kind": "locations",
        "locations": {"p": ["x"], "q": ["y"]},
    }
    said = choreomon("check", "l.json").out
    assert said.startswith("l.json: the locations are valid: 2 letters in 2 locations\n")


def test_an_automaton_is_drawn() -> None:
    write_timbuk()
    answer = choreomon("draw", "one.timbuk", "--locations", "l.json", "-o", "one.svg", "--json")
    assert answer.code == 0
    edges = json.loads(answer.out)["edges"]
    assert [(edge["source"], edge["label"], edge["target"]) for edge in edges] == [
        (0, "p!x", 1),
        (1, "q!y", 0),
    ]
    assert "1 state that nothing leads to: not drawn" in Path("one.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["one.timbuk", "-o", "o.svg", "--tree"], "--tree can only be used with other files than"),
        (["one.timbuk", "-o", "o.mmd"], "o.mmd: the suffix must be .svg or .png"),
        (
            ["turns.hif", "-o", "o.svg", "--locations", "l.json"],
            "--locations can only be used with",
        ),
        (["l.json", "-o", "o.svg"], "choreomon draw AUTOMATON --locations l.json"),
        (["one.timbuk", "-o", "l.json", "--locations", "l.json"], "l.json: is read, too"),
    ],
)
def test_drawings_that_make_no_sense_are_refused(arguments: list[str], said: str) -> None:
    write_timbuk()
    answer = choreomon("draw", *arguments)
    assert answer.code == 2
    assert said in answer.err


def test_locations_of_what_is_no_automaton_are_refused() -> None:
    write_timbuk()
    answer = choreomon("check", "turns.hif", "--locations", "l.json")
    assert answer.code == 2
    assert "--locations is about automata, and turns.hif is none" in answer.err
