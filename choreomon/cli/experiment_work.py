"""The work of an experiment, by one process or by several."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import click

from choreomon.cli.jobs import loss_told

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


def in_order(work: Callable[[_Task], _Result], tasks: Sequence[_Task], jobs: int) -> list[_Result]:
    """What `work`, a function of a module, makes of each task, in their order, in so many
    processes. Where the errors go to a terminal it says how far it is."""
    from choreomon.batch.workers import workers

    with _progress(len(tasks)) as done:
        results: list[_Result] = []
        if jobs == 1:
            for task in tasks:
                results.append(work(task))
                done()
            return results
        with loss_told(), workers(jobs) as pool:
            for result in pool.map(work, tasks):
                results.append(result)
                done()
        return results


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    with click.progressbar(length=total, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield lambda: bar.update(1)
