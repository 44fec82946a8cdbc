"""Fields that the records of a log have, with their values: the material of drafts of mappings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from choreomon.logs.readers.clocks import ClockError, clock_in

MOST_FIELDS: Final = 200
MOST_VALUES: Final = 1_000
"""Different values of a field that are counted, the first ones."""

DEEPEST: Final = 3
USUAL: Final = 0.8
"""The share of records that a usual field is in, at least."""

LONGEST: Final = 200
"""Characters of a value; longer ones are no names and no ids."""

_PLAIN: Final = re.compile(r"""[^.\[\]"'\s]+""")


class FieldSeen:
    """A field: its `path`, in how many `records` it is, how often which text stands there, how many
    are whole numbers from 1 on, clocks, or something else that is no text."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.records = 0
        self.values: Counter[str] = Counter()
        self.numbers = 0
        self.clocks = 0
        self.others = 0
        self._until_full = 0

    @property
    def records_a_value(self) -> float:
        """The number of records with each value, on average over the first ones."""
        return self._until_full / len(self.values) if self.values else 0.0

    @property
    def name(self) -> str:
        """The last part of its path, in small letters and without what joins words."""
        last = re.split(r"""[.\[\]"']+""", self.path.rstrip("\"']"))[-1]
        return re.sub(r"[^a-z0-9]", "", last.casefold())

    @property
    def complete(self) -> bool:
        """True if all of its values were counted."""
        return len(self.values) < MOST_VALUES

    def add(self, value: Any) -> None:
        """Take the value of one more record."""
        self.records += 1
        if _is_clock(value):
            self.clocks += 1
        elif (
            isinstance(value, bool)
            or not isinstance(value, str | int)
            or len(text := str(value)) > LONGEST
        ):
            self.others += 1
        else:
            self.numbers += text.isascii() and text.isdigit() and text != "0"
            if len(self.values) < MOST_VALUES:
                self._until_full += 1
            if text in self.values or len(self.values) < MOST_VALUES:
                self.values[text] += 1


class FieldsSeen:
    """The fields of all records that were seen."""

    def __init__(self) -> None:
        self.records = 0
        self.fields: dict[str, FieldSeen] = {}

    def add(self, record: dict[str, Any]) -> None:
        """Take one more record."""
        self.records += 1
        for path, value in flat(record):
            found = self.fields.get(path)
            if found is None:
                if len(self.fields) >= MOST_FIELDS:
                    continue
                found = self.fields[path] = FieldSeen(path)
            found.add(value)

    def usual(self) -> list[FieldSeen]:
        """The fields that at least `USUAL` of the records have."""
        return [each for each in self.fields.values() if each.records >= USUAL * self.records]


def flat(record: dict[str, Any], before: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    """The values of a record with their paths; what is nested deeper than `DEEPEST`, and lists, are
    values as they are. A clock is one value."""
    for name, value in record.items():
        if value is None or '"' in name or not name:
            continue
        step = name if _PLAIN.fullmatch(name) else f'["{name}"]'
        path = f"{before}.{step}" if before and not step.startswith("[") else f"{before}{step}"
        if isinstance(value, dict) and value and depth < DEEPEST and not _is_clock(value):
            yield from flat(value, path, depth + 1)
        else:
            yield path, value


def _is_clock(value: Any) -> bool:
    if isinstance(value, str) and "{" not in value[:3]:
        return False
    if not isinstance(value, str | dict) or not value:
        return False
    try:
        clock = clock_in(value, None)
    except ClockError:
        return False
    return bool(clock) and all(type(count) is int for count in clock.values())
