"""The traffic generator: drives the services, a case at a time, when it is asked to over HTTP.

GET  /state               the services that answer
GET  /cases               the cases, and what the monitors are to say of each
POST /cases/NAME?times=N  play one N times, one after the other; answered when it is over
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from cluster.cases import CASES, HALVES, Case
from cluster.services.service import OUTSIDE, PORT, Find, in_the_cluster

SERVICES: Final = ("customer", "orders", "payment", "stock", "shipping")

PLAYED: Final = {**CASES, **HALVES}

PATIENCE: Final = 30.0
"""Seconds that a case waits for one thing."""

PAUSE: Final = 0.01
"""Seconds between two looks at a service."""


class Stuck(Exception):
    """Something that a case waits for does not happen. The message says what."""


class Services:
    """The services, over HTTP: a `Saga`, from the last `begin` on."""

    def __init__(self, find: Find = in_the_cluster) -> None:
        self._find = find
        self._before: dict[str, dict[str, Any]] = {}
        self._orders = 0

    def begin(self) -> None:
        """A case begins: what was sent and handled so far does not count for it."""
        self._before = {service: self.state(service) for service in SERVICES}

    def new_order(self) -> str:
        self._orders += 1
        return str(self._orders)

    def tell(self, service: str, name: str, order: str = "") -> None:
        body = json.dumps({"order": order})
        self._ask(service, "POST", f"/messages/{OUTSIDE}/{name}", body)

    def until(self, service: str, name: str, times: int = 1) -> None:
        self._until(service, "handled", name, times)

    def until_sent(self, service: str, name: str, times: int = 1) -> None:
        self._until(service, "sent", name, times)

    def stall(self, sender: str, receiver: str) -> None:
        self._ask(sender, "PUT", f"/links/{receiver}/stalled")

    def flow(self, sender: str, receiver: str) -> None:
        self._ask(sender, "PUT", f"/links/{receiver}/flowing")

    def flow_everywhere(self) -> None:
        """What a case that was given up may have left behind."""
        for sender in SERVICES:
            for receiver in SERVICES:
                self.flow(sender, receiver)

    def state(self, service: str) -> dict[str, Any]:
        """What `GET /state` says."""
        state = json.loads(self._ask(service, "GET", "/state"))
        assert isinstance(state, dict)
        return state

    def parcels(self) -> list[str]:
        """The orders whose parcels left, in turn, since shipping was started."""
        sent: list[str] = self.state("shipping")["memory"]["sent"]
        return sent

    def _until(self, service: str, what: str, name: str, times: int) -> None:
        wanted = self._before[service][what].get(name, 0) + times
        deadline = time.monotonic() + PATIENCE
        while self.state(service)[what].get(name, 0) < wanted:
            if time.monotonic() > deadline:
                raise Stuck(f"{service} has not {what} {name} within {PATIENCE:g} seconds")
            time.sleep(PAUSE)

    def _ask(self, service: str, method: str, path: str, body: str | None = None) -> bytes:
        connection = http.client.HTTPConnection(*self._find(service), timeout=10)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Stuck(f"{service} does not answer: {error!r}") from None
        finally:
            connection.close()
        if answer.status >= 300:
            raise Stuck(f"{service} answers {answer.status} to {method} {path}")
        return content


def play(services: Services, case: Case, times: int = 1) -> dict[str, Any]:
    """Play a case. The result says of which orders it sent parcels, and what the monitors are to
    say of each. Raises `Stuck`."""
    began = time.monotonic()
    before = len(services.parcels())
    try:
        for _ in range(times):
            services.begin()
            case.play(services)
    except Stuck:
        services.flow_everywhere()
        raise
    return {
        "case": case.name,
        "times": times,
        "parcels": services.parcels()[before:],
        "word": case.word,
        "seconds": round(time.monotonic() - began, 3),
    }


def requests_of(services: Services) -> type[BaseHTTPRequestHandler]:
    """The handler of requests to the generator."""
    one_at_a_time = threading.Lock()

    class Requests(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            match urlsplit(self.path).path.split("/"):
                case ["", "state"]:
                    self._answer(200, {"cases": list(PLAYED)})
                case ["", "cases"]:
                    known = {c.name: {"about": c.about, "word": c.word} for c in PLAYED.values()}
                    self._answer(200, known)
                case ["", "services"]:
                    self._try(lambda: {name: services.state(name) for name in SERVICES})
                case _:
                    self._answer(404, {"error": "there are /cases and /services"})

        def do_POST(self) -> None:
            url = urlsplit(self.path)
            times = parse_qs(url.query).get("times", ["1"])[0]
            match url.path.split("/"):
                case ["", "cases", name] if name in PLAYED and times.isdecimal():
                    with one_at_a_time:
                        self._try(lambda: play(services, PLAYED[name], int(times)))
                case _:
                    told = f"POST /cases/NAME?times=N; NAME is one of {', '.join(PLAYED)}"
                    self._answer(404, {"error": told})

        def _try(self, work: Any) -> None:
            try:
                self._answer(200, work())
            except Stuck as error:
                self._answer(504, {"error": str(error)})

        def _answer(self, status: int, body: Mapping[str, Any]) -> None:
            content = (json.dumps(body, indent=2) + "\n").encode("ascii")
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Requests


def main() -> None:
    """Serve until the end."""
    ThreadingHTTPServer(("", PORT), requests_of(Services())).serve_forever()


if __name__ == "__main__":
    main()
