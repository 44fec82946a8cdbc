"""Clients in other languages beside agents that are killed: nothing is lost or counts twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from threading import Timer
from typing import IO, Any
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from choreomon.agent_files.clocks.text import decode_carried_untrusted, decode_clocks_untrusted
from choreomon.core.names import RESERVED, word, written
from choreomon.sdk import blocking
from tests.cli.command_line import choreomon
from tests.core.names_for_tests import HARD_NAMES
from tests.scenarios.console_blocks import ROOT

CLIENTS = ROOT / "clients"
SERVICES = Path(__file__).parent / "services"
ROUND = 500
"""Events between two kills."""
TRIES = 100_000
PATIENT = 300_000
"""Milliseconds of deadlines that are never met."""
WITHIN = 300.0
"""Seconds after which a process that says nothing is given up."""

PROPERTY = """
property:
  sequences:
    - steps: ["shop -> courier : parcel", "handle courier -> shop : back"]
"""
FOR_EACH = """
property:
  for_each: [order]
  sequences:
    - steps: ["shop -> courier : parcel(order)"]
"""
AGENT = """
process: shop
tables: [tables/shop.json]
listen: tcp://127.0.0.1:0
insecure: true
local: {path: run/agent.sock}
store: shop.db
http: 127.0.0.1:0
limits: {window: 64}
verdicts: [{file: verdicts.jsonl}]
"""


def line_of(process: subprocess.Popen[str], stream: IO[str] | None) -> dict[str, Any]:
    """The next line of JSON. What is none is the complaint of a process that has failed."""
    assert stream is not None
    timer = Timer(WITHIN, process.kill)
    timer.start()
    try:
        line = stream.readline()
    finally:
        timer.cancel()
    if not line.startswith("{"):
        process.kill()
        raise AssertionError(line + stream.read())
    found: dict[str, Any] = json.loads(line)
    return found


class Agent:
    """A real one; `start` returns when it is ready."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "choreomon", "agent", "--config", "agent.yaml"],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        ready = line_of(self.process, self.process.stderr)
        assert ready["message"] == "ready", ready
        self.http = ready["http"]

    def kill(self) -> None:
        with self.process:
            self.process.kill()

    def until(self, events: int) -> None:
        """So many have happened since it was started."""
        for _ in range(TRIES):
            with urlopen(f"http://{self.http}/status", timeout=WITHIN) as answer:
                if json.load(answer)["properties"][0]["events"] >= events:
                    return
        raise AssertionError(f"not {events} events in {TRIES} looks")


def service_in(language: str, folder: Path) -> list[str]:
    """How the service in this language is started. Skips the test where that cannot be."""
    if language == "node":
        if which("node") is None:
            pytest.skip("this machine has no node, so that the client for Node.js is not tried")
        return ["node", str(SERVICES / "service.js"), str(CLIENTS / "node" / "choreomon.js")]
    if which("go") is None:
        pytest.skip("this machine has no go, so that the client for Go is not tried")
    program = folder / "service"
    subprocess.run(["go", "build", "-o", program, "."], cwd=SERVICES / "go", check=True)
    return [str(program)]


class Service:
    """A service that does what it is told, in the folder of its agent."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def do(self, *words: object) -> dict[str, Any]:
        self.begin(*words)
        return line_of(self.process, self.process.stdout)

    def begin(self, *words: object) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        stdin.write(" ".join(map(str, words)) + "\n")
        stdin.flush()

    def end(self) -> dict[str, Any]:
        return line_of(self.process, self.process.stdout)

    def ends(self) -> int:
        """What it exits with when it is told nothing more. Node lives on while it may be told
        something, so its standard input is closed first."""
        self.process.communicate(timeout=WITHIN)
        return self.process.returncode


@pytest.fixture
def agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Agent]:
    """That of a property, `PROPERTY` where none is asked for."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "property.yaml").write_text(getattr(request, "param", PROPERTY))
    (tmp_path / "agent.yaml").write_text(AGENT)
    assert choreomon("split", "property.yaml", "-o", "tables").code == 0
    agent = Agent(tmp_path)
    yield agent
    agent.kill()


@pytest.fixture(params=["node", "go"])
def service(
    agent: Agent, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    command = service_in(request.param, tmp_path_factory.mktemp("service"))
    service = Service(command, agent.folder)
    assert service.do("connect", PATIENT)["answers"] == []
    yield service
    service.process.kill()
    service.process.communicate()


def own_entries(answers: list[str]) -> list[int]:
    clocks = [decode_clocks_untrusted(decode_carried_untrusted(text).clock) for text in answers]
    return [clock[0] for each in clocks for clock in each.values()]


def test_what_a_killed_agent_did_not_take_is_told_again(agent: Agent, service: Service) -> None:
    agent.process.send_signal(signal.SIGSTOP)  # it takes nothing
    service.do("send", ROUND)
    agent.kill()
    agent.start()
    done = service.do("all")
    assert sorted(own_entries(done["answers"])) == [*range(1, ROUND + 1)]
    agent.until(ROUND)


@pytest.mark.parametrize("service", ["node"], indirect=True)
def test_what_a_killed_agent_took_without_answering_counts_once(
    agent: Agent, service: Service
) -> None:
    service.do("deaf")
    service.do("send", 64)  # a window
    agent.until(64)
    agent.kill()
    service.do("cut")
    agent.start()
    service.do("send", 1)
    assert own_entries(service.do("all")["answers"]) == [*range(1, 66)]


def test_an_agent_may_be_killed_at_any_moment(agent: Agent, service: Service) -> None:
    for events in (0, 30, 300):
        service.do("send", ROUND)
        service.begin("all")
        agent.until(events)
        agent.kill()
        agent.start()
        service.end()
    done = service.do("all")
    assert sorted(own_entries(done["answers"])) == [*range(1, 3 * ROUND + 1)]
    service.do("close")
    assert service.ends() == 0
    # Another service goes on where that one ended: the agent has counted what it has told.
    with blocking.connect("run/agent.sock", deadline=WITHIN) as shop:
        (clock,) = decode_clocks_untrusted(shop.sending("courier", "parcel").clock).values()
    assert clock[0] == 3 * ROUND + 1


def test_headers_that_nobody_can_read_disturb_no_service(agent: Agent, service: Service) -> None:
    readable = service.do("send", 1) and service.do("all")["answers"][0]
    clock = decode_carried_untrusted(readable).clock
    headers = [
        f"1/courier/back/{clock}",  # a right one
        "1/courier/back/AAAA",  # no clock
        f"1/courier/back/{clock}AAAA",  # too long
        "1/courier/back/",  # of nobody who is monitored
        "1//back/AAAA",  # the others are no headers, and come from outside
        "2/courier/back/x",  # a short clock has a ~
        "1/courier/back/~x",
        "rubbish",
        "1/courier/back/" + "A" * 5000,
    ]
    service.do("handle", *headers)
    service.do("all")
    service.do("send", 1)
    done = service.do("all")
    # Those that are from the courier happened, all four, and those from outside are in no table.
    assert own_entries([done["answers"][0], done["answers"][-1]]) == [1, 6]


NO_NAMES = ("", "x" * 201, "two\nlines", "\u200b", "\u2028", "\ue000", RESERVED)


def test_what_is_no_name_is_refused_and_the_service_goes_on(agent: Agent, service: Service) -> None:
    """An agent would refuse the client for good."""
    for name in (*NO_NAMES, "x" * 200, "begin"):
        service.do("named", quote(name))
    service.do("handle", "1/courier/~0A/AAAA", "1/courier/~E2~80~8B/AAAA")
    service.do("send", 1)
    answers = service.do("all")["answers"]
    assert ["is no name" in each for each in answers] == [True] * len(NO_NAMES) + [False] * 3
    assert own_entries(answers[-1:]) == [1]


def test_a_client_that_is_closed_while_its_agent_is_away_ends(
    agent: Agent, service: Service
) -> None:
    agent.kill()
    service.do("close")
    assert service.ends() == 0


@pytest.mark.parametrize("agent", [FOR_EACH], indirect=True, ids=["for each order"])
def test_values_are_said_and_without_one_nothing_is(agent: Agent, service: Service) -> None:
    complaint = "shop -> courier : parcel carries order"
    assert service.do("order")["answers"] == [complaint]
    assert service.do("order", "x" * 257)["answers"] == [complaint] * 2
    assert service.do("order", "A-17")["answers"] == [complaint] * 2
    with urlopen(f"http://{agent.http}/status", timeout=WITHIN) as answer:
        (verdict,) = json.load(answer)["verdicts"]
    assert (verdict["verdict"], verdict["for"]) == ("violated", {"order": "A-17"})


def test_an_agent_that_lost_its_store_is_reminded_and_told_how_much_is_in_doubt(
    agent: Agent, service: Service
) -> None:
    service.do("send", 3)
    service.do("all")
    agent.process.send_signal(signal.SIGSTOP)  # it takes nothing
    service.do("send", 2)
    agent.kill()
    for file in agent.folder.glob("shop.db*"):
        file.unlink()
    agent.start()
    done = service.do("all")
    assert not [answer for answer in done["answers"] if answer.startswith("failed")]
    service.do("send", 1)
    entries = own_entries(service.do("all")["answers"])
    # The three that it had answered are not counted again, and nothing comes before them.
    assert sorted(entries[:3]) == [1, 2, 3]  # the service writes answers down as they come
    assert entries[-1] > 3
    with urlopen(f"http://{agent.http}/metrics", timeout=WITHIN) as answer:
        lost = re.search(rb"choreomon_dropped_events_total (\d+)", answer.read())
    assert lost is not None
    assert int(lost[1]) == 2


def test_a_message_does_not_leave_that_its_agent_was_not_told_of_in_time(
    agent: Agent, service: Service
) -> None:
    service.do("close")
    assert service.do("connect", 200)["answers"] == []
    agent.process.send_signal(signal.SIGSTOP)
    service.do("send", 1)
    (answer,) = service.do("all")["answers"]
    assert answer.startswith("failed: ")
    assert "agent" in answer
    agent.process.send_signal(signal.SIGCONT)


def test_where_no_agent_is_it_says_so(agent: Agent, service: Service) -> None:
    service.do("close")
    agent.kill()
    (answer,) = service.do("connect", 200)["answers"]
    assert "agent" in answer
    agent.start()


def names() -> list[tuple[str, str, str]]:
    found = [*HARD_NAMES, ".a", "-b", "a-b.c_1"]
    return [(name, word(name), written(name)) for name in found]


def test_names_are_written_and_read_as_agents_do_in_node() -> None:
    script = """
const source = require('node:fs').readFileSync(process.argv[1], 'utf-8');
const own = {};
new Function('module', 'require', `${source};module.exports=[word, ofWord, written]`)(own, require);
const [word, ofWord, written] = own.exports;
const names = JSON.parse(require('node:fs').readFileSync(0, 'utf-8'));
console.log(JSON.stringify(names.map(([name]) => [word(name), ofWord(word(name)), written(name)])));
"""
    node = which("node")
    if node is None:
        pytest.skip("this machine has no node, so that the client for Node.js is not tried")
    found = subprocess.run(
        [node, "-e", script, str(CLIENTS / "node" / "choreomon.js")],
        input=json.dumps(names()),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout) == [[as_word, name, label] for name, as_word, label in names()]


def test_names_are_written_and_read_as_agents_do_in_go(tmp_path: Path) -> None:
    if which("go") is None:
        pytest.skip("this machine has no go, so that the client for Go is not tried")
    (tmp_path / "names.json").write_text(json.dumps(names()))
    done = subprocess.run(
        ["go", "test", "-count=1", "./..."],
        cwd=CLIENTS / "go",
        env={**os.environ, "NAMES": str(tmp_path / "names.json")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SKIP" not in done.stdout


@pytest.mark.parametrize("folder", ["node", "go"])
def test_a_client_is_small_and_depends_on_nothing(folder: str) -> None:
    sources = [
        path
        for path in (CLIENTS / folder).iterdir()
        if path.suffix in (".js", ".go") and not path.stem.endswith("_test")
    ]
    lines = [line.strip() for path in sources for line in path.read_text().splitlines()]
    assert 100 < len([line for line in lines if line and not line.startswith("//")]) < 400
    for file, depends in (("package.json", "ependencies"), ("go.mod", "require")):
        if (CLIENTS / folder / file).exists():
            assert depends not in (CLIENTS / folder / file).read_text()
