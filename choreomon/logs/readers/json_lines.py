"""Lines of JSON with any field names: a mapping says what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from choreomon.core.recorded import Diagnostic, Place
from choreomon.files.json_keys import repeated_key
from choreomon.logs.mappings.mapping import Recorded, refuse_hopeless
from choreomon.logs.mappings.user_patterns import Hopeless
from choreomon.logs.readers.json_values import json_problem
from choreomon.logs.readers.lines import Log
from choreomon.logs.readers.reading_options import ReadingOptions


def read_json_lines(log: Log, options: ReadingOptions) -> Iterator[Recorded]:
    """The events, in the order of the log; empty lines are none.

    Raises DocumentError where lines cannot be read at all, and for an expression of the mapping
    that was stopped.
    """
    mapping = options.records
    assert mapping is not None
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    file = log.file
    simple = None if mapping.rules else mapping.otherwise
    for number, text in enumerate(log.lines(), start=1):
        try:
            record = decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            if text.strip():
                told = f"it {json_problem(error)[1]}"
                yield Diagnostic("not-understood", told, Place(file, number))
            continue
        if text.count(b'":') + text.count(b'" :') > len(record):
            twice = _twice(text, record)
            if twice is not None:
                told = f"it has the key {twice!r} twice: keep one of the two"
                yield Diagnostic("not-understood", told, Place(file, number))
                continue
        place = Place(file, number)
        if simple is None:
            yield from mapping.events(record, place)
            continue
        try:
            made = mapping.event(simple, record, place)
        except Hopeless as error:
            refuse_hopeless(mapping.file, place, error)
        if made is not None:
            yield made


def _twice(text: bytes, record: dict[str, Any]) -> str | None:
    """A key that comes twice in one mapping of a line, if what comes before colons is more than
    the keys that were read."""
    keys, todo = 0, [record]
    while todo:
        value: Any = todo.pop()
        if isinstance(value, dict):
            keys += len(value)
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    if text.count(b'":') + text.count(b'" :') <= keys:
        return None
    return repeated_key(text, keys)
