"""The folder of one run: tables, keys, sockets, and the records of events.

Only the user can enter it (mode 0700). Keys and tables are made anew for every run, so that no
message of one run is understood in another. At the end of the run the folder is removed with
everything in it.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from choreomon.agent_files.agent_config import AgentConfig, Keys, LocalAccess
from choreomon.agent_files.clocks.text import KEY_BYTES, SystemKey
from choreomon.agent_files.digests import KEY_BYTES as VALUE_KEY_BYTES
from choreomon.agent_files.key_files import (
    KeyPair,
    PublicKey,
    public_file,
    secret_file,
    write_key_pair,
    write_public_key,
)
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.core.message import Label
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.deployment.event_records import Records
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import RulesName, transition_tables
from choreomon.runtime.network.security import make_key_pair

FOR_EVER: Final = 1e7
"""Seconds that a monitor waits if it is to wait as long as it takes."""
_NONCE_BYTES: Final = 32


@dataclass(frozen=True)
class Monitoring:
    """Tables and keys of the monitors of one run, by process."""

    tables: Mapping[str, SplitTable]
    keys: Mapping[str, KeyPair]

    @property
    def system_key(self) -> SystemKey:
        """The key by which clocks on messages are found."""
        return bytes.fromhex(next(iter(self.tables.values())).system_id)[:KEY_BYTES]

    @property
    def asks(self) -> dict[str, tuple[str, ...]]:
        """The processes that each monitor asks."""
        return {process: table.asked for process, table in self.tables.items()}

    def mentioned(self, process: str) -> frozenset[Label]:
        """The events of which the monitor of a process is told."""
        return frozenset(row.transition.label for row in self.tables[process].table.rows)


def split(
    automaton: SequenceAutomaton,
    processes: tuple[str, ...],
    rules: RulesName,
    title: str,
    parameters: Parameters | None = None,
    roles: Roles = NO_ROLES,
) -> Monitoring:
    """New tables and new keys. Raises `UnusableKeys` if CURVE is not available."""
    system = system_id(automaton, processes, rules, secrets.token_bytes(_NONCE_BYTES), parameters)
    title = title if title.isprintable() else ascii(title)
    tables = transition_tables(automaton, processes, rules, parameters)
    key = b"" if parameters is None else secrets.token_bytes(VALUE_KEY_BYTES)
    return Monitoring(
        {
            name: SplitTable(
                system,
                title,
                rules,
                processes,
                tables[name],
                automaton.sequences,
                key=key,
                roles=roles,
            )
            for name in processes
        },
        {name: make_key_pair(name) for name in processes},
    )


class RunDirectory:
    """The folder, and the places of its files, by process."""

    def __init__(self, folder: Path, processes: tuple[str, ...]) -> None:
        self.folder = folder
        self._number = {process: number for number, process in enumerate(processes)}

    @property
    def endpoint(self) -> str:
        """The endpoint at which actors connect with their network."""
        return f"ipc://{self.folder / 'network.sock'}"

    def socket(self, process: str) -> Path:
        """The socket at which the agent of a process listens for it."""
        return self._of(process, "agent", "sock")

    def noted(self, process: str) -> Path:
        """The file in which the actor of a process notes its events."""
        return self._of(process, "noted", "jsonl")

    def ticks(self, process: str) -> Path:
        """The file in which the monitor of a process writes its trace."""
        return self._of(process, "ticks", "jsonl")

    def records(self, monitored: bool) -> list[Records]:
        """The records of all processes."""
        return [
            Records(name, self.noted(name), self.ticks(name) if monitored else None)
            for name in self._number
        ]

    def furnish(self, monitoring: Monitoring) -> None:
        """Write tables and keys."""
        self._public.mkdir()
        for name, pair in monitoring.keys.items():
            secret = self._secret(name)
            secret.parent.mkdir()
            with os.fdopen(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
                f.write(write_key_pair(pair))
            public = self._public / public_file(name)
            public.write_text(write_public_key(PublicKey(name, pair.public)), encoding="utf-8")
        for name, table in monitoring.tables.items():
            self._of(name, "table", "json").write_bytes(write_table(table))

    def config(
        self, table: SplitTable, addresses: Mapping[str, str], deadline: float | None
    ) -> AgentConfig:
        """The configuration of the agent with this table. `addresses`: where others are asked.
        `deadline` is in seconds. No run is ever resumed, so nothing of it is kept on the disk."""
        process = table.process
        return AgentConfig(
            process=process,
            tables=(self._of(process, "table", "json"),),
            listen="tcp://127.0.0.1:0",
            local=LocalAccess(path=self.socket(process)),
            peers={peer: addresses[peer] for peer in table.asked},
            keys=Keys(self._secret(process), self._public),
            durability="off",
            deadline=FOR_EVER if deadline is None else deadline,
            give_up=2 * FOR_EVER,
            verdicts=(),
        )

    @property
    def _public(self) -> Path:
        return self.folder / "public"

    def _secret(self, process: str) -> Path:
        return self._of(process, "key", "d") / secret_file(process)

    def _of(self, process: str, what: str, suffix: str) -> Path:
        return self.folder / f"{what}-{self._number[process]}.{suffix}"


@contextmanager
def run_directory(within: Path, processes: tuple[str, ...]) -> Iterator[RunDirectory]:
    """A new folder within another one, gone at the end. Raises `OSError` if none can be made."""
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=within))
    try:
        yield RunDirectory(folder, processes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
