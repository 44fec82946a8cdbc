"""Worker processes that share work, and end with whoever started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from threading import Thread
from typing import Any, Final, TypeVar

from choreomon.agent_files.addresses import MAX_SOCKET_PATH
from choreomon.batch.interrupts import interrupts_deferred
from choreomon.core.errors import WorkerLost

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

SLICE: Final = 0.1
"""Seconds for which a result is waited for at a time; an interrupt waits as long at most."""


_SOCKET: Final = "pymp-12345678/listener-12345678"
"""A name as long as that of the fork server's socket in the folder for temporary files."""


class Workers:
    """Processes that share work. The executor's locks are only taken while interrupts are deferred:
    one that left a lock held would let the executor's own thread, and so the end of this process,
    wait without end.

    It gets no more work at once than it puts into the queue of its processes, so that nothing that
    it has must be cancelled: its thread fails on work that was cancelled when a process is lost
    (CPython 3.11, `terminate_broken`).
    """

    def __init__(self, executor: ProcessPoolExecutor, jobs: int) -> None:
        self._executor = executor
        self._most = 2 * jobs + 1

    def map(
        self, work: Callable[[_Task], _Result], tasks: Sequence[_Task], at_once: int = 1
    ) -> Iterator[_Result]:
        """Apply `work` to each task and keep their order; each result comes as soon as it is known.
        This many tasks are handed out together. Tasks not begun when the iterator is closed are not
        done, but for those in the queues of processes."""
        chunks = (tasks[start : start + at_once] for start in range(0, len(tasks), at_once))
        for found in self.stream(partial(_each, work), chunks):
            yield from found

    def stream(
        self, work: Callable[[_Task], _Result], tasks: Iterable[_Task], ahead: int | None = None
    ) -> Iterator[_Result]:
        """Apply `work` to tasks that come one after the other: at most this many are taken before
        their results are (None: any number)."""
        coming = iter(tasks)
        in_order: deque[Future[_Result]] = deque()
        under_way: set[Future[_Result]] = set()
        ended = False
        while True:
            while not (ended or len(under_way) >= self._most or (ahead and len(in_order) >= ahead)):
                try:
                    task = next(coming)
                except StopIteration:
                    ended = True
                    break
                with interrupts_deferred():
                    future = self._executor.submit(work, task)
                    in_order.append(future)
                    under_way.add(future)
            if not in_order:
                return
            with interrupts_deferred():
                if not in_order[0].done():
                    wait(under_way, SLICE, FIRST_COMPLETED)
                    under_way = {future for future in under_way if not future.done()}
                    continue
                under_way.discard(in_order[0])
                found = in_order.popleft().result()
            yield found


def _each(work: Callable[[_Task], _Result], tasks: Sequence[_Task]) -> list[_Result]:
    return [work(task) for task in tasks]


@contextmanager
def workers(
    jobs: int, prepare: Callable[..., None] | None = None, *arguments: Any
) -> Iterator[Workers]:
    """Start this many processes, each of which calls `prepare(*arguments)` before all work;
    functions and values are sent to them, so they must be those of modules.

    They end with the block: when their work is done, or at once where an exception leaves it; and
    at once with this process, however that ends; on Linux also where they are within code in C that
    does not come back. Of an interrupt they say nothing.

    Raises WorkerLost where one of them was killed.
    """
    context = _context()
    with interrupts_deferred():  # a semaphore half made would be left to the system
        held, letting_go = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(jobs, context, _begin, (held, prepare, arguments))
    try:
        with held, letting_go, pool as executor:
            try:
                yield Workers(executor, jobs)
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
    be_killed_with(held)
    Thread(target=_end_with, args=(held,), daemon=True).start()
    if prepare is not None:
        prepare(*arguments)


def be_killed_with(held: Connection) -> None:
    """Lets the system kill this process when nobody has the other end of the pipe any more: a
    thread has to wait for code in C that keeps the interpreter to itself. Nothing is ever written
    to the pipe, of which the system would tell, too. Ends it here where nobody had it before."""
    if sys.platform != "linux":
        return
    import fcntl

    with suppress(OSError):
        # Opened anew: the owner of signals belongs to the open file, which all of them share.
        own = os.open(f"/proc/self/fd/{held.fileno()}", os.O_RDONLY | os.O_CLOEXEC)
        fcntl.fcntl(own, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(own, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(own, fcntl.F_SETFL, fcntl.fcntl(own, fcntl.F_GETFL) | os.O_ASYNC)
    if held.poll():  # the system does not report ends that came before
        os._exit(1)


def _end_with(held: Connection) -> None:
    """End this process when nobody has the other end of the pipe any more."""
    held.poll(None)
    os._exit(1)


def _context() -> BaseContext:
    """A process that shows its progress has threads, and must not be forked. The fork server of the
    standard library has a socket among temporary files, whose path must be short enough."""
    methods = multiprocessing.get_all_start_methods()
    path = os.fsencode(os.path.join(tempfile.gettempdir(), _SOCKET))
    possible = "forkserver" in methods and len(path) <= MAX_SOCKET_PATH
    return multiprocessing.get_context("forkserver" if possible else "spawn")
