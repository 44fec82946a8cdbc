"""What stands between two agents in a schedule, so that it can be disturbed.

`Wire` forwards the bytes of connections, whatever they mean, so also those of CURVE: it can hold
everything up, break connections, and delay. `Frames` forwards whole frames of insecure agents: it
can lose, repeat, delay and reorder them. Both run on the loop of the harness, one for each agent
that asks and each that is asked.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random
from typing import Final, Protocol, cast

import zmq
import zmq.asyncio

from choreomon.runtime.network.security import Insecure, ZapHandler, secure_asker, secure_listener

PIECE: Final = 1 << 16


class Between(Protocol):
    """One way from an agent to another one; `address` is what the first is told."""

    address: str
    disturbed: int
    """How many frames, or pieces of the stream, did not go as they should have."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Wire:
    """Forwards connections to the port `target`."""

    def __init__(self, target: int, random: Random) -> None:
        self.address = ""
        self.disturbed = 0
        self.delay = 0.0
        """Seconds that each piece is delayed at most."""
        self._target = target
        self._random = random
        self._open = asyncio.Event()
        self._open.set()
        self._streams: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"

    async def stop(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.cut()

    def stall(self) -> None:
        """Connections stay, and nothing goes through."""
        self._open.clear()

    def go_on(self) -> None:
        self._open.set()

    def cut(self) -> None:
        """Break all connections; new ones may be made."""
        self.disturbed += len(self._streams)
        for stream in [*self._streams]:
            stream.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._streams.add(writer)
        other = None
        try:
            there, other = await asyncio.open_connection("127.0.0.1", self._target)
            self._streams.add(other)
            await asyncio.gather(self._forward(reader, other), self._forward(there, writer))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            for stream in (writer, other):
                if stream is not None:
                    self._streams.discard(stream)
                    stream.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(PIECE):
            if self.delay:
                self.disturbed += 1
                await asyncio.sleep(self.delay * self._random.random())
            if not self._open.is_set():
                self.disturbed += 1
                await self._open.wait()
            writer.write(piece)
            await writer.drain()
        raise ConnectionResetError


class Frames:
    """Forwards frames of `asker` to the agent at `target`, and its answers; a share `lost` of them
    is lost, and so on; what is delayed comes up to `late` seconds later."""

    def __init__(self, asker: str, target: str, random: Random) -> None:
        self.address = ""
        self.disturbed = 0
        self.lost = self.repeated = self.delayed = 0.0
        self.late = 0.3
        self._random = random
        self._context = zmq.asyncio.Context()
        self._front = self._context.socket(zmq.ROUTER)
        security = Insecure("", [asker])
        self._zap_handler = ZapHandler(
            cast("zmq.Context[zmq.Socket[bytes]]", self._context),
            asyncio.get_running_loop(),
            security,
            lambda reason: None,
        )
        secure_listener(cast("zmq.Socket[bytes]", self._front), security)
        self._back = self._context.socket(zmq.DEALER)
        secure_asker(cast("zmq.Socket[bytes]", self._back), Insecure(asker, ()), "")
        self._back.connect(target)
        self._route = b""

    async def start(self) -> None:
        port = self._front.bind_to_random_port("tcp://127.0.0.1")
        self.address = f"tcp://127.0.0.1:{port}"
        self._tasks = [asyncio.create_task(self._forward(there)) for there in (True, False)]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._zap_handler.close()
        self._context.destroy(linger=0)

    async def _forward(self, there: bool) -> None:
        loop = asyncio.get_running_loop()
        while True:
            parts = await (self._front if there else self._back).recv_multipart()
            if there:
                self._route, *parts = parts
            random = self._random
            if random.random() < self.lost:
                self.disturbed += 1
                continue
            for _ in range(1 + (random.random() < self.repeated)):
                if random.random() < self.delayed:
                    self.disturbed += 1
                    loop.call_later(self.late * random.random(), self._send, there, parts)
                else:
                    self._send(there, parts)

    def _send(self, there: bool, parts: list[bytes]) -> None:
        with suppress(zmq.ZMQError):
            if there:
                self._back.send_multipart(parts, zmq.NOBLOCK)
            elif self._route:
                self._front.send_multipart([self._route, *parts], zmq.NOBLOCK)
