"""The sidecar that a configuration and its tables describe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.clocks.coding import PLAIN
from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.wire import NO_STORE
from choreomon.monitor.host import Host
from choreomon.monitor.of_instances.monitor import InstanceMonitor
from choreomon.monitor.pull import Monitor
from choreomon.monitor.rule_sets import RULES
from choreomon.runtime.sidecar import Sidecar

OF_INSTANCES: Final = 8
"""Inspections that may be open of a property for each instance for one of another: they are of
thousands of orders, of which each has few."""


def make_sidecar(
    config: AgentConfig, tables: Sequence[SplitTable], store: bytes = NO_STORE
) -> Sidecar:
    """The sidecar that a configuration and its tables describe, those under `closing` at the end.
    `store`: the name of its store."""
    systems = tuple(bytes.fromhex(table.system_id) for table in tables)
    return Sidecar(
        process=config.process,
        role=next((table.named for table in tables if table.roles), ""),
        short_clocks=any(table.roles and len(table.processes) > PLAIN for table in tables),
        store=store,
        systems=systems,
        after={
            system: table.after
            for system, table in zip(systems, tables, strict=True)
            if table.after is not None
        },
        closing=frozenset(systems[len(systems) - len(config.closing) :]),
        value_keys={
            system: table.key for system, table in zip(systems, tables, strict=True) if table.key
        },
        hosts=tuple(
            Host(
                (InstanceMonitor if table.table.parameters else Monitor)(
                    table.table,
                    table.processes,
                    RULES[table.rules],
                    has_deadline=True,
                    most_open=config.most_open * (OF_INSTANCES if table.table.parameters else 1),
                    in_slices=True,
                )
            )
            for table in tables
        ),
        lease=config.lease,
        window=config.limits.window,
        most_sessions=config.limits.sessions,
    )
