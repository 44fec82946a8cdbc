"""Common ground of experiments: options, work shared by processes, and publication."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from choreomon.cli.command_line.jobs import jobs_option, loss_told
from choreomon.cli.command_line.options import Decorator, added, seed_option
from choreomon.cli.command_line.pictures import write_picture
from choreomon.cli.command_line.seconds import Seconds
from choreomon.cli.command_line.writing import (
    WrittenPath,
    check_writable,
    make_directory,
    write_all,
)

if TYPE_CHECKING:
    from choreomon.pictures.shapes.drawing import Picture

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
_Command = TypeVar("_Command", bound=Callable[..., Any])


def sample_options(limit: str) -> Callable[[_Command], _Command]:
    """Options about the sample: `seed`, and `limit`, with its help."""
    return added(
        seed_option("Of everything that is drawn."),
        click.option("--limit", type=click.IntRange(min=1), help=limit),
    )


def work_options(seconds: float, budget: str) -> Callable[[_Command], _Command]:
    """Options about work and results: `budget`, with its default and its help; `jobs`, `as_json`
    and `output`."""
    return added(
        click.option("--budget", type=Seconds(), default=seconds, show_default=True, help=budget),
        jobs_option,
        *published_options("A folder for tables and plots."),
    )


def published_options(folder: str) -> tuple[Decorator[Any], ...]:
    """Options about results: `as_json`, and `output`, a folder, with its help."""
    return (
        click.option(
            "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else."
        ),
        click.option("-o", "--output", type=WrittenPath(directory=True), help=folder),
    )


def in_order(work: Callable[[_Task], _Result], tasks: Sequence[_Task], jobs: int) -> list[_Result]:
    """Apply `work`, a function of a module, to each task and keep their order, in this many
    processes. On a terminal the progress is shown with the errors."""
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


class Publication:
    """Publishes the results of an experiment: on the output, and where there is a folder, in files
    of the experiment's `name` there.

    Raises `ClickException` for a folder or a file of it that cannot be written, before the work.
    """

    def __init__(self, name: str, folder: Path | None) -> None:
        self._name = name
        self._folder = folder
        if folder is not None:
            make_directory(folder)
            check_writable(folder / f"{name}.md")

    def structure(self, name: str, picture: Picture) -> object:
        """The content of a plot as JSON; in the folder it is drawn."""
        if self._folder is not None:
            write_picture(self._folder / f"{name}.svg", picture)
        return picture.structure

    def publish(self, tables: str, result: dict[str, Any], *, as_json: bool) -> None:
        """Prints the tables, in Markdown, or the result; writes both to the folder."""
        if self._folder is not None:
            text = json.dumps(result, indent=1) + "\n"
            files = {f"{self._name}.md": tables, f"{self._name}.json": text}
            write_all({self._folder / name: each.encode() for name, each in files.items()})
        click.echo(json.dumps(result, indent=2) if as_json else tables, nl=as_json)
