"""What msgspec says is still what is known here, and is said in other words."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest

from choreomon.files.json_shapes import shape_problem


class _Shape(msgspec.Struct, forbid_unknown_fields=True):
    names: list[str]
    flag: Annotated[int, msgspec.Meta(ge=0, le=1)] = 0
    region: list[str] | None = None
    size: float = 0.0
    certain: bool = True
    title: Annotated[str, msgspec.Meta(min_length=1)] = "x"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "has no field `names`: give one"),
        ('{"names": [], "x": 1}', "has a field `x`, which is none of this document: take it out"),
        ('{"names": 1}', "should be a list, not an integer"),
        ('{"names": [1.5]}', "should be text, not a number"),
        ('{"names": null}', "should be a list, not nothing"),
        ('{"names": [], "region": "a"}', "should be a list, not text"),
        ('{"names": [], "size": {}}', "should be a number, not a mapping"),
        ('{"names": [], "certain": []}', "should be true or false, not a list"),
        ('{"names": [], "flag": true}', "should be an integer, not true or false"),
        ('{"names": [], "flag": 2}', "should be at most 1"),
        ('{"names": [], "flag": -1}', "should be at least 0"),
        ('{"names": [], "title": ""}', "should not be empty"),
        ("[]", "should be a mapping, not a list"),
        ("{a}", "is not JSON: object keys must be strings (byte 1)"),
    ],
)
def test_shapes_that_are_wrong_are_said_in_our_words(text: str, said: str) -> None:
    with pytest.raises(msgspec.DecodeError) as caught:
        msgspec.json.decode(text, type=_Shape)
    assert shape_problem(str(caught.value).partition(" - at ")[0]) == said


def test_what_is_not_known_stays() -> None:
    assert shape_problem("Something else") == "Something else"
