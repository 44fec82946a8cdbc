"""One long global trace of the alternating bit protocol, read and decided.

    python -m benchmarks.long_trace [--actions N] [--mode M] [--rounds R] [--seed S] [--json]

The trace is a random walk through the protocol, all lifelines with one clock. `first` is the time
of a process that never saw the interaction's traces before, so it builds the automaton and learns
the spellings of actions; `later` is the median of the rounds after it. Both count reading the text
and deciding, on one core, in time of the processor; start-up is not counted.
"""

from __future__ import annotations

import gc
import json
from pathlib import Path
from platform import machine, python_version
from random import Random
from statistics import median
from time import process_time
from typing import Any, Final

import click

from choreomon.documents.interactions import load_interaction
from choreomon.hibou.multitrace import MultiTraceReader
from choreomon.interaction.lifelines import names
from choreomon.interaction.normal import normal
from choreomon.interaction.step import frontier
from choreomon.interaction.term import Interaction
from choreomon.verify.verdict import Mode
from choreomon.verify.verifier import Verifier

MODEL: Final = Path(__file__).parents[1] / "tests/data/offline/models/abp.hif"


def walk(interaction: Interaction, actions: int, seed: int) -> str:
    """The text of a random prefix of an accepted global trace, of so many actions."""
    rng = Random(seed)
    taken: list[str] = []
    here = interaction
    while len(taken) < actions:
        step = rng.choice(frontier(here))
        taken.append(str(step.action))
        here = normal(step.follow_up)
    return ".".join(taken)


def measured(actions: int, mode: Mode, rounds: int, seed: int) -> dict[str, Any]:
    """What the command prints."""
    text = walk(load_interaction(MODEL), actions, seed)
    interaction = load_interaction(MODEL)
    reader = MultiTraceReader(names(interaction.lifelines))
    verifier = Verifier(interaction, mode)
    times: list[float] = []
    reading: list[float] = []
    for _ in range(rounds + 1):
        begin = process_time()
        multitrace = reader.read(text)
        read = process_time()
        answer = verifier.decide(multitrace)
        times.append(process_time() - begin)
        reading.append(read - begin)
    return {
        "actions": actions,
        "mode": mode,
        "verdict": answer.verdict.value,
        "first ms": round(times[0] * 1000, 2),
        "later ms": round(median(times[1:]) * 1000, 2),
        "of these reading ms": round(median(reading[1:]) * 1000, 2),
    }


@click.command(help=__doc__.split("\n", 1)[0] if __doc__ else "")
@click.option("--actions", type=click.IntRange(min=1), default=10_000)
@click.option("--mode", type=click.Choice(["accept", "prefix", "multiprefix"]), default="prefix")
@click.option("--rounds", type=click.IntRange(min=1), default=20)
@click.option("--seed", type=int, default=0)
@click.option("--json", "as_json", is_flag=True)
def main(actions: int, mode: Mode, rounds: int, seed: int, as_json: bool) -> None:
    gc.collect()
    gc.freeze()
    gc.disable()
    found = measured(actions, mode, rounds, seed)
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"Python {python_version()}, {machine()}")
    for name, value in found.items():
        click.echo(f"{name:<22} {value}")


if __name__ == "__main__":
    main()
