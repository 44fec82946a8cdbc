"""What an agent needs of its store, whatever keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from choreomon.core.errors import DocumentError
from choreomon.runtime.network.found_addresses import Directory
from choreomon.runtime.ports import Store


class StoreInUse(DocumentError):
    """Another agent has this store."""


class Owner(NamedTuple):
    """The owner of a journal: a process, and the ids of its systems, in the order of its tables."""

    process: str
    systems: tuple[str, ...]


class OtherSlots(Protocol):
    """The other slots of a role, for which its agents answer where nobody has them."""

    @property
    def pause(self) -> float:
        """Seconds from the last look to the next."""

    def vacant(self, held: Iterable[str], *, starts: bool) -> list[str]:
        """The slots for which nobody answers, beside those that are held
        (`choreomon.runtime.leases.rules.to_adopt`). Raises `CommitFailed`."""

    def adopt(self, slot: str, systems: Sequence[str]) -> AgentStore | None:
        """Take a slot as vacant, and its store, which begins with these systems where it has none;
        `None`: somebody else has it by now. Raises `CommitFailed`."""


class AgentStore(Store, Protocol):
    """The store of one agent, from its start to its end."""

    @property
    def process(self) -> str:
        """The process whose store it is."""

    @property
    def name(self) -> bytes:
        """The name that tells it from any other store; empty if it was made before stores had
        names."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The ids of the systems that it holds, in the order of its tables."""

    @property
    def forgetful(self) -> bool:
        """Tell whether the last commits may be lost."""

    @property
    def reached(self) -> int:
        """The count that earlier lives of the process may have reached, where all that is known of
        them is lost (`choreomon.runtime.leases.rules`); 0 otherwise."""

    @property
    def renewal(self) -> float | None:
        """Seconds until `renew` is due; `None`: there is no lease, as where a file is locked."""

    @property
    def directory(self) -> Directory | None:
        """The directory in which agents are found, beside leases; `None`: there are none."""

    @property
    def others(self) -> OtherSlots | None:
        """The other slots of the role of which the agent took any; `None`: its slot was named, or
        nobody may answer for others."""

    def renew(self) -> None:
        """Renew the lease. Raises `CommitFailed` where that cannot be done now, and
        `choreomon.runtime.leases.ends.Fenced`."""

    def close(self) -> None:
        """Close in order, after all was committed."""

    def abandon(self) -> None:
        """Clean up after a failed start: what was there before is left as it is, and what was made
        is removed."""
