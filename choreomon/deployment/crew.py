"""The processes of one run: started together, watched together, and gone together.

Processes are made by a server that is a process of its own and has imported everything beforehand
(`multiprocessing`'s `forkserver`): a fork of it costs milliseconds, and it has no threads and no
sockets, which a fork must not inherit.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Mapping
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from types import TracebackType
from typing import Final, NamedTuple, Self

from choreomon.core.errors import ChoreomonError, InternalError
from choreomon.deployment.child import live
from choreomon.deployment.instructions import Failed, Instruction, Role, Told

_PRELOADED: Final = (
    "choreomon.cli",
    "choreomon.deployment.actor_process",
    "choreomon.deployment.agent_process",
    "choreomon.deployment.network_process",
)
ENDS_WITHIN: Final = 5.0
"""Seconds that a process may take to end in order."""
TERMINATES_WITHIN: Final = 1.0
"""Seconds that it may take where it is told to by a signal, before it is killed."""


class TimeIsUp(ChoreomonError):
    """What was waited for did not come in time."""


class Heard(NamedTuple):
    """What a process told."""

    name: str
    message: Told


def can_start() -> bool:
    """Whether this system has what it takes."""
    return "forkserver" in multiprocessing.get_all_start_methods()


def warm_up() -> None:
    """Start the server of processes, which takes a while, if there is none."""
    multiprocessing.set_forkserver_preload([*_PRELOADED])
    forkserver.ensure_running()


class Crew:
    """Processes by name. To be used as a context: whatever happens, none is left at its end."""

    def __init__(self) -> None:
        warm_up()
        self._context = multiprocessing.get_context("forkserver")
        self._processes: dict[str, ForkServerProcess] = {}
        self._pipes: dict[str, Connection] = {}
        self._names: dict[Connection, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pipe in self._pipes.values():
            pipe.close()
        end = time.monotonic() + (ENDS_WITHIN if kind is None else 0)
        for process in self._processes.values():
            process.join(max(0.0, end - time.monotonic()))
        for strike in (ForkServerProcess.terminate, ForkServerProcess.kill):
            self._strike(strike)

    def _strike(self, strike: Callable[[ForkServerProcess], None]) -> None:
        alive = [process for process in self._processes.values() if process.is_alive()]
        for process in alive:
            strike(process)
        end = time.monotonic() + TERMINATES_WITHIN
        for process in alive:
            process.join(max(0.0, end - time.monotonic()))

    def start(self, name: str) -> None:
        """One more process, which waits for its role."""
        own, other = self._context.Pipe()
        self._pipes[name] = own
        self._names[own] = name
        process = self._context.Process(target=live, args=(other,), name=name, daemon=True)
        with other:
            process.start()
        self._processes[name] = process

    def play(self, name: str, role: Role) -> None:
        """Give it its role."""
        self._send(name, role)

    def tell(self, name: str, instruction: Instruction) -> None:
        """Give it an instruction."""
        self._send(name, instruction)

    def _send(self, name: str, message: object) -> None:
        try:
            self._pipes[name].send(message)
        except OSError:
            raise self._died(name) from None

    def hear(self, until: float) -> list[Heard]:
        """What was told meanwhile, at least one thing; `until` is a time of the monotonic clock.

        Raises `TimeIsUp` where nothing was told until then, and `InternalError` where a process
        failed, or is gone before it was told to end.
        """
        ready = wait([*self._names], max(0.0, until - time.monotonic()))
        if not ready:
            raise TimeIsUp
        return [self._next(pipe) for pipe in ready if isinstance(pipe, Connection)]

    def _next(self, pipe: Connection) -> Heard:
        name = self._names[pipe]
        try:
            message = pipe.recv()
        except (EOFError, OSError):
            raise self._died(name) from None
        if isinstance(message, Failed):
            raise InternalError(f"{name}: {message.traceback}")
        return Heard(name, message)

    def dismiss(self, name: str) -> None:
        """Nothing more is to be heard of it: it ends."""
        self._names.pop(self._pipes[name], None)

    def _died(self, name: str) -> InternalError:
        process = self._processes[name]
        process.join(TERMINATES_WITHIN)
        return InternalError(f"{name} is gone, with exit code {process.exitcode}")

    def alive(self) -> Mapping[str, int]:
        """The process ids of those that are there."""
        return {
            name: process.pid
            for name, process in self._processes.items()
            if process.pid is not None and process.is_alive()
        }
