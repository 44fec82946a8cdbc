"""The screens that commands print on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, TextIO, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from choreomon.terminal.grid import Grid

_Thing = TypeVar("_Thing")

LEAST_WIDTH: Final = 40
"""Columns. On narrower screens tables and sentences would lose words, and where the
environment says `COLUMNS=0` they would lose all."""

UNBROKEN: Final = 100_000
"""Columns where the output goes to a file or a pipe and the environment names no `COLUMNS`: what
reads it looks for whole lines."""


class Unprinted:
    """Keeps an error of printing, such as that the reader of the output left, as `head` does. With
    `put_off` it is kept until the files are written that the command was asked for; else it ends
    the command at once, as nobody wants the rest."""

    def __init__(self, *, put_off: bool) -> None:
        self._put_off = put_off
        self._first: BaseException | None = None

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Wrap printing, and nothing else: rich raises `SystemExit` when the reader left."""
        try:
            yield
        except (SystemExit, OSError) as error:
            if not self._put_off:
                raise
            self._first = self._first or error

    def raise_kept(self) -> None:
        """Raise the error that was put off, if there is one."""
        if self._first is not None:
            raise self._first


def screens() -> tuple[Console, Console]:
    """The console on the output, for results, and the one on the errors, for everything else. Lines
    are broken on terminals, or if the environment says how wide they are."""
    from rich.console import Console

    # Names are text: `[red]` is no markup in them, and `:smile:` no emoji.
    plain = partial(Console, highlight=False, markup=False, emoji=False)
    pair = plain(), plain(stderr=True)
    for screen in pair:
        if not (screen.is_terminal or os.environ.get("COLUMNS")):  # as in `print_grid`
            screen.width = UNBROKEN
        if screen.width < LEAST_WIDTH:
            screen.width = LEAST_WIDTH
    return pair


def is_terminal(stream: TextIO) -> bool:
    """Tell whether the output is a terminal, as rich decides it, but without importing rich if it
    is none."""
    compatible = os.environ.get("TTY_COMPATIBLE", "")
    if compatible in ("0", "1"):
        return compatible == "1"
    forced = os.environ.get("FORCE_COLOR")
    return stream.isatty() if forced is None else forced != ""


def print_grid(grid: Grid) -> None:
    """Prints a table: coloured and folded for a terminal, folded where the environment says how
    wide lines are, in full for all else."""
    utf = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    folded = is_terminal(sys.stdout) or os.environ.get("COLUMNS")
    if utf and grid.is_plain and not folded:
        from choreomon.terminal.grid import plain_lines

        click.echo("\n".join(plain_lines(grid)))
        return
    from choreomon.terminal.folding_table import folding_table

    screens()[0].print(folding_table(grid))


def print_bold(sentence: str) -> None:
    """Prints a line, which a terminal shows in bold."""
    if is_terminal(sys.stdout):
        screens()[0].print(sentence, style="bold", markup=False, soft_wrap=True)
    else:
        click.echo(sentence)


def tracked(things: Iterable[_Thing], screen: Console, doing: str, total: int) -> Iterator[_Thing]:
    """The things, with a line that says what is done with them, with how many of how many, and how
    long it will take."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description} {task.completed:,.0f} of {task.total:,.0f}"),
        BarColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    # The bar must not redirect the output: JSON is written while it is shown.
    with Progress(*columns, console=screen, transient=True, redirect_stdout=False) as bar:
        yield from bar.track(things, total=total, description=doing)


def print_indented(screen: Console, text: Text) -> None:
    """Print lines, each continuation indented as its beginning."""
    from rich.text import Text

    for line in text.split("\n"):
        indent = len(line.plain) - len(line.plain.lstrip())
        for part in line[indent:].wrap(screen, max(screen.width - indent, 20)):
            part.rstrip()
            screen.print(Text(" " * indent).append_text(part), soft_wrap=True)
