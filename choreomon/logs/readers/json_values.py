"""Values of JSON that stand in a file one after the other: a line each, or spread over lines.

What is broken is told, and what comes after it is read: a value begins anew at a line that begins
with a bracket without any blanks before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from choreomon.core.errors import DocumentError
from choreomon.core.recorded import Diagnostic, Place
from choreomon.files.input_files import too_long
from choreomon.files.json_shapes import placed_problem
from choreomon.logs.readers.lines import Log

_BRACKETS: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?|[][{}]')
_OPEN: Final = (b"{", b"[")


def read_values(log: Log) -> Iterator[tuple[Any, Place] | Diagnostic]:
    """The values, each with the place of its first line. Raises DocumentError for a value that is
    longer than a line may be."""
    held: list[bytes] = []
    begun = depth = size = 0
    for number, line in enumerate(log.lines(), start=1):
        if not line.strip():
            continue
        if held and line[:1] in _OPEN and _begins(line, held):
            told = "it is JSON that does not end, and the next begins"
            yield Diagnostic("not-understood", told, Place(log.file, begun))
            held, depth = [], 0
        if not held:
            begun, size = number, 0
            whole = _decoded(line, Place(log.file, number))
            if not isinstance(whole, Diagnostic) or line.lstrip()[:1] not in _OPEN:
                yield whole
                continue
        depth += _depth(line)
        size += len(line)
        if size > log.max_line:
            raise DocumentError((too_long(log.file, begun, log.max_line),))
        held.append(line)
        if depth <= 0:
            yield _decoded(b"".join(held), Place(log.file, begun))
            held, depth = [], 0
    if held:
        told = "it is JSON that does not end: the file may be cut off"
        yield Diagnostic("not-understood", told, Place(log.file, begun))


def _begins(line: bytes, held: list[bytes]) -> bool:
    """Return whether a line begins a value anew, although the value of the lines before has no end:
    the line is a whole value, or those are indented, and it is not."""
    if len(line.strip()) == 1:
        return len(held) > 1 and all(each[:1] in (b" ", b"\t") for each in held[1:])
    return not isinstance(_decoded(line, Place("", 0)), Diagnostic)


def _decoded(text: bytes, place: Place) -> tuple[Any, Place] | Diagnostic:
    try:
        return msgspec.json.decode(text), place
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return Diagnostic("not-understood", f"it {json_problem(error)[1]}", place)


def json_problem(error: Exception, choices: str = "one of the choices") -> tuple[str, str]:
    """The field that an error of decoding is about, empty for the whole, and what is wrong."""
    if isinstance(error, RecursionError):
        return "", "is nested too deeply"
    if isinstance(error, UnicodeError):
        return "", "is not UTF-8"
    if str(error) == "Input data was truncated":
        return "", "is not JSON: it ends too early"
    return placed_problem(str(error), choices)


def _depth(line: bytes) -> int:
    """Count the brackets that a line leaves open; below 0: those that it closes."""
    found = _BRACKETS.findall(line)
    return sum((token in _OPEN) - (token in (b"}", b"]")) for token in found)
