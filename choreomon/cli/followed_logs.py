"""Logs that still grow: read to their end, again and again."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, BinaryIO, Final

from choreomon.core.errors import ChoreomonError
from choreomon.core.recorded import Diagnostic, RecordedEvent

AHEAD: Final = 10_000
"""Events of one log that are read before they are asked for."""


class GrowingFile(io.RawIOBase):
    """A file that is not at its end: where nothing more is in it, `wait` says whether to look
    again. It is at its end once, first of all, so that its beginning can be looked at."""

    def __init__(self, file: BinaryIO, wait: Callable[[], bool]) -> None:
        self._file = file
        self._wait = wait
        self._was_at_its_end = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            piece = self._file.read(len(buffer))
            if piece:
                buffer[: len(piece)] = piece
                return len(piece)
            if not self._was_at_its_end:
                self._was_at_its_end = True
                return 0
            if not self._wait():
                return 0


def in_background(
    log: Iterator[RecordedEvent | Diagnostic], stop: Event
) -> Iterator[RecordedEvent | Diagnostic | None]:
    """The same, read by a thread of its own; None where there is nothing at the moment. The thread
    ends with the log, or after `stop`. Raises what the log raises."""
    waiting: Queue[tuple[RecordedEvent | Diagnostic | None, ChoreomonError | None]] = Queue(AHEAD)

    def put(what: RecordedEvent | Diagnostic | None, error: ChoreomonError | None = None) -> bool:
        while not stop.is_set():
            try:
                waiting.put((what, error), timeout=0.5)
            except Full:
                continue
            return True
        return False

    def read() -> None:
        try:
            for what in log:
                if not put(what):
                    return
            put(None)
        except ChoreomonError as error:
            put(None, error)

    thread = Thread(target=read, name="choreomon log", daemon=True)
    thread.start()
    while True:
        try:
            what, error = waiting.get_nowait()
        except Empty:
            yield None
            continue
        if error is not None:
            raise error
        if what is None:
            return
        yield what
