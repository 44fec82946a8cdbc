"""Processes that share work, and end with whoever started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any

from choreomon.core.errors import WorkerLost


@contextmanager
def workers(
    jobs: int, prepare: Callable[..., None] | None = None, *given: Any
) -> Iterator[ProcessPoolExecutor]:
    """So many processes, in each of which `prepare(*given)` comes before all work; functions and
    values are sent to them, so they must be those of modules.

    They end with the block: when their work is done, or at once where an exception leaves it; and
    at once with this process, however that ends. Of an interrupt they say nothing.

    Raises WorkerLost where one of them was killed.
    """
    context = _context()
    held, letting_go = context.Pipe(duplex=False)
    begin = (held, prepare, given)
    try:
        with held, letting_go, ProcessPoolExecutor(jobs, context, _begin, begin) as pool:
            try:
                yield pool
            except BaseException:
                letting_go.close()  # before the pool waits for them
                raise
    except BrokenProcessPool:
        raise WorkerLost(
            "a process was killed before it had answered, perhaps for want of memory"
        ) from None


def _begin(held: Connection, prepare: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with, args=(held,), daemon=True).start()
    if prepare is not None:
        prepare(*given)


def _end_with(held: Connection) -> None:
    """Ends this process when nobody has the other end of the pipe any more."""
    held.poll(None)
    os._exit(1)


def _context() -> BaseContext:
    """A process that shows its progress has threads, and must not be forked."""
    methods = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
