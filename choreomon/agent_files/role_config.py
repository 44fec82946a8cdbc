"""Configurations whose `process` is a role, for an agent that takes any slot of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from choreomon.agent_files.agent_config import AgentConfig
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.roles import NO_ROLES, Roles


def roles_of(tables: Sequence[SplitTable]) -> Roles:
    """The roles of the systems of one agent, which have the same processes."""
    return next((table.roles for table in tables if table.roles), NO_ROLES)


def is_of_role(config: AgentConfig, tables: Sequence[SplitTable]) -> bool:
    """Tell whether the agent takes any slot of a role."""
    return config.process in roles_of(tables).slots


def at_slot(config: AgentConfig, slot: str) -> AgentConfig:
    """The configuration of a role when its agent has this slot."""
    peers = {peer: address for peer, address in config.peers.items() if peer != slot}
    return replace(config, process=slot, role=config.process, peers=peers)


def at_each_slot(config: AgentConfig, tables: Sequence[SplitTable]) -> list[AgentConfig]:
    """The configurations that it may become: itself where it names a process."""
    if not is_of_role(config, tables):
        return [config]
    return [at_slot(config, slot) for slot in roles_of(tables).slots_of(config.process)]
