"""What keeps leases, and the stores of the slots with them: the port of an agent.

An end is made for one holder, with the name of its pod, the address of its agent, and the seconds
of a lease. Each method is one transaction with a clock of its own. It raises `CommitFailed` where
the end is out of reach; what was done then may be done again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from choreomon.runtime.leases.rules import Lease
from choreomon.runtime.ports import Store


class Fenced(Exception):
    """The lease of this slot has another number: somebody took the slot, `holder` where that is
    known. Nothing of the commit is kept, and it is not tried again; see
    `choreomon.runtime.leases.holding`."""

    def __init__(self, slot: str, holder: str = "", address: str = "") -> None:
        whose = f"that of {holder}, whose agent is at {address}" if holder else "somebody else's"
        super().__init__(f"the lease of {slot} is {whose}")
        self.slot = slot


class Taken(NamedTuple):
    """A slot that was taken. `store` has what is committed of it; each of its commits, snapshots
    and exchanges is refused with `Fenced` where the lease has another number, in the same
    transaction, which holds a lock on the lease until it ends. Where a life begins with it, and
    where something is `lost` (`choreomon.runtime.leases.rules.with_store`), `lease.lives` is one
    more than what is kept, and the first commit keeps it, too."""

    lease: Lease
    store: Store
    lost: bool


class Leases(Protocol):
    """The leases of the slots of one system, kept for one holder."""

    def look(self, role: str) -> tuple[float, tuple[Lease, ...]]:
        """The time, and the leases of the role, in the order of its slots."""

    def take(self, slot: str, *, used: bool) -> Taken | None:
        """Take the slot if `may_be_taken` says so; `None`: it does not. The store is read after the
        number has moved on."""

    def renew(self, numbers: Mapping[str, int]) -> frozenset[str]:
        """Renew the leases of these slots that have these numbers; the slots whose leases have
        others."""

    def give_back(self, slot: str, number: int) -> None:
        """Give a slot back, if its lease has this number."""

    def read(self, slot: str) -> tuple[Lease, bytes | None, list[bytes]]:
        """The lease of a slot, held by whomever, and what is committed of it, as `Store.load` has
        it, read at one moment. Nothing is changed. Raises `CommitFailed` also where its holder
        keeps it from being read."""
