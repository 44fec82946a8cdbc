"""How long exact verdicts on slices take, over every partition of the lifelines.

    python -m benchmarks.slices [--model i1|i2] [--multi-traces N] [--slices N] [--seed N] [--cold]
                                [--json]

The multi-traces are those of `choreomon experiment slices`: slices of multi-traces that random
exploration found, and three mutants of each. Here the slices are cut from the projections of the
same global traces onto every partition of the three lifelines, one partition after the other. One
process, one core; what was found out for one multi-trace is kept for the next, unless `--cold`
makes a new decider for each. Times are of the processor, without reading. The cycle collector
is off.
"""

from __future__ import annotations

import gc
import json
from random import Random
from time import process_time
from typing import Any, Final

import click

from choreomon.experiments.offline.models import (
    LIFELINES,
    MESSAGES,
    concurrent_model,
    sequential_model,
)
from choreomon.experiments.offline.slices import Plan, Sample, samples
from choreomon.multitrace.mutation import alphabet
from choreomon.multitrace.projection import Partition, partition
from choreomon.verify.exact import ExactDecider
from choreomon.verify.verdict import Verdict

PARTITIONS: Final[tuple[Partition, ...]] = tuple(
    partition(block.split() for block in text.split("|"))
    for text in ("l1 l2 l3", "l1|l2|l3", "l1|l2 l3", "l1 l2|l3", "l1 l3|l2")
)


def measured(plan: Plan, asked: list[Sample], cold: bool) -> dict[str, Any]:
    """One line of the table."""
    decider = ExactDecider(plan.interaction, "slice")
    seconds: list[float] = []
    wrong = lengths = passed = 0
    for sample in asked:
        if cold:
            decider = ExactDecider(plan.interaction, "slice")
        begin = process_time()
        verdict = decider.decide(sample.multitrace).verdict
        seconds.append(process_time() - begin)
        lengths += sample.multitrace.length
        passed += verdict.passes
        wrong += verdict is Verdict.INCONC or bool(sample.conforms and not verdict.passes)
    seconds.sort()
    count = len(seconds)
    return {
        "partition": " | ".join(",".join(block) for block in plan.onto),
        "multi-traces": count,
        "mean length": round(lengths / count, 1),
        "pass": passed,
        "wrong": wrong,
        "median ms": round(seconds[count // 2] * 1000, 3),
        "mean ms": round(sum(seconds) / count * 1000, 3),
        "99 % ms": round(seconds[count * 99 // 100] * 1000, 2),
        "longest ms": round(seconds[-1] * 1000, 1),
    }


@click.command(help=__doc__)
@click.option("--model", type=click.Choice(["i1", "i2"]), default="i2", show_default=True)
@click.option("--multi-traces", type=click.IntRange(min=1), default=30, show_default=True)
@click.option("--slices", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--cold", is_flag=True, help="a new decider for every multi-trace")
@click.option("--json", "as_json", is_flag=True, help="for machines")
def main(model: str, multi_traces: int, slices: int, seed: int, cold: bool, as_json: bool) -> None:
    interaction = concurrent_model() if model == "i2" else sequential_model()
    actions = alphabet(LIFELINES, MESSAGES)
    rows: list[dict[str, Any]] = []
    for onto in PARTITIONS:
        plan = Plan(interaction, onto, actions, 30, multi_traces, 10_000, slices)
        asked = samples(Random(seed), plan)
        Random(seed).shuffle(asked)
        gc.collect()
        gc.disable()
        rows.append(measured(plan, asked, cold))
        gc.enable()
    if as_json:
        click.echo(json.dumps(rows))
        return
    click.echo("".join(f"{name:>14}" for name in rows[0]))
    for row in rows:
        click.echo("".join(f"{value:>14}" for value in row.values()))


if __name__ == "__main__":
    main()
