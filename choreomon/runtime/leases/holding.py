"""The slots that an agent has, as a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from choreomon.runtime.leases.rules import Lease


class Holding(NamedTuple):
    """The numbers under which an agent has its slots. `own` is that of its service, empty where it
    has none."""

    numbers: Mapping[str, int]
    own: str = ""

    def taken(self, lease: Lease) -> Holding:
        """The slots with this one, which was taken just now."""
        own = lease.slot if lease.used else self.own
        return Holding({**self.numbers, lease.slot: lease.number}, own)

    def without(self, slots: Iterable[str]) -> Holding:
        """The slots that are left when these are somebody else's, or given back. Nothing of what is
        known of them may be used again, nothing that waits for a commit leaves; and where the own
        one is among them, its service's session here is over."""
        gone = {*slots}
        numbers = {slot: number for slot, number in self.numbers.items() if slot not in gone}
        return Holding(numbers, "" if self.own in gone else self.own)


NOTHING_HELD = Holding({})
