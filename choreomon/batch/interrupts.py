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
from typing import Final

INTERRUPTS: Final = tuple(
    signal.Signals[name]
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if name in signal.Signals.__members__
)
"""The signals by which somebody wants a process to end; not every system has all."""


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """One of `INTERRUPTS` that arrives within the block is handled at its end, the first of them
    once; where that raises, its exception replaces one of the block. One without a handler of
    Python's does what it ever does. Threads other than the main one are never interrupted.

    The block must be short: nothing interrupts it.
    """
    if current_thread() is not main_thread():
        yield
        return
    found = {number: signal.getsignal(number) for number in INTERRUPTS}
    handlers = {number: handler for number, handler in found.items() if callable(handler)}
    arrived: list[tuple[int, FrameType | None]] = []
    for number in handlers:
        signal.signal(number, lambda number, frame: arrived.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if arrived:
            handlers[signal.Signals(arrived[0][0])](*arrived[0])
