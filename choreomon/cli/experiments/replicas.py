"""`choreomon experiment replicas`: what monitors cost, by how many replicas a service has."""

from __future__ import annotations

from pathlib import Path

import click

from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.own_simulator import require_own_simulator
from choreomon.cli.experiments.curves import check_drawn, curve_options, show_curve


@click.command(
    "replicas",
    epilog=examples(
        ("choreomon experiment replicas --quick", "Up to 10 replicas, in a second."),
        ("choreomon experiment replicas -o curve.svg", "Up to 50, with a picture."),
    ),
)
@curve_options(quick="Up to 10 replicas instead of 50.")
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

    check_drawn(output)
    seeds = range(seed, seed + RUNS)
    counts = QUICK if quick else REPLICAS
    points = curve({count: [cost(count, each) for each in seeds] for count in counts})
    shown = (figure_of_replicas, replicas_table, in_words)
    return show_curve(points, *shown, output=output, as_json=as_json)
