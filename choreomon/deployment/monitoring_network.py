"""Messages between monitors, with the document's delays on the way.

Monitors do not know of it: each asks at what it takes for the address of the other one, by a DEALER
and with CURVE, and is asked at its own ROUTER. In between stands, for each process, a ROUTER with
its keys, at which the others ask it, and for each asker a DEALER with the asker's keys. A message
that arrives at one of them leaves by the other when the link's delay is over; its content is not
examined. Two ways lead from one process to another, since each may ask the other; they are one
link, with one stream of draws.

A message may be lost here as in any network of ZeroMQ; askers repeat their questions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import zmq

from choreomon.agent_files.key_files import KeyPair
from choreomon.deployment.delay_queue import DelayQueue
from choreomon.deployment.links import Links
from choreomon.runtime.network.draining import DrainingReader
from choreomon.runtime.network.peer_limits import Limits, bound
from choreomon.runtime.network.security import (
    Curve,
    ZapHandler,
    make_key_pair,
    secure_asker,
    secure_listener,
    user_id,
)

BATCH: Final = 64
OWN_NAME: Final = ""
"""Name of the network; no process can have it."""

Pair = tuple[str, str]
"""The process that asks, and the one that is asked."""


class MonitoringNetwork:
    """The network of the monitors, made on the loop's thread. `keys` are those of all monitors;
    `asks`: whom each of them asks.

    `context` must be this object's alone. Raises `UnusableKeys`.
    """

    def __init__(
        self,
        *,
        context: zmq.Context[zmq.Socket[bytes]],
        loop: asyncio.AbstractEventLoop,
        keys: Mapping[str, KeyPair],
        asks: Mapping[str, Sequence[str]],
        links: Links,
    ) -> None:
        self._context = context
        self._loop = loop
        self._keys = keys
        self._asks = asks
        self._links = links
        self._delayed = DelayQueue(loop)
        self._routes: dict[Pair, bytes] = {}
        self._listeners: dict[str, zmq.Socket[bytes]] = {}
        self._askers: dict[Pair, zmq.Socket[bytes]] = {}
        self._readers: dict[zmq.Socket[bytes], DrainingReader] = {}
        self._public = {process: pair.public for process, pair in keys.items()}
        self._users = {user_id(process): process for process in keys}
        self.strangers = 0
        """Connections refused, and messages from unknown senders."""
        # One for all listeners: a peer with the key of a process is let in under its name.
        every = Curve(make_key_pair(OWN_NAME), self._public)
        self._zap_handler = ZapHandler(context, loop, every, self._refused)

    def listen(self) -> dict[str, str]:
        """Listen; return the address at which each asked process is reached from now on."""
        endpoints: dict[str, str] = {}
        for process in dict.fromkeys(name for asked in self._asks.values() for name in asked):
            router = self._socket(zmq.ROUTER)
            secure_listener(router, Curve(self._keys[process], self._public))
            router.bind("tcp://127.0.0.1:*")
            self._listeners[process] = router
            self._read(router, partial(self._asked, process, router))
            endpoints[process] = router.getsockopt_string(zmq.LAST_ENDPOINT)
        return endpoints

    def connect(self, endpoints: Mapping[str, str]) -> None:
        """Connect with the monitors, which listen at these addresses, for each that asks one."""
        for asker, asked in self._asks.items():
            security = Curve(self._keys[asker], self._public)
            for process in asked:
                dealer = self._socket(zmq.DEALER)
                secure_asker(dealer, security, process)
                dealer.connect(endpoints[process])
                self._askers[asker, process] = dealer
                self._read(dealer, partial(self._answered, asker, process, dealer))

    def close(self) -> None:
        """Close the network."""
        self._delayed.drop()
        for socket, reader in self._readers.items():
            reader.close()
            socket.close()
        self._zap_handler.close()

    def _socket(self, kind: int) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind, socket_class=zmq.Socket)
        bound(socket, Limits())
        return socket

    def _read(self, socket: zmq.Socket[bytes], take: partial[bool]) -> None:
        self._readers[socket] = DrainingReader(self._loop, socket, take, batch=BATCH)

    def _asked(self, process: str, router: zmq.Socket[bytes]) -> bool:
        route, part = router.recv_multipart(zmq.NOBLOCK, copy=False)
        try:
            asker = self._users[str(part.get("User-Id"))]
            onward = self._askers[asker, process]
        except (zmq.ZMQError, KeyError):
            self.strangers += 1
            return False
        self._routes[asker, process] = route.bytes
        self._carry(asker, process, partial(self._send, onward, [part.bytes]))
        return False

    def _answered(self, asker: str, process: str, dealer: zmq.Socket[bytes]) -> bool:
        (frame,) = dealer.recv_multipart(zmq.NOBLOCK)
        self._carry(process, asker, partial(self._answer, asker, process, frame))
        return False

    def _answer(self, asker: str, process: str, frame: bytes) -> None:
        route = self._routes[asker, process]
        self._send(self._listeners[process], [route, frame])

    def _carry(self, sender: str, receiver: str, send: partial[None]) -> None:
        self._delayed.at(self._links.between(sender, receiver).arrival(self._loop.time()), send)

    def _send(self, socket: zmq.Socket[bytes], parts: list[bytes]) -> None:
        with suppress(zmq.Again):  # too much waits already; the asker will ask again
            socket.send_multipart(parts, zmq.NOBLOCK)
        self._readers[socket].look()

    def _refused(self, why: str) -> None:
        self.strangers += 1
