"""Work that several processes share."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from typing import Any, Final

import click

jobs_option: Final = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    callback=lambda context, option, jobs: jobs or os.cpu_count() or 1,
    help="Processes to work with; 0: one for each processor.",
)
"""Adds the option to a command, whose parameter `jobs` is at least 1."""


@contextmanager
def processes(
    jobs: int, prepare: Callable[..., None] | None = None, *given: Any
) -> Iterator[ProcessPoolExecutor]:
    """So many processes, in each of which `prepare(*given)` comes before all work; functions and
    values are sent to them, so they must be those of modules. When this one is interrupted, they
    end without a word.

    Raises `ClickException` where one of them was killed.
    """
    try:
        with ProcessPoolExecutor(
            jobs, mp_context=_context(), initializer=_begin, initargs=(prepare, given)
        ) as pool:
            yield pool
    except BrokenProcessPool:
        raise click.ClickException(
            "a process was killed before it had answered, perhaps for want of memory: try fewer "
            "--jobs"
        ) from None


def _begin(prepare: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if prepare is not None:
        prepare(*given)


def _context() -> BaseContext:
    """A process that shows its progress has threads, and must not be forked."""
    methods = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
