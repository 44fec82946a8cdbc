"""A process of a run from its own side: it waits for its role, plays it, and ends.

A process never outlives the orchestrator: the end of the pipe is the end of the process.
"""

from __future__ import annotations

import asyncio
import os
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Final

from choreomon.core.errors import InternalError
from choreomon.deployment.instructions import Ended, Failed, Instruction, Role, Told

GONE: Final = 2
"""The exit code of a process whose orchestrator is gone."""


def live(connection: Connection) -> int:
    """The whole life of a process, and its exit code; `connection` leads to the orchestrator."""
    try:
        role: Role = connection.recv()
    except (EOFError, OSError):
        return GONE
    try:
        with asyncio.Runner(loop_factory=role.new_loop) as runner:
            runner.run(_play(role, connection))
        connection.send(Ended())
    except Exception:
        with suppress(OSError):
            connection.send(Failed(traceback.format_exc()))
        return 1
    return 0


async def _play(role: Role, connection: Connection) -> None:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    failures: list[object] = []

    def failed(_: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        # A callback of the loop that raises is as bad as a task that does, but would go unnoticed.
        failures.append(context.get("exception") or context["message"])
        task.cancel()

    loop.set_exception_handler(failed)
    pipe = _Pipe(connection, loop)
    try:
        await role.play(pipe)
    except asyncio.CancelledError:
        raise InternalError(f"in a callback: {failures[0]!r}") from _as_cause(failures[0])
    finally:
        pipe.close()


def _as_cause(failure: object) -> BaseException | None:
    return failure if isinstance(failure, BaseException) else None


class _Pipe:
    """A `Control` over a connection, at whose end the process ends."""

    def __init__(self, connection: Connection, loop: asyncio.AbstractEventLoop) -> None:
        self._connection = connection
        self._loop = loop
        self._instructions: asyncio.Queue[Instruction] = asyncio.Queue()
        loop.add_reader(connection.fileno(), self._read)

    def tell(self, message: Told) -> None:
        with suppress(OSError):  # then the end of the pipe is noticed in this turn
            self._connection.send(message)

    async def instruction(self) -> Instruction:
        return await self._instructions.get()

    def close(self) -> None:
        self._loop.remove_reader(self._connection.fileno())

    def _read(self) -> None:
        try:
            while self._connection.poll():
                self._instructions.put_nowait(self._connection.recv())
        except (EOFError, OSError):
            os._exit(GONE)  # whatever goes on here is of no use to anybody
