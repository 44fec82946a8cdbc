"""The journal of a slot: rows that are taken only from who holds its lease.

Each transaction that writes holds a lock on the lease until it ends, and finds its own number
there; whoever takes the slot waits for it, and reads what it wrote. A bare condition would be none:
at READ COMMITTED the lease can be taken between a statement and its COMMIT
(docs/adr/037-roles.md, "Journals and leases in PostgreSQL").

A connection that breaks may leave a statement behind that is carried out later. So the lease counts
connections, too, and what belongs to an earlier one is refused like what belongs to an earlier
holder. A row that may be there already is then written again: nobody was told of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, NoReturn

from choreomon.runtime.instances.rows import InstanceRow
from choreomon.runtime.leases.ends import Fenced
from choreomon.runtime.leases.rules import Lease
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores.postgresql.connection import Connection, OutOfReach
from choreomon.runtime.stores.postgresql.server import AnotherServer, Server


class MustStartAgain(Fenced):
    """The lease may still be this agent's, but what it knows of the slot need not be what is kept:
    it goes on from there when it is started again."""

    def __init__(self, slot: str, why: str) -> None:
        super().__init__(slot)
        self.args = (f"{slot}: {why}: the agent goes on when it is started again",)


class SlotJournal:
    """The store of a slot that was taken: `lease` is the row as it was made then, with `lives` as
    the first commit is to keep it; `opened` the number of connections by then, `number` that of the
    last row, `systems` those that it holds; `begins`: whether a life does. Its
    commits may be `Fenced`."""

    check: ClassVar[str] = (
        "SELECT slot FROM lease WHERE slot = $1 AND number = $2::bigint AND opened = $3::bigint "
        "FOR SHARE"
    )
    """What every commit begins with, in its transaction."""

    def __init__(
        self,
        server: Server,
        lease: Lease,
        *,
        opened: int,
        number: int,
        systems: tuple[str, ...],
        begins: bool,
    ) -> None:
        self.lease = lease
        self.systems = systems
        self._server = server
        self._turn = server.turn
        self._opened = opened
        self._begins = begins
        """Whether nothing was written since this life began."""
        self._in_doubt = False
        """Whether something other than a row may have been written."""
        self._number = number
        self._may_be_there = False
        """Whether the next row was written, perhaps, over an earlier connection."""
        insert = "INSERT INTO journal SELECT slot, $4::bigint, $5::bytea FROM mine"
        self._commit = f"WITH mine AS ({self.check}) {insert} RETURNING ''"
        replace = "ON CONFLICT (slot, number) DO UPDATE SET inputs = excluded.inputs"
        self._commit_again = f"WITH mine AS ({self.check}) {insert} {replace} RETURNING ''"

    def load(self) -> tuple[bytes | None, list[bytes]]:
        """Raises `CommitFailed` and `Fenced`."""
        kind = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
        with self._connected() as connection, connection.transaction(kind):
            lease = connection.run("SELECT number::text FROM lease WHERE slot = $1", self._slot)
            if lease != [(str(self.lease.number).encode(),)]:
                self._refuse(connection)
            return read(connection, self._slot)

    def commit(self, row: bytes) -> None:
        """Raises `CommitFailed` and `Fenced`."""
        with self._connected() as connection:
            number = self._number + 1
            mine = (self._slot, self.lease.number)
            statement = self._commit_again if self._may_be_there else self._commit
            if self._begins:
                with self._changing(connection, self.systems):
                    connection.run(statement, *mine, self._opened + 1, number, row)
            elif not connection.run_often(statement, *mine, self._opened, number, row):
                self._refuse(connection)
            self._number, self._may_be_there = number, False

    def snapshot(self, state: bytes, instances: Sequence[InstanceRow] = ()) -> None:
        """Raises `CommitFailed` and `Fenced`."""
        with self._connected() as connection, self._changing(connection, self.systems):
            self._replace(connection, state, instances)

    def exchange(
        self, state: bytes, systems: tuple[bytes, ...], instances: Sequence[InstanceRow] = ()
    ) -> None:
        """Raises `CommitFailed` and `Fenced`."""
        named = tuple([system.hex() for system in systems])
        with self._connected() as connection:
            with self._changing(connection, named):
                self._replace(connection, state, instances)
                connection.run(
                    "DELETE FROM instance WHERE slot = $1 AND encode(system, 'hex') <> "
                    "ALL (string_to_array($2, ' '))",
                    self._slot,
                    " ".join(named),
                )
            self.systems = named

    def instance(self, system: bytes, key: bytes) -> bytes | None:
        """Raises `Fenced`, also where it cannot be read now."""
        found = self._read(
            "SELECT state FROM instance WHERE slot = $1 AND system = $3 AND key = $4", system, key
        )
        return found[0][0] if found else None

    def instances(self, system: bytes, after: bytes, most: int) -> list[tuple[bytes, bytes]]:
        """Raises `Fenced`, also where they cannot be read now."""
        found = self._read(
            "SELECT key, state FROM instance WHERE slot = $1 AND system = $3 AND key > $4 "
            f"ORDER BY key LIMIT {most:d}",
            system,
            after,
        )
        return sorted((key, state) for key, state in found)

    def _read(self, statement: str, *values: bytes) -> list[tuple[bytes, ...]]:
        """Return what the statement finds while the slot is this agent's, in one moment."""
        try:
            with self._connected() as connection:
                mine = "SELECT 1 FROM lease WHERE slot = $1 AND number = $2::bigint"
                found = connection.run_often(
                    f"SELECT found.* FROM ({statement}) AS found WHERE EXISTS ({mine})",
                    self._slot,
                    self.lease.number,
                    *values,
                )
                if not found and not connection.run_often(mine, self._slot, self.lease.number):
                    self._refuse(connection)
                return found
        except CommitFailed as failed:
            raise MustStartAgain(self._slot, f"an instance cannot be read: {failed}") from None

    @property
    def _slot(self) -> str:
        return self.lease.slot

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """A connection of which the lease knows; those before it are refused from then on."""
        try:
            connection = self._server.connection()
            if self._turn != self._server.turn:
                self._refuse_earlier(connection)
                self._turn = self._server.turn
            yield connection
        except AnotherServer as other:
            told = f"the last commits may be lost: {other}"
            raise MustStartAgain(self._slot, told) from None
        except CommitFailed as failed:
            raise CommitFailed(f"{self._server.address}: {failed}") from None

    def _refuse_earlier(self, connection: Connection) -> None:
        with connection.transaction():
            row = connection.run(
                "SELECT number::text, opened::text FROM lease WHERE slot = $1 FOR UPDATE",
                self._slot,
            )
            if not row or int(row[0][0]) != self.lease.number:
                self._refuse(connection)
            opened = int(row[0][1])
            if self._in_doubt and opened != self._opened:
                raise MustStartAgain(self._slot, "it is not known what was written last")
            connection.run(
                "UPDATE lease SET opened = $2::bigint WHERE slot = $1", self._slot, opened + 1
            )
        self._opened, self._in_doubt, self._may_be_there = opened + 1, False, True

    @contextmanager
    def _changing(self, connection: Connection, systems: tuple[str, ...]) -> Iterator[None]:
        """A transaction that writes more than a row. It counts as a connection does, so that one
        whose end was not heard of shows."""
        self._in_doubt = True
        try:
            with connection.transaction():
                if not connection.run(
                    "UPDATE lease SET opened = opened + 1, lives = $4::bigint, systems = $5, "
                    "server = $6 WHERE slot = $1 AND number = $2::bigint AND opened = $3::bigint "
                    "RETURNING ''",
                    self._slot,
                    self.lease.number,
                    self._opened,
                    self.lease.lives,
                    " ".join(systems),
                    self._server.identity,
                ):
                    self._refuse(connection)
                yield
        except OutOfReach:
            raise
        except BaseException:
            self._in_doubt = False
            raise
        self._opened += 1
        self._begins = self._in_doubt = False

    def _replace(
        self, connection: Connection, state: bytes, instances: Sequence[InstanceRow]
    ) -> None:
        run, slot = connection.run, self._slot
        run(
            "INSERT INTO snapshot VALUES ($1, $2::bigint, $3) ON CONFLICT (slot) DO UPDATE SET "
            "number = excluded.number, state = excluded.state",
            slot,
            self._number,
            state,
        )
        run("DELETE FROM journal WHERE slot = $1 AND number <= $2::bigint", slot, self._number)
        for system, key, kept in instances:
            if kept is None:
                run(
                    "DELETE FROM instance WHERE slot = $1 AND system = $2 AND key = $3",
                    slot,
                    system,
                    key,
                )
            else:
                run(
                    "INSERT INTO instance VALUES ($1, $2, $3, $4) ON CONFLICT (slot, system, key) "
                    "DO UPDATE SET state = excluded.state",
                    slot,
                    system,
                    key,
                    kept,
                )

    def _refuse(self, connection: Connection) -> NoReturn:
        """Raises `Fenced`, with who has the slot, where that can be had."""
        row = connection.run("SELECT holder, address FROM lease WHERE slot = $1", self._slot)
        holder, address = (part.decode() for part in row[0]) if row else ("", "")
        raise Fenced(self._slot, holder, address)


def read(connection: Connection, slot: str) -> tuple[bytes | None, list[bytes]]:
    """Read what is committed of a slot, in the transaction that is open, as `Store.load` has it.
    Raises `CommitFailed`."""
    found = connection.run("SELECT number::text, state FROM snapshot WHERE slot = $1", slot)
    number, state = found[0] if found else (b"0", None)
    rows = connection.run(
        "SELECT inputs FROM journal WHERE slot = $1 AND number > $2::bigint ORDER BY number",
        slot,
        int(number),
    )
    return state, [row for (row,) in rows]
