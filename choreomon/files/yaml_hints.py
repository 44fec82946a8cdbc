"""Errors of PyYAML about a text that is no YAML, in words that help its author.

Its own words are those of a grammar, and often stand at the line after the mistake. Where the
mistake can be told from what is written around it, that is said instead.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import yaml

_LINE_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""Ends of lines, as PyYAML counts them."""
_CONTROL_CHARACTER: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_OPENING: Final = (
    "while scanning a quoted scalar",
    "while parsing a flow sequence",
    "while parsing a flow mapping",
)
"""PyYAML's words for where a quote or a bracket was opened."""
_IN_A_MAPPING: Final = "while parsing a block mapping"
_IN_A_LIST: Final = "while parsing a block collection"
_INDENTED: Final = re.compile("(?P<blanks> *)(?P<dashes>(?:- +)*)(?P<rest>.*)", re.DOTALL)


def not_yaml(wrong: yaml.YAMLError, text: str) -> tuple[int, str]:
    """The line of what is wrong, 0 where it is not known, and what is wrong."""
    lines = _LINE_BREAK.split(text)
    if not isinstance(wrong, yaml.MarkedYAMLError):
        return _control_character(lines)
    mark = wrong.problem_mark or wrong.context_mark
    line = mark.line + 1 if mark else 0
    column = f" (column {mark.column + 1})" if mark else ""
    reason = wrong.problem or wrong.context or "unknown reason"
    hint = ""
    match _sign_at(mark, lines):
        case "\t":
            reason = "tabs may not indent: use spaces"
        case "@" | "`" | "%" as sign if "cannot start any token" in reason:
            reason = f"a value may not start with {sign}: put it in quotes"
        case _ if indentation := _wrong_indentation(wrong, lines):
            return indentation
    if wrong.context in _OPENING and wrong.context_mark:
        opened = wrong.context_mark
        hint = (
            f"; {_sign_at(opened, lines)} was opened on line {opened.line + 1} "
            f"(column {opened.column + 1})"
        )
    if 0 < line <= len(lines) and "->" in lines[line - 1]:
        hint += '; put labels in quotes, as in "P1 -> P2 : name"'
    return line, f"is not YAML: {reason}{column}{hint}"


def _sign_at(mark: yaml.Mark | None, lines: list[str]) -> str:
    """The character at a mark of PyYAML; empty at the end of a line or of the text."""
    if mark is None or mark.line >= len(lines):
        return ""
    return lines[mark.line][mark.column : mark.column + 1]


def _control_character(lines: list[str]) -> tuple[int, str]:
    for number, line in enumerate(lines, start=1):
        if found := _CONTROL_CHARACTER.search(line):
            sign = f"U+{ord(found[0]):04X} (column {found.start() + 1})"
            return number, f"is not YAML: it holds the control character {sign}: take it out"
    return 0, "is not YAML: it holds a character it may not"


# ---------------------------------------------------------------- indentation


def _wrong_indentation(wrong: yaml.MarkedYAMLError, lines: list[str]) -> tuple[int, str] | None:
    """Explain a line that begins at another column than what it belongs to; `None` where something
    else is wrong, or nothing can be told."""
    mark, began = wrong.problem_mark, wrong.context_mark
    if mark is None or mark.line >= len(lines) or _sign_at(mark, lines) in ("", *"]},"):
        return None
    text = lines[mark.line]
    before = next((i for i in range(mark.line - 1, -1, -1) if _content(lines[i])), None)
    if before is None:
        return None
    if wrong.context is None and (wrong.problem or "").startswith("mapping values are not"):
        # The line before has a value, and this one seems to continue it.
        deeper = _key_column(text) > _key_column(lines[before])
        if deeper and ": " in lines[before] and ": " not in text[: mark.column]:
            return _told(lines, mark.line, before)
        return None
    if wrong.context not in (_IN_A_MAPPING, _IN_A_LIST) or began is None or began.line > before:
        return None
    if text[: mark.column].strip(" "):
        return None
    if began.column == mark.column:
        return _beside_a_dash(lines, mark) if wrong.context == _IN_A_LIST else None
    # At a column between two of the lines above it, or deeper than the one it should stand below.
    above = began.line if mark.column > _key_column(lines[before]) else before
    return _told(lines, mark.line, above)


def _beside_a_dash(lines: list[str], mark: yaml.Mark) -> tuple[int, str] | None:
    """A key that stands below the hyphen of its item and not below the item's first key."""
    for number in range(mark.line - 1, -1, -1):
        found = _INDENTED.fullmatch(lines[number])
        if found and found["dashes"] and len(found["blanks"]) == mark.column:
            if ":" not in found["rest"]:
                return None
            right = found.start("rest")
            return mark.line + 1, (
                f"is not YAML: this line is indented by {mark.column}, as the '-' on line "
                f"{number + 1} is: indent the keys of that item by {right}"
            )
    return None


def _told(lines: list[str], later: int, earlier: int) -> tuple[int, str]:
    """The one of two lines (counted from 0) whose indentation is unique; the later one if both are,
    or neither."""
    column = _dash_column if lines[later].lstrip(" ").startswith("- ") else _key_column
    used = Counter(column(line) for line in lines if _content(line))
    bad, other = later, earlier
    if used[column(lines[earlier])] == 1 < used[column(lines[later])]:
        bad, other = earlier, later
    return bad + 1, (
        f"is not YAML: this line is indented by {column(lines[bad])}, line {other + 1} by "
        f"{column(lines[other])}: indent what belongs together by the same amount"
    )


def _content(line: str) -> bool:
    return line.lstrip(" ")[:1] not in ("", "#")


def _key_column(line: str) -> int:
    """The column of the text of a line, behind the hyphens of items."""
    found = _INDENTED.fullmatch(line)
    return found.start("rest") if found else 0


def _dash_column(line: str) -> int:
    """The column at which a line begins."""
    return len(line) - len(line.lstrip(" "))
