"""The vector clock of an event as logs write it: a JSON object, perhaps with escaped quotes."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from choreomon.core.suggestion import did_you_mean
from choreomon.files.json_keys import repeated_key

_decode: Final = msgspec.json.Decoder(dict[str, int]).decode
_SHOWN: Final = 80
MOST: Final = 1 << 62


class ClockError(ValueError):
    """A text is no clock; the message says what was expected."""


class MendedClock(dict[str, int]):
    """A clock that was not written as it should be; `note` says what was wrong."""

    def __init__(self, clock: dict[str, int], note: str) -> None:
        super().__init__(clock)
        self.note = note


def clock_in(value: Any, process: str | None) -> dict[str, int]:
    """The clock that a value is: a mapping, or its JSON as text.

    Raises `ClockError`, also where it has no entry of the process whose event it is of.
    """
    if type(value) is str:
        clock = _parsed(value)
    elif isinstance(value, dict):
        clock = _checked(value)
    else:
        raise ClockError(f"its clock is {_cut(value)}: expected an object such as {_like(process)}")
    if process is not None and clock.get(process, 0) < 1:
        known = ", ".join(sorted(clock)) or "nobody"
        raise ClockError(
            f"its clock has no entry of {process!r}, whose event it is, only of {_cut(known)}: "
            f"expected one of {process!r}, at least 1, as in {_like(process)}"
            f"{did_you_mean(process, clock)}"
        )
    return clock


def _parsed(text: str) -> dict[str, int]:
    written = text
    note = ""
    try:
        try:
            clock = _decode(written)
        except msgspec.DecodeError:  # perhaps its quotes are escaped
            written, note = unquoted(text)
            clock = _decode(written)
        if written.count(":") > len(clock) and (twice := repeated_key(written, len(clock))):
            raise ClockError(f"its clock {_cut(text)} has {twice!r} twice: keep one of the two")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise ClockError(
            f"its clock is {_cut(text)}: expected an object of counts, such as {_like(None)}"
        ) from None
    for count in clock.values():
        if count < 0 or count > MOST:
            raise ClockError(f"its clock {_cut(text)} has the count {count}: expected 0 or more")
    return MendedClock(clock, note) if note else clock


def unquoted(text: str) -> tuple[str, str]:
    """The clock without quotes around it, and with its own unescaped; and what was wrong, empty for
    quotes that are escaped once, as where a logger wrote the clock as text."""
    bare = text.strip()
    note = ""
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
        bare, note = bare[1:-1], "its clock is within quotes"
    if '""' in bare:
        bare, note = bare.replace('""', '"'), "its clock is within quotes, and its own are doubled"
    once = bare.replace('\\"', '"')
    if "\\" in once:
        once, note = re.sub(r'\\+"', '"', bare), "its clock is escaped more than once"
    return once, note


def _checked(value: dict[str, Any]) -> dict[str, int]:
    for key, count in value.items():
        if type(key) is not str or type(count) is not int or not 0 <= count <= MOST:
            raise ClockError(
                f"its clock has {_cut(count)} for {_cut(key)}: expected a count, 0 or more"
            )
    return value


def _like(process: str | None) -> str:
    return f'{{"{process or "a"}": 1, "{"b" if process != "b" else "c"}": 2}}'


def _cut(value: Any) -> str:
    text = value if type(value) is str else repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
