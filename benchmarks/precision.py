"""How many `possibly-violated` could have been avoided, by rules (G3, docs/verdicts.md).

    python -m benchmarks.precision [--runs N] [--json]

Random properties and executions of the laws' scheduler (`tests/laws`), seeds 0 to N - 1.
Avoidable is a possible verdict about an event on which all orders agree that are consistent
with the run's happened-before order, monitoring messages included: the exact search over
consistent cuts says so. Missed formations and false alarms are counted beside it; messages
between monitors; and by `precise` rules the verdicts of which a monitor said that it could not
settle them (`Unsettled`), which any avoidable one must be among.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from random import Random

import click

from choreomon.monitor.effects import Send, Unsettled
from choreomon.monitor.rule_sets import RULES
from choreomon.monitor.rules import Rules
from choreomon.properties.partial_order import Formed, evaluate
from tests.laws.test_guarantees import draw_run


@dataclass
class Counts:
    """Over all runs of one set of rules."""

    formed: int = 0
    violated: int = 0
    possibly: int = 0
    avoidable: int = 0
    missed: int = 0
    false_alarms: int = 0
    unsettled: int = 0
    messages: int = 0


def counted(rules: Rules, runs: int) -> Counts:
    """Every run's verdicts against the exact answer."""
    counts = Counts()
    for seed in range(runs):
        run = draw_run(Random(seed), rules)
        exact = evaluate(run.system.automaton, run.system.processes, run.events)
        counts.formed += len(run.formed)
        counts.violated += len(run.violated())
        counts.possibly += len(run.possibly())
        counts.avoidable += sum(exact[index] != Formed.SOMETIMES for index in run.possibly())
        counts.missed += len(run.missed())
        counts.false_alarms += len(run.false_alarms())
        effects = [effect for _, _, effects in run.steps for effect in effects]
        counts.unsettled += sum(isinstance(effect, Unsettled) for effect in effects)
        counts.messages += sum(isinstance(effect, Send) for effect in effects)
    return counts


@click.command(help=__doc__)
@click.option("--runs", type=click.IntRange(min=1), default=6_000, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="for machines")
def main(runs: int, as_json: bool) -> None:
    figures = {name: asdict(counted(rules, runs)) for name, rules in RULES.items()}
    if as_json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return
    click.echo("".join(f"{name:>14}" for name in ("rules", *asdict(Counts()), "rate", "of paper")))
    for name, values in figures.items():
        rate = values["avoidable"] / values["possibly"] if values["possibly"] else 0.0
        messages = values["messages"] / max(1, figures["paper"]["messages"])
        cells = (name, *values.values(), f"{rate:.1%}", f"{messages:.2f}")
        click.echo("".join(f"{cell:>14}" for cell in cells))


if __name__ == "__main__":
    main()
