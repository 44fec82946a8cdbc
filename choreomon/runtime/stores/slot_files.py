"""The stores of the slots of a role in one folder, `shop~0.db` and so on, of one machine.

The lock of a file is the lease of its slot. It is free when its process is dead, so there is no
time to wait for, and nobody is ever fenced. `shop~0.holder` says whose it was last, so that an
agent that is started again finds what it had; nothing else follows from it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.names import short
from choreomon.core.roles import Roles
from choreomon.runtime.leases.rules import Lease, for_service
from choreomon.runtime.stores.agent_store import Owner, StoreInUse
from choreomon.runtime.stores.sqlite import SqliteStore

_MOST: Final = 4096
"""Bytes that are read of who had a slot."""
_NOW: Final = 0.0
"""A time at which no lease lasts: whether a slot is free shows when its file is opened."""


def open_free(
    folder: Path,
    owner: Owner,
    roles: Roles,
    *,
    durability: Literal["process", "power"],
    boot: str,
    holder: str,
) -> SqliteStore:
    """Open the store of the best free slot of a role, which the owner names. `holder`: the agent,
    the same when it is started again. Raises `DocumentError`, also where no slot is free."""
    role = owner.process
    if not folder.is_dir():
        told = "is a file" if folder.exists() else "is not there: make it first"
        told = f"should be a folder, with a file for each slot of {role}; {folder} {told}"
        raise DocumentError((Problem(str(folder), 0, "", told),))
    with _choosing(folder):
        slots = {slot: _file(folder, role, n) for n, slot in enumerate(roles.slots_of(role))}
        left = {slot: _lease(slot, file) for slot, file in slots.items()}
        while (best := for_service(left.values(), holder, _NOW)) is not None:
            slot, file = best.slot, slots[best.slot]
            mine = owner._replace(process=slot)
            try:
                store = SqliteStore(file, durability, boot, owner=mine)
            except StoreInUse:
                del left[slot]
                continue
            _note(file, holder)
            return store
        told = "; ".join(f"{file} by that of {_holder(file)}" for file in slots.values())
    told = (
        f"none of the {len(slots)} slots of {role} is free: other agents use {told}: stop one, or "
        f"split again with more slots of {role}"
    )
    raise DocumentError((Problem(str(folder), 0, "", told),))


@contextmanager
def _choosing(folder: Path) -> Iterator[None]:
    """Choose while nobody else does: two that open one file at once may find it in use both."""
    import fcntl  # which is not everywhere

    opened = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _file(folder: Path, role: str, number: int) -> Path:
    return folder / f"{short(role)}~{number}.db"


def _lease(slot: str, file: Path) -> Lease:
    holder = _holder(file)
    return Lease(slot, holder=holder, used=True, pod=holder)


def _holder(file: Path) -> str:
    try:
        with file.with_suffix(".holder").open(encoding="utf-8", errors="replace") as noted:
            return noted.read(_MOST).strip()
    except OSError:
        return ""


def _note(file: Path, holder: str) -> None:
    noted = file.with_suffix(".holder")
    try:
        noted.write_text(f"{holder}\n", encoding="utf-8")
    except OSError:
        return  # on a full disk; then its next start takes any slot
