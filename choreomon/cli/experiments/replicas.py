"""`choreomon experiment replicas`: what monitors cost, by how many replicas a service has."""

from __future__ import annotations

import json
from pathlib import Path

import click

from choreomon.cli import NOTHING_FOUND, VIOLATION
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.options import seed_option
from choreomon.cli.command_line.own_simulator import require_own_simulator
from choreomon.cli.command_line.pictures import check_picture, write_picture
from choreomon.cli.command_line.writing import WrittenPath, check_writable


@click.command(
    "replicas",
    epilog=examples(
        ("choreomon experiment replicas --quick", "Up to 10 replicas, in a second."),
        ("choreomon experiment replicas -o curve.svg", "Up to 50, with a picture."),
    ),
)
@seed_option("Of the first run; later ones have the numbers after it.")
@click.option("--quick", is_flag=True, help="Up to 10 replicas instead of 50.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-o", "--output", type=WrittenPath(), help="Draw the curve: .svg or .png.")
def command(seed: int, quick: bool, as_json: bool, output: Path | None) -> int:
    """Monitoring messages and bytes of an event, and the time to its last verdict, where a service
    has 1 to 50 replicas.

    The exit code is 1 where a verdict is wrong that its rules promise.
    """
    require_own_simulator()
    from choreomon.experiments.monitoring.replicas import (
        QUICK,
        REPLICAS,
        RUNS,
        cost,
        curve,
        in_words,
    )
    from choreomon.experiments.results.figures import figure_of_replicas
    from choreomon.experiments.results.tables import replicas_table

    if output is not None:
        check_picture(output)
        check_writable(output)
    points = curve(
        [
            cost(replicas, each)
            for replicas in (QUICK if quick else REPLICAS)
            for each in range(seed, seed + RUNS)
        ]
    )
    if output is not None:
        write_picture(output, figure_of_replicas(points).picture)
    if as_json:
        click.echo(json.dumps({"points": [point._asdict() for point in points]}, indent=2))
    else:
        click.echo(replicas_table(points), nl=False)
        click.echo(in_words(points))
    return VIOLATION if any(point.wrong for point in points) else NOTHING_FOUND
