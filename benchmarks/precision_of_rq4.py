"""How precise verdicts are on the workload of RQ4, by rules and by delay (G3, docs/verdicts.md).

    python -m benchmarks.precision_of_rq4 [--runs N] [--json]

Generated applications of class C6 with three sequences of length seven (docs/experiments.md), seeds
0 to N - 1, each run once for each set of rules and with delays from a tenth of what generated
documents have to ten times that. Avoidable is a possible verdict about an event on which all orders
agree that are consistent with happened-before, monitoring messages included.
"""

from __future__ import annotations

import json
import sys
from typing import Final

import click

from choreomon.experiments.monitoring.cells import Cell, measured
from choreomon.experiments.monitoring.grids import DELAY
from choreomon.properties.tables import RULES_NAMES, RulesName

SCALES: Final = (0.1, 0.3, 1, 3, 10)
COUNTED: Final = (
    *("messages", "bytes", "formed", "violated", "possible"),
    *("avoidable", "undecided", "unsettled", "missed", "false_alarms"),
)


def counted(rules: RulesName, scale: float, runs: int) -> dict[str, int]:
    """Sums over all runs."""
    sums = dict.fromkeys(COUNTED, 0)
    for seed in range(runs):
        cell = Cell(
            experiment="rq4",
            complexity="C6",
            sequences=3,
            length=7,
            branching=0.5,
            rules=rules,
            delay=round(scale * DELAY),
            seed=seed,
        )
        found = measured(cell).measured
        for column in COUNTED:
            sums[column] += getattr(found, column)
    return sums


@click.command(help=__doc__)
@click.option("--runs", type=click.IntRange(min=1), default=500, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="for machines")
def main(runs: int, as_json: bool) -> None:
    rows = [
        {"rules": rules, "delay": scale, **counted(rules, scale, runs)}
        for rules in RULES_NAMES
        for scale in SCALES
    ]
    if as_json:
        sys.stdout.write(json.dumps(rows) + "\n")
        return
    click.echo("| " + " | ".join(rows[0]) + " |")
    click.echo("|" + "---|" * len(rows[0]))
    for row in rows:
        click.echo(
            "| "
            + " | ".join(f"{each:,}" if type(each) is int else str(each) for each in row.values())
            + " |"
        )


if __name__ == "__main__":
    main()
