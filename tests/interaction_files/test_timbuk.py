"""Automata in the Timbuk format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.automata.automaton import automaton
from choreomon.automata.emptiness import useful
from choreomon.core.action import emission
from choreomon.core.errors import DocumentError
from choreomon.interaction_files import timbuk as module
from choreomon.interaction_files.automaton_file import (
    load_automaton,
    read_automaton,
    read_locations,
    write_automaton,
)
from choreomon.interaction_files.locations import Locations
from choreomon.interaction_files.timbuk import read_timbuk

NFA = Path(__file__).parents[1] / "data" / "offline" / "nfa"
AB = read_locations(
    json.dumps({"kind": "locations", "locations": {"p": ["a"], "q": ["b"]}}), "l.json"
)
EXAMPLE = """\
Ops a:1 b:1 x:0

Automaton A
States q0 q1
Final States q1
Transitions
x -> q0
a(q0) -> q1
b(q1) -> q1
"""
MEANT = automaton([(0, emission("p", "a"), 1), (1, emission("q", "b"), 1)], initial=[0], final=[1])


def told(text: str, places: Locations = AB) -> str:
    with pytest.raises(DocumentError) as caught:
        read_timbuk(text, places, "f.timbuk")
    return str(caught.value)


def test_the_example_of_the_module_is_read() -> None:
    assert module.__doc__ is not None
    lines = module.__doc__.splitlines()
    start = lines.index("    Ops a:1 b:1 x:0")
    assert "\n".join(line[4:] for line in lines[start : start + 9]) + "\n" == EXAMPLE
    assert read_timbuk(EXAMPLE, AB) == MEANT


@pytest.mark.parametrize(
    "text",
    [
        EXAMPLE.replace("\n", "\r\n"),
        EXAMPLE.replace("States q0 q1\nFinal", "States q0:0\n  q1:0\nFinal"),
        EXAMPLE.replace("Final States q1", "Final   States\nq1:0"),
        EXAMPLE.replace("a(q0) -> q1", "  a ( q0 )->q1  "),
        EXAMPLE.replace("Automaton A", "Automaton"),
        EXAMPLE.replace("x -> q0", "x() -> q0"),
        EXAMPLE.replace("Ops a:1 b:1 x:0", "Ops a:1\nb:1\n\nx:0 y:0"),
    ],
)
def test_other_ways_to_write_it_are_read(text: str) -> None:
    assert read_timbuk(text, AB) == MEANT


def test_every_constant_leads_to_initial_states() -> None:
    text = EXAMPLE.replace("x:0", "x:0 y:0").replace("x -> q0", "x -> q0\ny -> q1\nx -> q1")
    assert read_timbuk(text, AB).initial == 0b11


@pytest.mark.parametrize(
    ("name", "states", "edges"),
    [("nfa1_94states", 94, 320), ("nfa2_35states", 35, 75), ("nfa3_15states", 15, 23)],
)
def test_the_automata_of_the_automata_paper_are_read(name: str, states: int, edges: int) -> None:
    letters = {f"p{number}": [f"a{n}" for n in range(number, 19, 3)] for number in range(3)}
    places = read_locations(json.dumps({"kind": "locations", "locations": letters}))
    one = load_automaton(NFA / f"{name}.timbuk", places)
    assert (one.states, len(one.edges), one.lifelines) == (states, edges, ("p0", "p1", "p2"))
    assert one.is_deterministic
    assert useful(one) == (1 << states) - 1
    assert read_automaton(write_automaton(one)) == one


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "x -> q0\n",
            "",
            ": Transitions: has no initial state: write a transition such as x",
        ),
        ("a(q0)", "c(q0)", ":8: Transitions: unknown letter 'c'; Ops has them all"),
        ("a(q0) -> q1", "a(q0) -> q7", ":8: Transitions: unknown state 'q7'; States has them all"),
        ("a(q0)", "a(p0)", ":8: Transitions: unknown state 'p0'"),
        ("a(q0)", "a", ":8: Transitions: 'a -> q1': 'a' has arity 1; write a(STATE) -> STATE"),
        (
            "a(q0)",
            "a(q0, q1)",
            ":8: Transitions: 'a(q0, q1) -> q1': 'a' has arity 1; write a(STATE)",
        ),
        (
            "x -> q0",
            "x(q0) -> q0",
            ":7: Transitions: 'x(q0) -> q0': 'x' has arity 0; write x",
        ),
        ("x -> q0", "q1 -> q0", ":7: Transitions: 'q1 -> q0' has no letter: only transitions with"),
        ("a(q0) -> q1", "a(q0) ->", ":8: Transitions: 'a(q0) ->' is no transition, as a(q0)"),
        ("a(q0) -> q1", "a(q0", ":8: Transitions: 'a(q0' is no transition, as a(q0) -> q1 or x"),
        ("Final States q1", "Final States q2", ":5: Final States: unknown state 'q2'"),
        (
            "States q0 q1\nF",
            "States q0 q1 q1\nF",
            ":4: States: 'q1' comes twice: keep one",
        ),
        ("Ops a:1", "Ops a:1 a:1", ":1: Ops: 'a' comes twice: keep one of the two"),
        ("Ops a:1", "Ops a", ":1: Ops: 'a' is no symbol with its arity, as a:1"),
        ("Ops a:1", "Ops a:1 c:2", ":1: Ops: 'c' has arity 2: this is an automaton of trees"),
        ("Ops a:1", "Ops a:1 c:1", ": Ops: the letter 'c' is in no location of l.json"),
        ("Automaton A\n", "", ":3: States: comes too early: expected Automaton first"),
        ("x -> q0", "States q0", ":7: States: comes twice: one automaton is in a file, and each"),
        ("Ops a:1 b:1 x:0", "%PDF", ":1: starts with '%PDF': a Timbuk file starts with Ops"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(old: str, new: str, said: str) -> None:
    assert EXAMPLE.count(old) == 1
    assert told(EXAMPLE.replace(old, new)).startswith(f"f.timbuk{said}")


def test_truncated_and_empty_files_are_told() -> None:
    assert told("") == "f.timbuk: is empty: expected an automaton in the Timbuk format"
    for section in ("Automaton", "States", "Final States", "Transitions"):
        cut = EXAMPLE[: EXAMPLE.index(f"\n{section}")]
        wanted = f"f.timbuk: {section}: is missing: the file may have been cut off"
        assert told(cut) == wanted


def test_a_letter_that_the_automaton_has_not_is_told() -> None:
    places = {"kind": "locations", "locations": {"p": ["a"], "q": ["b", "other"]}}
    said = told(EXAMPLE, read_locations(json.dumps(places), "l.json"))
    assert said.startswith(
        "f.timbuk: Ops: l.json has the letter 'other' in q, which this automaton"
    )


def test_a_timbuk_file_needs_locations(tmp_path: Path) -> None:
    path = tmp_path / "one.Timbuk"
    path.write_text(EXAMPLE, encoding="utf-8")
    assert load_automaton(path, AB) == MEANT
    with pytest.raises(DocumentError, match="has letters without locations: say by --locations"):
        load_automaton(path)


@settings(max_examples=1000)
@given(
    st.integers(0, len(EXAMPLE)),
    st.integers(0, 20),
    st.sampled_from(
        ["", "a", ":", "(", ")", "->", "\n", " ", "q0", "q9", "States", "x", "\x85", "2"]
    )
    | st.text(max_size=5),
)
def test_damaged_text_is_read_or_told(at: int, length: int, inserted: str) -> None:
    text = EXAMPLE[:at] + inserted + EXAMPLE[at + length :]
    error = refusal(text)
    if error is None:
        found = read_timbuk(text, AB)
        assert found.initial
        assert read_automaton(write_automaton(found)) == found
    else:
        (problem,) = error.problems
        assert problem.file == "f.timbuk"
        assert problem.message


def refusal(text: str) -> DocumentError | None:
    """What the reader says against the text, if anything."""
    try:
        read_timbuk(text, AB, "f.timbuk")
    except DocumentError as error:
        return error
    return None


@settings(max_examples=300)
@given(st.text())
def test_any_text_is_told(text: str) -> None:
    with pytest.raises(DocumentError):
        read_timbuk(text, AB)
