"""Agents on loopback, with real sockets and files, for two processes: `A -> B : a` and then
`B -> A : b` is forbidden."""

from __future__ import annotations

import dataclasses
import os
import socket
from pathlib import Path
from typing import Any, Final

from choreomon.agent_files.agent_config import AgentConfig, LocalAccess
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.message import Message
from choreomon.properties.tables import transition_tables
from choreomon.runtime.agent import Agent
from choreomon.runtime.operations.logs import Log
from tests.properties.stated import automaton_of

NAMES: Final = ("A", "B")
ANY_PORT: Final = "tcp://127.0.0.1:0"
NOWHERE: Final = "tcp://127.0.0.1:9"


def tables_of(nonce: bytes = b"nonce") -> dict[str, SplitTable]:
    automaton = automaton_of(
        "q0", "q2", ("q0", Message("A", "a", "B"), "q1"), ("q1", Message("B", "b", "A"), "q2")
    )
    system = system_id(automaton, NAMES, "sound", nonce)
    tables = transition_tables(automaton, NAMES)
    return {name: SplitTable(system, "two", "sound", NAMES, tables[name]) for name in NAMES}


def config_of(folder: Path, process: str = "B", **changes: Any) -> AgentConfig:
    """A durable one, whose peer is nowhere, and whose words go nowhere."""
    other = NAMES[1 - NAMES.index(process)]
    config = AgentConfig(
        process=process,
        tables=(),
        listen=ANY_PORT,
        peers={other: NOWHERE},
        local=LocalAccess(path=folder / "run" / f"{process}.sock"),
        insecure=True,
        store=folder / f"{process}.db",
        verdicts=(),
    )
    return dataclasses.replace(config, **changes)


def agent_of(config: AgentConfig, **options: Any) -> Agent:
    return Agent(config, [tables_of()[config.process]], log=Log(), **options)


def held_port() -> socket.socket:
    """A port that is in use until it is closed."""
    return socket.create_server(("127.0.0.1", 0))


def open_files() -> list[str]:
    """What this process has open. Pipes and such have a number, which says which one."""
    found = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        except OSError:  # the folder itself, which is closed by now
            continue
    return sorted(found)
