"""What the experiments on the cost of an event have in common: one curve, printed and drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from choreomon.cli import NOTHING_FOUND, VIOLATION
from choreomon.cli.command_line.options import seed_option
from choreomon.cli.command_line.pictures import check_picture, write_picture
from choreomon.cli.command_line.writing import WrittenPath, check_writable

if TYPE_CHECKING:
    from choreomon.experiments.results.figures import Figure

PointT = TypeVar("PointT", bound=Any)
"""A NamedTuple with a field `wrong`."""


def curve_options(quick: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """The options of such a command; `quick`: the help of the option."""
    options = (
        seed_option("Of the first run; later ones have the numbers after it."),
        click.option("--quick", is_flag=True, help=quick),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("-o", "--output", type=WrittenPath(), help="Draw the curve: .svg or .png."),
    )

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def check_drawn(output: Path | None) -> None:
    """Refuse a picture that cannot be written before the runs are made."""
    if output is not None:
        check_picture(output)
        check_writable(output)


def show_curve(
    points: Sequence[PointT],
    figure: Callable[[Sequence[PointT]], Figure],
    table: Callable[[Sequence[PointT]], str],
    in_words: Callable[[Sequence[PointT]], str],
    *,
    output: Path | None,
    as_json: bool,
) -> int:
    """Draw and print; the exit code."""
    if output is not None:
        write_picture(output, figure(points).picture)
    if as_json:
        click.echo(json.dumps({"points": [point._asdict() for point in points]}, indent=2))
    else:
        click.echo(table(points), nl=False)
        click.echo(in_words(points))
    return VIOLATION if any(point.wrong for point in points) else NOTHING_FOUND
