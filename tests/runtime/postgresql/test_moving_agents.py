"""Agents of one slot as processes of their own, with a real PostgreSQL: what is acknowledged when
they are killed or stopped, and when the server is."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.documents.read import parse_document
from choreomon.properties.tables import transition_tables
from choreomon.runtime.inputs import Report, decode_batch
from choreomon.runtime.stores.postgresql.server import Address
from choreomon.sdk.blocking import connect
from choreomon.sdk.complaints import AgentUnavailable
from choreomon.sdk.process import BlockingProcess
from tests.runtime.postgresql.real_server import RealServer
from tests.runtime.postgresql.test_slot_journal import ask

SLOT = "shop/2"
PATIENT = 300.0
PROPERTY = """
roles: {shop: 3}
property:
  sequences:
    - steps: ["shop -> carrier : refund", "handle carrier -> shop : ship"]
"""


class AgentProcess:
    """An agent of the slot; `ready` is false where it could not start. `changes`: of its
    configuration."""

    def __init__(
        self, folder: Path, address: Address, *, lease: str = "3s", **changes: Any
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        document = parse_document(PROPERTY, "property.yaml").over_slots()
        found, roles = document.property, document.replicas.roles
        assert found is not None
        slots = document.processes
        system = system_id(found.automaton, slots, found.rules, b"nonce")
        table = transition_tables(found.automaton, slots, found.rules)["shop/0"]
        made = SplitTable(system, "p", found.rules, slots, table, roles=roles)
        (folder / "shop.json").write_bytes(write_table(made))
        config = {
            "process": SLOT,
            "tables": ["shop.json"],
            "listen": "tcp://127.0.0.1:0",
            "peers": {"shop/0": "tcp://127.0.0.1:9", "shop/1": "tcp://127.0.0.1:8"},
            "local": {"path": "run/agent.sock"},
            "insecure": True,
            "http": "127.0.0.1:0",
            "lease": "300ms",
            "store": {
                "postgresql": address.url,
                "schema": address.schema,
                "timeout": "1400ms",
                "lease": lease,
                "holder": folder.name,
            },
            **changes,
        }
        (folder / "agent.yaml").write_text(json.dumps(config))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "choreomon", "agent", "--config", folder / "agent.yaml"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @cached_property
    def first(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.readline()

    @property
    def ready(self) -> bool:
        return '"ready"' in self.first

    def connect(self, deadline: float = PATIENT) -> BlockingProcess:
        return connect(self.folder / "run" / "agent.sock", deadline=deadline)

    def rest(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def close(self) -> None:
        with self.process:
            self.process.kill()


@contextmanager
def agent(
    folder: Path, address: Address, lease: str = "3s", **changes: Any
) -> Iterator[AgentProcess]:
    running = AgentProcess(folder, address, lease=lease, **changes)
    try:
        assert running.first
        yield running
    finally:
        running.close()


def taken_over(stack: ExitStack, folder: Path, address: Address) -> AgentProcess:
    """An agent that is started until it gets the slot."""
    while True:
        other = stack.enter_context(agent(folder, address))
        if other.ready:
            return other
        assert "is held by one, whose agent is at tcp://" in other.first + other.rest()


def journal(address: Address) -> list[tuple[bytes, ...]]:
    return ask(address, "SELECT slot, number::text FROM journal ORDER BY number")


def test_of_two_agents_the_second_is_told_who_has_the_slot(
    tmp_path: Path, address: Address
) -> None:
    with agent(tmp_path / "one", address, "1h") as one, agent(tmp_path / "two", address) as two:
        assert one.ready, one.first + one.rest()
        assert "store: postgresql://" in two.first
        assert re.search(
            r"shop/2 is held by one, whose agent is at tcp://127\.0\.0\.1:[1-9]\d*, for 3",
            two.first,
        )
        assert two.process.wait() == 2
        one.process.terminate()
        assert one.process.wait() == 0
        with agent(tmp_path / "two", address) as again:
            assert again.ready


def test_a_killed_ones_slot_is_taken_with_its_history(tmp_path: Path, address: Address) -> None:
    with ExitStack() as stack:
        one = stack.enter_context(agent(tmp_path / "one", address))
        service = one.connect()
        clocks = [service.sending("carrier", "refund").clock for _ in range(4)]
        one.process.kill()
        two = taken_over(stack, tmp_path / "two", address)
        assert two.connect().sending("carrier", "refund").clock not in clocks
        rows = ask(address, "SELECT inputs FROM journal ORDER BY number")
        told = [each for (row,) in rows for each in decode_batch(row) if type(each) is Report]
        assert len(told) == 5
        assert ask(address, "SELECT number::text, holder FROM lease") == [(b"2", b"two")]


def test_a_stopped_one_wakes_and_nothing_of_it_leaves(tmp_path: Path, address: Address) -> None:
    with ExitStack() as stack:
        one = stack.enter_context(agent(tmp_path / "one", address))
        service = one.connect(10.0)
        service.sending("carrier", "refund")
        one.process.send_signal(signal.SIGSTOP)
        two = taken_over(stack, tmp_path / "two", address)
        before = journal(address)
        with pytest.raises(AgentUnavailable):
            service.sending("carrier", "refund")  # is in its socket
        one.process.send_signal(signal.SIGCONT)
        assert one.process.wait() == 2
        assert "the lease of shop/2 is that of two" in one.rest()
        assert journal(address) == before
        assert two.ready


def test_one_that_has_nothing_to_commit_notices_that_its_slot_is_gone(
    tmp_path: Path, address: Address
) -> None:
    with agent(tmp_path / "one", address) as one:
        assert one.ready, one.first
        ask(address, "UPDATE lease SET number = number + 1, holder = 'two' RETURNING ''")
        assert one.process.wait() == 2
        assert "the lease of shop/2 is that of two" in one.rest()


@pytest.mark.parametrize("how", ["killed", "frozen"])
def test_while_the_server_is_away_nothing_is_acknowledged_and_nothing_is_lost(
    tmp_path: Path, own_server: RealServer, how: str
) -> None:
    address = Address(own_server.url, "choreomon", 5.0)
    with agent(tmp_path / "one", address, "1h") as one:
        assert one.ready, one.first
        service = one.connect(10.0)
        service.sending("carrier", "refund")
        (own_server.kill if how == "killed" else own_server.freeze)()
        for _ in range(2):
            with pytest.raises(AgentUnavailable):
                service.sending("carrier", "refund")
        (own_server.start if how == "killed" else own_server.thaw)()
        last = one.connect().sending("carrier", "refund")
        assert last.clock
        assert one.process.poll() is None
