"""Names of processes and messages, and how they are written among other words.

A *name* is any text of printable characters, such as `POST /orders/{id}`; nothing in it is
normalised, and every format preserves it. Printable is what `str.isprintable` says: controls, line
breaks, marks that change the direction of text, and halves of surrogates are not. A *plain* name
needs no quotes. States, parameters and variables have plain names only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import Final

MAX_NAME: Final = 200
"""The most characters of a name."""
MAX_NAME_BYTES: Final = 4 * MAX_NAME
"""The most bytes of a name in UTF-8."""

RESERVED: Final = "(begin)"
"""Placeholder for the process of `choreomon.core.message.BEGIN`; it is no name."""

NAME_RULE: Final = f"1 to {MAX_NAME} printable characters"

PLAIN_PATTERN: Final = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}"
"""Plain names."""

PLAIN_RULE: Final = (
    f"1 to {MAX_NAME} letters (a-z, A-Z), digits, '_', '.' or '-' that starts with a letter, digit "
    "or '_'"
)

QUOTED_PATTERN: Final = rf'"(?:[^"\\]|\\["\\]){{1,{MAX_NAME}}}"'
"""Names in double quotes, in which `\\"` and `\\\\` stand for a quote and a backslash. `is_name`
checks whether all characters are printable."""

WRITTEN_PATTERN: Final = f"{PLAIN_PATTERN}|{QUOTED_PATTERN}"
"""Names as labels write them."""

SCHEMA: Final = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_NAME,
    "pattern": r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$",
}
"""The JSON Schema of a name, which lets a few more characters through: no class of characters of
JSON Schema is `str.isprintable`."""

is_plain: Final = re.compile(PLAIN_PATTERN).fullmatch
"""Tells whether a text is a plain name: a match, or `None`."""

MAX_WORD: Final = 3 * MAX_NAME_BYTES
"""The most characters of the word of a name."""
WORD_PATTERN: Final = rf"[A-Za-z0-9_~][A-Za-z0-9_.~-]{{0,{MAX_WORD - 1}}}"
"""Words of names, and some other texts."""

_is_quoted: Final = re.compile(QUOTED_PATTERN).fullmatch
_ITEM: Final = re.compile(rf"(?:(?<=,)|^)(\s*{QUOTED_PATTERN}\s*(?=,|$)|[^,]*)")
_ESCAPE: Final = re.compile(r"\\(.)")
_NOT_OF_WORDS: Final = re.compile(r"^[.-]|[^A-Za-z0-9_.-]")
_NOT_OF_FILES: Final = re.compile(r"[^A-Za-z0-9_-]+")
_BYTES_OF_WORDS: Final = re.compile(r"(?:~[0-9A-F]{2})+")
_SHOWN: Final = 80


def is_name(text: str) -> bool:
    """Tell whether a text may be the name of a process or a message."""
    return 0 < len(text) <= MAX_NAME and text.isprintable() and text != RESERVED


def name_defect(text: str) -> str:
    """The defect that keeps a text from being a name, as in `has ...`; empty if there is none."""
    if not text:
        return "is empty"
    if len(text) > MAX_NAME:
        return f"has {len(text)} characters; a name has at most {MAX_NAME}"
    if text == RESERVED:
        return "is reserved for the beginning of runs"
    for place, character in enumerate(text, 1):
        if not character.isprintable():
            return (
                f"has U+{ord(character):04X} as character {place}, and all characters of a name "
                "are printable: leave it out"
            )
    return ""


@lru_cache(maxsize=4096)
def written(name: str) -> str:
    """A name as labels write it: in quotes unless it is plain. In a text that is no name,
    characters that are not printable are shown by their numbers, so that they do nothing on a
    screen."""
    return name if is_plain(name) else quoted(name)


def quoted(name: str) -> str:
    """A name in quotes."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{printed(escaped)}"'


def printed(text: str) -> str:
    """A text that may hold anything, with the numbers of characters that are not printable."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def unwritten(text: str) -> str | None:
    """The name that `written` or `quoted` wrote this way; `None` if there is none."""
    if not text.startswith('"'):
        return text if is_plain(text) else None
    name = _ESCAPE.sub(r"\1", text[1:-1]) if _is_quoted(text) else ""
    return name if is_name(name) else None


def names_of_list(text: str) -> list[str]:
    """Split a list at its commas, without blanks around the parts. Quoted parts are taken
    literally, commas and blanks included: `a,"b, c"` are `a` and `b, c`."""
    return [unwritten(item) or item for item in map(str.strip, _ITEM.findall(text))]


def word(name: str) -> str:
    """The name as one word of the characters of plain names and `~`, for headers: bytes of UTF-8
    that plain names do not have are `~` and two hexadecimal digits. That of a plain name is
    itself."""
    return name if is_plain(name) else _NOT_OF_WORDS.sub(_as_bytes, name)


def of_word(text: str) -> str | None:
    """The name whose `word` this is; `None` if there is none. It may come from outside."""
    if "~" not in text:
        return text if is_plain(text) else None
    try:
        name = _BYTES_OF_WORDS.sub(_from_bytes, text)
    except UnicodeDecodeError:
        return None
    return name if is_name(name) and word(name) == text else None


def short(name: str) -> str:
    """A word of at most 200 characters for a name, usable in files and credentials: that of a plain
    name is itself, any other one has a `~`, a digest, no full stop, and cannot be read back. Two
    words differ even ignoring case, unless both names are plain."""
    if is_plain(name):
        return name
    shown = _NOT_OF_FILES.sub("_", name)[:_SHOWN].strip("_-") or "name"
    return f"{shown}~{sha256(name.encode()).hexdigest()[:32]}"


def _as_bytes(found: re.Match[str]) -> str:
    return "".join(f"~{byte:02X}" for byte in found[0].encode())


def _from_bytes(found: re.Match[str]) -> str:
    return bytes.fromhex(found[0].replace("~", "")).decode()
