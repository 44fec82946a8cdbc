"""Scalars: the core schema of YAML 1.2 (section 10.3), and JSON's own.

YAML 1.1, which most Python readers follow, turns `on`, `yes` and `no` into booleans and
`1_000` or `12:30` into numbers. Here only `true` and `false` are booleans, so that `on:`
is a plain key.
"""

from __future__ import annotations

import json
import re
from typing import Final, TypeAlias

Scalar: TypeAlias = str | int | float | bool | None

MAX_NUMBER_CHARACTERS: Final = 400
"""Digits of a number as written. Python refuses to write longer integers in decimal
from a few thousand digits on, and nothing here needs them."""

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEAN: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITY: Final = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_NOT_A_NUMBER: Final = frozenset({".nan", ".NaN", ".NAN"})

_TAG: Final = "tag:yaml.org,2002:"
_TYPE_OF_TAG: Final[dict[str, type]] = {
    f"{_TAG}null": type(None),
    f"{_TAG}bool": bool,
    f"{_TAG}int": int,
    f"{_TAG}float": float,
}


class ScalarError(ValueError):
    """A scalar that cannot be read; the message says what would be right."""


def yaml_scalar(text: str, *, plain: bool, tag: str | None) -> Scalar:
    """The value of a YAML scalar; `plain` says that it is written without quotes.

    Raises `ScalarError` for unknown tags, for text that is not what its tag says, and
    for numbers of more than `MAX_NUMBER_CHARACTERS` characters.
    """
    if tag is None:
        return _text(text) if not plain else _resolved(text)
    if tag in ("!", f"{_TAG}str"):
        return _text(text)
    expected = _TYPE_OF_TAG.get(tag)
    if expected is None:
        raise ScalarError(f"unknown tag {shortened(tag)}: leave it out")
    value = _resolved(text)
    if expected is float and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise ScalarError(f"{shortened(text)} is too large: write a smaller number") from None
    if type(value) is not expected:
        raise ScalarError(f"{shortened(text)} is not what its tag says: leave the tag out")
    return value


def json_scalar(text: str) -> Scalar:
    """The value of a JSON token; raises `ScalarError` as `yaml_scalar` does, and for
    `NaN` and `Infinity`, which are not JSON."""
    if text.startswith('"'):
        value: str = json.loads(text)
        return _text(value)
    if text in ("true", "false"):
        return text == "true"
    if text == "null":
        return None
    if not (text[0] == "-" or text[0].isdigit()) or text == "-Infinity":
        raise ScalarError(f"{shortened(text)} is not JSON: write a finite number")
    return _number(text, integer=not re.search("[.eE]", text))


def in_quotes(text: str) -> str:
    """Printable text in quotes of YAML: in single ones where double quotes within would be in the
    way."""
    if '"' in text or "\\" in text:
        doubled = text.replace("'", "''")
        return f"'{doubled}'"
    return f'"{text}"'


_LONGEST_KEY: Final = 1000


def json_in_yaml(value: object) -> str:
    """A value as JSON that is YAML, too: without the pairs of escapes that JSON has for one
    character, and in ASCII where that is not longer than a key of YAML may be."""
    written = json.dumps(value, ensure_ascii=False)
    escaped = "".join(c if c.isascii() else _escape(ord(c)) for c in written)
    if len(escaped) <= _LONGEST_KEY:
        return escaped
    return "".join(c if c.isprintable() else _escape(ord(c)) for c in written)


def _escape(number: int) -> str:
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def shortened(value: str) -> str:
    """`value` in quotes, escaped, and cut to a length that fits a message."""
    return repr(value if len(value) <= 60 else value[:57] + "...")


def _resolved(text: str) -> Scalar:
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    if _INTEGER.fullmatch(text):
        return _number(text, integer=True)
    if _FLOAT.fullmatch(text):
        return _number(text, integer=False)
    if infinity := _INFINITY.fullmatch(text):
        return float(f"{infinity[1]}inf")
    if text in _NOT_A_NUMBER:
        return float("nan")
    return _text(text)


def _number(text: str, *, integer: bool) -> int | float:
    if len(text) > MAX_NUMBER_CHARACTERS:
        raise ScalarError(
            f"has {len(text)} characters: write a number of at most "
            f"{MAX_NUMBER_CHARACTERS}, or put it in quotes where it is text"
        )
    if not integer:
        return float(text)
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base)


def _text(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ScalarError(
                f"{shortened(text)} holds half of a surrogate pair: write the whole character"
            ) from None
    return text
