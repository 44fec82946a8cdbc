"""The fork server: it makes the processes of runs, and ends them.

A fork server is a process of its own that has imported all that actors, agents and networks need,
and forks: that costs milliseconds, where an interpreter costs half a second. It has no threads and
no sockets of ZeroMQ, which a fork must not inherit; the orchestrator may have both.  All processes
are its children, so none is left behind: it ends them, and if the orchestrator is gone, for
whatever reason, the fork server ends all of them, removes their folder, and ends. A Ctrl-C at the
terminal does not reach it, since it is in a process group of its own.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from choreomon.agent_files.addresses import MAX_SOCKET_PATH
from choreomon.core.errors import InternalError

PRELOADED: Final = (
    "choreomon.deployment.actor_process",
    "choreomon.deployment.agent_process",
    "choreomon.deployment.network_process",
)

_NUMBER: Final = struct.Struct("!q")
_FORK: Final = b"f"
_END: Final = b"e"
_LONGEST_PATH: Final = len("choreomon-12345678/run-12345678/agent-1234.sock")


class Forked(NamedTuple):
    """A new process, and the orchestrator's end of the pipe to it."""

    number: int
    pipe: Connection


class ForkServer:
    """A running fork server, and a `folder` that only the user can enter. Use it as a context, at
    whose end both are gone; it answers as soon as it has imported everything. Raises `OSError` if
    none can be started.
    """

    def __init__(self) -> None:
        self._children: set[int] = set()
        self.folder = Path(tempfile.mkdtemp(prefix="choreomon-", dir=_place()))
        try:
            self._socket, other = socket.socketpair()
            with other:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", _command(other.fileno(), self.folder)],
                    stdin=subprocess.DEVNULL,
                    pass_fds=(other.fileno(),),
                    process_group=0,
                )
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it, and all processes that it has forked and not ended."""
        if not self._children:
            self._process.kill()  # it may still be importing
        self._abandon()
        shutil.rmtree(self.folder, ignore_errors=True)

    def fork(self) -> Forked:
        """Fork one more process; it runs `choreomon.deployment.child.live`. Raises `InternalError`
        if the fork server is gone."""
        own, other = Pipe()
        with other:
            try:
                number = self._asked(_FORK, other.fileno())
            except BaseException:
                own.close()
                raise
        self._children.add(number)
        return Forked(number, own)

    def end(self, number: int) -> int:
        """End a process at once, if it has not ended itself; its exit code as `subprocess` gives
        it. Call it once for each."""
        self._children.discard(number)
        try:
            return self._asked(_END + _NUMBER.pack(number))
        except InternalError:
            return -signal.SIGKILL  # as the fork server does when it goes

    def _asked(self, command: bytes, *descriptors: int) -> int:
        """Ask it, and return its answer. After an interruption nobody would know what the next
        answer belongs to: then the fork server has to go, and everything with it."""
        try:
            socket.send_fds(self._socket, [command], descriptors)
            data = b""
            while len(data) < _NUMBER.size:
                more = self._socket.recv(_NUMBER.size - len(data))
                if not more:
                    raise OSError
                data += more
        except OSError:
            self._abandon()
            raise InternalError("the fork server is gone") from None
        except BaseException:
            self._abandon()
            raise
        return int(_NUMBER.unpack(data)[0])

    def _abandon(self) -> None:
        """Let it end everything, and wait until it has."""
        self._children.clear()
        self._socket.close()
        self._process.wait()


def _place() -> str | None:
    """A place where sockets in the folder have short enough names: the place for temporary files,
    or else `/tmp`."""
    longest = os.path.join(tempfile.gettempdir(), "x" * _LONGEST_PATH)
    return None if len(os.fsencode(longest)) <= MAX_SOCKET_PATH else "/tmp"


def _command(descriptor: int, folder: Path) -> str:
    """The program of a fork server, which finds modules where this process does."""
    return (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from {__name__} import main; main({descriptor}, {os.fspath(folder)!r})"
    )


# ---------------------------------------------------------------- within the fork server


def main(descriptor: int, folder: str) -> None:
    """Serve until the other end of the socket is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    children: set[int] = set()
    with socket.socket(fileno=descriptor) as orchestrator:
        for name in PRELOADED:
            import_module(name)
        gc.freeze()  # what exists by now is shared with all of them, and stays so
        try:
            with suppress(OSError):  # it may be gone without having read everything
                _serve(orchestrator, children)
        finally:
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            shutil.rmtree(folder, ignore_errors=True)


def _serve(orchestrator: socket.socket, children: set[int]) -> None:
    while True:
        command, descriptors, _, _ = socket.recv_fds(orchestrator, 1, 1)
        if command == _FORK:
            number = os.fork()
            if not number:
                orchestrator.close()
                _live(descriptors[0])
            os.close(descriptors[0])
            children.add(number)
            answer = number
        elif command == _END:
            number = _NUMBER.unpack(orchestrator.recv(_NUMBER.size, socket.MSG_WAITALL))[0]
            os.kill(number, signal.SIGKILL)  # a child stays until it is waited for
            children.discard(number)
            answer = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
        else:
            return
        orchestrator.sendall(_NUMBER.pack(answer))


def _live(descriptor: int) -> None:
    """The life of a forked process. It never comes back."""
    code = 1
    try:
        from choreomon.deployment.child import live

        code = live(Connection(descriptor))
    finally:
        # Not as an interpreter ends: that would do again what the fork server has to do once.
        os._exit(code)
