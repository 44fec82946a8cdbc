"""Interrupts that wait until no lock can be left held.

An exception that a signal handler raises comes between any two steps of the main thread, also
right after a lock of the standard library was taken and before it is sure to be released
(https://docs.python.org/3/library/signal.html, "Note on Signal Handlers and Exceptions"). A thread
that needs the lock then waits without end, and who joins that thread does so, too.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """A SIGINT that arrives within the block is handled at its end, once; where that raises, its
    exception replaces one of the block. Threads other than the main one are never interrupted.

    The block must be short: nothing interrupts it.
    """
    handler = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(handler):
        yield
        return
    arrived: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: arrived.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if arrived:
            handler(*arrived[0])
