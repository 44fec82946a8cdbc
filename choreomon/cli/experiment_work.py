"""What the experiments share at the edge: work in several processes, and pictures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from choreomon.cli.writing import write

if TYPE_CHECKING:
    from choreomon.render.drawing import Picture

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


def in_order(work: Callable[[_Task], _Result], tasks: Sequence[_Task], jobs: int) -> list[_Result]:
    """What `work`, a function of a module, makes of each task, in their order, in so many
    processes. Where the errors go to a terminal it says how far it is."""
    with _progress(len(tasks)) as done:
        results: list[_Result] = []
        if jobs == 1:
            for task in tasks:
                results.append(work(task))
                done()
            return results
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(jobs) as pool:
            for result in pool.map(work, tasks):
                results.append(result)
                done()
        return results


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    with click.progressbar(length=total, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield lambda: bar.update(1)


def write_picture(path: Path, picture: Picture) -> None:
    """Writes the picture as SVG, whose suffix is added."""
    from choreomon.render.svg import svg_document

    write(path.with_suffix(".svg"), svg_document(picture.drawing))
