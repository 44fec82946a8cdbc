"""Whatever a document holds, `DocumentError` is all that ever leaves the reader."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from jsonschema import Draft202012Validator

from choreomon.cli.documents.schemas import document_schema
from choreomon.core.errors import DocumentError
from choreomon.documents.read import parse_document
from choreomon.files import source_positions
from choreomon.files.source_positions import read_positioned
from tests.documents.documents_for_tests import EXAMPLE, SEQUENCES

GOOD = [
    read_positioned(text, "f", as_json=False).value
    for text in (EXAMPLE, SEQUENCES, EXAMPLE[: EXAMPLE.index("property:")] + SEQUENCES)
]
VALIDATOR = Draft202012Validator(document_schema())


def refusal(text: str | bytes, file: str) -> DocumentError | None:
    """What the reader says against the document, if anything."""
    try:
        parse_document(text, file)
    except DocumentError as error:
        return error
    return None


def judged(text: str | bytes, file: str) -> bool:
    """Whether the document is good. Lets everything but a well-formed refusal out."""
    error = refusal(text, file)
    if error is None:
        return True
    assert error.problems
    assert all(p.message and p.file == file and p.line >= 0 for p in error.problems)
    assert str(error).encode()
    return False


@settings(max_examples=300)
@given(st.text() | st.binary(), st.sampled_from(["f.yaml", "f.json"]))
def test_any_text_and_any_bytes_are_read_or_told(text: str | bytes, file: str) -> None:
    judged(text, file)


SIGNS = [*"ab1:- ,[]{}&*!|>'\"%@`#?\n\t~.\\\0\x85\u2028\ufeff\ud800", "\n  ", "\n- ", ": "]
yaml_text = st.lists(st.sampled_from(SIGNS), max_size=60).map("".join)


@settings(max_examples=500)
@given(yaml_text, st.sampled_from(["f.yaml", "f.json"]))
def test_any_text_of_signs_that_yaml_knows_is_read_or_told(text: str, file: str) -> None:
    judged(text, file)


@settings(max_examples=500)
@given(st.data())
def test_a_good_document_with_damaged_text_is_read_or_told(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([EXAMPLE, SEQUENCES, json.dumps(GOOD[2], indent=1)]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        to = min(len(text), at + data.draw(st.integers(0, 30)))
        inserted = data.draw(
            yaml_text
            | st.just(text[at:to] * 2)
            | st.just("")
            | st.integers(0, len(text)).map(lambda k, t=text: t[k : k + 20])  # type: ignore[misc]
        )
        text = text[:at] + inserted + text[to:]
        if data.draw(st.integers(0, 9)) == 0:
            text = text[:at]
    judged(text, data.draw(st.sampled_from(["f.yaml", "f.json"])))


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    found = []
    keys: Any = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = range(len(value))
    for key in keys:
        found.append((value, key))
        found += places(value[key])
    return found


WORDS = [
    "P1",
    "P2",
    "env",
    "q0",
    "q1",
    "q9",
    "away",
    "floor",
    "leave",
    "turnOn",
    "not",
    "and",
    "if",
    "on",
    "when",
    "handle env -> P1 : leave",
    "P1 -> P2 : turnOff",
    "P1 -> P1 : m",
    "",
    "[key]",
    "\N{RIGHTWARDS ARROW}send",
    "\ud800",
    "{message}",
    "{",
    "%s",
    "a\nb",
]
NUMBERS = [0, 1, -1, 2, 3.5, 10**399, -(10**399), 1e308, 10**18, float("nan"), float("inf")]
junk = st.recursive(
    st.sampled_from(WORDS) | st.sampled_from(NUMBERS) | st.none() | st.booleans() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(), inner, max_size=3)
    ),
    max_leaves=4,
)


@st.composite
def changed_documents(draw: st.DrawFn) -> dict[str, Any]:
    """A good document with one to four things deleted, renamed, repeated or replaced."""
    document: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(GOOD)))
    for _ in range(draw(st.integers(1, 4))):
        found = places(document)
        if not found:
            break
        container, key = draw(st.sampled_from(found))
        match draw(st.sampled_from(["delete", "rename", "repeat", "junk", "other"])):
            case "delete":
                del container[key]
            case "rename" if isinstance(container, dict):
                container[draw(st.sampled_from(WORDS))] = container.pop(key)
            case "repeat" if isinstance(container, list):
                container.append(copy.deepcopy(container[key]))
            case "other":
                other, place = draw(st.sampled_from(found))
                container[key] = copy.deepcopy(
                    other.get(place)
                    if isinstance(other, dict)
                    else (other[place] if place < len(other) else None)
                )
            case _:
                container[key] = draw(junk)
    return document


@settings(max_examples=1000)
@given(changed_documents())
def test_a_changed_document_is_read_or_told_and_the_schema_agrees(document: dict[str, Any]) -> None:
    """What the reader takes, the schema takes, too."""
    if judged(json.dumps(document), "f.json"):
        assert VALIDATOR.is_valid(document)


def test_the_changes_leave_some_documents_good() -> None:
    """Else the test above would show less than it says."""
    find(
        changed_documents(),
        lambda document: document not in GOOD and judged(json.dumps(document), "f.json"),
        settings=settings(max_examples=2000, derandomize=True, database=None),
    )


def leaks(document: dict[str, Any]) -> bool:
    try:
        judged(json.dumps(document), "f.json")
    except TypeError:
        return True
    return False


def test_a_planted_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Field names that take every key for a string: wrong for positions in lists."""
    few = settings(max_examples=200, derandomize=True, database=None)
    with pytest.raises(NoSuchExample):
        find(changed_documents(), leaks, settings=few)
    monkeypatch.setattr(source_positions, "field_name", lambda path: ".".join(path))
    assert find(changed_documents(), leaks, settings=few)
