"""Sinks that are files: lines at the end of a file, or to an open descriptor.

A line is taken when all of it was written to the kernel; with `sync`, to the disk. Where writing
stopped within a line, or the agent was killed there, the line is ended before the next one, and
the verdict comes again: readers pass over a line that is no JSON.

A reader that stands still holds up its sink, on a thread of its own, and nothing else.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from choreomon.agent_files.verdict_json import verdict_line
from choreomon.core.live import LiveVerdict
from choreomon.runtime.delivery.sinks import SinkFailed
from choreomon.runtime.delivery.worker_thread import WorkerThread

AT_ONCE: Final = 256
_LINE_END: Final = ord("\n")


class DescriptorLines:
    """Lines to an open descriptor, which stays open: 1 is the standard output."""

    at_once = AT_ONCE

    def __init__(self, descriptor: int = 1, name: str = "stdout") -> None:
        self.name = name
        self._descriptor = descriptor
        self._torn = False
        self._thread = WorkerThread(name)

    async def take(self, verdicts: Sequence[LiveVerdict]) -> None:
        await self.append([verdict_line(verdict) for verdict in verdicts])

    async def append(self, lines: Sequence[str]) -> None:
        """Write all of them, which have no line ends. Raises `SinkFailed` where not all are surely
        written."""
        try:
            await self._thread.run(partial(self._write, lines))
        except OSError as error:
            raise SinkFailed(f"cannot be written: {error.strerror or error}") from None

    async def close(self) -> None:
        self._thread.close()

    def _write(self, lines: Sequence[str]) -> None:
        """Write lines, on the thread. Raises `OSError`."""
        text = "".join(f"{line}\n" for line in lines)
        data = memoryview((f"\n{text}" if self._torn else text).encode())
        while data:
            written = os.write(self._descriptor, data)
            self._torn = data[written - 1] != _LINE_END
            data = data[written:]


class FileLines(DescriptorLines):
    """Lines at the end of the file `path`, which is made where there is none. One that was moved
    away, as by those who rotate logs, is left, and another made in its place."""

    def __init__(self, path: Path, *, sync: bool = False) -> None:
        super().__init__(-1, f"file {path}")
        self._path = path
        self._sync = sync

    async def close(self) -> None:
        with suppress(OSError):
            await self._thread.run(self._leave)
        await super().close()

    def _write(self, lines: Sequence[str]) -> None:
        if self._descriptor < 0 or self._moved():
            self._leave()
            self._open()
        super()._write(lines)
        if self._sync:
            _sync(self._descriptor)

    def _moved(self) -> bool:
        try:
            there = self._path.stat()
        except FileNotFoundError:
            return True
        return not os.path.samestat(there, os.fstat(self._descriptor))

    def _leave(self) -> None:
        if self._descriptor >= 0:
            left, self._descriptor = self._descriptor, -1
            os.close(left)

    def _open(self) -> None:
        new = not self._path.exists()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o666)
        self._torn = _ends_within_a_line(self._path)
        if new and self._sync:
            folder = os.open(self._path.parent, os.O_RDONLY | os.O_CLOEXEC)
            try:
                _sync(folder)
            finally:
                os.close(folder)


def _ends_within_a_line(path: Path) -> bool:
    """Tell whether the file ends in mid-line because a writer was interrupted. A pipe, or an
    unreadable file, does not."""
    with suppress(OSError):
        size = path.stat()
        if stat.S_ISREG(size.st_mode) and size.st_size:
            with path.open("rb") as file:
                file.seek(-1, os.SEEK_END)
                return file.read() != b"\n"
    return False


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EROFS):  # a pipe, which has no disk
            raise
