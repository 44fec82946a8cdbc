"""The processes of one run: started together, listened to together, and gone together."""

from __future__ import annotations

import time
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import NamedTuple, Self

from choreomon.core.errors import ChoreomonError, InternalError
from choreomon.deployment.fork_server import Forked, ForkServer
from choreomon.deployment.instructions import Failed, Instruction, Role, Told


class TimeIsUp(ChoreomonError):
    """The awaited message did not come in time."""


class Heard(NamedTuple):
    """A message that a process told."""

    name: str
    message: Told


class ProcessGroup:
    """Processes by name. Use it as a context: whatever happens, none is left at its end."""

    def __init__(self, fork_server: ForkServer) -> None:
        self._fork_server = fork_server
        self._members: dict[str, Forked] = {}
        self._names: dict[Connection, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        while self._members:
            self._ended(next(iter(self._members)))

    def start(self, name: str) -> None:
        """Start one more process, which waits for its role."""
        forked = self._members[name] = self._fork_server.fork()
        self._names[forked.pipe] = name

    def play(self, name: str, role: Role) -> None:
        """Give a process its role."""
        self._send(name, role)

    def tell(self, name: str, instruction: Instruction) -> None:
        """Give a process an instruction."""
        self._send(name, instruction)

    def _send(self, name: str, message: object) -> None:
        try:
            self._members[name].pipe.send(message)
        except OSError:
            raise self._died(name) from None

    def hear(self, until: float) -> list[Heard]:
        """The messages told meanwhile, at least one; `until` is a time of the monotonic clock.
        Raises `TimeIsUp` if nothing was told until then, and `InternalError` if a process failed,
        or ended before it was dismissed.
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
        """Expect nothing more from a process."""
        del self._names[self._members[name].pipe]

    def _died(self, name: str) -> InternalError:
        return InternalError(f"{name} is gone, with exit code {self._ended(name)}")

    def _ended(self, name: str) -> int:
        number, pipe = self._members.pop(name)
        self._names.pop(pipe, None)
        pipe.close()
        return self._fork_server.end(number)
