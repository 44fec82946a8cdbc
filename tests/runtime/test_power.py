"""`durability: power`: each acknowledgement comes after an fsync of its row.

Power cannot be cut in a test. What can be seen is the order of system calls: the disk is told to
keep what was written, and only then the service is answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable, write_table
from choreomon.documents.read import parse_document
from choreomon.properties.tables import transition_tables
from choreomon.sdk import connect

EVENTS = 20
TRACED = "fsync,fdatasync,write,writev,sendto,sendmsg"
ANSWERED = r"""{\"type\":\"clock\""""
SYNCED = re.compile(r"\bf(?:data)?sync\(")

needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None,
    reason="strace is not installed: whether acknowledgements wait for the disk is not seen here",
)


def configured(folder: Path, durability: str) -> Path:
    property_ = """
property:
  sequences:
    - steps: ["A -> B : a", "B -> A : b"]
"""
    document = parse_document(property_, "property.yaml")
    assert document.property is not None
    automaton, names = document.property.automaton, document.processes
    system = system_id(automaton, names, "sound", b"nonce")
    table = transition_tables(automaton, names)["A"]
    (folder / "A.json").write_bytes(write_table(SplitTable(system, "two", "sound", names, table)))
    config = {
        "process": "A",
        "tables": ["A.json"],
        "listen": "tcp://127.0.0.1:0",
        "local": {"path": "run/A.sock"},
        "insecure": True,
        "store": "A.db",
        "durability": durability,
        "http": None,
        "verdicts": [{"file": "verdicts.jsonl"}],
    }
    path = folder / "agent.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


async def tell(address: Path) -> None:
    """So many events, each after the one before was acknowledged."""
    process = await connect(address, deadline=300.0)
    for _ in range(EVENTS):
        await process.sending("B", "a")
    await process.close()


def calls(folder: Path, durability: str) -> list[str]:
    """What an agent did from its start to its end: `sync` for each fsync, `answer` for each
    acknowledgement of an event, in the order of system calls."""
    log = folder / "calls"
    command = ["strace", "-f", "-s", "256", "-e", f"trace={TRACED}", "-o", str(log)]
    config = configured(folder, durability)
    agent = subprocess.Popen(
        [*command, sys.executable, "-m", "choreomon", "agent", "--config", str(config)],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert agent.stderr is not None
        for line in agent.stderr:
            if '"ready"' in line:
                break
        else:
            raise AssertionError("the agent did not start")
        asyncio.run(tell(folder / "run" / "A.sock"))
    finally:
        for traced in Path(f"/proc/{agent.pid}/task/{agent.pid}/children").read_text().split():
            os.kill(int(traced), signal.SIGTERM)
        agent.communicate(timeout=300)
    seen = []
    for line in log.read_text(encoding="ascii", errors="replace").splitlines():
        if SYNCED.search(line) and "resumed" not in line:
            seen.append("sync")
        elif ANSWERED in line:
            seen.append("answer")
    return seen


def answered_before_the_disk(seen: list[str]) -> int:
    """Acknowledgements that were not preceded by a sync of their own."""
    return sum(
        call == "answer" and (place == 0 or seen[place - 1] != "sync")
        for place, call in enumerate(seen)
    )


@needs_strace
def test_with_power_no_event_is_acknowledged_before_the_disk_has_it(tmp_path: Path) -> None:
    seen = calls(tmp_path, "power")
    assert seen.count("answer") == EVENTS
    assert answered_before_the_disk(seen) == 0


@needs_strace
def test_with_process_nobody_waits_for_the_disk(tmp_path: Path) -> None:
    """And what the test above looks at can be missing."""
    seen = calls(tmp_path, "process")
    assert seen.count("answer") == EVENTS
    assert answered_before_the_disk(seen) >= EVENTS - 2
