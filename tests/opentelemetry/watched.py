"""Two services as processes of their own, `caller` and `worker`, under `opentelemetry-instrument`,
with an agent each in this process.

    with watched(tmp_path, off="POST /off", charge="POST /charge") as two:
        port = two.start("worker", "flask_worker.py")
        two.run("caller", "requests_caller.py", port, mapping=...)
        two.told

The services are scripts of `tests/opentelemetry/services`. A worker prints where it listens. While
it handles a message, before anything else, it asks the witness, which notes what the agents have
been told by then: so a test sees whether something was told too late.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from choreomon.agent_files.agent_config import AgentConfig, LocalAccess
from choreomon.agent_files.digests import KEY_BYTES
from choreomon.agent_files.split_names import system_id
from choreomon.agent_files.table_file import SplitTable
from choreomon.documents.read import parse_document
from choreomon.properties.tables import transition_tables
from choreomon.runtime.agent import Agent
from choreomon.runtime.delivery.webhook import Callback
from choreomon.runtime.operations.logs import Log
from choreomon.testing.held_ports import HeldPorts

SERVICES = Path(__file__).parent / "services"
PATIENCE = 300.0
"""Seconds after which a service that says nothing is given up."""


def needs(*modules: str) -> None:
    """Skip the test where one of these is not installed, or choreomon without its entry points."""
    for module in ("opentelemetry.distro", *modules):
        try:
            there = find_spec(module) is not None
        except ModuleNotFoundError:
            there = False
        if not there:
            pytest.skip(f"{module} is not installed: pip install -e '.[test]'")
    if not entry_points(group="opentelemetry_pre_instrument", name="choreomon"):
        pytest.skip("choreomon was installed before it had this entry point: install it again")


def property_of(*, off: str, charge: str, parameters: str = "") -> str:
    """`charge` is not handled after `off` was sent; both ends of both messages are events."""
    head = f"  for_each: [{parameters}]\n" if parameters else ""
    carries = f"({parameters})" if parameters else ""
    sends = [f"caller -> worker : {json.dumps(name)}{carries}" for name in (off, charge)]
    never = f"worker -> caller : never{carries}"
    steps = [[sends[0], f"handle {sends[1]}"], [f"handle {sends[0]}", never], [sends[1], never]]
    lines = "".join(f"    - steps: {json.dumps(each)}\n" for each in steps)
    return f"name: charged while off\nproperty:\n{head}  sequences:\n{lines}"


def tables_of(text: str) -> dict[str, SplitTable]:
    """The tables of the processes of a document."""
    document = parse_document(text, "property.yaml")
    told = document.property
    assert told is not None
    names = document.processes
    given = told.parameters
    key = b"" if given is None else b"k" * KEY_BYTES
    system = system_id(told.automaton, names, told.rules, b"nonce", given)
    tables = transition_tables(told.automaton, names, told.rules, told.parameters)
    return {
        name: SplitTable(system, document.name, told.rules, names, tables[name], key=key)
        for name in names
    }


@dataclass
class Two:
    """`told`: what the agents were told of, in order, as `send caller -> worker : NAME`. `seen`: by
    what a worker told the witness, what had been told by then. `verdicts`: kind and process."""

    folder: Path
    environment: dict[str, str]
    told: list[str] = field(default_factory=list)
    seen: list[tuple[str, list[str]]] = field(default_factory=list)
    verdicts: list[tuple[str, str]] = field(default_factory=list)
    declared: list[Any] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    stack: ExitStack = field(default_factory=ExitStack)
    agents: dict[str, Agent] = field(default_factory=dict)
    values: list[dict[str, str]] = field(default_factory=list)

    def command(self, process: str, script: str, *arguments: str, **more: str) -> dict[str, Any]:
        """What starts a service. `more` goes into its environment."""
        instrument = Path(sys.executable).with_name("opentelemetry-instrument")
        own = {
            "CHOREOMON": str(self.folder / process / "agent.sock"),
            "OTEL_SERVICE_NAME": process,
            **more,
        }
        return {
            "args": [str(instrument), sys.executable, str(SERVICES / script), *arguments],
            "cwd": self.folder,
            "env": {**self.environment, **own},
            "stdout": subprocess.PIPE,
            "stderr": self.stack.enter_context((self.folder / f"{process}.err").open("ab")),
            "text": True,
        }

    def start(self, process: str, script: str, *arguments: str, **more: str) -> str:
        """Start a service, which is ended with the test; what it prints first."""
        service = subprocess.Popen(**self.command(process, script, *arguments, **more))

        def end() -> None:
            service.kill()
            service.communicate()

        self.stack.callback(end)
        assert service.stdout is not None
        watchdog = threading.Timer(PATIENCE, service.kill)
        watchdog.start()
        said = service.stdout.readline().strip()
        watchdog.cancel()
        assert said, self.errors(process)
        return said

    def run(self, process: str, script: str, *arguments: str, **more: str) -> str:
        """Let a service run to its end; what it prints."""
        command = self.command(process, script, *arguments, **more)
        done = subprocess.run(**command, timeout=PATIENCE, check=False)
        assert done.returncode == 0, self.errors(process)
        return str(done.stdout)

    def errors(self, process: str) -> str:
        """What a service has written to its standard error."""
        return (self.folder / f"{process}.err").read_text("utf-8", "replace")

    def mapping(self, text: str) -> str:
        """A file with this mapping."""
        path = self.folder / "mapping.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, PATIENCE), (self.told, self.verdicts)

    def note(self, line: str) -> None:
        event = json.loads(line)
        if event.get("message") is not None:
            message = event["message"]
            told = (
                f"{event['event']} {message['sender']} -> {message['receiver']} : {message['name']}"
            )
            with self.changed:
                self.told.append(told)
                self.values.append(event.get("values", {}))
                self.changed.notify_all()

    def witness(self, said: str) -> None:
        with self.changed:
            self.seen.append((said, list(self.told)))
            self.changed.notify_all()

    def deliver(self, verdict: Any) -> None:
        with self.changed:
            self.verdicts.append((verdict.verdict, verdict.process))
            self.declared.append(verdict)
            self.changed.notify_all()


class _Lines:
    def __init__(self, two: Two) -> None:
        self._two = two

    def write(self, text: str, /) -> None:
        self._two.note(text)


@contextmanager
def watched(folder: Path, text: str) -> Iterator[Two]:
    """The agents of `caller` and `worker` for a document, with who waits for them."""
    with witnessed(folder) as two:
        two.stack.enter_context(_agents(two, tables_of(text)))
        yield two


@contextmanager
def witnessed(folder: Path) -> Iterator[Two]:
    """Services whose agents are somebody else's, with who waits for them."""
    with ExitStack() as stack:
        two = Two(folder, _environment(), stack=stack)
        two.environment["WITNESS"] = stack.enter_context(_witness(two))
        yield two


def _environment() -> dict[str, str]:
    ours = ("CHOREOMON", "OTEL_", "PYTHON", "COVERAGE", "PYTEST")
    plain = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    nothing = dict.fromkeys(("TRACES", "METRICS", "LOGS"), "none")
    exported = {f"OTEL_{each}_EXPORTER": value for each, value in nothing.items()}
    # Machines are busy: nothing is asserted about times.
    return {**plain, **exported, "CHOREOMON_DEADLINE": "120", "PYTHONUNBUFFERED": "1"}


@contextmanager
def _witness(two: Two) -> Iterator[str]:
    class Witness(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            two.witness(self.path.strip("/"))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Witness)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def _agents(two: Two, tables: dict[str, SplitTable]) -> Iterator[None]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    ports = HeldPorts(len(tables))
    listen = {
        name: f"tcp://127.0.0.1:{port}" for name, port in zip(tables, ports.ports, strict=True)
    }

    async def start(name: str) -> Agent:
        folder = two.folder / name
        folder.mkdir(mode=0o700)
        config = AgentConfig(
            process=name,
            tables=(),
            listen=listen[name],
            peers={other: at for other, at in listen.items() if other != name},
            local=LocalAccess(path=folder / "agent.sock"),
            insecure=True,
            store=folder / "agent.db",
            verdicts=(),
            deadline=PATIENCE,
            give_up=2 * PATIENCE,
        )
        agent = Agent(
            config, [tables[name]], log=Log(), trace=_Lines(two), sinks=[Callback(two.deliver)]
        )
        await agent.start()
        return agent

    def do(what: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(what, loop).result(PATIENCE)

    try:
        for name in tables:
            two.agents[name] = do(start(name))
        yield
    finally:
        for agent in two.agents.values():
            do(agent.stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()
        ports.let_go()
