"""Work that is shared by the machines of a Ray cluster (the extra `ray`)."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from choreomon.core.errors import ChoreomonError, MissingExtra

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


class RayWorkers:
    """`choreomon.batch.workers.Workers` with the processes of a cluster."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def map(
        self, work: Callable[[_Task], _Result], tasks: Sequence[_Task], at_once: int = 1
    ) -> Iterator[_Result]:
        """Apply `work`, a function of a module that is installed on every machine, to each task,
        and keep their order. This many tasks are handed out together. Tasks not begun when the
        iterator is closed are not done."""
        remote = self._ray.remote(_each)
        chunks = [tasks[start : start + at_once] for start in range(0, len(tasks), at_once)]
        waiting = [remote.remote(work, chunk) for chunk in chunks]
        try:
            while waiting:
                yield from self._ray.get(waiting[0])
                del waiting[0]
        finally:
            for each in waiting:
                self._ray.cancel(each)

    def stream(
        self, work: Callable[[_Task], _Result], tasks: Iterable[_Task], ahead: int
    ) -> Iterator[_Result]:
        """Apply `work` to tasks that come one after the other: at most this many are taken before
        their results are."""
        remote = self._ray.remote(_once)
        shared = self._ray.put(work)
        waiting: deque[Any] = deque()
        try:
            for task in tasks:
                waiting.append(remote.remote(shared, task))
                if len(waiting) == ahead:
                    yield self._ray.get(waiting.popleft())
            while waiting:
                yield self._ray.get(waiting.popleft())
        finally:
            for each in waiting:
                self._ray.cancel(each)


def _once(work: Callable[[_Task], _Result], task: _Task) -> _Result:
    return work(task)


def _each(work: Callable[[_Task], _Result], tasks: Sequence[_Task]) -> list[_Result]:
    return [work(task) for task in tasks]


@contextmanager
def ray_workers(jobs: int) -> Iterator[RayWorkers]:
    """The cluster that the environment's `RAY_ADDRESS` names; where it names none, one on this
    machine with this many processes, which ends with the block.

    Raises `MissingExtra` where ray is not installed, `ChoreomonError` where there is no such
    cluster.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage statistics
    try:
        import ray
    except ImportError:
        raise MissingExtra("a Ray cluster needs ray", "ray") from None
    address = os.environ.get("RAY_ADDRESS")
    where = {"address": address} if address else {"num_cpus": jobs, "include_dashboard": False}
    try:
        ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError) as error:
        raise ChoreomonError(f"RAY_ADDRESS={address}: {error}") from None
    try:
        yield RayWorkers(ray)
    finally:
        ray.shutdown()
