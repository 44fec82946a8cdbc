"""The recipe for upgrades of a property is followed, step by step, with real agents and the
commands of the page: what began under the old version is declared under the new one, and nothing is
stopped."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import IO, Any
from urllib.request import urlopen

import pytest

from choreomon.sdk import blocking
from choreomon.testing.held_ports import HeldPorts
from tests.cli.command_line import Answer, choreomon
from tests.scenarios.console_blocks import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
STEPS = ("Split", "Bring", "Open", "Close", "Wait", "Leave it out")
TRIES = 100_000

PROPERTY = """
property:
  sequences:
    - steps: ["shop -> bank : off", "bank -> shop : {last}"]
"""
AGENT = """
process: {name}
tables: [{tables}]
closing: [{closing}]
listen: tcp://127.0.0.1:{port}
peers: {{{peer}: "tcp://127.0.0.1:{other}"}}
insecure: true
local: {{path: run/agent.sock}}
store: agent.db
http: 127.0.0.1:{page}
verdicts: [{{file: verdicts.jsonl}}]
"""


def commands() -> dict[str, str]:
    """Those of the recipe by the step that they stand in, and that all steps are there, in
    order."""
    section = PAGE.partition("**Of a property:**")[2].partition("**To add a property**")[0]
    steps = re.findall(r"^\d\. \*\*([\w ]+)[*:]", section, re.MULTILINE)
    assert tuple(steps) == STEPS
    parts = re.split(r"^\d\. \*\*", section, flags=re.MULTILINE)[1:]
    found: dict[str, str] = {}
    for step, part in zip(STEPS, parts, strict=True):
        for command in re.findall(r"^   choreomon (.*)$", part, re.MULTILINE):
            found[step] = command
    assert set(found) == {"Split", "Open", "Wait"}
    return found


def in_folder(folder: Path, command: str) -> Answer:
    with chdir(folder):
        return choreomon(*command.split())


class Agent:
    """One that runs, of a process, with its configuration."""

    def __init__(self, folder: Path, name: str, peer: str, ports: dict[str, int]) -> None:
        self.folder, self.name = folder / name, name
        self.folder.mkdir()
        self._values = {
            "name": name,
            "peer": peer,
            "port": ports[name],
            "other": ports[peer],
            "page": ports[f"{name}'s page"],
        }
        self.configure("../tables/{}.json")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "choreomon", "agent", "--config", "agent.yaml"],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        stderr: IO[str] | None = self.process.stderr
        assert stderr is not None
        line = stderr.readline()
        assert json.loads(line)["message"] == "ready", line

    def configure(self, *tables: str, closing: str = "") -> None:
        named = ", ".join(table.format(self.name) for table in tables)
        text = AGENT.format(tables=named, closing=closing.format(self.name), **self._values)
        (self.folder / "agent.yaml").write_text(text)

    def does(self, command: str) -> str:
        """The output of a command, which must succeed."""
        answer = in_folder(self.folder, command)
        assert answer.code in (0, 1, 3), answer  # `watch` tells of verdicts by its code
        return answer.out

    def refuses(self, command: str) -> str:
        answer = in_folder(self.folder, command)
        assert answer.code == 2
        return answer.err

    def status(self) -> Any:
        with urlopen(f"http://127.0.0.1:{self._values['page']}/status", timeout=60) as answer:
            return json.load(answer)

    def until(self, true: Any) -> None:
        for _ in range(TRIES):
            if true(self.status()):
                return
        raise AssertionError(self.status())

    def verdicts(self) -> list[Any]:
        file = self.folder / "verdicts.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def end(self) -> None:
        with self.process:
            self.process.terminate()


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[list[Agent]]:
    (tmp_path / "property.yaml").write_text(PROPERTY.format(last="charge"))
    (tmp_path / "property-2.yaml").write_text(PROPERTY.format(last="refund"))
    assert in_folder(tmp_path, "split property.yaml -o tables").code == 0
    held = HeldPorts(4)
    names = ("shop", "bank", "shop's page", "bank's page")
    ports = dict(zip(names, held.ports, strict=True))
    running = [
        Agent(tmp_path, "shop", "bank", ports),
        Agent(tmp_path, "bank", "shop", ports),
    ]
    yield running
    for agent in running:
        agent.end()
    held.let_go()


def test_the_recipe_brings_the_new_version_and_loses_nothing(agents: list[Agent]) -> None:
    steps = commands()
    shop, bank = agents
    root = shop.folder.parent
    services = {
        each.name: blocking.connect(str(each.folder / "run" / "agent.sock"), deadline=60.0)
        for each in agents
    }
    off = services["shop"].sending("bank", "off")
    # 1 and 2
    answer = in_folder(root, steps["Split"])
    assert answer.code == 0
    assert "takes over the history of 1 of 1 transitions" in answer.out
    for agent in agents:
        agent.configure("../tables/{}.json", "../tables-2/{}.json")
    # 3
    for agent in agents:
        assert "has read it: 2 tables" in agent.does(steps["Open"])
    for agent in agents:
        agent.until(lambda status: len(status["properties"]) == 2)
    # 4
    for agent in agents:
        agent.configure("../tables-2/{}.json")
        assert "name it in `closing`" in agent.refuses(steps["Open"])
        agent.configure("../tables-2/{}.json", closing="../tables/{}.json")
        agent.does(steps["Open"])
    # 5
    for agent in agents:
        agent.until(lambda status: all(not each["undecided"] for each in status["properties"]))
        assert "drained" in agent.does(steps["Wait"])
    # 6
    for agent in agents:
        agent.configure("../tables-2/{}.json")
        assert "has read it: 1 table, of which 0" in agent.does(steps["Open"])
        assert len(agent.status()["properties"]) == 1
    services["bank"].handling(off)
    services["bank"].sending("shop", "refund")
    bank.until(lambda status: status["words"].get("violated"))
    bank.until(lambda status: not status["untold"])
    assert [each["verdict"] for each in bank.verdicts()] == ["violated"]
    for service in services.values():
        service.close()
