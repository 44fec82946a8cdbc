"""Ports of loopback for agents that a test starts, and starts again."""

from __future__ import annotations

import socket


class HeldPorts:
    """Ports of loopback at which whoever is told of them may listen, again and again, and nobody
    else.

    Each is bound here, without listening, as long as it is held. So the kernel gives it to nobody
    who asks for any port, neither to listen at nor to connect from, even while the agent that it
    belongs to is not there; and who connects then is refused. Who names it and sets `SO_REUSEADDR`,
    as libzmq and asyncio do, may listen there.
    """

    def __init__(self, count: int) -> None:
        self._holders = [socket.socket() for _ in range(count)]
        for holder in self._holders:
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind(("127.0.0.1", 0))
        self.ports: list[int] = [holder.getsockname()[1] for holder in self._holders]

    def let_go(self) -> None:
        for holder in self._holders:
            holder.close()
