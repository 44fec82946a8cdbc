"""A context of ZeroMQ for the sockets of one agent."""

from __future__ import annotations

import zmq


class ForgettableContext(zmq.Context[zmq.Socket[bytes]]):
    """A context that waits for nobody once forgotten. One of pyzmq, if collected with open sockets,
    as when a loop ended before its agent, waits for them for ever."""

    def __del__(self) -> None:
        pass
