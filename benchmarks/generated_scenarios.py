"""How often the forbidden sequences of generated scenarios are formed, and what monitors declare.

    python -m benchmarks.generated_scenarios [--documents N] [--runs R]

Of every row N documents are generated, with seeds from 0, and each is simulated with seeds 0 to
R - 1. A run in which a sequence is formed and nothing declared would be an error of the monitors,
and ends this.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

import click

from choreomon.properties.tables import RulesName
from simulator.generation.parameters import BRANCHING, CANCELLATIONS, of_class
from simulator.generation.scenario import generated_scenario, generated_simulation


class Row(NamedTuple):
    """What is generated and how monitors judge."""

    complexity: str
    sequences: int
    length: int
    cancellations: float = CANCELLATIONS
    branching: float = BRANCHING
    rules: RulesName = "sound"


ROWS: Final = (
    Row("C6", 3, 7),
    Row("C6", 3, 7, rules="paper"),
    Row("C6", 3, 7, 0, 0),
    Row("C6", 3, 7, 0, BRANCHING),
    Row("C6", 3, 7, CANCELLATIONS, 0),
    Row("C6", 3, 7, CANCELLATIONS, 0.7),
    Row("C6", 3, 7, CANCELLATIONS, 1),
    Row("C6", 3, 3),
    Row("C6", 3, 6),
    Row("C3", 3, 9),
    Row("C4", 3, 9),
    Row("C5", 3, 9),
    Row("C6", 3, 9),
    Row("C7", 3, 9),
    Row("C8", 3, 9),
    Row("C9", 3, 9),
)
OUTCOMES: Final = ("violated", "possibly, formed", "possibly, not formed", "nothing")
COLUMNS: Final = (
    *Row._fields,
    *OUTCOMES,
    "nothing, of runs without a formation",
    "documents never formed",
    "always formed",
    "messages",
)


class Measured(NamedTuple):
    """Over all runs of a row: `outcomes` counts them; `never` and `always` count documents."""

    outcomes: Counter[str]
    never: int
    always: int
    messages: int


def measured(row: Row, documents: int, runs: int) -> Measured:
    """Raises `AssertionError` for a formation that no monitor declared."""
    outcomes: Counter[str] = Counter()
    never = always = messages = 0
    parameters = of_class(
        row.complexity,
        sequences=row.sequences,
        length=row.length,
        cancellations=row.cancellations,
        branching=row.branching,
    )
    for document in range(documents):
        prepared = generated_simulation(generated_scenario(parameters, document))
        formed = 0
        for seed in range(runs):
            run = prepared.run(seed, rules=row.rules)
            formed += bool(run.formed)
            messages += run.monitoring_messages
            if any(verdict.verdict == "violated" for verdict in run.verdicts):
                outcomes["violated"] += 1
            elif run.verdicts:
                outcomes["possibly, formed" if run.formed else "possibly, not formed"] += 1
            else:
                assert row.rules == "paper" or not run.formed, "a formation is missed"
                outcomes["nothing, formed" if run.formed else "nothing"] += 1
        never += formed == 0
        always += formed == runs
    return Measured(outcomes, never, always, messages)


def table_row(row: Row, documents: int, runs: int) -> str:
    found = measured(row, documents, runs)
    every = documents * runs
    none = found.outcomes["possibly, not formed"] + found.outcomes["nothing"]
    shares = [f"{found.outcomes[outcome] / every:.1%}" for outcome in OUTCOMES]
    quiet = f"{found.outcomes['nothing'] / none:.1%}" if none else "-"
    counts = (found.never, found.always, f"{found.messages / every:.1f}")
    return "| " + " | ".join(map(str, (*row, *shares, quiet, *counts))) + " |"


@click.command(help=__doc__)
@click.option("--documents", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--runs", type=click.IntRange(min=1), default=20, show_default=True)
def main(documents: int, runs: int) -> None:
    click.echo("| " + " | ".join(COLUMNS) + " |")
    click.echo("|" + "---|" * len(COLUMNS))
    for row in ROWS:
        click.echo(table_row(row, documents, runs))


if __name__ == "__main__":
    main()
