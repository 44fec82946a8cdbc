"""The lines of a log, one after the other, none of them too long.

A log may be a pipe and may be longer than the memory; only a line has to fit.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, cast

from choreomon.core.errors import DocumentError, Problem
from choreomon.files.compressed import Again, compression_of, is_compressed, unpacked
from choreomon.files.input_files import LINE, PathLike, limit, lines_of
from choreomon.files.unreadable import unreadable
from choreomon.logs.readers.wrapped import LinesStream, Unwrap, unwrapped, wrapping_of

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
        if (kind := compression_of(self.head)) is not None:
            told = f"is compressed ({kind}), and is not read as a file: unpack it first"
            raise DocumentError((Problem(file, 0, "", told),))
        content: io.RawIOBase = Again(self.head, stream)
        unwrap = wrapping_of(self.head)
        self.wrapped = unwrap is not None
        """True if a container runtime wrote the lines, so that they are unwrapped."""
        if unwrap is not None:
            self.head = _unwrapped_head(self.head, unwrap)
            whole = cast(BinaryIO, io.BufferedReader(content, _BUFFER))
            content = LinesStream(unwrapped(lines_of(whole, file, max_line), unwrap, max_line))
        self._stream = cast(BinaryIO, io.BufferedReader(content, _BUFFER))
        self.empty = not self.head.strip()

    def lines(self) -> Iterator[bytes]:
        """The lines, as `lines_of` says, without a byte order mark."""
        return lines_of(self._stream, self.file, self.max_line)

    def read(self, size: int) -> bytes:
        """Read this many bytes, fewer only at the end. Raises DocumentError."""
        try:
            return self._stream.read(size)
        except (OSError, ValueError) as error:
            raise unreadable(self.file, error) from None


def head_of(path: PathLike) -> bytes:
    """Return the beginning of a log. Raises DocumentError."""
    with opened(path, None, None) as log:
        return log.head


def has_plain_lines(path: PathLike) -> bool:
    """Return whether lines of a log can be read where they are: it is neither compressed nor
    wrapped. Raises DocumentError where it cannot be read."""
    with opened(path, None, None) as log:
        return not log.wrapped and not is_compressed(os.fspath(path))


@contextmanager
def opened(source: PathLike | BinaryIO, file: str | None, max_line: int | None) -> Iterator[Log]:
    """The log in a file, which may be compressed and is closed afterwards, or in a stream, which is
    read as it is. Raises DocumentError."""
    max_line = limit(LINE) if max_line is None else max_line
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source) if file is None else file
        try:
            stream = open(source, "rb", buffering=0)  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise unreadable(name, error) from None
        with stream:
            try:
                content = unpacked(stream)
            except (OSError, ValueError) as error:
                raise unreadable(name, error) from None
            yield Log(content, name, max_line)
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


def _unwrapped_head(head: bytes, unwrap: Unwrap) -> bytes:
    whole = head if len(head) < HEAD else head.rpartition(b"\n")[0]
    return b"".join(unwrapped(whole.splitlines(keepends=True), unwrap, HEAD))
