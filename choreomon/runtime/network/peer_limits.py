"""Bounds on what other agents can cost: memory, descriptors, turns, and how long to wait for them.

Not bounded, since libzmq does not: the number of parts of one message, and the number of
connections of those who say nothing, each of which is closed after `Limits.handshake`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import zmq

from choreomon.agent_files.wire import MAX_BYTES
from choreomon.runtime.network.draining import BATCH_BYTES

_SLACK: Final = 1024
"""Bytes by which libzmq's limit is above ours: encryption adds some, and what is little too long is
better counted by us than answered by libzmq with the end of the connection."""

_BACKLOG: Final = 256
"""Connections that the kernel keeps until they are accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds, of which none has to be changed. Times are seconds.

    What one connection can make wait in memory is `received` frames of `frame_bytes`, or `bearable`
    where that is less, and as much in the buffers of the kernel.
    """

    frame_bytes: int = MAX_BYTES
    bearable: int = MAX_BYTES
    """Bytes of a frame that comes, above which the connection ends that it came along."""
    sent: int = 1000
    """Frames that wait to be sent along one connection; above it `ask` and `answer` say no."""
    received: int = 256
    """Frames that wait to be read from one connection; above it the other end has to wait."""
    batch: int = 64
    """Frames that are read from a socket before everybody else has a turn."""
    batch_bytes: int = BATCH_BYTES
    """Bytes after which everybody else has a turn, too."""
    rate: float = 20_000.0
    """Frames a second from one peer, those of all its connections together: inquiries and answers
    apart."""
    burst: float = 20_000.0
    """Frames that may come at once nevertheless."""
    heartbeat: float = 2.0
    """Seconds between signs of life; a connection without one for three times that is given up."""
    handshake: float = 5.0
    """Seconds to connect, and to identify oneself."""
    other_key: float = 2.0
    """Seconds without any answer of a peer with several known keys, before another one is tried."""
    reconnect: float = 0.1
    """Seconds before connecting again; libzmq doubles it up to `reconnect_most`, and begins anew
    after a connection."""
    reconnect_most: float = 1.0
    """The most seconds between attempts to connect. Inquiries wait in the socket meanwhile, so this
    is the delay until a peer that is back is asked. A peer that stays unavailable costs an attempt
    to connect, and to look its name up, so often."""
    lookups: int = 8
    """Peers whose addresses are names that are looked up at once."""
    revive: float = 5.0
    """Seconds for which a DEALER may refuse every frame before a new one takes its place."""
    pause: float = 1.0
    """Seconds for which frames are kept in a pause, before they are dropped."""


def bound(socket: zmq.Socket[Any], limits: Limits) -> None:
    """Sets those bounds that libzmq knows. To be called before it binds or connects."""
    for option, value in (
        (zmq.LINGER, 0),
        (zmq.BACKLOG, _BACKLOG),
        (zmq.SNDHWM, limits.sent),
        (zmq.RCVHWM, limits.received),
        (zmq.MAXMSGSIZE, min(limits.frame_bytes, limits.bearable) + _SLACK),
        (zmq.CONNECT_TIMEOUT, _milliseconds(limits.handshake)),
        (zmq.HANDSHAKE_IVL, _milliseconds(limits.handshake)),
        (zmq.HEARTBEAT_IVL, _milliseconds(limits.heartbeat)),
        (zmq.HEARTBEAT_TIMEOUT, _milliseconds(3 * limits.heartbeat)),
        (zmq.HEARTBEAT_TTL, _milliseconds(3 * limits.heartbeat)),
        (zmq.RECONNECT_IVL, _milliseconds(limits.reconnect)),
        (zmq.RECONNECT_IVL_MAX, _milliseconds(limits.reconnect_most)),
    ):
        socket.setsockopt(option, value)


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))
