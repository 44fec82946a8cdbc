"""What keeps leases and stores, in memory: one engine for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from choreomon.core.roles import Roles
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.inputs import Input, decode_batch, encode_batch
from choreomon.runtime.leases.ends import Fenced
from choreomon.runtime.leases.rules import Lease, may_be_taken, renewed, taken, with_store
from choreomon.runtime.leases.rules import given_back as back
from choreomon.runtime.sidecar import Sidecar


class Found(NamedTuple):
    """A slot that was taken: its state is `None` where the store is empty."""

    lease: Lease
    state: SidecarState | None
    lost: bool


@dataclass
class Kept:
    """What is committed of a slot."""

    state: SidecarState | None = None
    rows: list[bytes] = field(default_factory=list)


class Engine:
    """Leases that last so many ticks of its clock `now`."""

    def __init__(self, roles: Roles, seconds: int, bug: str = "") -> None:
        self.seconds, self.bug = seconds, bug
        self.now = 0
        self.slots = {role: roles.slots_of(role) for role in roles.slots}
        self.leases = {slot: Lease(slot) for slot in roles.processes(roles.slots)}
        self.stores = {slot: Kept() for slot in self.leases}

    def look(self, role: str) -> tuple[Lease, ...]:
        """The leases of a role."""
        return tuple([self.leases[slot] for slot in self.slots[role]])

    def take(
        self, slot: str, pod: str, address: str, *, used: bool, loses: bool = False
    ) -> Found | None:
        """Take a slot, and read its store, which may be lost just before."""
        lease = self.leases[slot]
        if not may_be_taken(lease, pod, self.now, used=used):
            return None
        lease = taken(lease, pod, address, self.now + self.seconds, used=used)
        if loses and self.stores[slot].state is not None:
            self.stores[slot] = Kept()
        state = self.stores[slot].state
        self.leases[slot] = lease
        lease, lost = with_store(lease, empty=state is None)
        return Found(lease, state, lost)

    def is_mine(self, lease: Lease) -> bool:
        """Tell whether who has this lease may commit."""
        return self.leases[lease.slot].number == lease.number

    def commit(self, lease: Lease, state: SidecarState, batch: list[Input]) -> None:
        """Keep a state and the inputs that led there. Raises `Fenced`."""
        if not self.is_mine(lease) and self.bug != "a commit without a check":
            raise Fenced(lease.slot)
        self.write(lease, state, batch)

    def write(self, lease: Lease, state: SidecarState, batch: list[Input]) -> None:
        """Keep them whatever the lease's number."""
        kept, row = self.stores[lease.slot], self.leases[lease.slot]
        kept.state = state
        kept.rows.append(encode_batch(batch))
        self.leases[lease.slot] = row._replace(lives=max(row.lives, lease.lives))

    def renew(self, numbers: Mapping[str, int]) -> frozenset[str]:
        """Renew leases; the slots that are somebody else's."""
        others = set()
        for slot, number in numbers.items():
            lease = renewed(self.leases[slot], number, self.now + self.seconds)
            if lease is None:
                others.add(slot)
            else:
                self.leases[slot] = lease
        return frozenset(others)

    def give_back(self, slot: str, number: int) -> None:
        """Give a slot back, if it is still the holder's."""
        self.leases[slot] = back(self.leases[slot], number) or self.leases[slot]

    def replayed(self, sidecar: Sidecar) -> SidecarState:
        """The state that the journal of a slot gives."""
        state = sidecar.initial()
        for row in self.stores[sidecar.process].rows:
            for input_ in decode_batch(row):
                state, _ = sidecar.step(state, input_)
        return state
