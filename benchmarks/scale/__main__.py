"""Runs the systems of `workloads` without monitors and with those of each strategy, and says what
monitors sent: messages for each *relevant* event, which is one that some table mentions; messages
of the busiest monitor; bytes, as they are sent and with full vectors; and what the simulator
needed. Under `pull` messages must be two for each owner that is asked, by the tables, and under
`central` one for each event: anything else is an error, and ends this. That holds of `sound` rules,
which all have here. `pull` is run with `precise` rules, too, up to 1,000 processes: how often these
ask a second time only a run can tell. From it comes what an agent of a larger system would have to
do, for several sizes of a clock on the wire.

With `-o` the folder gets a page, its picture, and all figures as JSON. Every run has a process of
its own, one after the other, so that its peak of memory is that of nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import click

from benchmarks.scale.estimate import estimated
from benchmarks.scale.measuring import Measured, Monitored, measured
from benchmarks.scale.page import page, picture
from benchmarks.scale.workloads import GROUP, WORKLOADS, Workload, owners
from choreomon.properties.tables import RulesName

STRATEGIES: Final[tuple[tuple[Monitored, RulesName], ...]] = (
    ("none", "sound"),
    ("pull", "sound"),
    ("pull", "precise"),
    ("push", "sound"),
    ("central", "sound"),
)
MOST_PRECISE: Final = 1000
"""Processes up to which `precise` rules are run."""


class Numbers(click.ParamType):
    """Whole numbers with commas between them, from `least`, and multiples of `step`."""

    name = "N,N,..."

    def __init__(self, least: int, step: int = 1) -> None:
        self._least = least
        self._step = step

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            found = tuple(int(part) for part in value.split(","))
        except ValueError:
            self.fail(f"{value!r} should be whole numbers with commas between them", param, ctx)
        for number in found:
            if number < self._least or number % self._step:
                of = f", a multiple of {self._step}" if self._step > 1 else ""
                self.fail(f"{number} should be at least {self._least}{of}", param, ctx)
        return tuple(sorted(set(found)))


def runs(
    sizes: tuple[int, ...], asked: tuple[int, ...], seed: int
) -> Iterator[tuple[str, Callable[[], Workload], Monitored, RulesName]]:
    for size in sizes:
        for name, make in WORKLOADS.items():
            for strategy, rules in STRATEGIES:
                if name != "fixed" and strategy == "none":
                    continue  # alone they are the same
                if rules != "precise" or size <= MOST_PRECISE:
                    yield name, partial(make, size, seed), strategy, rules
    system = GROUP * (max(asked) // GROUP + 1)
    for number in asked:
        yield "owners", partial(owners, number, system, seed), "pull", "sound"


@click.command(help=__doc__)
@click.option(
    "--processes",
    "sizes",
    type=Numbers(GROUP, GROUP),
    default="10,100,1000,5000",
    show_default=True,
    help="Sizes of systems, at least two.",
)
@click.option(
    "--owners",
    "asked",
    type=Numbers(1),
    default="1,2,5,10,20,50",
    show_default=True,
    help="How many monitors are asked about one event, in a system of one size.",
)
@click.option("--seed", default=0, show_default=True)
@click.option(
    "--estimate",
    "target",
    type=click.IntRange(min=1),
    default=100_000,
    show_default=True,
    help="Processes of the system that is estimated.",
)
@click.option(
    "--clock-bytes",
    "clocks",
    type=Numbers(1),
    default="10,100,1000",
    show_default=True,
    help="Bytes of a clock for which traffic is estimated, beside clocks as sent and full ones.",
)
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path))
def main(
    sizes: tuple[int, ...],
    asked: tuple[int, ...],
    seed: int,
    target: int,
    clocks: tuple[int, ...],
    output: Path | None,
) -> None:
    if len(sizes) < 2:
        raise click.UsageError("--processes needs two sizes at least, to see what grows")
    rows: list[Measured] = []
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as own_process:
        for name, make, strategy, rules in runs(sizes, asked, seed):
            row = own_process.submit(measured, name, make, strategy, seed, rules).result()
            rows.append(row)
            click.echo(
                f"{name}, {row.processes} processes, {row.monitors}: {row.messages} messages, "
                f"{row.seconds:.2f} s, {row.megabytes:.0f} MB",
                err=True,
            )
    estimate = estimated(
        [row for row in rows if (row.workload, row.monitors) == ("groups", "pull")],
        [row for row in rows if row.strategy == "none"],
        target,
        clocks,
    )
    options = [
        f"--processes {','.join(map(str, sizes))}",
        f"--owners {','.join(map(str, asked))}",
        f"--seed {seed} --estimate {target} --clock-bytes {','.join(map(str, clocks))}",
    ]
    text = page(rows, estimate, " ".join(["python -m benchmarks.scale", *options]))
    if output is None:
        click.echo(text)
        return
    output.mkdir(parents=True, exist_ok=True)
    output.joinpath("scale.md").write_text(text, encoding="utf-8")
    output.joinpath("scale.svg").write_bytes(picture(rows, estimate))
    figures = {"seed": seed, "rows": [asdict(row) for row in rows], "estimate": estimate._asdict()}
    output.joinpath("scale.json").write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
