"""Agents in processes of their own judge each order by itself, also after they were killed, and
say its values where its service said them, and nowhere else."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from choreomon.runtime.inputs import FromPeer, decode_batch
from choreomon.sdk import connect
from choreomon.testing.held_ports import HeldPorts
from tests.cli.command_line import choreomon
from tests.runtime.conftest import Run

PROPERTY = """\
name: refunded orders stay here
property:
  for_each: [order]
  sequences:
    - steps: ["billing -> bank : refund(order)", "shop -> carrier : ship(order)"]
      cancel: [{on: "billing -> bank : reverse(order)", after: [1, 1], back_to: 0}]
"""
NAMES = ("billing", "shop")
TRACED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
REFUNDED = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
def folder() -> Iterator[Path]:
    """One whose name is so short that sockets can be in it."""
    held = HeldPorts(4)
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as name:
        folder = Path(name)
        (folder / "property.yaml").write_text(PROPERTY, encoding="utf-8")
        answer = choreomon("split", folder / "property.yaml", "-o", folder / "tables")
        assert answer.code == 0, answer.err
        for place, process in enumerate(NAMES):
            other = NAMES[1 - place]
            config = {
                "process": process,
                "tables": [f"tables/{process}.json"],
                "listen": f"tcp://127.0.0.1:{held.ports[place]}",
                "peers": {other: f"tcp://127.0.0.1:{held.ports[1 - place]}"},
                "local": {"path": f"run/{process}.sock"},
                "insecure": True,
                "store": f"{process}.db",
                "http": f"127.0.0.1:{held.ports[2 + place]}",
                "verdicts": [{"stdout": True}],
            }
            (folder / f"{process}.json").write_text(json.dumps(config), encoding="utf-8")
        yield folder
    held.let_go()


async def started(folder: Path, process: str) -> Process:
    agent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "choreomon", "agent", "--config", str(folder / f"{process}.json")),
        stdout=PIPE,
        stderr=PIPE,
    )
    assert agent.stderr is not None
    said = await agent.stderr.readline()  # that it is ready
    assert b"ready" in said, said
    return agent


async def next_verdict(agent: Process) -> dict[str, Any]:
    assert agent.stdout is not None
    found: dict[str, Any] = json.loads(await asyncio.wait_for(agent.stdout.readline(), 300))
    return found


async def ended(agent: Process, number: signal.Signals) -> list[dict[str, Any]]:
    """What it told and nobody has read."""
    agent.send_signal(number)
    told, _ = await agent.communicate()
    return [json.loads(line) for line in told.splitlines()]


def held_in(folder: Path, process: str) -> bytes:
    """All that is in a store, what is not written into the file yet included."""
    with closing(sqlite3.connect(folder / f"{process}.db")) as database:
        return "\n".join(database.iterdump()).encode() + b"".join(
            value
            for table in ("journal", "snapshot")
            for row in database.execute(f"SELECT * FROM {table}")
            for value in row
            if isinstance(value, bytes)
        )


def heard(folder: Path, process: str) -> list[bytes]:
    """The frames of other agents in a journal."""
    with closing(sqlite3.connect(folder / f"{process}.db")) as database:
        rows = database.execute("SELECT inputs FROM journal").fetchall()
    inputs = [each for (row,) in rows for each in decode_batch(row)]
    return [each.data for each in inputs if isinstance(each, FromPeer)]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_of_two_orders_the_one_is_judged_that_was_refunded(
    run: Run, folder: Path, how: signal.Signals
) -> None:
    async def main() -> None:
        agents = {name: await started(folder, name) for name in NAMES}
        billing, shop = [
            await connect(folder / "run" / f"{name}.sock", deadline=300.0) for name in NAMES
        ]
        await billing.sending("bank", "refund", order="A-17", traceparent=REFUNDED)
        await billing.sending("bank", "refund", order="B-1")
        await billing.sending("bank", "refund", order="C-5")
        await billing.sending("bank", "reverse", order="B-1")
        told = await billing.sending("shop", "done")
        await shop.handling(told)
        await shop.sending("carrier", "ship", order="D-9")
        # What follows is not judged before both have died.
        await ended(agents["billing"], how)
        await shop.sending("carrier", "ship", order="A-17", traceparent=TRACED)
        await shop.sending("carrier", "ship", order="B-1", traceparent="none")
        for process in (billing, shop):
            await process.close(deadline=0.0)
        await ended(agents["shop"], how)
        assert b"A-17" in held_in(folder, "shop")

        agents = {name: await started(folder, name) for name in NAMES}
        verdict = await next_verdict(agents["shop"])
        assert (verdict["verdict"], verdict["count"]) == ("violated", 2)
        assert verdict["for"] == {"order": "A-17"}
        assert verdict["trace_id"] == TRACED[3:35]
        (reason,) = verdict["because"]
        assert reason["event"] == {"process": "billing", "count": 1, "trace_id": REFUNDED[3:35]}
        assert "A-17" not in verdict["id"]
        configs = [each for name in NAMES for each in ("--config", folder / f"{name}.json")]
        looking = ("watch", "--once", "--wait", 300, *configs)
        # Others read what the agents say: not on the loop that waits for them.
        shown = await asyncio.to_thread(choreomon, *looking, "--explain")
        assert f"It happened in the trace {TRACED[3:35]}." in shown.out
        assert f"In the trace {REFUNDED[3:35]} happened event 1 of billing." in shown.out
        assert "(send shop -> carrier : ship) for order=A-17" in shown.out
        assert shown.code == 1
        assert (await asyncio.to_thread(choreomon, *looking, "--for", "order=A-17")).code == 1
        assert (await asyncio.to_thread(choreomon, *looking, "--for", "order=B-1")).code == 0
        for name in NAMES:
            assert await ended(agents[name], how) == []

        # C-5 was said to billing alone, D-9 to the shop alone, and both were asked about.
        for name, own, others in (("billing", b"C-5", b"D-9"), ("shop", b"D-9", b"C-5")):
            held = held_in(folder, name)
            assert others not in held
            if how == signal.SIGTERM:  # all was judged and told, and is in the snapshot
                assert own not in held
                assert b"A-17" not in held
            else:
                assert own in held
                assert heard(folder, name)

    run(main)


def test_an_agent_that_forgets_notes_the_time_when_it_starts(run: Run, folder: Path) -> None:
    more = '  fresh: ["billing -> bank : open(order)"]\n  forget_after: 30 days\n'
    (folder / "property.yaml").write_text(PROPERTY + more, encoding="utf-8")
    split = choreomon("split", folder / "property.yaml", "-o", folder / "tables", "--force")
    assert split.code == 0, split.err

    async def main() -> None:
        agent = await started(folder, "billing")
        billing = await connect(folder / "run" / "billing.sock", deadline=300.0)
        await billing.sending("bank", "refund", order="A-17")
        await billing.close(deadline=0.0)
        await ended(agent, signal.SIGKILL)
        agent = await started(folder, "billing")
        await ended(agent, signal.SIGTERM)

    run(main)
    with closing(sqlite3.connect(folder / "billing.db")) as database:
        ((state,),) = database.execute("SELECT state FROM snapshot").fetchall()
        ((rows,),) = database.execute("SELECT count(*) FROM instance").fetchall()
    assert state[1] == 6  # the version of states that say what was forgotten
    assert rows == 1


@pytest.mark.parametrize("first", ["for each order", "for all"])
def test_a_store_of_tables_with_or_without_parameters_is_not_one_of_the_others(
    folder: Path, run: Run, first: str
) -> None:
    whole = PROPERTY.replace("  for_each: [order]\n", "").replace("(order)", "")
    texts = [PROPERTY, whole] if first == "for each order" else [whole, PROPERTY]

    def split(text: str) -> None:
        (folder / "property.yaml").write_text(text, encoding="utf-8")
        asked = ("split", folder / "property.yaml", "-o", folder / "tables", "--force")
        assert choreomon(*asked).code == 0

    async def main() -> None:
        split(texts[0])
        await ended(await started(folder, "shop"), signal.SIGTERM)
        before = held_in(folder, "shop")
        split(texts[1])
        refused = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "choreomon", "agent", "--config", str(folder / "shop.json")),
            stdout=PIPE,
            stderr=PIPE,
        )
        _, told = await refused.communicate()
        assert refused.returncode == 2
        assert b"tables: lack one of the system" in told
        assert b"name it under closing" in told
        assert held_in(folder, "shop") == before

    run(main)
