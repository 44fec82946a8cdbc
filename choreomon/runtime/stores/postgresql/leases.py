"""The leases of slots, as rows that are locked while they change. Time is that of the server."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from choreomon.agent_files.wire import STORE_BYTES
from choreomon.core.roles import Roles
from choreomon.runtime.leases.ends import Taken
from choreomon.runtime.leases.rules import Lease, given_back, may_be_taken, taken, with_store
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores.postgresql.connection import Connection
from choreomon.runtime.stores.postgresql.journal import SlotJournal, read
from choreomon.runtime.stores.postgresql.server import AnotherServer, Server

_LEASE: Final = (
    "slot, number::text, holder, address, extract(epoch FROM until)::text, used::text, "
    "lives::text, pod"
)
_LAST: Final = (
    "SELECT coalesce(greatest((SELECT max(number) FROM journal WHERE slot = $1), "
    "(SELECT number FROM snapshot WHERE slot = $1))::text, '')"
)
"""The number of the last row; empty where there is none, and no snapshot."""
_NOW: Final = "extract(epoch FROM clock_timestamp())::text"


class Kept(NamedTuple):
    """The row of a slot: its lease; the number of connections that wrote to it, the name of its
    store, the systems that are in it, and the server that they were written to."""

    lease: Lease
    opened: int
    name: bytes
    systems: tuple[str, ...]
    server: str


class PostgresLeases:
    """The leases in the tables of a server, for one holder: see
    `choreomon.runtime.leases.ends.Leases`. `seconds`: of a lease. `systems`: those that a slot
    begins with which has none yet. `journal`: makes the stores of slots."""

    def __init__(
        self,
        server: Server,
        *,
        holder: str,
        address: str,
        seconds: float,
        roles: Roles,
        systems: tuple[str, ...],
        journal: type[SlotJournal] = SlotJournal,
    ) -> None:
        self._server = server
        self._holder = holder
        self._address = address
        self._seconds = seconds
        self._roles = roles
        self.systems = systems
        self._journal = journal

    def look(self, role: str) -> tuple[float, tuple[Lease, ...]]:
        """Raises `CommitFailed`."""
        slots = self._roles.slots_of(role)
        connection = self._connection()
        found = connection.run(
            f"SELECT {_NOW}, {_LEASE} FROM lease WHERE slot = ANY ($1::text[])", _array(slots)
        )
        known = {lease.slot: lease for lease in (_lease(row[1:]) for row in found)}
        now = found[0][0] if found else connection.run(f"SELECT {_NOW}")[0][0]
        return float(now), tuple([known.get(slot, Lease(slot)) for slot in slots])

    def kept(self, slot: str) -> Kept:
        """The row of a slot, which is made where there is none. Raises `CommitFailed`."""
        connection = self._connection()
        found = self._rows(connection, slot)
        return found if found is not None else self._made(connection, slot)

    def take(self, slot: str, *, used: bool) -> Taken | None:
        """Raises `CommitFailed`."""
        connection = self._connection()
        if self._rows(connection, slot) is None:
            self._made(connection, slot)

        def change(lease: Lease, now: float) -> Lease | None:
            if not may_be_taken(lease, self._holder, now, used=used):
                return None
            return taken(lease, self._holder, self._address, now + self._seconds, used=used)

        if (kept := self._changed(connection, slot, change)) is None:
            return None
        ((last,),) = connection.run(_LAST, slot)
        empty = not last
        behind = kept.lease.lives > 0 and kept.server != self._server.identity
        lease, lost = with_store(kept.lease, empty=empty, behind=behind)
        store = self._journal(
            self._server,
            lease,
            opened=kept.opened,
            number=int(last or 0),
            systems=self.systems if empty else kept.systems,
            begins=lease.lives != kept.lease.lives,
        )
        return Taken(lease, store, lost)

    def renew(self, numbers: Mapping[str, int]) -> frozenset[str]:
        """Raises `CommitFailed`."""
        renewed = self._connection().run(
            "UPDATE lease SET until = clock_timestamp() + make_interval(secs => "
            "$3::double precision) FROM unnest($1::text[], $2::bigint[]) AS mine (slot, number) "
            "WHERE lease.slot = mine.slot AND lease.number = mine.number RETURNING lease.slot",
            _array(numbers),
            _array(map(str, numbers.values())),
            self._seconds,
        )
        return frozenset(numbers) - {slot.decode() for (slot,) in renewed}

    def give_back(self, slot: str, number: int) -> None:
        """Raises `CommitFailed`."""
        self._changed(self._connection(), slot, lambda lease, now: given_back(lease, number))

    def read(self, slot: str) -> tuple[Lease, bytes | None, list[bytes]]:
        """Raises `CommitFailed`."""
        connection = self._connection()
        with connection.transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY"):
            found = self._rows(connection, slot)
            state, rows = read(connection, slot)
        return Lease(slot) if found is None else found.lease, state, rows

    @property
    def local_host(self) -> str:
        """The address by which this machine reaches the server. Raises `CommitFailed`."""
        return self._connection().local_host

    def announce(self, slot: str, number: int, address: str) -> bool:
        """Write where the agent of a slot is, if its lease has this number; whether it has. Raises
        `CommitFailed`."""
        changed = self._connection().run(
            "UPDATE lease SET address = $3 WHERE slot = $1 AND number = $2::bigint RETURNING ''",
            slot,
            number,
            address,
        )
        return bool(changed)

    def addresses(self, slots: Iterable[str]) -> dict[str, str]:
        """The addresses of the agents of slots, as far as somebody has them. Raises
        `CommitFailed`."""
        found = self._connection().run_often(
            "SELECT convert_to(slot, 'UTF8'), convert_to(address, 'UTF8') FROM lease "
            "WHERE slot = ANY ($1::text[]) AND holder <> ''",
            _array(slots),
        )
        return {slot.decode(): address.decode() for slot, address in found}

    def close(self) -> None:
        """Close the connection."""
        self._server.close()

    def _connection(self) -> Connection:
        try:
            return self._server.connection()
        except AnotherServer as other:
            raise CommitFailed(str(other)) from None

    def _rows(self, connection: Connection, slot: str, more: str = "") -> Kept | None:
        found = connection.run(
            f"SELECT {_LEASE}, opened::text, name, systems, server FROM lease "
            f"WHERE slot = $1 {more}",
            slot,
        )
        if not found:
            return None
        opened, name, systems, server = found[0][8:]
        listed = tuple(systems.decode().split())
        return Kept(_lease(found[0]), int(opened), name, listed, server.decode())

    def _made(self, connection: Connection, slot: str) -> Kept:
        connection.run(
            "INSERT INTO lease VALUES ($1, 0, '', '', to_timestamp(0), false, 0, 0, $2, '', '', '')"
            " ON CONFLICT (slot) DO NOTHING",
            slot,
            secrets.token_bytes(STORE_BYTES),
        )
        found = self._rows(connection, slot)
        if found is None:
            raise CommitFailed(f"the row of {slot} was removed")
        return found

    def _changed(
        self, connection: Connection, slot: str, change: Callable[[Lease, float], Lease | None]
    ) -> Kept | None:
        """Change the lease of a slot, in a transaction; the row as it is then. `None`: it may not
        be, and stays. What connections of earlier holders sent is refused from then on."""
        with connection.transaction():
            kept = self._rows(connection, slot, "FOR UPDATE")
            if kept is None:
                return None
            ((now,),) = connection.run(f"SELECT {_NOW}")
            lease = change(kept.lease, float(now))
            if lease is None:
                return None
            connection.run(
                "UPDATE lease SET number = $2::bigint, holder = $3, address = $4, "
                "until = to_timestamp($5::double precision), used = $6::boolean, pod = $7, "
                "opened = opened + 1 WHERE slot = $1",
                *lease[:6],
                lease.pod,
            )
        return kept._replace(lease=lease, opened=kept.opened + 1)


def _lease(row: tuple[bytes, ...]) -> Lease:
    slot, number, holder, address, until, used, lives, pod = (part.decode() for part in row[:8])
    return Lease(
        slot=slot,
        number=int(number),
        holder=holder,
        address=address,
        until=float(until),
        used=used == "true",
        lives=int(lives),
        pod=pod,
    )


def _array(items: Iterable[str]) -> str:
    """An array of texts, as the server reads it."""
    quoted = [each.replace("\\", "\\\\").replace('"', '\\"') for each in items]
    return "{" + ",".join(f'"{each}"' for each in quoted) + "}"
