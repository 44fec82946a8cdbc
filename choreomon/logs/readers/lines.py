"""The lines of a log, one after the other, none of them too long.

A log may be a pipe and may be longer than the memory; only a line has to fit.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

from choreomon.files.input_files import LINE, PathLike, limit, lines_of
from choreomon.files.unreadable import unreadable

HEAD: Final = 256 * 1024
"""Bytes of the beginning, by which a format is told."""

_BUFFER: Final = 1 << 18


class Log:
    """A log that is being read: its name, its beginning, and its bytes."""

    def __init__(self, stream: BinaryIO, file: str, max_line: int = LINE) -> None:
        """The stream is read from where it is. Raises DocumentError where that is not possible."""
        self.file = file
        self.max_line = max_line
        try:
            self.head = _head(stream)
        except (OSError, ValueError) as error:
            raise unreadable(file, error) from None
        self._stream = io.BufferedReader(_Again(self.head, stream), _BUFFER)
        self.empty = not self.head.strip()

    def lines(self) -> Iterator[bytes]:
        """The lines, as `lines_of` says, without a byte order mark."""
        return lines_of(self._stream, self.file, self.max_line)

    def read(self, size: int) -> bytes:
        """Read so many bytes, fewer only at the end. Raises DocumentError."""
        try:
            return self._stream.read(size)
        except (OSError, ValueError) as error:
            raise unreadable(self.file, error) from None


@contextmanager
def opened(source: PathLike | BinaryIO, file: str | None, max_line: int | None) -> Iterator[Log]:
    """The log in a file or a stream; a file is closed afterwards. Raises DocumentError."""
    max_line = limit(LINE) if max_line is None else max_line
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source) if file is None else file
        try:
            stream = open(source, "rb", buffering=0)  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise unreadable(name, error) from None
        with stream:
            yield Log(stream, name, max_line)
    else:
        yield Log(source, file or getattr(source, "name", None) or "log", max_line)


def _head(stream: BinaryIO) -> bytes:
    """The beginning; a pipe gives it in pieces."""
    found = b""
    while len(found) < HEAD and (piece := stream.read(HEAD - len(found))):
        if isinstance(piece, str):
            raise ValueError("it is opened as text: open it as bytes ('rb')")
        found += piece
    return found.removeprefix(b"\xef\xbb\xbf")


class _Again(io.RawIOBase):
    """A stream whose beginning was read before."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = memoryview(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._head:
            piece = self._rest.read(len(buffer))
            buffer[: len(piece)] = piece
            return len(piece)
        count = min(len(buffer), len(self._head))
        buffer[:count] = self._head[:count]
        self._head = self._head[count:]
        return count
