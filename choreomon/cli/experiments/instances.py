"""`choreomon experiment instances`: what monitors cost, by how many instances are alive."""

from __future__ import annotations

from pathlib import Path

import click

from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.own_simulator import require_own_simulator
from choreomon.cli.experiments.curves import check_drawn, curve_options, show_curve


@click.command(
    "instances",
    epilog=examples(
        ("choreomon experiment instances --quick", "Up to 100 instances, in some seconds."),
        ("choreomon experiment instances -o curve.svg", "Up to 1,000, with a picture."),
    ),
)
@curve_options(quick="Up to 100 instances instead of 1,000.")
def command(seed: int, quick: bool, as_json: bool, output: Path | None) -> int:
    """Monitoring messages and bytes of an event, of a property for each instance, with 1 to 1,000
    instances alive.

    The exit code is 1 where a verdict is wrong that its rules promise.
    """
    require_own_simulator()
    from choreomon.experiments.monitoring.instances import (
        INSTANCES,
        QUICK,
        RUNS,
        cost,
        curve,
        in_words,
    )
    from choreomon.experiments.results.figures import figure_of_instances
    from choreomon.experiments.results.tables import instances_table

    check_drawn(output)
    seeds = range(seed, seed + RUNS)
    counts = QUICK if quick else INSTANCES
    points = curve({count: [cost(count, each) for each in seeds] for count in counts})
    shown = (figure_of_instances, instances_table, in_words)
    return show_curve(points, *shown, output=output, as_json=as_json)
