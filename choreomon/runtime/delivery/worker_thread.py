"""A thread for what may block, beside an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeAlias, TypeVar

_Result = TypeVar("_Result")
_Job: TypeAlias = tuple[asyncio.Future[Any], Callable[[], Any]]


class WorkerThread:
    """Calls one after the other, on a thread that is started with the first.

    The thread does not keep the process from ending: a write to a pipe that nobody reads, or to
    a disk over a network that is gone, may block for ever. What it does then must hold no lock
    of the interpreter's shutdown, as buffered streams of Python do.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._started = False

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Run a call on the thread; return its result or raise its error. Cancelling this does not
        stop the call."""
        if not self._started:
            self._started = True
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
        future: asyncio.Future[_Result] = asyncio.get_running_loop().create_future()
        self._jobs.put((future, call))
        return await future

    def close(self) -> None:
        """End the thread once its calls are done."""
        if self._started:
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            try:
                result = call()
            except Exception as error:
                _settle(future, future.set_exception, error)
            else:
                _settle(future, future.set_result, result)


def _settle(future: asyncio.Future[Any], settle: Callable[[Any], None], value: Any) -> None:
    def now() -> None:
        if not future.done():  # nobody waits any more where it was cancelled
            settle(value)

    with suppress(RuntimeError):  # the loop is closed: the same
        future.get_loop().call_soon_threadsafe(now)
