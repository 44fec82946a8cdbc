"""The file of a store before it is opened: made as a whole, and seen to be whole.

A store is there with its tables or not at all: it is made beside its place and then put there. So a
file that is empty was not left by an agent that ended while it made it: what it held is gone, which
an agent has to be told and must not take for a beginning (docs/live.md, "Durability").
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Final

_MAGIC: Final = b"SQLite format 3\0"
_HEADER: Final = 100
"""Bytes of the header of a database: https://sqlite.org/fileformat2.html"""

LOST: Final = (
    "what it held is lost: `choreomon split` again, and give every agent its new table and a new "
    "store; or, if no agent ever used it, remove it"
)


def make(file: str, statements: Sequence[str]) -> bool:
    """A new database at `file`, its owner's alone, in which these statements were run; whether it
    was made, which it is not where something is there. Raises `OSError` and `sqlite3.Error`, and
    leaves nothing behind then."""
    if os.path.lexists(file):
        return False
    fresh = f"{file}.{os.getpid()}.new"
    with suppress(FileNotFoundError):
        os.unlink(fresh)  # of a process that had this number, and was killed here
    os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with closing(sqlite3.connect(fresh, isolation_level=None)) as database:
            for statement in statements:
                database.execute(statement)
        return _put(fresh, file)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(fresh)


def _put(fresh: str, file: str) -> bool:
    """Never in the place of another one that was put there meanwhile, where links are known."""
    try:
        os.link(fresh, file)
    except FileExistsError:
        return False
    except OSError:
        os.rename(fresh, file)
    folder = os.open(os.path.dirname(file) or ".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # not every file system has folders that can be synced
            os.fsync(folder)
    finally:
        os.close(folder)
    return True


def what_is_missing(file: str) -> str:
    """The reason why an existing file is not a whole database; empty if it may be one. Missing
    parts of its `-wal` file cannot be seen, and SQLite tells what is no database at all. Raises
    `OSError`."""
    with open(file, "rb") as opened:
        header = opened.read(_HEADER)
        size = os.fstat(opened.fileno()).st_size
    if not size:
        return f"is empty (0 bytes): {LOST}"
    if size < _HEADER and _MAGIC.startswith(header[: len(_MAGIC)]):
        return f"is cut off after {size} bytes: {LOST}"
    if not header.startswith(_MAGIC) or size < _HEADER:
        return ""
    wal = f"{file}-wal"
    if os.path.exists(wal) and os.path.getsize(wal):
        return ""  # which has what is missing, unless it is damaged
    page = int.from_bytes(header[16:18], "big")
    whole = (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
    return f"is cut off after {size} of {whole} bytes: {LOST}" if size < whole else ""
