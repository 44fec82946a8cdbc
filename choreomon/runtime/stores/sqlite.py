"""The store of an agent's journal: one SQLite file.

WAL mode, locked exclusively: one agent a file, and no shared-memory file beside it. A row of the
journal is one insertion and one commit.

    durability   synchronous   survives
    process      NORMAL        the end of the process at any moment (`kill -9`)
    power        FULL          the loss of power: one fsync a commit

With `process` a loss of power may lose the last commits, but no row before one that is there, and
no part of one. Whether it may have is told by `forgetful`: the file remembers the boot that it was
last used in, and whether it was closed in order. That it is in use is on the disk before anything
is committed, and that something may be lost is told until a row is committed that says so.

The file has a name that no other one has, and remembers its owner: rows mean something else to
another process, or to one whose tables are others. So the tables change together with the state
(`exchange`). A new file is its owner's alone (mode 0600), and so are those that SQLite makes beside
it; one that is there keeps its mode.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Literal

from choreomon.agent_files.wire import NO_STORE, STORE_BYTES
from choreomon.core.errors import DocumentError, Problem
from choreomon.runtime.instances import instance_table
from choreomon.runtime.instances.rows import InstanceRow
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores import sqlite_file
from choreomon.runtime.stores.agent_store import Owner, StoreInUse

VERSION: Final = 1
_APPLICATION: Final = 0x63686F72
"""Application id in the header of the file, so that others recognize it: "chor"."""

_SYNCHRONOUS: Final = {"process": "NORMAL", "power": "FULL"}

_NEW: Final = (
    "PRAGMA page_size=1024",  # a row is small, and a commit writes whole pages
    "PRAGMA journal_mode=WAL",
    "BEGIN",
    "CREATE TABLE journal (number INTEGER PRIMARY KEY, inputs BLOB NOT NULL)",
    "CREATE TABLE snapshot (number INTEGER PRIMARY KEY, state BLOB NOT NULL)",
    "CREATE TABLE boot (id TEXT NOT NULL, closed INTEGER NOT NULL)",
    "CREATE TABLE owner (process TEXT NOT NULL, systems TEXT NOT NULL)",
    "CREATE TABLE name (name BLOB NOT NULL)",
    f"INSERT INTO name VALUES (randomblob({STORE_BYTES}))",
    f"PRAGMA application_id={_APPLICATION}",
    f"PRAGMA user_version={VERSION}",
    "COMMIT",
)
"""Statements that turn an empty file into a store."""


class SqliteStore:
    """A journal in a file. `boot` names this start of the machine. `owner`: whose a new one is, and
    of which process one has to be that is there; `None` takes whatever is there. `max_pages` bounds
    the size of the file, in pages of SQLite, for tests of full disks.

    Raises `DocumentError` where the file cannot be opened, is no journal, is somebody else's, or is
    in use.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        durability: Literal["process", "power"],
        boot: str,
        *,
        owner: Owner | None = None,
        max_pages: int | None = None,
    ) -> None:
        self._file = os.fspath(path)
        self.process = "" if owner is None else owner.process
        self.others = None
        self._boot = boot
        # With `power` nothing is lost, so that the file is as if it were closed after every commit.
        self._closed = int(durability == "power")
        self._synchronous = _SYNCHRONOUS[durability]
        self._made = self._make()
        try:
            self._database = sqlite3.connect(
                self._file, isolation_level=None, check_same_thread=False, timeout=0.0
            )
        except sqlite3.Error as error:
            raise self._failed(error) from None
        self._was_closed = False
        """True if the file said when it was opened that it had been closed in order."""
        try:
            self._prepare(durability, owner, max_pages)
        except sqlite3.Error as error:
            self.abandon()
            raise self._failed(error) from None
        except DocumentError:
            self.abandon()
            raise

    def _make(self) -> bool:
        """A new store where there is none; whether it was made. Raises `DocumentError` where it
        surely cannot be used."""
        file = self._file
        folder = os.path.dirname(file) or "."
        if not os.path.isdir(folder):
            raise self._unusable(f"there is no folder {folder}: make it first")
        if os.path.isdir(file):
            raise self._unusable("is a folder: name a file in it")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise self._unusable(
                f"its folder {folder} cannot be written to, where {os.path.basename(file)}-wal has "
                "to be: let this user write to it, or name a file in another one"
            )
        try:
            if sqlite_file.make(file, _NEW):
                return True
        except OSError as error:
            told = f"cannot be made: {error.strerror or error}: name another file"
            raise self._unusable(told) from None
        except sqlite3.Error as error:
            raise self._failed(error) from None
        if not os.access(file, os.R_OK | os.W_OK):
            told = "cannot be read and written: let this user do so, or name another file"
            raise self._unusable(told)
        missing = sqlite_file.what_is_missing(file)
        if missing:
            raise self._unusable(missing)
        return False

    def _prepare(
        self, durability: Literal["process", "power"], owner: Owner | None, max_pages: int | None
    ) -> None:
        run = self._database.execute
        run("PRAGMA locking_mode=EXCLUSIVE")
        (application,) = run("PRAGMA application_id").fetchone()
        (version,) = run("PRAGMA user_version").fetchone()
        (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            raise self._unusable(f"has nothing in it: {sqlite_file.LOST}")
        if application != _APPLICATION:
            raise self._unusable("is a database of something else: name another file")
        if version != VERSION:
            raise self._unusable(f"has version {version}; this choreomon writes version {VERSION}")
        last = run("SELECT id, closed FROM boot").fetchone()
        self.forgetful = last is not None and last[0] != self._boot and not last[1]
        """True if the last commits may be lost."""
        self._unsaid = self.forgetful
        self._was_closed = last is not None and bool(last[1])
        self._unnoted = False
        """True if the file does not say yet that it is in use, since the disk was full."""
        has_instances = self._has_table(instance_table.NAME)
        self._numbers = instance_table.numbers(self._database) if has_instances else {}
        self.name = self._read_name()
        """The name that tells it from any other store; empty if it was made before stores had
        names."""
        owned = owner is not None and self._check_owner(owner)
        self.systems = () if owner is None else owner.systems
        """The ids of the systems that it holds, in the order of its tables."""
        if owned:
            self.systems = self._read_systems()
        # If this was lost with the power, so were the rows after it, and nobody would know.
        run("PRAGMA synchronous=FULL")
        try:
            run("BEGIN IMMEDIATE")
            if owner is not None and not owned:
                run("INSERT INTO owner VALUES (?, ?)", (owner.process, " ".join(owner.systems)))
            if not self.forgetful:
                self._note_boot()
            run("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            if _kind_of(error) not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise
            self._unnoted = True  # the first row says it, when there is room
        run(f"PRAGMA synchronous={self._synchronous}")
        if max_pages is not None:
            run(f"PRAGMA max_page_count={max_pages}")
        (self._number,) = run("SELECT coalesce(max(number), 0) FROM journal").fetchone()
        (snapshot,) = run("SELECT coalesce(max(number), 0) FROM snapshot").fetchone()
        self._number = max(self._number, snapshot)

    @property
    def reached(self) -> int:
        """The count after which a life counts; nothing is known of a store that is lost."""
        return 0

    @property
    def directory(self) -> None:
        """A file has no leases."""
        return None

    @property
    def renewal(self) -> None:
        """The lock of the file is held for as long as the process lives."""
        return None

    def renew(self) -> None:
        """Renew nothing, as nothing ends."""

    def _read_name(self) -> bytes:
        if not self._has_table("name"):
            return NO_STORE
        (name,) = self._database.execute("SELECT name FROM name").fetchone()
        return bytes(name)

    def _has_table(self, name: str) -> bool:
        found = self._database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,))
        return found.fetchone() is not None

    def _check_owner(self, owner: Owner) -> bool:
        """Tell whether it has this owner; it may have none yet. Raises `DocumentError` if it
        belongs to another one."""
        last = self._database.execute("SELECT process FROM owner").fetchone()
        if last is None:
            return False
        if last[0] != owner.process:
            raise self._unusable(f"is that of {last[0]}, and this is the agent of {owner.process}")
        return True

    def _read_systems(self) -> tuple[str, ...]:
        (systems,) = self._database.execute("SELECT systems FROM owner").fetchone()
        return tuple(systems.split())

    def _note_boot(self) -> None:
        run = self._database.execute
        run("DELETE FROM boot")
        run("INSERT INTO boot VALUES (?, ?)", (self._boot, self._closed))

    def load(self) -> tuple[bytes | None, list[bytes]]:
        """Raises `DocumentError` where the file is damaged."""
        run = self._database.execute
        try:
            found = run("SELECT number, state FROM snapshot ORDER BY number DESC LIMIT 1")
            number, state = found.fetchone() or (0, None)
            rows = run("SELECT inputs FROM journal WHERE number > ? ORDER BY number", (number,))
            return state, [row for (row,) in rows]
        except sqlite3.Error as error:
            raise self._failed(error) from None

    def commit(self, row: bytes) -> None:
        run = self._database.execute
        try:
            if self._unsaid or self._unnoted or self._database.in_transaction:
                self._commit_with_boot(row)
            else:
                run("INSERT INTO journal VALUES (?, ?)", (self._number + 1, row))
        except sqlite3.Error as error:
            raise CommitFailed(f"{self._file}: {error}") from None
        self._number += 1

    def _commit_with_boot(self, row: bytes) -> None:
        """Commit a row with the note that the file is in use. If something may be lost the row says
        so, so that the file need not any more."""
        run = self._database.execute
        self._roll_back()
        # Were the row lost with the power in its turn, counts that it leaves out would be used
        # twice: the next start would leave out the same ones.
        run("PRAGMA synchronous=FULL")
        try:
            run("BEGIN IMMEDIATE")
            run("INSERT INTO journal VALUES (?, ?)", (self._number + 1, row))
            self._note_boot()
            run("COMMIT")
        except sqlite3.Error:
            self._roll_back()
            raise
        finally:
            run(f"PRAGMA synchronous={self._synchronous}")
        self._unsaid = self._unnoted = False

    def instance(self, system: bytes, key: bytes) -> bytes | None:
        number = self._numbers.get(system)
        if number is None:
            return None
        try:
            return instance_table.read(self._database, number, key)
        except sqlite3.Error as error:
            raise self._failed(error) from None

    def instances(self, system: bytes, after: bytes, most: int) -> list[tuple[bytes, bytes]]:
        number = self._numbers.get(system)
        if number is None:
            return []
        try:
            return instance_table.some(self._database, number, after, most)
        except sqlite3.Error as error:
            raise self._failed(error) from None

    def snapshot(self, state: bytes, instances: Sequence[InstanceRow] = ()) -> None:
        self._replace(state, None, instances)

    def exchange(
        self, state: bytes, systems: tuple[bytes, ...], instances: Sequence[InstanceRow] = ()
    ) -> None:
        # Lost with the power, what others were told of a new system would be told otherwise.
        self._database.execute("PRAGMA synchronous=FULL")
        try:
            self._replace(state, tuple([system.hex() for system in systems]), instances)
        finally:
            self._database.execute(f"PRAGMA synchronous={self._synchronous}")

    def _replace(
        self, state: bytes, systems: tuple[str, ...] | None, instances: Sequence[InstanceRow]
    ) -> None:
        """A state in place of all rows, these systems, where any are given, in place of those that
        it held, and the instances."""
        run = self._database.execute
        try:
            self._roll_back()
            run("BEGIN IMMEDIATE")
            run("DELETE FROM snapshot")
            run("INSERT INTO snapshot VALUES (?, ?)", (self._number, state))
            run("DELETE FROM journal WHERE number <= ?", (self._number,))
            if systems is not None:
                run("UPDATE owner SET systems = ?", (" ".join(systems),))
            numbers = self._numbers
            if instances or numbers:
                numbers = instance_table.put(self._database, instances, systems)
            run("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise CommitFailed(f"{self._file}: {error}") from None
        self._numbers = numbers
        if systems is not None:
            self.systems = systems

    def _roll_back(self) -> None:
        """Roll back a failed transaction that is still open: later ones would be lost with it."""
        if self._database.in_transaction:
            with suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")

    def close(self) -> None:
        """Close in order: all that was committed is in the file, and it says so."""
        self._roll_back()
        try:
            if not self._unsaid:
                self._database.execute("UPDATE boot SET closed = 1")
            self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error:
            pass  # then it was not closed in order, which is what the file says
        self._database.close()

    def abandon(self) -> None:
        """Clean up after a failed start: an existing file is left as it is, and a new one is
        removed."""
        self._roll_back()
        if self._made:
            # Without a journal beside it, and while it is locked: nobody else's files are removed.
            with suppress(sqlite3.Error, OSError):
                self._database.execute("BEGIN EXCLUSIVE")
                self._database.execute("ROLLBACK")
                self._database.execute("PRAGMA journal_mode=DELETE")
                os.unlink(self._file)
        elif self._was_closed:
            self.close()  # else a restart of the machine would make a gap of it
        self._database.close()

    def _failed(self, error: sqlite3.Error) -> DocumentError:
        told = str(error)
        match _kind_of(error):
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                told = "another agent uses it: each needs a file of its own"
                return StoreInUse(self._unusable(told).problems)
            case sqlite3.SQLITE_NOTADB:
                told += ": name another file"
            case sqlite3.SQLITE_FULL:
                told += ": make room"
            case sqlite3.SQLITE_CORRUPT:
                told = (
                    f"is damaged ({told}): to begin anew, `choreomon split` again, and give every "
                    "agent its new table and a new store"
                )
            case _:
                told += ": see whether the disk is well, and lets this user write there"
        return self._unusable(told)

    def _unusable(self, why: str) -> DocumentError:
        return DocumentError((Problem(self._file, 0, "", f"cannot be used as store: {why}"),))


def _kind_of(error: sqlite3.Error) -> int:
    """The lowest byte is the kind: https://sqlite.org/rescode.html"""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def boot_id() -> str:
    """The id of this start of the machine; if the machine does not tell, each call gives another
    one, so that the end of a process counts as the loss of power."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return os.urandom(16).hex()
