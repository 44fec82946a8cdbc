"""Opening and reading files, of which nobody knows yet whether they are the right ones.

A wrong path may lead to 50 GB, or to what never ends. So no file is read without a limit, which is
as large as the memory allows that its content needs; one that is read line by line may have any
number of lines, each of at most `LINE` bytes. `CHOREOMON_MAX_MIB` in the environment raises all of
these. What is bounded for other reasons, such as a document, has a smaller limit of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from choreomon.core.errors import DocumentError, Problem
from choreomon.files.unreadable import unreadable

PathLike: TypeAlias = str | os.PathLike[str]

STANDARD_INPUT: Final = "/dev/stdin"
"""The name of the standard input where files are opened."""

MIB: Final = 1 << 20

TEXT: Final = 16 * MIB
"""Bytes of what is written by hand: an interaction, a signature, a configuration."""

WHOLE: Final = 64 * MIB
"""Bytes of what a program wrote and is read at once: an automaton, a verifier, results."""

PIECES: Final = 1024 * MIB
"""Bytes of a multi-trace that is read in pieces, of which only a code of each action is kept."""

LINE: Final = 16 * MIB
"""Bytes of a line, and of one value of JSON that is spread over several lines."""

VARIABLE: Final = "CHOREOMON_MAX_MIB"
"""The environment variable that raises the limits, in MiB."""

_ALLOW_MORE: Final = f"if it is the right file, {VARIABLE}=N in the environment allows N MiB"


def limit(bytes_: int) -> int:
    """The limit in bytes, or a larger one from the environment. Raises DocumentError if that is no
    whole number."""
    said = os.environ.get(VARIABLE, "").strip()
    if not said:
        return bytes_
    if not (said.isascii() and said.isdigit() and len(said) <= 9):
        told = f"should be a whole number of MiB, not {said[:40]!r}"
        raise DocumentError((Problem(VARIABLE, 0, "", told),))
    return max(bytes_, int(said) * MIB)


def whole(path: PathLike, most: int = WHOLE) -> bytes:
    """Read a whole file of at most this many bytes, or more where the environment allows it.

    Raises DocumentError for one that cannot be read, and for one that is too large.
    """
    most = limit(most)
    content = beginning(path, most + 1)
    if len(content) > most:
        raise too_large(os.fspath(path), most)
    return content


def beginning(path: PathLike, size: int) -> bytes:
    """Read this many of the first bytes, or all there are. Raises DocumentError for what cannot be
    read."""
    with opened(path) as stream:
        return stream.read(size)


def lines(path: PathLike) -> Iterator[bytes]:
    """The lines of a file with their ends, as they are asked for. Raises DocumentError for one that
    is too long, and for a file that cannot be read."""
    with opened(path) as stream:
        yield from lines_of(stream, os.fspath(path), limit(LINE))


def lines_of(stream: BinaryIO, file: str, most: int) -> Iterator[bytes]:
    """The lines of a stream with their ends. Raises DocumentError for one of more than `most`
    bytes, and where reading fails; `file` is what it calls the stream."""
    try:
        for number, line in enumerate(iter(partial(stream.readline, most + 1), b""), start=1):
            if len(line) > most:
                raise DocumentError((too_long(file, number, most),))
            yield line
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None


def pieces(path: PathLike, at_once: int, most: int = PIECES) -> Iterator[bytes]:
    """A file in pieces of this many bytes. Raises DocumentError, as `whole` does."""
    most = limit(most)
    read = 0
    with opened(path) as stream:
        while piece := stream.read(at_once):
            read += len(piece)
            if read > most:
                raise too_large(os.fspath(path), most)
            yield piece


@contextmanager
def opened(path: PathLike) -> Iterator[BinaryIO]:
    """The file, open; whoever reads it keeps to a limit. What goes wrong when it is opened or read
    is a DocumentError."""
    try:
        with open(path, "rb") as stream:
            yield stream
    except (OSError, ValueError) as error:
        raise unreadable(os.fspath(path), error) from None


def too_large(file: str, most: int) -> DocumentError:
    """The error of a file that has more than this many bytes."""
    told = f"is larger than {size(most)}, the most that is read of such a file; {_ALLOW_MORE}"
    return DocumentError((Problem(file, 0, "", told),))


def too_long(file: str, number: int, most: int) -> Problem:
    """The problem of a line that has more than this many bytes."""
    told = f"is longer than {size(most)}, the most that is read of a line; {_ALLOW_MORE}"
    return Problem(file, number, "", told)


def folder_of(document: str) -> Path:
    """The folder for files that a document names: beside it, and for one on the standard input,
    which is beside nothing, the current folder."""
    return Path() if document == STANDARD_INPUT else Path(document).parent


def size(bytes_: int) -> str:
    """The number of bytes, in words."""
    if bytes_ >= MIB and not bytes_ % MIB:
        return f"{bytes_ // MIB:,} MiB"
    return f"{bytes_:,} bytes"
