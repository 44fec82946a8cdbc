"""Lines as container runtimes and journals keep what programs print, unwrapped.

Docker's `json-file` driver writes an object with `log`, `stream` and `time`, where `log` is a piece
of a long line if it has no line end; runtimes of Kubernetes (CRI) write `TIME stdout F LINE`, with
`P` for a piece; `journalctl -o json` an object with `MESSAGE`. A logger may put a time and a level
before each object. The pieces of a line are put together where it ends, and empty lines stand where
the others were, so that lines keep their numbers.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

import msgspec

Unwrap: TypeAlias = Callable[[bytes], "tuple[bytes, bool] | None"]
"""A line -> what is in it, and whether the line ends there; None where it is not wrapped."""

_TRIED: Final = 20
"""Lines examined to tell a prefix from a text that happens to end in JSON."""

_CRI: Final = re.compile(
    rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) "
    rb"(?:stdout|stderr) ([FP])(?: (.*))?",
    re.DOTALL,
)


class _Docker(msgspec.Struct, forbid_unknown_fields=True):
    log: str
    stream: str
    time: str
    attrs: dict[str, str] = {}


class _Journal(msgspec.Struct):
    MESSAGE: str | list[int]
    cursor: str = msgspec.field(name="__CURSOR")


_JOURNAL: Final = msgspec.json.Decoder(_Journal)
_OBJECT: Final = msgspec.json.Decoder(dict[str, Any])
_PREFIXED: Final = re.compile(rb"[^{\s][^{]*[\s:|](\{.*\})\s*")
_DOCKER: Final = msgspec.json.Decoder(_Docker)


def wrapping_of(head: bytes) -> Unwrap | None:
    """Return how the lines of a log that begins so are unwrapped; None if they are not wrapped."""
    lines = [line for line in head.split(b"\n") if line.strip()][:_TRIED]
    if not lines:
        return None
    found = next((each for each in WRAPPINGS if each(lines[0]) is not None), None)
    if found is after_prefix:  # a text about JSON may be half of a log with clocks
        fitting = sum(after_prefix(line) is not None for line in lines)
        return found if 3 * fitting > 2 * len(lines) else None
    return found


def docker(line: bytes) -> tuple[bytes, bool] | None:
    """Unwrap a line of Docker's `json-file` driver."""
    try:
        found = _DOCKER.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return found.log.rstrip("\n").encode("utf-8", "replace"), found.log.endswith("\n")


def cri(line: bytes) -> tuple[bytes, bool] | None:
    """Unwrap a line of a runtime of Kubernetes."""
    found = _CRI.fullmatch(line.rstrip(b"\r\n"))
    return None if found is None else (found[2] or b"", found[1] == b"F")


def journal(line: bytes) -> tuple[bytes, bool] | None:
    """Unwrap an entry as `journalctl -o json` writes it; what is not text there is a list of
    bytes."""
    try:
        said = _JOURNAL.decode(line).MESSAGE
        text = said.encode() if isinstance(said, str) else bytes(said)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
        return None
    return text.replace(b"\n", b" "), True


def after_prefix(line: bytes) -> tuple[bytes, bool] | None:
    """Unwrap an object of JSON after a time, a level, or whatever else stands before it on its
    line. A clock, all of whose values are counts, is no line by itself."""
    found = _PREFIXED.fullmatch(line.rstrip(b"\r\n"))
    if found is None:
        return None
    try:
        value = _OBJECT.decode(found[1])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    return None if all(type(each) is int for each in value.values()) else (found[1], True)


WRAPPINGS: Final[tuple[Unwrap, ...]] = (docker, cri, journal, after_prefix)


def unwrapped(lines: Iterable[bytes], unwrap: Unwrap, most: int) -> Iterator[bytes]:
    """The lines, unwrapped; one that is not wrapped as it is. Of a line that would get longer than
    `most` bytes the pieces are lines of their own."""
    begun: list[bytes] = []
    size = 0
    for line in lines:
        found = unwrap(line)
        if found is None:
            yield line
            continue
        piece, ends = found
        begun.append(piece)
        size += len(piece)
        if ends or size > most:
            yield b"".join(begun) + b"\n"
            begun, size = [], 0
        else:
            yield b"\n"
    if begun:
        yield b"".join(begun)


class LinesStream(io.RawIOBase):
    """Lines as a stream of bytes; reading raises what they raise."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = memoryview(next(self._lines, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
