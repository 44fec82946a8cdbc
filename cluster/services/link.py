"""The way from one service to another: messages arrive in the order in which they were sent."""

from __future__ import annotations

import http.client
import json
import queue
import sys
import threading
from collections.abc import Mapping
from typing import Final, NamedTuple

PAUSE: Final = 0.2
"""Seconds until a receiver is tried again that could not be reached."""


class Message(NamedTuple):
    """One message between services, and the headers that came with it. `order`: which order it is
    about; empty: none."""

    sender: str
    name: str
    order: str
    headers: Mapping[str, str]


class Link:
    """A thread that posts messages, one after the other. A receiver that cannot be reached is
    tried again; one that breaks off while it is told a message may have lost it."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._waiting: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._flowing = threading.Event()
        self._flowing.set()
        self._closed = threading.Event()
        threading.Thread(target=self._deliver, daemon=True).start()

    def put(self, message: Message) -> None:
        """Send it, as soon as all that was sent before has arrived."""
        self._waiting.put(message)

    def stall(self, stalled: bool) -> None:
        """Whether messages wait on the way."""
        if stalled:
            self._flowing.clear()
        else:
            self._flowing.set()

    def close(self) -> None:
        """Deliver nothing more."""
        self._closed.set()
        self._flowing.set()
        self._waiting.put(None)

    def _deliver(self) -> None:
        while (message := self._waiting.get()) is not None:
            self._flowing.wait()
            while not self._closed.is_set() and not self._post(message):
                self._closed.wait(PAUSE)

    def _post(self, message: Message) -> bool:
        """Whether it need not be tried again."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=10)
        try:
            connection.connect()
        except OSError:
            return False
        try:
            path = f"/messages/{message.sender}/{message.name}"
            body = json.dumps({"order": message.order})
            connection.request("POST", path, body, dict(message.headers))
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            print(f"{self._host}: {message.name} may be lost: {error!r}", file=sys.stderr)
        else:
            if status != 202:
                print(f"{self._host}: {message.name} was refused: {status}", file=sys.stderr)
        finally:
            connection.close()
        return True
