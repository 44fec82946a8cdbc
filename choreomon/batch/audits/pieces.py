"""Pieces of logs that are read by themselves, perhaps by several processes.

Where pieces begin depends on the logs alone, not on how many processes there are.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Final, NamedTuple

from choreomon.batch.audits.question import Reader
from choreomon.files.unreadable import unreadable
from choreomon.logs.formats import LogFormat

PIECE: Final = 8 << 20
"""Bytes of a piece, about."""

_BLOCK: Final = 1 << 20


class Piece(NamedTuple):
    """A piece of the log with this number among the logs: the lines that begin from `start` on and
    before `end`; all of the log where its lines cannot be read alone, and then there is no
    `log_format`. `here`: it is a pipe, or what other processes cannot open."""

    log: int
    path: str
    start: int = 0
    end: int = 0
    log_format: LogFormat | None = None
    here: bool = False

    @property
    def size(self) -> int:
        """Bytes."""
        return self.end - self.start


def pieces_of(reader: Reader, paths: Sequence[str], size: int = PIECE) -> list[Piece]:
    """The pieces of all logs, in order. Raises DocumentError for one that is not there."""
    found: list[Piece] = []
    for number, path in enumerate(paths):
        try:
            about = os.stat(path)
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from None
        if not stat.S_ISREG(about.st_mode):
            found.append(Piece(number, path, here=True))
            continue
        log_format = reader.by_lines(path)
        if log_format is None:
            found.append(Piece(number, path, 0, about.st_size))
            continue
        for start in range(0, about.st_size, size):
            end = min(start + size, about.st_size)
            found.append(Piece(number, path, start, end, log_format))
    return found


class PieceStream(io.RawIOBase):
    """The bytes of a piece; `lines` counts the ends of lines that were read."""

    def __init__(self, file: BinaryIO, piece: Piece) -> None:
        self._file = file
        start = _line_begins(file, piece.start)
        self._left = _line_begins(file, piece.end) - start
        file.seek(start)
        self.lines = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), self._left)
        found = self._file.read(wanted) if wanted > 0 else b""
        self._left -= len(found)
        self.lines += found.count(b"\n")
        buffer[: len(found)] = found
        return len(found)


def _line_begins(file: BinaryIO, place: int) -> int:
    """Find the first line that begins at this place or later; else the end of the file."""
    if place == 0:
        return 0
    file.seek(place - 1)
    at = place - 1
    for block in _blocks(file):
        found = block.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(block)
    return at


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block
