"""What the five services share: messages go in and out over HTTP, and one is handled at a time.

    POST /messages/SENDER/NAME           a message; answered with 202 before it is handled. Which
                                         order it is about says its body, {"order": "17"}
    GET  /state                          what was sent and handled so far, and what is remembered
    PUT  /links/RECEIVER/stalled         what is sent there waits on the way, until
    PUT  /links/RECEIVER/flowing

Every message passes `Service.send` and `Service._handle`: choreomon is in these two places, and
nowhere else. Memory is lost with the service, and so are messages on their way to it or from it:
this is a demonstration of monitors, not of how to store sagas.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, TypeAlias

from choreomon.sdk import BlockingProcess
from cluster.services.link import Link, Message

PORT: Final = 7000
OUTSIDE: Final = "env"
"""Who sends what no service sends, as properties call it."""

Handler: TypeAlias = Callable[[str], None]
"""Is given the order that the message is about."""
LONGEST_BODY: Final = 1000
"""Bytes of a message."""
Find: TypeAlias = Callable[[str], tuple[str, int]]
"""Where a service is, by its name: host and port."""


def in_the_cluster(service: str) -> tuple[str, int]:
    """Every service is a host by its name there."""
    return service, PORT


class Service:
    """One service, whose handlers run one after the other on a thread of their own.

    `memory` is what its handlers remember. `port` 0: any that is free.
    """

    def __init__(
        self,
        name: str,
        monitor: BlockingProcess,
        *,
        find: Find = in_the_cluster,
        host: str = "",
        port: int = PORT,
    ) -> None:
        self.name = name
        self.memory: dict[str, Any] = {}
        self._monitor = monitor
        self._find = find
        self._handlers: dict[str, Handler] = {}
        self._inbox: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._links: dict[str, Link] = {}
        self._sent: Counter[str] = Counter()
        self._handled: Counter[str] = Counter()
        self._server = ThreadingHTTPServer((host, port), self._request_handler())
        self._threads = [
            threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True),
            threading.Thread(target=self._work, daemon=True),
        ]

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens: host and port."""
        return str(self._server.server_address[0]), self._server.server_port

    def on(self, name: str) -> Callable[[Handler], Handler]:
        """Decorates the handler of the messages of this name."""

        def register(handler: Handler) -> Handler:
            self._handlers[name] = handler
            return handler

        return register

    def send(self, to: str, name: str, order: str) -> None:
        """Send a message; it arrives some time later, after those that were sent there before."""
        headers: dict[str, str] = {}
        carried = self._monitor.sending(to, name, order=order)
        self._monitor.inject(headers, carried)
        self._sent[name] += 1
        self._link(to).put(Message(self.name, name, order, headers))

    def _handle(self, message: Message) -> None:
        if carried := self._monitor.extract(message.headers):
            self._monitor.handling(carried, order=message.order)
        elif message.sender == OUTSIDE:
            self._monitor.handling_from_outside(message.name, order=message.order)
        self._handlers[message.name](message.order)
        self._handled[message.name] += 1

    def _work(self) -> None:
        while (message := self._inbox.get()) is not None:
            try:
                self._handle(message)
            except Exception:
                # One message that cannot be handled must not be the end of the others.
                print(f"{self.name}: {message.name} was not handled", file=sys.stderr)
                traceback.print_exc()

    def _link(self, to: str) -> Link:
        if to not in self._links:
            self._links[to] = Link(*self._find(to))
        return self._links[to]

    # What others ask for over HTTP.

    def receive(self, message: Message) -> bool:
        """Takes a message to be handled; False where there is no handler for it."""
        if message.name not in self._handlers:
            return False
        self._inbox.put(message)
        return True

    def state(self) -> dict[str, Any]:
        """What was sent and handled, by name of the message, and what is remembered.

        `untold` counts events of which the agent will never be told.
        """
        return {
            "service": self.name,
            "sent": dict(self._sent),
            "handled": dict(self._handled),
            "memory": dict(self.memory),
            "untold": getattr(self._monitor, "lost", 0),
        }

    def stall(self, to: str, stalled: bool) -> None:
        """Hold back what is sent to another service, or let it go on."""
        if stalled or to in self._links:
            self._link(to).stall(stalled)

    def start(self) -> None:
        """Take messages and handle them, on threads of its own."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Take no more, and handle what was taken; what is on its way to others is lost."""
        self._server.shutdown()
        self._server.server_close()
        self._inbox.put(None)
        self._threads[1].join(timeout=5)
        for link in self._links.values():
            link.close()

    def _request_handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Requests(BaseHTTPRequestHandler):
            timeout = 10

            def do_GET(self) -> None:
                if self.path == "/state":
                    self._answer(200, service.state())
                else:
                    self._answer(404, {"error": "there is /state"})

            def do_POST(self) -> None:
                match self.path.split("/"):
                    case ["", "messages", sender, name] if service.receive(
                        Message(sender, name, self._order(), dict(self.headers.items()))
                    ):
                        self._answer(202, {})
                    case _:
                        self._answer(404, {"error": "there is /messages/SENDER/NAME"})

            def do_PUT(self) -> None:
                match self.path.split("/"):
                    case ["", "links", to, "stalled" | "flowing" as what]:
                        service.stall(to, what == "stalled")
                        self._answer(200, {})
                    case _:
                        self._answer(404, {"error": "there is /links/RECEIVER/stalled"})

            def _order(self) -> str:
                """Which order the message is about; empty where its body does not say."""
                length = int(self.headers.get("content-length") or 0)
                try:
                    return str(json.loads(self.rfile.read(min(length, LONGEST_BODY)))["order"])
                except (ValueError, LookupError, TypeError):
                    return ""

            def _answer(self, status: int, body: Mapping[str, Any]) -> None:
                content = json.dumps(body).encode("ascii")
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass  # health checks would be all that it says

        return Requests
