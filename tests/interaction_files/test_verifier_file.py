"""Local verifiers and areas as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from choreomon.automata.automaton import automaton
from choreomon.automata.local_verifier import local_verifier
from choreomon.core.action import emission, reception
from choreomon.core.errors import DocumentError
from choreomon.interaction_files.verifier_file import (
    area_schema,
    foreign,
    load_area,
    load_verifier,
    read_area,
    read_verifier,
    verifier_schema,
    write_area,
    write_verifier,
)
from choreomon.verify.central_check import Area
from tests.automata.drawn import drawn_automaton

TURNS = automaton([(0, emission("a", "m"), 1), (1, reception("b", "m"), 0)], initial=[0], final=[0])
VERIFIER = json.loads(write_verifier(local_verifier(TURNS, ["a"])))
AREA = {
    "kind": "area",
    "automaton": TURNS.digest,
    "edges": 2,
    "mode": "accept",
    "lifelines": ["a"],
    "area": "3",
    "trace": ["a!m"],
}
AREA_MEANT = Area(TURNS.digest, "accept", ("a",), 3, (emission("a", "m"),))


def test_what_is_written_is_read_again() -> None:
    validator = Draft202012Validator(verifier_schema())
    for seed in range(100):
        one = drawn_automaton(Random(seed))
        for lifelines in (["a"], ["b", "c"], ["d"]):
            verifier = local_verifier(one, lifelines)
            text = write_verifier(verifier)
            assert read_verifier(text) == verifier
            validator.validate(json.loads(text))


def test_areas_are_read_again() -> None:
    validator = Draft202012Validator(area_schema())
    for area in (AREA_MEANT, Area(TURNS.digest, "slice", ("a", "b"), None)):
        text = write_area(area, 2)
        assert read_area(text) == area
        validator.validate(json.loads(text))
    assert read_area(json.dumps(AREA)) == AREA_MEANT
    assert json.loads(write_area(AREA_MEANT, 2)) == AREA


def test_a_verifier_names_no_other_location() -> None:
    assert {
        "kind": "verifier",
        "automaton": TURNS.digest,
        "edges": 2,
        "lifelines": ["a"],
        "letters": ["a!m"],
        "whole": [0, "0"],
        "late": [1, "3"],
        "states": [[True, True, "3"], [True, True, "3"]],
        "steps": [[0, "a!m", 1, "3"], [1, "a!m", 1, "3"]],
    } == VERIFIER


def told(read: Any, document: dict[str, Any], **changes: Any) -> str:
    with pytest.raises(DocumentError) as caught:
        read(json.dumps({**document, **changes}), "f.json")
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "area"}, "kind: is 'area': expected 'verifier'"),
        ({"automaton": "12"}, "automaton"),
        ({"whole": [7, "0"]}, "whole[0]: unknown state 7; there are 2"),
        ({"whole": [0, "8"]}, "whole[1]: has edges beyond the 2 of the automaton"),
        ({"whole": [0, "xyz"]}, "whole[1]"),
        ({"letters": ["a!m", "b?m"]}, "letters[1]: b?m is on b, which is not of this location"),
        ({"letters": ["m"]}, "letters[0]"),
        ({"steps": [[0, "a!n", 1, "0"]]}, "steps[0][1]: unknown letter 'a!n'; did you mean 'a!m'?"),
        ({"steps": [[9, "a!m", 1, "0"]]}, "steps[0][0]: unknown state 9"),
        ({"steps": [[0, "a!m", 9, "0"]]}, "steps[0][2]: unknown state 9"),
        ({"steps": 2 * [[0, "a!m", 1, "0"]]}, "steps[1]: there are two of 'a!m' from 0"),
        ({"states": [[True, True, "ff"]] * 2}, "states[0][2]: has edges beyond"),
        ({"more": 1}, "more"),
    ],
)
def test_verifiers_that_cannot_be_used_are_told(changes: dict[str, Any], said: str) -> None:
    assert said in told(read_verifier, VERIFIER, **changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mode": "prefix"}, "mode"),
        ({"area": "4"}, "area: has edges beyond the 2 of the automaton"),
        ({"trace": ["b?m"]}, "trace[0]: b?m is on b, which is not of this location"),
        ({"trace": ["m"]}, "trace[0]"),
        ({"lifelines": []}, "lifelines"),
    ],
)
def test_areas_that_cannot_be_used_are_told(changes: dict[str, Any], said: str) -> None:
    assert said in told(read_area, AREA, **changes)


@pytest.mark.parametrize("read", [read_verifier, read_area])
def test_truncated_files_are_told(read: Any) -> None:
    for text in (
        "",
        "[]",
        json.dumps(AREA)[:40],
        write_verifier(local_verifier(TURNS, ["a"]))[:90],
    ):
        with pytest.raises(DocumentError):
            read(text, "f.json")


def test_files_are_loaded(tmp_path: Path) -> None:
    verifier, area = tmp_path / "v.json", tmp_path / "a.json"
    verifier.write_text(json.dumps(VERIFIER), encoding="utf-8")
    area.write_text(json.dumps(AREA), encoding="utf-8")
    assert load_verifier(verifier) == local_verifier(TURNS, ["a"])
    assert load_area(area) == AREA_MEANT
    with pytest.raises(DocumentError):
        load_area(verifier)


def test_areas_of_other_automata_are_foreign() -> None:
    assert foreign(AREA_MEANT, TURNS) == ""
    other = automaton([], initial=[0], final=[0])
    assert "its verifier was made of another one" in foreign(AREA_MEANT, other)
