"""Real proxies whose agent is killed again and again: no request reaches anybody that the agent was
not told of, and none counts twice."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from benchmarks.proxy_cost import AGENT, PROPERTY, PROXIES, program, running
from choreomon.agent_files.clocks.text import decode_carried_untrusted, decode_clocks_untrusted
from choreomon.testing.held_ports import HeldPorts
from tests.cli.command_line import choreomon

ROUNDS = 3
REQUESTS = 40
"""Between two kills."""
TRIES = 100_000


class Upstream(ThreadingHTTPServer):
    """Where requests arrive; `headers` are those that they came with."""

    def __init__(self, port: int) -> None:
        self.headers: list[str | None] = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                arrived.append(self.headers.get("choreomon"))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        arrived = self.headers
        super().__init__(("127.0.0.1", port), Handler)


@contextmanager
def serving(port: int) -> Iterator[Upstream]:
    upstream = Upstream(port)
    thread = Thread(target=upstream.serve_forever)
    thread.start()
    try:
        yield upstream
    finally:
        upstream.shutdown()
        thread.join()
        upstream.server_close()


def asked(port: int) -> int:
    """The status of one request through the proxy; 0 where it is not there yet."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/named", headers={"choreomon": "1/thief/named/"})
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def until(port: int, status: int) -> None:
    """Until a request gets this answer. Each proxy and agent takes a while to be there."""
    for _ in range(TRIES):
        if asked(port) == status:
            return
    raise AssertionError(f"never answered with {status}")


@contextmanager
def ready(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """An agent, from when it is ready until it is killed."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            assert '"message": "ready"' in process.stderr.readline()
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("proxy", "refusal"), [("nginx", 500), ("caddy", 502), ("envoy", 403)])
def test_what_reaches_anybody_was_told_before(
    proxy: str, refusal: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = program(proxy)
    if path is None:
        pytest.skip(f"this machine has no {proxy}, which is not tried")
    monkeypatch.chdir(tmp_path)
    config, file, options = PROXIES[proxy]
    names = ("plain", "asked", "service", "agent", "http")
    held = HeldPorts(len(names))
    ports = dict(zip(names, held.ports, strict=True))
    (tmp_path / file).write_text(config.format(**ports))
    (tmp_path / "property.yaml").write_text(PROPERTY)
    (tmp_path / "agent.yaml").write_text(AGENT.format(**ports))
    assert choreomon("split", "property.yaml", "-o", "tables").code == 0
    agent = [sys.executable, "-m", "choreomon", "agent", "--config", "agent.yaml"]
    try:
        with serving(ports["service"]) as upstream, running([path, *options, file], tmp_path):
            for _ in range(ROUNDS):
                with ready(agent) as process:
                    until(ports["asked"], 200)
                    for request in range(REQUESTS):
                        if request == REQUESTS // 2:
                            process.kill()
                        asked(ports["asked"])
                arrived = len(upstream.headers)
                assert asked(ports["asked"]) == refusal
                assert len(upstream.headers) == arrived
    finally:
        held.let_go()
    carried = [decode_carried_untrusted(header) for header in upstream.headers if header]
    assert len(carried) == len(upstream.headers) >= ROUNDS * REQUESTS // 2
    assert {each.sender for each in carried} == {"service"}  # nothing that a client wrote
    clocks = [[*decode_clocks_untrusted(each.clock).values()] for each in carried]
    counts = [clock[0][0] for clock in clocks]
    assert counts == sorted({*counts})
