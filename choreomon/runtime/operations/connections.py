"""Connections to an address on an event loop, of which there are only so many at once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from choreomon.agent_files.addresses import ANY_HOST, HERE, Address
from choreomon.core.errors import DocumentError, Problem

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Serves a connection to its end. What the network raises, and a `TimeoutError`, end it, too."""


class Connections:
    """Serves each connection. Of more than `most` at once the oldest is closed: those who keep
    theirs open without a word must not keep out who asks for something. `limit`: the most bytes
    that are read up to a separator."""

    def __init__(self, serve: Serve, *, most: int, limit: int) -> None:
        self._serve = serve
        self._most = most
        self._limit = limit
        self._server: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def __len__(self) -> int:
        return len(self._open)

    async def start(self, address: Address) -> Address:
        """Listen; where, with the port that was found free where any would do. Raises
        `DocumentError` where that cannot be."""
        host = None if address.host == ANY_HOST else address.host
        try:
            self._server = await asyncio.start_server(
                self._served, host, address.port, limit=self._limit
            )
        except OSError as error:
            # The message of asyncio repeats the address, that of the number does not.
            number = error.errno or 0
            why = os.strerror(number) if number > 0 else error.strerror or error
            told = f"cannot be listened at: {why}: name {HERE}"
            raise DocumentError((Problem(str(address), 0, "", told),)) from None
        return Address(address.host, self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Stop listening, and abort the open connections."""
        if self._server is not None:
            self._server.close()
            serving = [*self._open]
            for writer in self._open.values():
                writer.transport.abort()
            await asyncio.gather(*serving)
            await self._server.wait_closed()

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= self._most:
            self._open.pop(next(iter(self._open))).transport.abort()
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        try:
            await self._serve(reader, writer)
        except (OSError, TimeoutError):
            pass  # the other end is slow, or gone
        finally:
            self._open.pop(task, None)
            writer.transport.abort()
