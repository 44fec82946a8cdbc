"""The store that a configuration names, the slot that comes with it, and which of its tables what
it holds is of."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, ParamSpec, TypeVar

from choreomon.agent_files.agent_config import AgentConfig, refuse, told_at
from choreomon.agent_files.postgresql import PostgresqlStore
from choreomon.agent_files.role_config import at_slot, is_of_role, roles_of
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.errors import Defect, DocumentError
from choreomon.core.roles import NO_ROLES
from choreomon.runtime.leases.ends import Fenced
from choreomon.runtime.local_socket import check_unused
from choreomon.runtime.ports import CommitFailed, Store
from choreomon.runtime.snapshot import without_drained
from choreomon.runtime.stores.agent_store import AgentStore, Owner
from choreomon.runtime.stores.slot_files import open_free
from choreomon.runtime.stores.sqlite import SqliteStore, boot_id

P = ParamSpec("P")
R = TypeVar("R")


class Placed(NamedTuple):
    """The configuration and the tables of an agent at its slot. `store`: that of the slot, where it
    was taken."""

    config: AgentConfig
    tables: tuple[SplitTable, ...]
    store: AgentStore | None = None


def placed(config: AgentConfig, tables: Sequence[SplitTable]) -> Placed:
    """Take the best slot of its role for an agent whose configuration names one; another one's
    process is known. Raises `DocumentError`, also where no slot is free."""
    if not is_of_role(config, tables):
        return Placed(config, tuple(tables))
    store = open_store(config, tables)
    assert store is not None  # as `table_defects` has it
    there = tuple([table.at(store.process) for table in tables])
    return Placed(at_slot(config, store.process), there, store)


def open_store(config: AgentConfig, tables: Sequence[SplitTable]) -> AgentStore | None:
    """The journal. Raises `DocumentError`."""
    if config.store is None or config.durability == "off":
        return None
    owner = Owner(config.process, tuple(table.system_id for table in tables))
    path, roles = config.local.path, NO_ROLES
    if path is not None and isinstance(config.store, PostgresqlStore):
        with told_at(config, ("local", "path")):
            check_unused(path)
    with told_at(config, ("store",)):
        local = str(config.local.tcp if path is None else path.absolute())
        if is_of_role(config, tables):
            roles = roles_of(tables)
        if isinstance(config.store, PostgresqlStore):
            from choreomon.runtime.stores.postgresql.held import open_held

            return open_held(
                config.store,
                owner,
                roles,
                local=local,
                listen=config.listen,
                advertise=config.advertise,
            )
        kept = config.durability
        if roles:
            folder, boot = config.store, boot_id()
            return open_free(folder, owner, roles, durability=kept, boot=boot, holder=local)
        return SqliteStore(config.store, kept, boot_id(), owner=owner)


def stored_tables(
    config: AgentConfig, tables: Sequence[SplitTable], store: AgentStore
) -> tuple[SplitTable, ...]:
    """The tables of the systems that a store holds, in their order. One that is not there is needed
    to read what it holds, but where the agent ended in order and that system was drained: it is
    left out then. Raises `DocumentError`, and lets go of the store, where it is needed."""
    known = {table.system_id: table for table in tables}
    told = (
        "lack one of the system {}, which is in the store {}: name it under closing, and take it "
        "out when `choreomon watch` says that it is drained, by a reload, or after the agent was "
        "stopped in order"
    )
    lacking = [system for system in store.systems if system not in known]
    try:
        if lacking and _left_out(store, lacking):
            lacking = []
        refuse(config, [Defect(("tables",), told.format(each, config.store)) for each in lacking])
    except DocumentError:
        store.abandon()
        raise
    return tuple([known[system] for system in store.systems])


def _left_out(store: AgentStore, systems: Sequence[str]) -> bool:
    """Leave these systems out of what the store holds; return whether that was possible."""
    snapshot, rows = store.load()
    if snapshot is None or rows:
        return False
    left = without_drained(snapshot, {bytes.fromhex(system) for system in systems})
    if left is None:
        return False
    try:
        store.exchange(*left)
    except CommitFailed:
        return False
    return True


class TimedStore:
    """A store whose commits are timed, and which tells when one is refused for good."""

    def __init__(
        self,
        store: Store,
        committed: Callable[[float], None],
        fenced: Callable[[Fenced], None],
    ) -> None:
        self._store = store
        self._committed = committed
        self._fenced = fenced
        self.load = self._telling(store.load)
        self.snapshot = self._telling(store.snapshot)
        self.exchange = self._telling(store.exchange)
        self.instance = self._telling(store.instance)
        self.instances = self._telling(store.instances)

    def commit(self, row: bytes) -> None:
        began = time.perf_counter()
        try:
            self._store.commit(row)
        except Fenced as fenced:
            self._fenced(fenced)
            raise
        self._committed(time.perf_counter() - began)

    def _telling(self, operation: Callable[P, R]) -> Callable[P, R]:
        def told(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return operation(*args, **kwargs)
            except Fenced as fenced:
                self._fenced(fenced)
                raise

        return told
