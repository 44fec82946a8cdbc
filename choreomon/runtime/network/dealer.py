"""The connection to a peer that is asked, and what can be told of it from outside.

libzmq says neither that it has given up a connection, nor that the other end has another key than
the one that is expected. Both look like silence, and a new socket helps with both. Times are
seconds of a clock that does not run backwards.
"""

from __future__ import annotations

from collections.abc import Sequence

import zmq

from choreomon.runtime.network.draining import DrainingReader


class Dealer:
    """A socket to `peer`, who is known by `keys`; it expects one of them."""

    __slots__ = ("_asked_since", "_refused_since", "keys", "peer", "reader", "skipping", "socket")

    reader: DrainingReader

    def __init__(self, peer: str, socket: zmq.Socket[bytes], keys: Sequence[str]) -> None:
        self.peer = peer
        self.socket = socket
        self.keys = keys
        self.skipping = False
        """Parts of a message that is none."""
        self._asked_since: float | None = None
        self._refused_since: float | None = None

    def sent(self, now: float) -> None:
        """The socket took something to be sent."""
        self._refused_since = None
        if self._asked_since is None:
            self._asked_since = now

    def refused(self, now: float) -> None:
        """The socket did not take it."""
        if self._refused_since is None:
            self._refused_since = now

    def answered(self) -> None:
        """Something came."""
        self._asked_since = None

    def may_have_another_key(self, now: float, patience: float) -> bool:
        """Tell whether the peer was asked, has been silent for so long, and there is another key to
        try. It may just be unavailable; then trying another key loses only what is old."""
        since = self._asked_since
        return len(self.keys) > 1 and since is not None and now - since >= patience

    def may_be_given_up(self, now: float, patience: float) -> bool:
        """Tell whether all that was to be sent was refused for so long. Perhaps the peer is
        unavailable, and too much waits already. But after some errors of protocol (another program
        had the port for a moment) libzmq has given up for good. A new socket helps there, and
        elsewhere it loses only what is old."""
        return self._refused_since is not None and now - self._refused_since >= patience

    def close(self) -> None:
        self.reader.close()
        self.socket.close()
