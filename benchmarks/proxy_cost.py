"""What a request costs behind a proxy that asks the agent, and behind the same one that does not.

    python -m benchmarks.proxy_cost [--requests 200] [--rounds 10]

Microseconds of processor time of the proxy and of the agent, in one run: rounds of each way
alternate, over one connection, and the service is the same. A proxy that is not installed is left
out, and named.

    plain     the proxy asks nobody
    unnamed   it asks about a request that no table names: no commit
    named     it asks about one that is told, and committed to the store, before it leaves

`waits` is the wall time of a request more than that of a plain one, the median over rounds. It
means little where others use the machine.
"""

from __future__ import annotations

import http.client
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from benchmarks.command_line import load_at_the, machine, parser_for
from choreomon.testing.held_ports import HeldPorts

PROPERTY: Final = """
property:
  sequences:
    - steps: ["service -> other : named", "handle other -> service : never"]
"""
AGENT: Final = """
process: service
tables: [tables/service.json]
listen: tcp://127.0.0.1:0
peers: {{other: "tcp://127.0.0.1:9"}}
insecure: true
local: {{path: run/agent.sock}}
store: agent.db
http: 127.0.0.1:{http}
verdicts: [{{file: verdicts.jsonl}}]
proxies:
  listen: 127.0.0.1:{agent}
  peers: {{"127.0.0.1:{asked}": other}}
  routes: [{{path: /named, name: named}}]
"""
SERVER: Final = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *_): pass
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
NGINX: Final = """
daemon off; pid nginx.pid; error_log stderr warn; worker_processes 1; events {{}}
http {{
  access_log off; client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t;
  uwsgi_temp_path t; scgi_temp_path t; proxy_http_version 1.1; keepalive_requests 1000000;
  upstream agent {{ server 127.0.0.1:{agent}; keepalive 4; }}
  upstream service {{ server 127.0.0.1:{service}; keepalive 4; }}
  server {{ listen 127.0.0.1:{plain};
    location / {{ proxy_set_header Connection ""; proxy_pass http://service; }} }}
  server {{ listen 127.0.0.1:{asked};
    location / {{ auth_request /ask; auth_request_set $clock $upstream_http_choreomon;
      proxy_set_header choreomon $clock; proxy_set_header Connection "";
      proxy_pass http://service; }}
    location = /ask {{ internal; proxy_pass_request_body off; proxy_set_header Content-Length "";
      proxy_set_header Connection ""; proxy_set_header X-Forwarded-Method $request_method;
      proxy_set_header X-Forwarded-Host $http_host; proxy_set_header X-Forwarded-Uri $request_uri;
      proxy_pass http://agent/sending; }} }}
}}
"""
CADDY: Final = """
{{
	admin off
	auto_https off
}}
http://127.0.0.1:{plain} {{
	reverse_proxy 127.0.0.1:{service}
}}
http://127.0.0.1:{asked} {{
	forward_auth 127.0.0.1:{agent} {{
		uri /sending
		copy_headers choreomon
	}}
	reverse_proxy 127.0.0.1:{service}
}}
"""
_MANAGER: Final = (
    "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3"
    ".HttpConnectionManager"
)
_FILTERS: Final = "type.googleapis.com/envoy.extensions.filters.http"
_LISTENER: Final = """
    - address: {{socket_address: {{address: 127.0.0.1, port_value: {%s}}}}}
      filter_chains:
        - filters:
            - name: manager
              typed_config:
                "@type": MANAGER
                stat_prefix: x
                route_config:
                  virtual_hosts:
                    - name: x
                      domains: ["*"]
                      routes: [{{match: {{prefix: /}}, route: {{cluster: service}}}}]
                http_filters:%s
                  - {{name: router, typed_config: {{"@type": FILTERS.router.v3.Router}}}}
"""
_ASKING: Final = """
                  - name: ask
                    typed_config:
                      "@type": FILTERS.ext_authz.v3.ExtAuthz
                      http_service:
                        server_uri: {{uri: agent, cluster: agent, timeout: 6s}}
                        path_prefix: /sending
                        authorization_response:
                          allowed_upstream_headers: {{patterns: [{{exact: choreomon}}]}}"""
_CLUSTER: Final = """
    - name: %s
      load_assignment:
        cluster_name: x
        endpoints:
          - lb_endpoints:
              - endpoint:
                  address: {{socket_address: {{address: 127.0.0.1, port_value: {%s}}}}}
"""
ENVOY: Final = (
    (
        "static_resources:\n  listeners:"
        + _LISTENER % ("plain", "")
        + _LISTENER % ("asked", _ASKING)
        + "  clusters:"
        + _CLUSTER % ("service", "service")
        + _CLUSTER % ("agent", "agent")
    )
    .replace("MANAGER", _MANAGER)
    .replace("FILTERS", _FILTERS)
)

PROXIES: Final = {
    "nginx": (NGINX, "nginx.conf", ["-p", ".", "-e", "stderr", "-c"]),
    "caddy": (CADDY, "caddyfile", ["run", "--adapter", "caddyfile", "--config"]),
    "envoy": (
        ENVOY,
        "envoy.yaml",
        ["--concurrency", "1", "--disable-hot-restart", "-l", "off", "-c"],
    ),
}
WAYS: Final = {"plain": "/named", "unnamed": "/other", "named": "/named"}
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def program(name: str) -> str | None:
    """Where a proxy is, also beside the interpreter."""
    folders = [str(Path(sys.executable).parent), os.environ["PATH"], "/usr/sbin"]
    return shutil.which(name, path=os.pathsep.join(folders))


def processor_time(process: int) -> float:
    """Seconds of a process and of its children."""
    total = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(folder.name) == process or int(fields[1]) == process:
            total += (int(fields[11]) + int(fields[12])) / _TICKS
    return total


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def asking(port: int, path: str, requests: int) -> float:
    """Seconds of so many requests over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    began = time.perf_counter()
    for _ in range(requests):
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
    taken = time.perf_counter() - began
    connection.close()
    return taken


def until_it_answers(port: int, path: str) -> None:
    """Until a proxy and all behind it are there, for at most a minute."""
    end = time.monotonic() + 60
    while True:
        try:
            asking(port, path, 1)
            return
        except (OSError, AssertionError, http.client.HTTPException):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def measured(name: str, path: str, requests: int, rounds: int) -> list[str]:
    """The rows of one proxy."""
    config, file, options = PROXIES[name]
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder = Path(temporary)
        folder.chmod(0o755)
        named = ("plain", "asked", "service", "agent", "http")
        held = HeldPorts(len(named))
        stack.callback(held.let_go)
        ports = dict(zip(named, held.ports, strict=True))
        (folder / file).write_text(config.format(**ports))
        (folder / "property.yaml").write_text(PROPERTY)
        (folder / "agent.yaml").write_text(AGENT.format(**ports))
        command = [sys.executable, "-m", "choreomon"]
        split = [*command, "split", "property.yaml", "-o", "tables"]
        subprocess.run(
            split,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.getcwd()},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        agent = stack.enter_context(running([*command, "agent", "--config", "agent.yaml"], folder))
        stack.enter_context(running([sys.executable, "-c", SERVER, str(ports["service"])], folder))
        proxy = stack.enter_context(running([path, *options, file], folder))
        for way, target in WAYS.items():
            until_it_answers(ports["plain" if way == "plain" else "asked"], target)
        costs: dict[str, list[tuple[float, float, float]]] = {way: [] for way in WAYS}
        for _ in range(rounds):
            for way, target in WAYS.items():
                before = processor_time(proxy.pid), processor_time(agent.pid)
                wall = asking(ports["plain" if way == "plain" else "asked"], target, requests)
                after = processor_time(proxy.pid), processor_time(agent.pid)
                costs[way].append((after[0] - before[0], after[1] - before[1], wall))
    return [_row(name, way, costs[way], costs["plain"], requests) for way in WAYS]


def _row(
    name: str,
    way: str,
    own: list[tuple[float, float, float]],
    plain: list[tuple[float, float, float]],
    requests: int,
) -> str:
    proxy, agent = (sum(each[place] for each in own) for place in range(2))
    per = 1e6 / requests
    waits = statistics.median(each[2] - base[2] for each, base in zip(own, plain, strict=True))
    cells = [proxy * per / len(own), agent * per / len(own)]
    return f"| {name} | {way} | {cells[0]:.0f} | {cells[1]:.0f} | {waits * per:+.0f} |"


def main() -> None:
    parser = parser_for(__doc__)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    print(f"{machine()}, {load_at_the('beginning')}\n")
    print(f"{given.rounds} rounds of {given.requests} requests each way.\n")
    print("| proxy | way | us of the proxy | us of the agent | waits, us |")
    print("|---|---|--:|--:|--:|")
    absent = []
    for name in PROXIES:
        path = program(name)
        if path is None:
            absent.append(name)
            continue
        for row in measured(name, path, given.requests, given.rounds):
            print(row, flush=True)
    if absent:
        print(f"\nNot installed, and left out: {', '.join(absent)}.")


if __name__ == "__main__":
    main()
