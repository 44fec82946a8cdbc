"""The client for Node.js beside a real agent that is killed: nothing is lost or counted twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from threading import Timer
from typing import IO, Any
from urllib.request import urlopen

import pytest

from choreomon.agent_files.clocks.text import decode_carried_untrusted, decode_clocks_untrusted
from choreomon.core.names import word, written
from choreomon.sdk import blocking
from tests.cli.command_line import choreomon
from tests.core.names_for_tests import HARD_NAMES
from tests.scenarios.console_blocks import ROOT

CLIENT = ROOT / "examples" / "node" / "choreomon.js"
ROUND = 500
"""Events between two kills."""
TRIES = 100_000
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

# Does what it is told by lines of its standard input, and answers each with a line.
SCRIPT = """
const { Process } = require(process.argv[2]);
const lines = require('node:readline').createInterface({ input: process.stdin });
let shop, waiting = [], answers = [], told = 0, known = 0;
const commands = {
  async connect() {
    shop = await Process.connect('run/agent.sock');
    const [say, take] = [shop.say.bind(shop), shop.take.bind(shop)];
    shop.say = (message) => { told += message.type === 'report'; say(message); };
    shop.take = (message) => {
      if (message.type === 'welcome') known += message.number - shop.done;
      take(message);
    };
  },
  send(count) {
    for (let n = 0; n < count; n++) waiting.push(shop.sending('courier', 'parcel'));
  },
  handle(...headers) {
    for (const header of headers) waiting.push(shop.handling(header, 'order'));
  },
  async order(value) {
    const told = shop.sending('courier', 'parcel', value && { order: value, size: 'of no matter' });
    await told.catch((error) => answers.push(error.message));
  },
  deaf() { shop.socket.pause(); },
  cut() { shop.socket.destroy(); },
  async all() {
    for (const answer of await Promise.all(waiting.splice(0))) answers.push(answer ?? '');
  },
  close() { shop.close(); },
};
lines.on('line', async (line) => {
  const [name, ...given] = line.split(' ');
  await commands[name](...given);
  console.log(JSON.stringify({ answers, told, known }));
});
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


class Service:
    """The script."""

    def __init__(self, folder: Path) -> None:
        (folder / "service.js").write_text(SCRIPT)
        self.process = subprocess.Popen(
            ["node", "service.js", str(CLIENT)],
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


@pytest.fixture
def service(agent: Agent) -> Iterator[Service]:
    if which("node") is None:
        pytest.skip("this machine has no node, so that the client for Node.js is not tried")
    service = Service(agent.folder)
    service.do("connect")
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
    assert own_entries(done["answers"]) == [*range(1, ROUND + 1)]
    assert done["told"] > ROUND
    assert done["known"] == 0


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
    done = service.do("all")
    assert own_entries(done["answers"]) == [*range(1, 66)]
    assert done["told"] == 64 + 65
    assert done["known"] == 64


def test_an_agent_may_be_killed_at_any_moment(agent: Agent, service: Service) -> None:
    for events in (0, 30, 300):
        service.do("send", ROUND)
        service.begin("all")
        agent.until(events)
        agent.kill()
        agent.start()
        service.end()
    done = service.do("all")
    assert own_entries(done["answers"]) == [*range(1, 3 * ROUND + 1)]
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
        "2/courier/back/x",
        "rubbish",
        "1/courier/back/" + "A" * 5000,
    ]
    service.do("handle", *headers)
    service.do("send", 1)
    done = service.do("all")
    # Those that are from the courier happened, all four, and those from outside are in no table.
    assert own_entries([done["answers"][0], done["answers"][-1]]) == [1, 6]


def test_a_client_that_is_closed_while_its_agent_is_away_ends(
    agent: Agent, service: Service
) -> None:
    agent.kill()
    service.do("close")
    assert service.ends() == 0


@pytest.mark.parametrize("agent", [FOR_EACH], indirect=True, ids=["for each order"])
def test_values_are_said_and_without_one_nothing_is(agent: Agent, service: Service) -> None:
    assert service.do("order")["answers"] == ["shop -> courier : parcel carries order"]
    done = service.do("order", "A-17")
    assert len(done["answers"]) == 1  # the complaint of before
    assert done["told"] == 1
    with urlopen(f"http://{agent.http}/status", timeout=WITHIN) as answer:
        (verdict,) = json.load(answer)["verdicts"]
    assert (verdict["verdict"], verdict["for"]) == ("violated", {"order": "A-17"})


def test_names_are_written_and_read_as_agents_do() -> None:
    script = """
const source = require('node:fs').readFileSync(process.argv[1], 'utf-8');
const own = {};
new Function('exports', 'require', `${source};exports.all=[word, ofWord, written]`)(own, require);
const [word, ofWord, written] = own.all;
const names = JSON.parse(require('node:fs').readFileSync(0, 'utf-8'));
console.log(JSON.stringify(names.map((name) => [word(name), ofWord(word(name)), written(name)])));
"""
    node = which("node")
    assert node
    names = [*HARD_NAMES, ".a", "-b", "a-b.c_1"]
    found = subprocess.run(
        [node, "-e", script, str(CLIENT)],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout) == [[word(name), name, written(name)] for name in names]
