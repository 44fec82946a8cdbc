"""What a message costs a service that OpenTelemetry instruments, with an agent and without.

    python -m benchmarks.opentelemetry_cost [--messages 50] [--rounds 40]

Microseconds of processor time of the whole service, its thread for the agent included, in one
process: rounds of each way alternate, and what is more than traced is the median of the differences
within each round. Out: `requests` posts to a server that is another process. In: Flask takes a
request, without a socket. The agent is a process of its own, with a store; its time does not count
here.

    alone       nothing is instrumented
    traced      by OpenTelemetry, without choreomon; nothing is exported
    unnamed     with choreomon, a message that no table names: no round trip
    named       one that a table names: told before it leaves, or before it is handled

`waits` is the wall time of a message more than that of a traced one: what an event loop stands
still. It means little where others use the machine.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import requests
from flask import Flask
from opentelemetry.instrumentation.flask import FlaskInstrumentor
from opentelemetry.instrumentation.requests import RequestsInstrumentor
from opentelemetry.propagate import set_global_textmap
from opentelemetry.propagators.composite import CompositePropagator
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from benchmarks.command_line import load_at_the, machine, parser_for
from choreomon.logs.mappings.mapping_document import parse_mapping
from choreomon.opentelemetry.installed import install, uninstall
from choreomon.opentelemetry.propagator import Propagator
from choreomon.opentelemetry.provider import HandlingProcessor, KnowAll
from choreomon.opentelemetry.settings import Settings
from choreomon.opentelemetry.telling import Telling

PROPERTY: Final = """
property:
  sequences:
    - steps: ['service -> other : "POST /named"', 'handle other -> service : "POST /named"',
              'service -> other : never']
"""
AGENT: Final = """
process: service
tables: [tables/service.json]
listen: tcp://127.0.0.1:0
peers: {other: "tcp://127.0.0.1:9"}
insecure: true
local: {path: run/agent.sock}
store: agent.db
verdicts: [{file: verdicts.jsonl}]
"""
SERVER: Final = """
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *_): pass
server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""
WAYS: Final = ("alone", "traced", "unnamed", "named")


@contextmanager
def beside(folder: Path) -> Iterator[str]:
    """An agent, and a server; its address."""
    folder.joinpath("property.yaml").write_text(PROPERTY)
    folder.joinpath("agent.yaml").write_text(AGENT)
    command = [sys.executable, "-m", "choreomon"]
    split = [*command, "split", "property.yaml", "-o", "tables"]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    subprocess.run(split, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    agent = subprocess.Popen(
        [*command, "agent", "--config", "agent.yaml"],
        cwd=folder,
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield f"127.0.0.1:{server.stdout.readline().strip()}"
    finally:
        for each in (server, agent):
            each.terminate()
            each.communicate()


class Service:
    """Both directions, each way."""

    def __init__(self, address: str) -> None:
        self._address = address
        mapping = f'format: otlp\nprocesses: {{"{address}": other}}\n'
        self.telling = Telling(Settings(deadline=60.0), parse_mapping(mapping, "mapping.yaml"))
        self._traced = TracerProvider()
        self._told = TracerProvider()
        self._told.sampler = KnowAll(self._told.sampler)
        self._told.add_span_processor(HandlingProcessor(self.telling))
        self._session = requests.Session()

    @contextmanager
    def way(self, way: str) -> Iterator[dict[str, Callable[[], Any]]]:
        """A message out and one in, the service being of this way."""
        app = Flask("service")
        app.add_url_rule("/<name>", "take", lambda name: name, methods=["POST"])
        traced = way != "alone"
        if traced:
            provider = self._traced if way == "traced" else self._told
            RequestsInstrumentor().instrument(tracer_provider=provider)
            FlaskInstrumentor().instrument_app(app, tracer_provider=provider)
        if way in ("unnamed", "named"):
            install(self.telling)
        client = app.test_client()
        path = "/named" if way == "named" else "/unnamed"
        headers = {"choreomon": f"1/other/POST~20~2F{path[1:]}/"}
        url = f"http://{self._address}{path}"
        yield {
            "out": lambda: self._session.post(url),
            "in": lambda: client.post(path, headers=headers),
        }
        uninstall()
        if traced:
            RequestsInstrumentor().uninstrument()
            FlaskInstrumentor().uninstrument_app(app)


def measured(message: Callable[[], Any], messages: int) -> tuple[float, float]:
    """Microseconds of processor time and of wall time of a message."""
    for _ in range(10):
        message()
    began, wall = time.process_time(), time.perf_counter()
    for _ in range(messages):
        message()
    return tuple(
        (now - then) / messages * 1e6
        for now, then in ((time.process_time(), began), (time.perf_counter(), wall))
    )  # type: ignore[return-value]


def _row(own: list[tuple[float, float]], traced: list[tuple[float, float]]) -> tuple[str, ...]:
    middle = f"{statistics.median(processor for processor, _ in own):.0f}"
    pairs = list(zip(own, traced, strict=True))
    more = [
        f"{statistics.median(each[place] - base[place] for each, base in pairs):+.0f}"
        for place in range(2)
    ]
    return middle, *more


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--messages", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    print(f"{machine()}, {load_at_the('beginning')}")
    set_global_textmap(CompositePropagator([TraceContextTextMapPropagator(), Propagator()]))
    taken: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder)
        run.joinpath("run").mkdir(mode=0o700)
        with beside(run) as address:
            os.environ["CHOREOMON"] = str(run / "run" / "agent.sock")
            service = Service(address)
            for _ in range(options.rounds):
                for way in WAYS:
                    with service.way(way) as messages:
                        for side, message in messages.items():
                            figures = measured(message, options.messages)
                            taken.setdefault((side, way), []).append(figures)
            strange = dict(service.telling.counts.counted)
            service.telling.close()
    print(f"\n{options.rounds} rounds of {options.messages} messages each way.")
    print("\n| | way | us of the processor | more than traced | waits, us |")
    print("|---|---|--:|--:|--:|")
    for side in ("out", "in"):
        for way in WAYS:
            row = " | ".join(_row(taken[side, way], taken[side, "traced"]))
            print(f"| {side} | {way} | {row} |")
    print(f"\nNot told of: {strange or 'nothing'}.")


if __name__ == "__main__":
    main()
