"""The formats of logs: one row each, from which all that depends on a format follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

LogFormat: TypeAlias = Literal["events", "shiviz", "tsviz", "otlp", "jsonl", "detecter"]
MappedFormat: TypeAlias = Literal["shiviz", "tsviz", "otlp", "jsonl"]
"""Formats that a mapping fits."""

Option: TypeAlias = Literal[
    "mapping", "session key", "parser", "delimiter", "instance", "processes", "routes"
]


class Format(NamedTuple):
    """A row of the table.

    - `reader`: the function of `choreomon.logs.readers` that reads it, `module:name`.
    - `fits`: the options and the fields of mappings that mean something for it.
    - `mapping`: the built-in mapping that is taken where none is given.
    - `has_fields`: that mapping finds parameters of a property in fields of their names.
    - `divisible`: any lines of such a log can be read without the others.
    - `in_json`: a file that is called `.json` and begins so is a log, not one multi-trace.
    """

    reader: str
    fits: frozenset[Option] = frozenset()
    mapping: str | None = None
    has_fields: bool = False
    divisible: bool = False
    in_json: bool = False


_RECORDS: Final = frozenset[Option](("mapping", "session key"))
_PARSED: Final = _RECORDS | frozenset[Option](("parser", "delimiter"))
_SPANS: Final = _RECORDS | frozenset[Option](("instance", "processes", "routes"))

FORMATS: Final[Mapping[LogFormat, Format]] = {
    "events": Format("own_events:read_own_events"),
    "shiviz": Format("shiviz:read_parsed", _PARSED),
    "tsviz": Format("shiviz:read_parsed", _PARSED),
    "otlp": Format("otlp:read_otlp", _SPANS, "opentelemetry", in_json=True),
    "jsonl": Format(
        "json_lines:read_json_lines", _RECORDS, "json-lines", has_fields=True, divisible=True
    ),
    "detecter": Format("detecter:read_detecter"),
}


def fitting(option: Option) -> str:
    """The formats that an option fits, as errors name them."""
    return " and ".join(name for name, each in FORMATS.items() if option in each.fits)
