"""Processes that share work, and end with whoever started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any, Final, TypeVar

from choreomon.batch.interrupts import interrupts_deferred
from choreomon.core.errors import WorkerLost

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

SLICE: Final = 0.1
"""Seconds for which a result is waited for at a time; an interrupt waits as long at most."""


class Workers:
    """Processes that share work. The executor's locks are only taken while interrupts are deferred:
    one that left a lock held would let the executor's own thread, and so the end of this process,
    wait without end."""

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def map(
        self, work: Callable[[_Task], _Result], tasks: Sequence[_Task], at_once: int = 1
    ) -> Iterator[_Result]:
        """What `work` makes of each task, in their order, each as soon as it is known. So many
        tasks are handed out together. What was not begun when the iterator is closed is not done.
        """
        starts = range(0, len(tasks), at_once)
        waiting: deque[Future[list[_Result]]] = deque()
        try:
            for start in starts:
                with interrupts_deferred():
                    chunk = tasks[start : start + at_once]
                    waiting.append(self._executor.submit(_each, work, chunk))
            while waiting:
                yield from _result(waiting.popleft())
        finally:
            with interrupts_deferred():
                for future in waiting:
                    future.cancel()

    def stream(
        self, work: Callable[[_Task], _Result], tasks: Iterable[_Task], ahead: int
    ) -> Iterator[_Result]:
        """As `map`, task by task, of tasks that come one after the other: at most so many are
        taken before their results are."""
        waiting: deque[Future[_Result]] = deque()
        try:
            for task in tasks:
                with interrupts_deferred():
                    waiting.append(self._executor.submit(work, task))
                if len(waiting) == ahead:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        finally:
            with interrupts_deferred():
                for future in waiting:
                    future.cancel()


def _each(work: Callable[[_Task], _Result], tasks: Sequence[_Task]) -> list[_Result]:
    return [work(task) for task in tasks]


def _result(future: Future[_Result]) -> _Result:
    while True:
        with interrupts_deferred():
            if wait([future], SLICE).done:
                return future.result()


@contextmanager
def workers(
    jobs: int, prepare: Callable[..., None] | None = None, *arguments: Any
) -> Iterator[Workers]:
    """So many processes, in each of which `prepare(*arguments)` comes before all work; functions
    and values are sent to them, so they must be those of modules.

    They end with the block: when their work is done, or at once where an exception leaves it; and
    at once with this process, however that ends. Of an interrupt they say nothing.

    Raises WorkerLost where one of them was killed.
    """
    context = _context()
    held, letting_go = context.Pipe(duplex=False)
    begin = (held, prepare, arguments)
    try:
        with held, letting_go, ProcessPoolExecutor(jobs, context, _begin, begin) as executor:
            try:
                yield Workers(executor)
            except BaseException:
                letting_go.close()  # before the executor waits for them
                raise
    except BrokenProcessPool:
        raise WorkerLost(
            "a process was killed before it had answered, perhaps for want of memory"
        ) from None


def _begin(
    held: Connection, prepare: Callable[..., None] | None, arguments: tuple[Any, ...]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with, args=(held,), daemon=True).start()
    if prepare is not None:
        prepare(*arguments)


def _end_with(held: Connection) -> None:
    """Ends this process when nobody has the other end of the pipe any more."""
    held.poll(None)
    os._exit(1)


def _context() -> BaseContext:
    """A process that shows its progress has threads, and must not be forked."""
    methods = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
