"""The store of the slot that an agent has, together with its lease: of a slot that its
configuration names, or of any one of a role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NoReturn

from choreomon.agent_files.addresses import at_port_of, reached_at
from choreomon.agent_files.postgresql import PostgresqlStore
from choreomon.core.roles import Roles
from choreomon.runtime.leases.ends import Fenced, Taken
from choreomon.runtime.leases.rules import Lease, for_service, reached_before, to_adopt, until_next
from choreomon.runtime.ports import CommitFailed
from choreomon.runtime.stores.agent_store import Owner
from choreomon.runtime.stores.postgresql.journal import SlotJournal
from choreomon.runtime.stores.postgresql.leases import PostgresLeases
from choreomon.runtime.stores.postgresql.server import Address, Server
from choreomon.runtime.stores.postgresql.tables import unusable

RENEWALS: Final = 3
"""Renewals in the time of a lease, so that one may be late."""


class HeldStore:
    """The store of a slot that was taken: see `choreomon.runtime.stores.agent_store`. `seconds`: of
    its lease. `advertise`: where others reach its agent, empty where that follows.
    A slot that is held as vacant has its connection in common with that of the service."""

    def __init__(
        self,
        leases: PostgresLeases,
        taken: Taken,
        *,
        seconds: float,
        advertise: str = "",
        others: Others | None = None,
    ) -> None:
        assert isinstance(taken.store, SlotJournal)
        self._leases = leases
        self._journal = taken.store
        self._lease = taken.lease
        self._advertise = advertise
        self.others = others
        self.process = taken.lease.slot
        self.name = leases.kept(taken.lease.slot).name
        """The same for all lives of a slot: they count apart."""
        self.forgetful = taken.lost
        self.reached = reached_before(taken.lease.lives) if taken.lost else 0
        self.renewal = seconds / RENEWALS
        self.load = taken.store.load
        self.commit = taken.store.commit
        self.snapshot = taken.store.snapshot
        self.exchange = taken.store.exchange
        self.instance = taken.store.instance
        self.instances = taken.store.instances

    @property
    def systems(self) -> tuple[str, ...]:
        """The ids of the systems that it holds, in the order of its tables."""
        return self._journal.systems

    @property
    def directory(self) -> HeldStore:
        """Itself: leases have the addresses of agents."""
        return self

    def announce(self, endpoint: str) -> None:
        """Write beside the lease where the agent is reached. Raises `CommitFailed`, `Fenced`, and
        `DocumentError` where that does not follow."""
        slot, number, _, before, *_ = self._lease
        advertised = self._advertise
        if not self._lease.used:
            advertised = at_port_of(advertised, endpoint)
        address = reached_at(endpoint, advertised, self._leases.local_host)
        if not address:
            told = f"is reached by another kind of address than {endpoint}: say where others reach"
            raise unusable(slot, f"{told} this agent, as in advertise: tcp://HOST:PORT")
        if address != before and not self._leases.announce(slot, number, address):
            self._refuse()
        self._lease = self._lease._replace(address=address)

    def look_up(self, processes: Iterable[str]) -> Mapping[str, str]:
        """The addresses of the agents of slots. Raises `CommitFailed`."""
        return self._leases.addresses(processes)

    def renew(self) -> None:
        """Renew the lease. Raises `CommitFailed` and `Fenced`."""
        if self._leases.renew({self._lease.slot: self._lease.number}):
            self._refuse()

    def _refuse(self) -> NoReturn:
        lease = self._leases.kept(self._lease.slot).lease
        raise Fenced(lease.slot, lease.holder, lease.address)

    def close(self) -> None:
        """Give the slot back, after all was committed."""
        with suppress(CommitFailed):  # then others wait until the lease is over
            self._leases.give_back(self._lease.slot, self._lease.number)
        if self._lease.used:
            self._leases.close()

    def abandon(self) -> None:
        """Give the slot back. What is there was not changed."""
        self.close()


class Others:
    """The other slots of a role: see `choreomon.runtime.stores.agent_store`."""

    def __init__(
        self, leases: PostgresLeases, role: str, holder: str, *, seconds: float, advertise: str
    ) -> None:
        self._leases = leases
        self._role = role
        self._holder = holder
        self._seconds = seconds
        self._advertise = advertise
        self.pause = seconds / RENEWALS

    def vacant(self, held: Iterable[str], *, starts: bool) -> list[str]:
        """The slots for which nobody answers. Raises `CommitFailed`."""
        self.pause = self._seconds / RENEWALS
        now, there = self._leases.look(self._role)
        self.pause = min(self.pause, until_next(there, held, now))
        return [each.slot for each in to_adopt(there, self._holder, held, now, starts=starts)]

    def adopt(self, slot: str, systems: Sequence[str]) -> HeldStore | None:
        """Take a slot as vacant, where nobody was faster. Raises `CommitFailed`."""
        self._leases.systems = tuple(systems)
        taken = self._leases.take(slot, used=False)
        if taken is None:
            return None
        return HeldStore(self._leases, taken, seconds=self._seconds, advertise=self._advertise)


def open_held(
    store: PostgresqlStore,
    owner: Owner,
    roles: Roles,
    *,
    local: str,
    listen: str,
    advertise: str = "",
) -> HeldStore:
    """Take the slot of an owner, or the best one where it is one of the roles, and its store.
    `local`: where its service connects; `listen`: where its agent listens, and `advertise`, where
    that is told, where it is reached. Raises `DocumentError`, also where others have it."""
    where = str(store)
    try:
        server = Server(Address(store.url, store.schema, store.timeout))
    except ImportError:
        told = "needs psycopg, which is not here: install choreomon[postgresql]"
        raise unusable(where, told) from None
    holder = store.named_holder(local)
    leases = PostgresLeases(
        server,
        holder=holder,
        address=advertise or listen,
        seconds=store.lease,
        roles=roles,
        systems=owner.systems,
    )
    try:
        taken = _take(leases, owner.process, holder, where)
        seconds, name = store.lease, owner.process
        others = None
        if taken.lease.slot != name:
            others = Others(leases, name, holder, seconds=seconds, advertise=advertise)
        return HeldStore(leases, taken, seconds=seconds, advertise=advertise, others=others)
    except CommitFailed as failed:
        leases.close()
        raise unusable(where, f"cannot be used: {failed}") from None
    except BaseException:
        leases.close()
        raise


def _take(leases: PostgresLeases, name: str, holder: str, where: str) -> Taken:
    """Take the best slot: where another agent was faster, the best one of those that are left."""
    while True:
        now, there = leases.look(name)
        best = for_service(there, holder, now)
        if best is None:
            raise unusable(where, _held(name, now, there))
        taken = leases.take(best.slot, used=True)
        if taken is not None:
            return taken


def _held(name: str, now: float, leases: tuple[Lease, ...]) -> str:
    held = [
        f"{lease.slot} is held by {lease.holder}, whose agent is at {lease.address}, for "
        f"{max(0.0, lease.until - now):.1f}s at least"
        for lease in leases
    ]
    if leases[0].slot == name:
        return f"{held[0]}: stop that one, or start this one then"
    told = "; ".join(held)
    return (
        f"none of the {len(leases)} slots of {name} is free: {told}: stop one, start this one "
        f"then, or split again with more slots of {name}"
    )
