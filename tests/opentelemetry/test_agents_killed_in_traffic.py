"""Two services whose agents are killed in the middle of their traffic: every message that arrives
was told at both ends, and counts once."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from choreomon.agent_files.clocks.text import decode_carried_untrusted, decode_clocks_untrusted
from choreomon.sdk import blocking
from choreomon.testing.held_ports import HeldPorts
from tests.cli.command_line import choreomon
from tests.clients.test_clients import WITHIN, Agent
from tests.opentelemetry.watched import PATIENCE, Two, needs, witnessed

MESSAGES = 60
KILLED_AT = (10, 25, 40)
"""So many messages have been answered when an agent is killed; more are on their way then."""
PROPERTY = """
property:
  sequences:
    - steps:
        - 'caller -> worker : "POST /charge"'
        - 'handle caller -> worker : "POST /charge"'
        - 'handle caller -> worker : "POST /never"'
"""
AGENT = """
process: {process}
tables: [../tables/{process}.json]
listen: tcp://127.0.0.1:{own}
peers: {{{other}: "tcp://127.0.0.1:{others}"}}
insecure: true
local: {{path: agent.sock}}
store: agent.db
http: 127.0.0.1:0
"""
NAMES = ("caller", "worker")


def agents_in(folder: Path, held: HeldPorts) -> dict[str, Agent]:
    ports = dict(zip(NAMES, held.ports, strict=True))
    for process, other in (NAMES, NAMES[::-1]):
        at = folder / process
        at.mkdir(mode=0o700)
        values = {"process": process, "other": other, "own": ports[process], "others": ports[other]}
        (at / "agent.yaml").write_text(AGENT.format(**values))
    return {process: Agent(folder / process) for process in NAMES}


def answers(two: Two, port: str, mapping: str, agent: Agent) -> list[str]:
    """What a caller is answered, whose messages go on while an agent is killed and starts again."""
    paths = ["/charge"] * MESSAGES
    command = two.command("caller", "requests_caller.py", port, *paths, CHOREOMON_MAPPING=mapping)
    found = []
    with subprocess.Popen(**command) as caller:
        assert caller.stdout is not None
        for line in caller.stdout:
            found.append(line.strip())
            if len(found) in KILLED_AT:
                agent.kill()
                agent.start()
        assert caller.wait(PATIENCE) == 0, two.errors("caller")
    return found


def counted(folder: Path, process: str, place: int) -> int:
    """How many events of a process its agent knows of."""
    with blocking.connect(folder / process / "agent.sock", deadline=WITHIN) as service:
        carried = service.sending("nobody", "of no table")
    (clock,) = decode_clocks_untrusted(carried.clock).values()
    return clock[place]


@pytest.mark.parametrize("killed", NAMES)
def test_what_arrives_was_told_at_both_ends_and_counts_once(
    killed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("requests", "flask")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "property.yaml").write_text(PROPERTY)
    assert choreomon("split", "property.yaml", "-o", "tables").code == 0
    places = json.loads((tmp_path / "tables" / "caller.json").read_text())["processes"]
    held = HeldPorts(2)
    agents = agents_in(tmp_path, held)
    try:
        with witnessed(tmp_path) as two:
            port = two.start("worker", "flask_worker.py")
            mapping = two.mapping(f'format: otlp\nprocesses: {{"127.0.0.1:{port}": worker}}\n')
            headers = answers(two, port, mapping, agents[killed])
            assert [said for said, _ in two.seen] == ["charge"] * MESSAGES
        clocks = [decode_clocks_untrusted(decode_carried_untrusted(each).clock) for each in headers]
        sent = [clock[places.index("caller")] for each in clocks for clock in each.values()]
        assert sent == [*range(1, MESSAGES + 1)]
        for process in NAMES:
            assert counted(tmp_path, process, places.index(process)) == MESSAGES
    finally:
        for agent in agents.values():
            agent.kill()
        held.let_go()
