"""Every combination of the search's shortcuts on many short multi-traces.

    python -m benchmarks.search_combinations [--data FILE] [--every N] [--limit SECONDS] [--json]

Mode `multiprefix`, default method; partial-order reduction (none, sound), local analyses (none,
all) and strategy (dfs, bfs, hcs) in every combination. Verdicts are compared with those of the
data. A case that takes longer than the limit is a timeout, and has no verdict that could be wrong.

Times are of the processor, per multi-trace, without reading. One process; each combination starts
anew with every interaction, and what it found out for one multi-trace is kept for the next ones.
Take every Nth multi-trace of an interaction with `--every`. The cycle collector is off.
"""

from __future__ import annotations

import gc
import json
from itertools import product
from pathlib import Path
from platform import machine, python_version
from time import process_time
from typing import Any, Final

import click

from benchmarks.multiprefix_speed import SAMPLE, entries, expected
from choreomon.formats.hibou.model import read_interaction
from choreomon.formats.hibou.multitrace import MultiTraceReader
from choreomon.interaction.lifelines import names
from choreomon.verify.heuristics import STRATEGIES
from choreomon.verify.search.engine import Searcher
from choreomon.verify.search.options import LocalAnalyses, Options, Reason, Reduction

SOUND: Final[tuple[Reduction, ...]] = ("none", "sound")

CHOICES: Final = tuple(product(SOUND, ("none", "all"), STRATEGIES))


def measured(data: list[dict[str, Any]], options: Options, every: int, limit: float) -> list[Any]:
    """Of one combination: cases, wrong verdicts, timeouts, mean and longest time in ms, the most
    vertices, and the name of the longest case."""
    seconds: list[tuple[float, str]] = []
    wrong = timeouts = vertices = 0
    deadline = 0.0

    def should_stop() -> Reason | None:
        return "TimedOut" if process_time() > deadline else None

    options = Options(
        strategy=options.strategy,
        reduction=options.reduction,
        local=options.local,
        should_stop=should_stop,
    )
    for entry in data:
        interaction = read_interaction(entry["hif"])
        reader = MultiTraceReader(names(interaction.lifelines))
        searcher = Searcher(interaction, "multiprefix", options)
        for case in entry["cases"][::every]:
            multitrace = reader.read(case["htf"])
            begin = process_time()
            deadline = begin + limit
            result = searcher.search(multitrace)
            spent = process_time() - begin
            seconds.append((spent, f"{entry['name']} {case['kind']} {case['trace']}"))
            vertices = max(vertices, result.vertices)
            if result.reason:
                timeouts += 1
            else:
                wrong += result.verdict.value != expected(case, "multiprefix")
    longest, name = max(seconds)
    mean = sum(one for one, _ in seconds) / len(seconds)
    return [
        len(seconds),
        wrong,
        timeouts,
        round(mean * 1000, 2),
        round(longest * 1000),
        vertices,
        name,
    ]


@click.command(help=__doc__.split("\n", 1)[0] if __doc__ else "")
@click.option("--data", type=click.Path(exists=True, path_type=Path), default=SAMPLE)
@click.option("--every", type=click.IntRange(min=1), default=1)
@click.option("--limit", type=float, default=3.0)
@click.option("--json", "as_json", is_flag=True)
def main(data: Path, every: int, limit: float, as_json: bool) -> None:
    read = entries(data)
    gc.collect()
    gc.freeze()
    gc.disable()
    if not as_json:
        click.echo(f"Python {python_version()}, {machine()}; {data.name}, every {every}\n")
        click.echo(
            "| reduction | local | strategy | cases | wrong | timeouts | mean ms | longest ms "
            "| most vertices | longest case |"
        )
        click.echo("|" + "---|" * 10)
    for reduction, local, strategy in CHOICES:
        analyses = LocalAnalyses(select="all") if local == "all" else None
        options = Options(strategy=strategy, reduction=reduction, local=analyses)
        row = [reduction, local, strategy, *measured(read, options, every, limit)]
        if as_json:
            click.echo(json.dumps(row))
        else:
            click.echo(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
