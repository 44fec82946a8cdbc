"""Interrupts that wait until no lock can be left held.

An exception that a signal handler raises comes between any two steps of the main thread, also right
after a lock of the standard library was taken and before it is sure to be released
(https://docs.python.org/3/library/signal.html, "Note on Signal Handlers and Exceptions"). A thread
that needs the lock then waits forever, and so does whoever joins that thread.
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
    """Defer `INTERRUPTS` that arrive within the block to its end, where the first of them is
    handled once; if that raises, its exception replaces one of the block. A signal without a
    handler in Python acts as always. Threads other than the main one are never interrupted.

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
