"""Signals that end a command, with all that it started.

SIGINT, SIGTERM and SIGHUP become an exception, so that every block on the way out does what it does
in the end: processes that share work are ended (`choreomon.batch.workers`, `choreomon.deployment`),
folders for what is temporary are removed, and of files nothing is half-written
(`choreomon.files.whole_file`). That may take `GRACE` seconds; who needs longer is ended without
more ado, and the processes that it started end by themselves.

A SIGINT counts where it was ignored at the start, too, as it is for what a script starts in the
background: who sends one means it. Ignored SIGTERM and SIGHUP (`nohup`) stay so.

Not guaranteed: code in C that does not come back to the interpreter is not interrupted.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import Final

from choreomon.batch.interrupts import INTERRUPTS

GRACE: Final = 0.75
"""Seconds from a signal to the end of the process at the latest, but for `LAST_GRACE`."""

LAST_GRACE: Final = 0.1
"""Seconds more, for what a process that is ended without more ado must still remove."""

_SHELL: Final = 128
"""Added by shells to the number of a signal, to have an exit code."""


class Ended(KeyboardInterrupt):
    """A signal wants this process to end; `number` says which."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Arrived:
    """The last signal that arrived: `ended` is None, or the last of the exceptions that were
    raised."""

    ended: Ended | None = None

    @contextmanager
    def not_disguised(self) -> Iterator[None]:
        """Let whatever leaves the block after a signal leave it as `Ended`: a library may have made
        an error of its own of that."""
        try:
            yield
        except (Exception, SystemExit):
            if self.ended is None:
                raise
            raise self.ended from None


def ended_code(error: BaseException | None) -> int:
    """The exit code of who ends for that: as a shell has it, 130 for SIGINT and 143 for SIGTERM."""
    return _SHELL + (error.number if isinstance(error, Ended) else signal.SIGINT)


@contextmanager
def ended_by_signals() -> Iterator[Arrived]:
    """Raises `Ended` at the first signal within the block, in the main thread; later ones change
    nothing. Elsewhere than in the main thread nothing is done."""
    arrived = Arrived()
    if current_thread() is not main_thread():
        yield arrived
        return
    hook = sys.unraisablehook
    before = {number: signal.getsignal(number) for number in INTERRUPTS}

    def end(number: int, frame: FrameType | None) -> None:
        for each in INTERRUPTS:
            signal.signal(each, signal.SIG_IGN)
        ended = arrived.ended = Ended(number)
        # Not `threading.Thread`: it takes locks that this thread may hold.
        _thread.start_new_thread(_end_later, (ended,))
        raise ended

    def say(unraisable: sys.UnraisableHookArgs) -> None:
        """Say nothing where the exception came within a finalizer, which loses it: the time that is
        left is waited for."""
        if not issubclass(unraisable.exc_type, Ended):
            hook(unraisable)

    sys.unraisablehook = say
    for number, handler in before.items():
        if number == signal.SIGINT or handler is not signal.SIG_IGN:
            signal.signal(number, end)
    try:
        yield arrived
    finally:
        for number, handler in before.items():
            # None: not made by Python, and so not to be restored by it.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        sys.unraisablehook = hook


@contextmanager
def interrupt_noted() -> Iterator[Callable[[], bool]]:
    """Tells whether a SIGINT has arrived within the block. The first one does nothing else,
    for a command that goes on until then; later ones do what they did before. Outside of the main
    thread none arrives."""
    noted: list[int] = []
    if current_thread() is not main_thread():
        yield lambda: False
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        signal.signal(number, before)
        noted.append(number)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(noted)
    finally:
        if signal.getsignal(signal.SIGINT) is note:  # else another signal ends all of this
            signal.signal(signal.SIGINT, before)


def _end_later(ended: Ended) -> None:
    time.sleep(GRACE)
    removed = _thread.allocate_lock()
    removed.acquire()
    _thread.start_new_thread(_remove_semaphores, (removed,))
    removed.acquire(timeout=LAST_GRACE)
    os._exit(ended_code(ended))


def _remove_semaphores(removed: _thread.LockType) -> None:
    """Remove semaphores of processes that share work. They have names, and outlive this process
    unless removed by name: the standard library would do it, and complain on the standard error. It
    does it without complaint at an orderly end, by these finalizers; one of them may wait for a
    lock."""
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        with suppress(Exception):
            util._run_finalizers(0)
    removed.release()
