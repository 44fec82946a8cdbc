"""Configurations whose `process` is a role, for an agent that takes any slot of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from choreomon.agent_files.addresses import Address, parse_tcp
from choreomon.agent_files.agent_config import AgentConfig, LocalAccess
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.roles import NO_ROLES, Roles


def roles_of(tables: Sequence[SplitTable]) -> Roles:
    """The roles of the systems of one agent, which have the same processes."""
    return next((table.roles for table in tables if table.roles), NO_ROLES)


def is_of_role(config: AgentConfig, tables: Sequence[SplitTable]) -> bool:
    """Tell whether the agent takes any slot of a role."""
    return config.process in roles_of(tables).slots


def at_slot(config: AgentConfig, slot: str) -> AgentConfig:
    """The configuration of a role when its agent has this slot. Where the slot has an address and
    any port would do, it listens at the port of that."""
    peers = dict(config.peers)
    known, listen = parse_tcp(peers.pop(slot, "")), parse_tcp(config.listen)
    at = config.listen
    if known is not None and listen is not None and not listen.port:
        at = f"tcp://{Address(listen.host, known.port)}"
    return replace(config, process=slot, role=config.process, peers=peers, listen=at)


def vacant_at(config: AgentConfig, slot: str) -> AgentConfig:
    """The configuration by which an agent, which has this one, answers for another slot of its role
    that nobody has: at any port, and with nothing for services and operators."""
    listen = parse_tcp(config.listen)
    assert listen is not None  # of its shape
    peers = {peer: address for peer, address in config.peers.items() if peer != slot}
    return replace(
        config,
        process=slot,
        peers=peers,
        listen=f"tcp://{Address(listen.host, 0)}",
        local=LocalAccess(),
        http=None,
        proxies=None,
    )


def at_each_slot(config: AgentConfig, tables: Sequence[SplitTable]) -> list[AgentConfig]:
    """The configurations that it may become: itself where it names a process."""
    if not is_of_role(config, tables):
        return [config]
    return [at_slot(config, slot) for slot in roles_of(tables).slots_of(config.process)]
