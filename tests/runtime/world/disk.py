"""Disks in memory: what was committed is there after a crash, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

from choreomon.runtime.instances.rows import InstanceRow
from choreomon.runtime.ports import CommitFailed


class Crash(Exception):
    """A process dies here: nothing that it would have done next happens."""


Moment: TypeAlias = Literal["before", "after"]

BEFORE: Final[Moment] = "before"
AFTER: Final[Moment] = "after"


class Disk:
    """The journal of one agent. It is a `choreomon.runtime.driver.Store`.

    `at(moment)` is called before and after each commit and each snapshot, and may raise `Crash`;
    `committed()` is called in between, when the row is there. `systems` are those that the state
    was last exchanged for, when `exchanged` was told.
    """

    def __init__(
        self, at: Callable[[Moment], None], committed: Callable[[], None] = lambda: None
    ) -> None:
        self.rows: list[bytes] = []
        self.snapshots: list[tuple[int, bytes]] = []
        self._instances: list[dict[tuple[bytes, bytes], bytes | None]] = []
        """What instances there were after each snapshot."""
        self.full = False
        self.synced = 0
        self.systems: tuple[bytes, ...] | None = None
        self.exchanged: Callable[[bytes, tuple[bytes, ...]], None] = lambda state, systems: None
        self._sync = False
        self.failures = 0
        self._at = at
        self._committed = committed

    def load(self) -> tuple[bytes | None, list[bytes]]:
        if not self.snapshots:
            return None, self.rows[:]
        number, state = self.snapshots[-1]
        return state, self.rows[number:]

    def opened(self) -> None:
        """The first commit from now on survives the loss of power, with all before it."""
        self._sync = True

    def commit(self, row: bytes) -> None:
        self._take()
        self.rows.append(row)
        if self._sync:
            self._sync, self.synced = False, len(self.rows)
        self._committed()
        self._at(AFTER)

    def snapshot(self, state: bytes, instances: Sequence[InstanceRow] = ()) -> None:
        self._take()
        self._put(state, instances)
        self._at(AFTER)

    def instance(self, system: bytes, key: bytes) -> bytes | None:
        return self._instances[-1].get((system, key)) if self._instances else None

    def instances(self, system: bytes, after: bytes, most: int) -> list[tuple[bytes, bytes]]:
        there = self._instances[-1] if self._instances else {}
        found = [
            (key, state)
            for (of, key), state in sorted(there.items())
            if of == system and key > after and state is not None
        ]
        return found[:most]

    def _put(self, state: bytes, instances: Sequence[InstanceRow]) -> None:
        self.snapshots.append((len(self.rows), state))
        there = {**self._instances[-1]} if self._instances else {}
        there |= {(row.system, row.key): row.state for row in instances}
        self._instances.append(there)

    def exchange(
        self, state: bytes, systems: tuple[bytes, ...], instances: Sequence[InstanceRow] = ()
    ) -> None:
        self._take()
        self._put(state, instances)
        self.systems, self.synced = systems, len(self.rows)
        self.exchanged(state, systems)
        self._at(AFTER)

    def _take(self) -> None:
        if self.full:
            self.failures += 1
            raise CommitFailed("the disk is full")
        self._at(BEFORE)

    def forget(self, rows: int) -> int:
        """The power was lost, and with it so many of the last rows. How many there were."""
        rows = min(rows, len(self.rows) - self.synced)
        if rows:
            del self.rows[-rows:]
        self.snapshots = [kept for kept in self.snapshots if kept[0] <= len(self.rows)]
        del self._instances[len(self.snapshots) :]
        return rows
