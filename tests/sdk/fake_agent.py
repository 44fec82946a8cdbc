"""The model agent behind a real stream, on the loop of the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from choreomon.agent_files.local import (
    AgentMessage,
    Clock,
    FrameSplitter,
    Report,
    Welcome,
    decode_client_untrusted,
    encode,
)
from tests.sdk.model_agent import Connection, ModelAgent, Taken

LABELS = (
    "shop -> customer : parcel",
    "shop -> customer : bill",
    "handle customer -> shop : order",
    "handle env -> shop : start",
)


class _Served(asyncio.Protocol):
    def __init__(self, agent: FakeAgent) -> None:
        self.agent = agent
        self.connection = Connection()
        self.splitter = FrameSplitter()
        self.reads = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop has types of its own
        self.agent.served.append(self)

    def data_received(self, data: bytes) -> None:
        self.reads += 1
        self.connection.up += map(decode_client_untrusted, self.splitter.feed(data))
        self.agent.work(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.agent.served.remove(self)


class FakeAgent:
    """`stands_still`: it reads nothing. `swallows_clocks`: these answers are lost. `greeted`
    counts the welcomes."""

    def __init__(self, address: str, *, lease: float = 9.0, token: str = "") -> None:
        self.address = address
        self.model = ModelAgent(LABELS, window=100, lease=lease, token=token)
        self.served: list[_Served] = []
        self.stands_still = False
        self.swallows_clocks = False
        self.greeted = 0
        self._server: asyncio.Server | None = None
        self._worked = asyncio.Event()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits until something that services do makes it true."""
        while not condition():
            self._worked.clear()
            await self._worked.wait()

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        if self.address.startswith("tcp://"):
            self._server = await loop.create_server(lambda: _Served(self), "127.0.0.1", 0)
            self.address = f"tcp://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        else:
            self._server = await loop.create_unix_server(lambda: _Served(self), self.address)

    async def stop(self) -> None:
        """As if it was killed: nobody listens, and connections are cut."""
        if self._server is not None:
            self._server.close()
            self.cut()
            await self._server.wait_closed()
            self._server = None
            if not self.address.startswith("tcp://"):
                Path(self.address).unlink(missing_ok=True)
            for _ in range(5):
                await asyncio.sleep(0)  # services on this loop have seen it
                self.cut()  # who was accepted before, and is served only now
            await asyncio.sleep(0)

    def cut(self) -> None:
        for served in list(self.served):
            served.transport.abort()

    def go_on(self) -> None:
        self.stands_still = self.swallows_clocks = False
        for served in list(self.served):
            self.work(served)

    def work(self, served: _Served) -> None:
        self._worked.set()
        if self.stands_still:
            return
        self.model.now = asyncio.get_running_loop().time()
        connection = served.connection
        while connection.up and not connection.closed:
            self.model.step(connection)
        while connection.down:
            message: AgentMessage = connection.down.popleft()
            self.greeted += isinstance(message, Welcome)
            if not (self.swallows_clocks and isinstance(message, Clock)):
                served.transport.write(encode(message))
        if connection.closed:
            served.transport.close()

    @property
    def taken(self) -> list[str]:
        """The events, in order; "gap" where some are missing."""
        return [record.name if record else "gap" for record in self.model.records]

    def waits_with_a_report(self) -> bool:
        """Whether a service has sent a report that was not read: it stands still."""
        waiting = (message for one in self.served for message in one.connection.up)
        return any(isinstance(message, Report) for message in waiting)

    @property
    def last(self) -> Taken:
        record = self.model.records[-1]
        assert record is not None
        return record


@asynccontextmanager
async def fake_agent(
    address: Path | str, *, lease: float = 9.0, token: str = ""
) -> AsyncIterator[FakeAgent]:
    agent = FakeAgent(str(address), lease=lease, token=token)
    await agent.start()
    try:
        yield agent
    finally:
        await agent.stop()
