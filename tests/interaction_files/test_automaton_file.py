"""Automata and locations as JSON: what is read, what is written, and what is told of the rest."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from choreomon.automata.automaton import Automaton, automaton
from choreomon.core.action import Action, emission, reception
from choreomon.core.errors import DocumentError
from choreomon.interaction_files import automaton_file as module
from choreomon.interaction_files.automaton_file import (
    automaton_schema,
    load_automaton,
    load_locations,
    locations_schema,
    read_automaton,
    read_locations,
    write_automaton,
)
from tests.automata.drawn import drawn_automaton

EXAMPLE: dict[str, Any] = {
    "kind": "automaton",
    "letters": ["a!m", "b?m"],
    "states": 3,
    "initial": [0],
    "final": [2],
    "edges": [[0, "a!m", 1], [1, "b?m", 2]],
    "lifelines": ["a", "b", "c"],
}
MEANT = automaton(
    [(0, emission("a", "m"), 1), (1, reception("b", "m"), 2)],
    initial=[0],
    final=[2],
    lifelines=["c"],
)
LOCATIONS = {"kind": "locations", "locations": {"p": ["x", "y"], "q": ["z"], "r": []}}


def example(**changes: Any) -> str:
    return json.dumps({**EXAMPLE, **changes})


def told(text: str | bytes, places: str | None = None) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        read_automaton(text, None if places is None else read_locations(places, "l.json"), "f.json")
    return str(caught.value).split("\n")


def told_of_locations(text: str) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        read_locations(text, "l.json")
    return str(caught.value).split("\n")


def test_the_examples_of_the_module_are_read() -> None:
    assert module.__doc__ is not None
    lines = module.__doc__.splitlines()
    start = lines.index('    {"kind": "automaton",')
    assert json.loads("\n".join(lines[start : start + 5])) == EXAMPLE
    assert read_automaton("\n".join(lines[start : start + 5])) == MEANT
    places = next(line for line in lines if '"kind": "locations"' in line)
    assert json.loads(places) == LOCATIONS
    assert read_locations(places).actions["x"] == emission("p", "x")


@pytest.mark.parametrize("seed", range(60))
def test_reading_what_was_written_gives_the_automaton_back(seed: int) -> None:
    one = drawn_automaton(Random(seed))
    text = write_automaton(one)
    assert len(text.splitlines()) == (6 + max(len(one.edges) + 1, 1) if one.edges else 7)
    if one.initial:
        assert read_automaton(text) == one
    else:
        assert told(text) == [
            "f.json:4: initial: has no initial state: write one at least, such as [0]"
        ]


def test_any_name_but_one_that_is_none_and_has_a_sign_can_be_written() -> None:
    strange = Action('é "', "?", "!?\n\\")
    one = automaton([(0, strange, 0)], initial=[0], final=[])
    assert read_automaton(write_automaton(one)) == one
    with pytest.raises(ValueError, match="has a sign"):
        write_automaton(automaton([(0, emission("a?\n", "m"), 0)], initial=[0], final=[]))


def test_letters_of_other_origin_are_actions_of_their_locations() -> None:
    places = read_locations(json.dumps(LOCATIONS))
    one = read_automaton(
        example(letters=["z", "x", "y"], edges=[[0, "z", 1], [1, "x", 2]], lifelines=None), places
    )
    assert one == automaton(
        [(0, emission("q", "z"), 1), (1, emission("p", "x"), 2)],
        initial=[0],
        final=[2],
        letters=[emission("p", "y")],
        lifelines=["r"],
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"letters": ["a!m"]}, "f.json:1: edges[1][1]: unknown letter 'b?m'; letters has them all"),
        ({"edges": [[0, "a!n", 1]]}, "f.json:1: edges[0][1]: unknown letter 'a!n'; did you mean"),
        ({"edges": [[0, "a!m", 3]]}, "f.json:1: edges[0][2]: unknown state 3; they are 0 to 2, as"),
        ({"edges": [[9, "a!m", 1]]}, "f.json:1: edges[0][0]: unknown state 9; they are 0 to 2, as"),
        ({"edges": [[0, "a!m"]]}, "f.json:1: edges[0]: Expected `array` of length 3"),
        ({"edges": [[0, 0, 1]]}, "f.json:1: edges[0][1]: should be text, not an integer"),
        ({"edges": [[-1, "a!m", 1]]}, "f.json:1: edges[0][0]: should be at least 0"),
        ({"initial": []}, "f.json:1: initial: has no initial state: write one at least"),
        ({"initial": [0, 7]}, "f.json:1: initial[1]: unknown state 7; they are 0 to 2, as `st"),
        ({"final": [3]}, "f.json:1: final[0]: unknown state 3; they are 0 to 2, as `states` says"),
        ({"states": 0}, "f.json:1: states: should be at least 1"),
        ({"states": 10**9}, "f.json:1: states: should be at most 100000"),
        ({"letters": ["a!m", "b?m", "m"]}, "f.json:1: letters[2]: is no action; write `lifeline!m"),
        ({"letters": ["a!m", "b?m", "a!m"]}, "f.json:1: letters[2]: 'a!m' comes twice: keep one"),
        ({"letters": ["a!m", "b?m", ""]}, "f.json:1: letters[2]: should not be empty"),
        ({"edgs": []}, "f.json:1: has a field `edgs`, which is none of this document: take it out"),
        ({"kind": "interaction"}, "f.json:1: kind: is 'interaction': expected 'automaton'"),
        ({"kind": "locations"}, "f.json:1: kind: is 'locations': expected 'automaton'"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(changes: dict[str, Any], said: str) -> None:
    assert told(example(**changes))[0].startswith(said)


def test_everything_that_is_wrong_is_told_with_lines() -> None:
    text = json.dumps({**EXAMPLE, "final": [4], "edges": [[0, "a!m", 5]]}, indent=0)
    assert [line.split(": ")[:2] for line in told(text)] == [
        ["f.json:12", "final[0]"],
        ["f.json:18", "edges[0][2]"],
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f.json: is empty: expected a mapping"),
        (example()[:-9], "f.json:1: "),
        (b"\x80abc", "f.json: is no mapping: expected one, in braces"),
        ("Ops a:1", "f.json: is no mapping: expected one, in braces"),
        ('{"kind": "automaton", "kind": "automaton"}', "f.json: has no field `letters`"),
        (example().replace('"final"', '"initial"'), "f.json: has no field `final`: give one"),
        (example()[:-1] + ', "final": [0]}', "f.json:1: final: comes twice"),
    ],
)
def test_foreign_and_truncated_files_are_told(text: str | bytes, said: str) -> None:
    assert told(text)[0].startswith(said)


def test_letters_and_locations_have_to_fit() -> None:
    places = json.dumps(LOCATIONS)
    one = example(letters=["x", "y", "w"], edges=[])
    assert told(one, places) == ["f.json:1: letters: the letter 'w' is in no location of l.json"]
    assert told(example(letters=["x", "y"], edges=[]), places) == [
        "f.json:1: letters: l.json has the letter 'z' in q, which this automaton has not: take it "
        "out there"
    ]
    assert "is no action; write `lifeline!message`" in told(one)[0]
    assert "--locations says where letters of another kind are" in told(one)[0]


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ({"p": ["x"], "q": ["y", "x"]}, "l.json:1: locations.q[1]: 'x' is in p, too; a letter is"),
        ({"p!": ["x"]}, "l.json:1: locations['p!']: names of locations are not empty, and have"),
        ({"": ["x"]}, "l.json:1: locations['']: names of locations are not empty, and have no"),
        ({}, "l.json:1: locations: is empty: there is no location"),
        ({"p": "x"}, "l.json:1: locations: should be a list, not text"),
        ({"p": [""]}, "l.json:1: locations: should not be empty"),
        (["p"], "l.json:1: locations: should be a mapping, not a list"),
    ],
)
def test_locations_that_are_wrong_are_told(places: object, said: str) -> None:
    assert told_of_locations(json.dumps({"kind": "locations", "locations": places}))[0].startswith(
        said
    )


def test_a_location_that_comes_twice_is_told() -> None:
    text = '{"kind": "locations", "locations": {"p": ["x"],\n "p": ["y"]}}'
    assert told_of_locations(text)[0].startswith("l.json:2: locations.p: comes twice")


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    for load in (load_automaton, load_locations):
        with pytest.raises(DocumentError, match="there is no such file"):
            load(tmp_path / "none.json")
        with pytest.raises(DocumentError, match="is a directory"):
            load(tmp_path)
        (tmp_path / "bytes.json").write_bytes(b'{"kind": "\xff"}')
        with pytest.raises(DocumentError, match=r"bytes.json:1: is not UTF-8"):
            load(tmp_path / "bytes.json")


# ---------------------------------------------------------------- the schema, and fuzz

SCHEMA = Draft202012Validator(automaton_schema())
LOCATIONS_SCHEMA = Draft202012Validator(locations_schema())


def test_the_schemas_are_schemas_that_say_what_every_field_means() -> None:
    for schema in (automaton_schema(), locations_schema()):
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        for name, field in schema["properties"].items():
            assert name == "kind" or field["description"]
    assert SCHEMA.is_valid(EXAMPLE)
    assert LOCATIONS_SCHEMA.is_valid(LOCATIONS)
    assert not SCHEMA.is_valid({**EXAMPLE, "initial": []})
    assert not SCHEMA.is_valid({**EXAMPLE, "edges": [[0, "a!m"]]})
    assert not LOCATIONS_SCHEMA.is_valid({**LOCATIONS, "locations": {"p!": []}})
    assert not LOCATIONS_SCHEMA.is_valid({**LOCATIONS, "locations": {}})


def refusal(text: str | bytes) -> DocumentError | None:
    """What the reader says against the document, if anything."""
    try:
        read_automaton(text, file="f.json")
    except DocumentError as error:
        return error
    return None


def judged(text: str | bytes) -> Automaton | None:
    """The automaton, if it is one. Lets everything but a well-formed refusal out."""
    error = refusal(text)
    if error is None:
        return read_automaton(text)
    assert error.problems
    assert all(one.message and one.file == "f.json" and one.line >= 0 for one in error.problems)
    assert str(error).encode("utf-8", "surrogatepass")
    return None


JUNK: list[Any] = [
    "a!m",
    "b?m",
    "",
    "x",
    "\ud800!m",
    0,
    1,
    2,
    3,
    -1,
    1.5,
    10**30,
    None,
    True,
    [],
    {},
]
junk = st.sampled_from(JUNK) | st.lists(st.sampled_from(JUNK), max_size=3)


@st.composite
def changed(draw: st.DrawFn) -> dict[str, Any]:
    """The example with one to four things deleted, repeated or replaced."""
    document = copy.deepcopy(EXAMPLE)
    for _ in range(draw(st.integers(1, 4))):
        places: list[tuple[Any, Any]] = [(document, key) for key in document]
        lists = [value for value in document.values() if isinstance(value, list)]
        lists += [part for value in lists for part in value if isinstance(part, list)]
        places += [(value, place) for value in lists for place in range(len(value))]
        container, key = draw(st.sampled_from(places))
        match draw(st.sampled_from(["delete", "repeat", "junk"])):
            case "delete":
                del container[key]
            case "repeat" if isinstance(container, list):
                container.append(copy.deepcopy(container[key]))
            case _:
                container[key] = copy.deepcopy(draw(junk))
        if not document:
            break
    return document


@settings(max_examples=1000)
@given(changed())
def test_a_changed_document_is_read_or_told_and_the_schema_agrees(document: dict[str, Any]) -> None:
    """What the reader takes, the schema takes, too; and it can be written, and read again."""
    found = judged(json.dumps(document))
    if found is not None:
        assert SCHEMA.is_valid(document)
        assert judged(write_automaton(found)) == found


def test_the_changes_leave_some_documents_good() -> None:
    few = settings(max_examples=500, derandomize=True, database=None)
    find(
        changed(), lambda one: one != EXAMPLE and judged(json.dumps(one)) is not None, settings=few
    )


@settings(max_examples=300)
@given(st.text() | st.binary())
def test_any_text_and_any_bytes_are_read_or_told(text: str | bytes) -> None:
    judged(text)


@settings(max_examples=300)
@given(st.integers(0, 400), st.integers(0, 30), st.text(max_size=4))
def test_damaged_text_is_read_or_told(at: int, length: int, inserted: str) -> None:
    text = write_automaton(MEANT)
    judged(text[:at] + inserted + text[at + length :])
