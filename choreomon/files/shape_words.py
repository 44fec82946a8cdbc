"""Words of errors about values of documents: what was written, and what was perhaps meant."""

from __future__ import annotations

import re
from typing import Any, Final, get_args

from choreomon.files.scalars import shortened
from choreomon.files.shapes import Part, fields_of


def shown(value: object) -> str:
    """A value as its author wrote it, roughly, short enough for a message."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return shortened(value)
        case list():
            return f"a list of {len(value)}" if value else "an empty list"
        case dict():
            return "a mapping"
        case _:
            text = str(value)
            return text if len(text) <= 40 else f"{text[:37]}..."


_WITH_UNIT: Final = re.compile(
    r"(?P<number>[0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?P<unit>ms|msec|s|secs?|m|mins?|h)", re.IGNORECASE
)
_MILLISECONDS: Final = {"ms": 1, "msec": 1, "s": 1000, "sec": 1000, "secs": 1000}


def hint_of_time(value: object) -> str:
    """A hint for a time with a unit, where milliseconds were wanted; else empty."""
    time = _WITH_UNIT.fullmatch(value) if isinstance(value, str) else None
    if time is None:
        return ""
    factor = _MILLISECONDS.get(time["unit"].lower())
    meant = f": {float(time['number']) * factor:.15g}" if factor else ""
    return f" (times are milliseconds without a unit{meant})"


def hint_of_list(value: object, field: Any) -> str:
    """A hint for what should be a list, in a field of this type."""
    if value is None:
        return " (write [] for an empty one)"
    if isinstance(value, dict):
        held = not _keys_in(field).isdisjoint(value)
    else:
        held = isinstance(value, str) and ("->" in value or not _keys_in(field))
    return " (put [ ] around it for a list of one)" if held else ""


def _keys_in(annotation: Any) -> frozenset[str]:
    """The keys of the mappings that a field may hold."""
    todo: list[Any] = [annotation]
    keys: set[str] = set()
    while todo:
        one = todo.pop()
        if isinstance(one, type) and issubclass(one, Part):
            keys.update(fields_of(one))
        todo += get_args(one)
    return frozenset(keys)
