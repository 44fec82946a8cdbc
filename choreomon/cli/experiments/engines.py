"""Workers of an experiment: this process, some of this machine, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, TypeAlias, TypeVar

import click

from choreomon.cli.command_line.jobs import loss_told

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

EngineName: TypeAlias = Literal["local", "ray"]

TOGETHER: Final = 8
"""Tasks that a process is given at a time."""

engine_option: Final = click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Share the work among processes of this machine, or of the Ray cluster that RAY_ADDRESS "
    "names; where it names none, ray starts one here.",
)


def shared(
    work: Callable[[_Task], _Result], tasks: Sequence[_Task], engine: EngineName, jobs: int
) -> Iterator[_Result]:
    """Apply `work`, a function of a module, to each task and keep their order; each result comes as
    soon as it and all before it are known. Raises `ChoreomonError` where there is no ray, and
    `ClickException` where a process was killed."""
    if engine == "ray":
        from choreomon.batch.ray_cluster import ray_workers

        with ray_workers(jobs) as cluster:
            yield from cluster.map(work, tasks, TOGETHER)
    elif jobs == 1:
        yield from map(work, tasks)
    else:
        from choreomon.batch.workers import workers

        with loss_told(), workers(jobs) as pool:
            yield from pool.map(work, tasks, TOGETHER)
