"""Errors of msgspec about JSON of the wrong shape, in our words."""

from __future__ import annotations

import re
from typing import Annotated, Final, TypeAlias

import msgspec

_KINDS: Final = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "an integer",
    "null": "nothing",
    "object": "a mapping",
    "str": "text",
}
_MISSING: Final = re.compile(r"Object missing required field `(.*)`")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*)`")
_OTHER: Final = re.compile(r"Expected `([a-z |]+)`, got `(\w+)`")
_BOUND: Final = re.compile(r"Expected `int` ([<>]=) (-?\d+)")
_EMPTY: Final = re.compile(r"Expected `(?:str|array|object)` of length >= 1")
_CHOICE: Final = re.compile(r"Invalid enum value (.*)")
_BROKEN: Final = re.compile(r"JSON is malformed: (.*)")


_Schema: TypeAlias = Annotated[
    str,
    msgspec.Meta(description="the JSON Schema of the document, for editors; it means nothing here"),
]


class JsonDocument(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A document of JSON. `$schema`, at its top, names its JSON Schema to editors; here it means
    nothing."""

    schema: _Schema | msgspec.UnsetType = msgspec.field(name="$schema", default=msgspec.UNSET)


def placed_problem(error: str, choices: str = "one of the choices") -> tuple[str, str]:
    """The field that an error is about, as in `cases[0].kind` (empty for the whole), and what is
    wrong with it (`shape_problem`)."""
    message, _, field = error.partition(" - at `$.")
    return field.rstrip("`"), shape_problem(message, choices)


def shape_problem(message: str, choices: str = "one of the choices") -> str:
    """The message, without its place, as a problem of a document; one that is not known here
    stays as it is. `choices` are those of the only field that has some."""
    if found := _MISSING.fullmatch(message):
        return f"has no field `{found[1]}`: give one"
    if found := _UNKNOWN.fullmatch(message):
        return f"has a field `{found[1]}`, which is none of this document: take it out"
    if found := _OTHER.fullmatch(message):
        kinds = [_KINDS.get(kind, kind) for kind in found[1].split(" | ") if kind != "null"]
        return f"should be {' or '.join(kinds)}, not {_KINDS.get(found[2], found[2])}"
    if found := _BOUND.fullmatch(message):
        return f"should be {'at least' if found[1] == '>=' else 'at most'} {found[2]}"
    if _EMPTY.fullmatch(message):
        return "should not be empty"
    if found := _CHOICE.fullmatch(message):
        return f"should be {choices}, not {found[1]}"
    if found := _BROKEN.fullmatch(message):
        return f"is not JSON: {found[1]}"
    return message
