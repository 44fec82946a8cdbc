"""Shapes: what is read into them, what is said of all else, and their JSON Schema, which judges by
itself what may be read."""

from __future__ import annotations

import pickle
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from choreomon.files.fields import Items, OneOrMore, PlainName, one_key
from choreomon.files.shape_reading import read_shape
from choreomon.files.shape_schema import json_schema
from choreomon.files.shapes import (
    After,
    Before,
    Bounds,
    Choice,
    NotEmpty,
    Parsed,
    Part,
    Refused,
    field,
    fields_of,
)


def _upper(value: object) -> str:
    if not isinstance(value, str) or not value.isupper():
        raise Refused("should be in capital letters")
    return value.lower()


def _even(value: int) -> int:
    if value % 2:
        raise Refused("should be even")
    return value // 2


def _in_a_list(value: object) -> object:
    return value if isinstance(value, list) else [value]


class Leaf(Part):
    """A leaf."""

    leaf: int = field(description="a number")


class Branch(Part):
    """A branch."""

    twigs: Items[Tree] = field(description="trees")
    bark: bool = field(default=False, description="whether it has bark")

    def check(self) -> None:
        if self.bark and not self.twigs:
            raise Refused("has bark and no twigs")


Tree = Annotated[Leaf | Branch, Choice(one_key(("leaf", "twigs"), "a leaf or a branch"))]


class Forest(Part):
    """A forest."""

    source: PlainName = field(key="from", description="where it is from")
    kind: Literal["oak", "ash"] = field(default="oak", description="its kind")
    area: Annotated[float, Bounds(above=0, most=9.5)] = field(default=1.0, description="its area")
    age: Annotated[int, Bounds(least=1)] | None = field(default=None, description="its age")
    trees: OneOrMore[Tree] | None = field(default=None, description="its trees")
    owners: Annotated[dict[PlainName, str], NotEmpty()] | None = field(
        default=None, description="its owners"
    )
    code: Annotated[str, Parsed(_upper, {"type": "string", "pattern": "^[A-Z]+$"})] = field(
        default="x", description="its code"
    )
    half: Annotated[int, After(_even)] = field(default=1, description="half of it")
    paths: Annotated[Items[int], Before(_in_a_list)] = field(default=(), description="its paths")
    rest: Any = field(default=None, description="anything")

    @classmethod
    def look(cls, value: object) -> None:
        if isinstance(value, dict) and "fire" in value:
            raise Refused("is on fire")


def said(value: object) -> list[str]:
    return [f"{path}: {message}" for path, message in read_shape(Forest, value)[1]]


def test_what_is_right_is_read() -> None:
    found, wrong = read_shape(
        Forest,
        {
            "from": "here",
            "area": 2,
            "trees": [{"leaf": 1}, {"twigs": [{"twigs": []}], "bark": True}],
            "code": "AB",
            "half": 6,
            "paths": 5,
        },
    )
    assert wrong == []
    trees = (Leaf(leaf=1), Branch(twigs=(Branch(twigs=()),), bark=True))
    assert found == Forest(source="here", area=2.0, trees=trees, code="ab", half=3, paths=(5,))
    assert (found.kind, found.age) == ("oak", None)
    assert type(found.area) is float


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "(): should be a mapping of from, kind, area, age, trees, owners, code, half, paths,"),
        ({}, "('from',): is missing: give where it is from"),
        ({"from": 3}, "('from',): should be text, not 3 (put it in quotes)"),
        ({"from": "a b"}, "('from',): should be a name of 1 to 200 letters"),
        ({"kind": "fir"}, "('kind',): should be 'oak' or 'ash', not 'fir'"),
        ({"area": "5s"}, "('area',): should be a number, not '5s' (times are milliseconds without"),
        ({"area": True}, "('area',): should be a number, not true"),
        ({"area": 0}, "('area',): should be greater than 0, not 0"),
        ({"area": 10}, "('area',): should be at most 9.5, not 10"),
        ({"area": 10**400}, "('area',): is too large: give a smaller number"),
        ({"area": float("inf")}, "('area',): should be a finite number, not inf"),
        ({"age": 0}, "('age',): should be at least 1, not 0"),
        ({"age": 1.0}, "('age',): should be an integer, not 1.0"),
        ({"age": True}, "('age',): should be an integer, not true"),
        ({"trees": []}, "('trees',): should not be empty: give at least one"),
        ({"trees": {"leaf": 1}}, "('trees',): should be a list, not a mapping (put [ ] around it"),
        ({"trees": [{}]}, "('trees', 0): should be a leaf or a branch, not an empty mapping"),
        ({"trees": [{"twigs": 1}]}, "('trees', 0, 'twigs'): should be a list, not 1"),
        ({"trees": [{"twigs": None}]}, "('trees', 0, 'twigs'): should be a list, not nothing (wr"),
        ({"trees": [{"twigs": [], "bark": True}]}, "('trees', 0): has bark and no twigs"),
        ({"trees": [{"twigs": [], "bark": 1}]}, "('trees', 0, 'bark'): should be true or false,"),
        ({"owners": {}}, "('owners',): should not be empty: give at least 1"),
        ({"owners": {"a": 1}}, "('owners', 'a'): should be text, not 1 (put it in quotes)"),
        ({"owners": {"a b": "c"}}, "('owners', 'a b'): should be a name of"),
        ({"owners": [1]}, "('owners',): should be a mapping, not a list of 1"),
        ({"code": "a"}, "('code',): should be in capital letters"),
        ({"half": 3}, "('half',): should be even"),
        ({"half": "3"}, "('half',): should be an integer, not '3'"),
        ({"aera": 1}, "('aera',): is no key of this mapping; did you mean 'area'?"),
        ({"fire": 1}, "(): is on fire"),
    ],
)
def test_each_mistake_is_told_where_it_is(value: Any, message: str) -> None:
    whole = {"from": "here", **value} if value else value
    (told,) = said(whole)
    assert told.startswith(message)


def test_all_mistakes_are_told_in_the_order_of_the_fields() -> None:
    wrong = said({"wood": 1, "kind": 2, "trees": [{"leaf": "x"}, {"leaf": 1, "lea": 2}]})
    places = ["('from',)", "('kind',)", "('trees', 0, 'leaf')", "('trees', 1, 'lea')", "('wood',)"]
    assert [each.partition(":")[0] for each in wrong] == places


def test_a_part_is_a_frozen_value() -> None:
    one = Forest(source="here", area=2.0)
    assert one == Forest(source="here", area=2.0, kind="oak")
    assert hash(one) == hash(Forest(source="here", area=2.0, kind="oak"))
    assert one != one.but(kind="ash")
    assert one.but(kind="ash").kind == "ash"
    assert repr(Leaf(leaf=1)) == "Leaf(leaf=1)"
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(AttributeError, match="Forest is frozen"):
        one.kind = "ash"  # type: ignore[misc]


def test_what_was_given_is_told_from_what_is_so_by_default() -> None:
    found, _ = read_shape(Forest, {"from": "here", "kind": "oak"})
    assert vars(found) == {"source": "here", "kind": "oak"}
    assert [*fields_of(Leaf)] == ["leaf"]


@pytest.mark.parametrize("given", [{}, {"leaf": 1, "wood": 2}])
def test_fields_that_are_missing_or_unknown_are_refused_in_python_too(given: Any) -> None:
    with pytest.raises(TypeError, match="Leaf has the fields leaf"):
        Leaf(**given)


SOME = st.recursive(
    st.sampled_from([None, True, 0, 1, 2, 3.5, 10, "here", "a b", "AB", "oak", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["leaf", "twigs", "bark", "a", "a b"]), inner, max_size=2)
    ),
    max_leaves=6,
)
BY_ITS_SCHEMA = Draft202012Validator(json_schema(Forest))
BEYOND_A_SCHEMA = ("has bark and no twigs", "should be even")


@given(st.dictionaries(st.sampled_from([*fields_of(Forest), "wood"]), SOME, max_size=4))
def test_what_is_read_is_what_the_schema_accepts(value: dict[str, Any]) -> None:
    """The validator of JSON Schema knows nothing of the reader, nor the reader of it. It does not
    look at values before they are read, as the reader does with `paths`."""
    if not isinstance(value.get("paths", []), list):
        del value["paths"]
    wrong = [told for told in said(value) if not told.endswith(BEYOND_A_SCHEMA)]
    assert BY_ITS_SCHEMA.is_valid(value) == (wrong == [])
