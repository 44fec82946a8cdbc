"""The option for the number of processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

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
def loss_told() -> Iterator[None]:
    """Raises `ClickException`, with what may help, where one of the processes was killed."""
    from choreomon.core.errors import WorkerLost

    try:
        yield
    except WorkerLost as error:
        raise click.ClickException(f"{error}: try fewer --jobs") from None
