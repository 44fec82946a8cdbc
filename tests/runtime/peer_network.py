"""Sockets of agents on one machine, with what they are told, and clients that are none."""

from __future__ import annotations

import asyncio
import select
import struct
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self, TypeAlias

import zmq

from choreomon.agent_files.key_files import KeyPair
from choreomon.runtime.network.peers import PeerSockets
from choreomon.runtime.network.security import (
    Curve,
    Insecure,
    Security,
    ZapHandler,
    make_key_pair,
    secure_listener,
)

LOOPBACK = "tcp://127.0.0.1:0"

RawSocket: TypeAlias = "zmq.Socket[bytes]"


@cache
def keys_of(process: str) -> KeyPair:
    return make_key_pair(process)


def curve(process: str, *peers: str) -> Curve:
    return Curve(keys_of(process), {peer: keys_of(peer).public for peer in peers})


def insecure(process: str, *peers: str) -> Insecure:
    return Insecure(process, frozenset(peers))


SECURITIES: Mapping[str, Callable[..., Security]] = {"curve": curve, "insecure": insecure}


@dataclass
class Side:
    """One agent's sockets, and all that they called back, in order."""

    sockets: PeerSockets
    context: zmq.Context[zmq.Socket[bytes]]
    log: list[tuple[str, str, bytes]] = field(default_factory=list)
    react: dict[str, Callable[[str, bytes], None]] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, what: str, whom: str = "", frame: bytes = b"") -> None:
        self.log.append((what, whom, frame))
        self.changed.set()
        if what in self.react:
            self.react[what](whom, frame)

    def frames(self, what: str) -> list[tuple[str, bytes]]:
        return [(whom, frame) for kind, whom, frame in self.log if kind == what]

    def refused(self) -> list[tuple[str, bytes]]:
        """Reasons and details."""
        return self.frames("refused")

    def reasons(self) -> list[str]:
        return [reason for reason, _ in self.refused()]

    async def until(self, true: Callable[[], Any]) -> None:
        """Waits until it is true; the test's own deadline ends that."""
        while not true():
            self.changed.clear()
            await self.changed.wait()

    async def until_asked(self, times: int = 1) -> None:
        await self.until(lambda: len(self.frames("asked")) >= times)

    async def until_answered(self, times: int = 1) -> None:
        await self.until(lambda: len(self.frames("answered")) >= times)

    async def until_refused(self, reason: str, times: int = 1) -> None:
        await self.until(lambda: self.reasons().count(reason) >= times)

    @property
    def router(self) -> RawSocket:
        return self.sockets._router

    def dealer_to(self, peer: str) -> RawSocket:
        return self.sockets._dealers[peer].socket


class Network:
    """Makes sides and foreign clients, and closes them all."""

    def __init__(self) -> None:
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def side(
        self,
        security: Security,
        addresses: Mapping[str, str] | None = None,
        bind: str = LOOPBACK,
        **options: Any,
    ) -> Side:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._open.callback(context.destroy, linger=0)
        told: list[Side] = []
        sockets = PeerSockets(
            context=context,
            loop=asyncio.get_running_loop(),
            bind=bind,
            addresses=addresses or {},
            security=security,
            on_asked=lambda peer, frame: told[0].tell("asked", peer, frame),
            on_answered=lambda peer, frame: told[0].tell("answered", peer, frame),
            on_refused=lambda reason, detail: told[0].tell("refused", reason, detail.encode()),
            on_drained=lambda: told[0].tell("drained"),
            **options,
        )
        self._open.callback(sockets.close)
        told.append(Side(sockets, context))
        return told[0]

    def client(self, kind: int = zmq.DEALER, **options: Any) -> RawSocket:
        """A socket of libzmq that is no agent's."""
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._open.callback(context.term)
        socket = context.socket(kind)
        self._open.callback(socket.close)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.SNDTIMEO, 10_000)
        for name, value in options.items():
            socket.setsockopt(getattr(zmq, name), value)
        return socket

    def monitor(self, socket: RawSocket, events: int) -> RawSocket:
        """What libzmq tells of the connections of a socket."""
        monitor: RawSocket = socket.get_monitor_socket(events)
        self._open.callback(monitor.close)
        self._open.callback(socket.disable_monitor)
        return monitor

    def listener(self, security: Security) -> RawSocket:
        """A ROUTER, not bound yet, with a ZAP handler, that is no agent's."""
        socket = self.client(zmq.ROUTER)
        zap_handler = ZapHandler(
            socket.context, asyncio.get_running_loop(), security, lambda reason: None
        )
        self._open.callback(zap_handler.close)
        secure_listener(socket, security)
        return socket

    def plain_client(self, process: str, endpoint: str, **options: Any) -> RawSocket:
        """One that says to be the process, to an agent without protection."""
        socket = self.client(
            PLAIN_USERNAME=process.encode(), PLAIN_PASSWORD=b"none", RECONNECT_IVL=10, **options
        )
        socket.connect(endpoint)
        return socket


def port_of(endpoint: str) -> int:
    return int(endpoint.rsplit(":", 1)[1])


def is_signalled(socket: RawSocket, seconds: float = 0) -> bool:
    """Whether libzmq says that something happened at the socket, of which nobody has taken note
    yet. Blocks the loop until then, at most for that long."""
    return bool(select.select([socket.fileno()], [], [], seconds)[0])


def wait_until_readable(socket: RawSocket) -> None:
    """Blocks the loop until there is something to read. Uses up the signal of that."""
    assert socket.poll(120_000)


async def turns(number: int = 10) -> None:
    """Lets the loop go round."""
    for _ in range(number):
        await asyncio.sleep(0)


class ZmtpClient:
    """A client that speaks ZMTP 3.0 (https://rfc.zeromq.org/spec/23/) with the mechanism PLAIN by
    itself, and so may do what no client of libzmq does."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, endpoint: str) -> ZmtpClient:
        client = cls(*await asyncio.open_connection("127.0.0.1", port_of(endpoint)))
        client.send(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"PLAIN".ljust(20, b"\0") + bytes(32))
        await client._reader.readexactly(64)
        return client

    async def introduce(self, process: str, routing_id: bytes = b"") -> None:
        """The whole handshake. Raises `IncompleteReadError` where it is not let in."""
        name = process.encode()
        self.command(b"HELLO", bytes([len(name)]) + name + b"\x04none")
        await self.frame()
        self.command(
            b"INITIATE",
            *(b"\x0bSocket-Type", struct.pack(">I", 6), b"DEALER"),
            *(b"\x08Identity", struct.pack(">I", len(routing_id)), routing_id),
        )
        await self.frame()

    def command(self, name: bytes, *body: bytes) -> None:
        self.send_frame(bytes([len(name)]) + name + b"".join(body), flags=4)

    def send_frame(self, body: bytes, flags: int = 0) -> None:
        self.send(struct.pack(">BQ", flags | 2, len(body)) + body)

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def frame(self) -> bytes:
        flags = (await self._reader.readexactly(1))[0]
        long = struct.unpack(">Q", await self._reader.readexactly(8))[0] if flags & 2 else None
        size = (await self._reader.readexactly(1))[0] if long is None else long
        return await self._reader.readexactly(size)

    async def until_closed(self) -> None:
        """Waits until the other end closes the connection."""
        with suppress(ConnectionError):
            while await self._reader.read(65536):
                pass

    async def close(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()
