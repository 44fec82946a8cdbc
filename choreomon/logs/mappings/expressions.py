"""Expressions of mapping documents, as functions: they give a value of a record.

An expression is the path of a field, alternatives of which the first that is there counts, a
constant, what a regular expression finds, a table, or several put together. Nothing in it runs.
A value is text; what is a list or a mapping is none, and nor is null.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from choreomon.logs.mappings.field_path import Getter
from choreomon.logs.mappings.user_patterns import UserPattern

Expression: TypeAlias = Callable[[dict[str, Any]], str | None]
"""The text that a record has for it; None where it has none."""


def text_of(value: Any) -> str | None:
    """A value of JSON as text: `true` and `false`, numbers as they are written."""
    if type(value) is str:
        return value
    if value is None or isinstance(value, list | dict | tuple):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def field(get: Getter) -> Expression:
    """The value of a field."""

    def text(record: dict[str, Any]) -> str | None:
        value = get(record)
        return value if type(value) is str else text_of(value)

    return text


def first_of_keys(keys: tuple[str, ...]) -> Expression:
    """The first value in fields of these names: `first_of` in less time."""

    def text(record: dict[str, Any]) -> str | None:
        for key in keys:
            if key in record:
                value = record[key]
                found = value if type(value) is str else text_of(value)
                if found is not None:
                    return found
        return None

    return text


def first_of(alternatives: Sequence[Expression]) -> Expression:
    """The first that is there."""

    def text(record: dict[str, Any]) -> str | None:
        for alternative in alternatives:
            found = alternative(record)
            if found is not None:
                return found
        return None

    return text


def constant(value: str) -> Expression:
    """An expression that is always the same."""
    return lambda _: value


def matched(pattern: UserPattern, of: Expression, group: str) -> Expression:
    """The text that a group of a pattern matches; None where the pattern does not match."""

    def text(record: dict[str, Any]) -> str | None:
        searched = of(record)
        if searched is None:
            return None
        found = pattern.found(searched)
        return None if found is None else found.get(group)

    return text


def looked_up(table: Mapping[str, str], of: Expression, otherwise: str | None) -> Expression:
    """The value that a table has for a text; `otherwise` where it has none, or where there is no
    text."""

    def text(record: dict[str, Any]) -> str | None:
        key = of(record)
        return otherwise if key is None else table.get(key, otherwise)

    return text


def joined(parts: Sequence[Expression]) -> Expression:
    """The parts in a row; None where one is not there."""

    def text(record: dict[str, Any]) -> str | None:
        found = [part(record) for part in parts]
        return None if None in found else "".join(filter(None, found))

    return text


_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_LOOSE: Final = re.compile("_*([.-])_*|_(?=_)")
_ENDS: Final = "_.-"


def plain(text: str) -> str:
    """A name that labels may have: what they may not becomes `_`, or nothing at the ends
    and beside a dot; the text itself where nothing is left of it."""
    if _NO_NAME.search(text) is None and text[:1] not in ".-":
        return text[:200]
    return _LOOSE.sub(r"\1", _NO_NAME.sub("_", text)).strip(_ENDS)[:200] or text
