"""Logs that still grow: read to their end, again and again."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import takewhile
from queue import Empty, Full, Queue
from threading import Event, Thread
from time import sleep
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from choreomon.cli.command_line.signals import interrupt_noted
from choreomon.core.errors import ChoreomonError
from choreomon.core.recorded import Diagnostic, RecordedEvent
from choreomon.files.unreadable import unreadable

if TYPE_CHECKING:
    from choreomon.audit.reading import Log
    from choreomon.cli.command_line.log_options import LogReading

SECONDS_BETWEEN_LOOKS: Final = 0.5

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
    """Read the log in a thread of its own; None where there is nothing at the moment. The thread
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


def followed(
    stack: ExitStack,
    paths: tuple[str, ...],
    reading: LogReading,
    say: Callable[[], None] | None,
) -> tuple[list[Log], Callable[[], bool]]:
    """The logs, each read by a thread of its own until the block is over, and how to wait where
    nothing is there to be read. After an interrupt, whenever it comes, the logs are at their end.
    """
    stop = Event()
    stack.callback(stop.set)
    interrupted = stack.enter_context(interrupt_noted())

    def has_grown() -> bool:
        return not stop.wait(SECONDS_BETWEEN_LOOKS)

    def wait() -> bool:
        if say is not None:
            say()
        sleep(SECONDS_BETWEEN_LOOKS)
        return not interrupted()

    logs: list[Log] = []
    for path in paths:
        try:
            file = stack.enter_context(open(path, "rb", buffering=0))  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from None
        growing = cast("BinaryIO", GrowingFile(file, has_grown))
        log = in_background(reading.read(path, growing), stop)
        logs.append(takewhile(lambda _: not interrupted(), log))
    return logs, wait


def no_wait() -> bool:
    """Do not wait: logs that do not grow always have something to be read, until they end."""
    return False
