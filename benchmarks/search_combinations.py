"""Every combination of the search's shortcuts on many short multi-traces.

    python -m benchmarks.search_combinations [--data FILE] [--every N] [--limit SECONDS] [--json]
        [--only REDUCTION,LOCAL,STRATEGY]... [--jobs N]

Mode `multiprefix`, default method; partial-order reduction (none, sound), local analyses (none,
all) and strategy (dfs, bfs, hcs) in every combination, or in those of `--only`. Verdicts are
compared with those of the data. A case that takes longer than the limit is a timeout, and has no
verdict that could be wrong.

Times are of the processor, per multi-trace, without reading. Each combination starts anew with
every interaction, and what it found out for one multi-trace is kept for the next ones; processes
(`--jobs`) take whole interactions. Take every Nth multi-trace of an interaction with `--every`. The
cycle collector is off.
"""

from __future__ import annotations

import gc
import json
from concurrent.futures import ProcessPoolExecutor
from functools import partial, reduce
from itertools import product
from pathlib import Path
from platform import machine, python_version
from time import process_time
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import click

from benchmarks.multiprefix_speed import SAMPLE, entries, expected
from choreomon.hibou.model import read_interaction
from choreomon.hibou.multitrace import MultiTraceReader
from choreomon.interaction.lifelines import names
from choreomon.verify.papers.engine import Searcher
from choreomon.verify.papers.heuristics import STRATEGIES, Strategy
from choreomon.verify.papers.options import LocalAnalyses, Options, Reason, Reduction

REDUCTIONS: Final[tuple[Reduction, ...]] = ("none", "sound")

SELDOM: Final = 256
"""One of so many calls of `should_stop` looks at the clock: the clock of the processor costs more
than the one that `choreomon verify` looks at."""

Choice: TypeAlias = tuple[Reduction, Literal["none", "all"], Strategy]

LOCAL: Final[tuple[Literal["none", "all"], ...]] = ("none", "all")

CHOICES: Final[tuple[Choice, ...]] = tuple(product(REDUCTIONS, LOCAL, STRATEGIES))


class Row(NamedTuple):
    """Of one combination and some cases: seconds, and the name of the longest case."""

    cases: int = 0
    wrong: int = 0
    timeouts: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    vertices: int = 0
    name: str = ""

    def plus(self, other: Row) -> Row:
        worst = max(self, other, key=lambda row: row.longest)
        return Row(
            self.cases + other.cases,
            self.wrong + other.wrong,
            self.timeouts + other.timeouts,
            self.seconds + other.seconds,
            worst.longest,
            max(self.vertices, other.vertices),
            worst.name,
        )

    def shown(self) -> list[Any]:
        return [
            self.cases,
            self.wrong,
            self.timeouts,
            round(self.seconds / self.cases * 1000, 2),
            round(self.longest * 1000),
            self.vertices,
            self.name,
        ]


def measured(entry: dict[str, Any], choice: Choice, every: int, limit: float) -> Row:
    """Of one interaction and one combination."""
    reduction, local, strategy = choice
    deadline = 0.0

    calls = 0

    def should_stop() -> Reason | None:
        nonlocal calls
        calls += 1
        return "TimedOut" if calls % SELDOM == 0 and process_time() > deadline else None

    options = Options(
        strategy=strategy,
        reduction=reduction,
        local=LocalAnalyses(select="all") if local == "all" else None,
        should_stop=should_stop,
    )
    interaction = read_interaction(entry["hif"])
    reader = MultiTraceReader(names(interaction.lifelines))
    searcher = Searcher(interaction, "multiprefix", options)
    row = Row()
    gc.collect()
    for case in entry["cases"][::every]:
        multitrace = reader.read(case["htf"])
        begin = process_time()
        deadline = begin + limit
        result = searcher.search(multitrace)
        spent = process_time() - begin
        wrong = not result.reason and result.verdict.value != expected(case, "multiprefix")
        name = f"{entry['name']} {case['kind']} {case['trace']}"
        row = row.plus(Row(1, wrong, bool(result.reason), spent, spent, result.vertices, name))
    return row


@click.command(help=__doc__.split("\n", 1)[0] if __doc__ else "")
@click.option("--data", type=click.Path(exists=True, path_type=Path), default=SAMPLE)
@click.option("--every", type=click.IntRange(min=1), default=1)
@click.option("--limit", type=float, default=3.0)
@click.option("--only", multiple=True, type=click.Choice([",".join(one) for one in CHOICES]))
@click.option("--jobs", type=click.IntRange(min=1), default=1)
@click.option("--json", "as_json", is_flag=True)
def main(
    data: Path, every: int, limit: float, only: tuple[str, ...], jobs: int, as_json: bool
) -> None:
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
    with ProcessPoolExecutor(jobs, initializer=gc.disable) as processes:
        for choice in CHOICES:
            if only and ",".join(choice) not in only:
                continue
            rows = processes.map(partial(measured, choice=choice, every=every, limit=limit), read)
            row = [*choice, *reduce(Row.plus, rows).shown()]
            if as_json:
                click.echo(json.dumps(row))
            else:
                click.echo(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
