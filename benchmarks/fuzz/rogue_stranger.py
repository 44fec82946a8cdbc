"""Bytes to the port of agents, of somebody who has no key and may not know the protocol."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Mapping
from random import Random
from typing import Any, Final

from benchmarks.fuzz.told import Told

PATIENCE: Final = 30.0
PIECES: Final = 10
"""Of one connection at most."""
GREETING: Final = b"\xff" + bytes(8) + b"\x7f"
AT_ONCE: Final = struct.pack("ii", 1, 0)
"""Close without a farewell, so that the kernel remembers nothing of it."""


def strangers(random: Random, frames: int, where: Mapping[str, Any], told: Told) -> None:
    """Rubbish at every stage of a handshake (https://rfc.zeromq.org/spec/23/)."""
    host, _, port = where["target"].removeprefix("tcp://").rpartition(":")
    while told.sent < frames:
        told.asked += 1
        began = time.perf_counter()
        with socket.create_connection((host, int(port)), PATIENCE) as stream:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
            try:
                for _ in range(random.randrange(1, PIECES)):
                    piece = _piece(random)
                    told.sent += 1
                    told.sizes += len(piece)
                    stream.sendall(piece)
                if random.random() < 0.01:
                    told.sees("an answer" if stream.recv(1000) else "a farewell")
            except OSError:
                told.sees("closed while it spoke")
        told.took(time.perf_counter() - began)


def _piece(random: Random) -> bytes:
    mechanism = random.choice((b"CURVE", b"PLAIN", b"NULL", b"X" * 20))
    greeting = GREETING + bytes([random.choice((1, 3, 9)), random.randrange(3)])
    match random.randrange(5):
        case 0:
            return random.randbytes(random.randrange(1, 300))
        case 1:
            return greeting + mechanism.ljust(20, b"\0") + bytes(32)
        case 2:
            return greeting + mechanism.ljust(20, b"\0") + bytes([1]) + bytes(31)
        case 3:
            body = random.choice((b"\x05HELLO", b"\x08INITIATE", b"\x05READY", b"\x04PING"))
            body += random.randbytes(random.randrange(300))
            flags = random.choice((0, 1, 2, 4, 6, 255))
            size = random.choice((len(body), 1 << 62, 0, 255))
            return bytes([flags]) + size.to_bytes(8, "big") + body
        case _:
            body = b"\x05HELLO\x01\x00" + bytes(72) + random.randbytes(120)
            return bytes([4, len(body)]) + body
