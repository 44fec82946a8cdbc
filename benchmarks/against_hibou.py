"""Multi-traces of the removal paper's benchmark, one by one by HIBOU and by choreomon in turns.

    python -m benchmarks.against_hibou --hibou PROGRAM --data FILE --signature FILE
                                       [--batch 30] [--rounds 3] [--kept]

HIBOU is built beside the project, with cargo, from the sources of its author:

    git clone https://github.com/erwanM974/hibou_label && cd hibou_label && cargo build --release

Its program is `target/release/hibou_label`. Each multi-trace is a process of it, with partial order
reduction and local analyses, depth first, until WeakPass is found. What counts is the time that it
says itself, of the analysis alone, with nothing read; or that of the processor for the whole
process, where that is less, since the other one is of a clock. Ours are read and decided, as many
as `--batch` of each interaction by one verifier, in a session of its own, and what counts is the
time of the processor for both. Of each multi-trace the shortest of some rounds counts, on both
sides.

Who reorders what is strictly ordered may miss what fits, as HIBOU warns: its Fail where the data
say otherwise is counted, and its time, too. With `--kept` all multi-traces of the data are decided
by ours, with what was found out for one kept for the next, and compared with what HIBOU takes for
them in the mean, estimated from those that were drawn.
"""

from __future__ import annotations

import gc
import re
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final, NamedTuple

import click

import choreomon.verify.exact  # noqa: F401  # by itself when it is to decide, which is start-up
from benchmarks.command_line import load_at_the, machine
from benchmarks.multiprefix_speed import entries, expected
from choreomon.hibou.model import read_interaction
from choreomon.hibou.multitrace import MultiTraceReader
from choreomon.interaction.lifelines import names
from choreomon.interaction.session import Session
from choreomon.verify.verifier import Verifier

CONFIGURATION: Final = """@analyze_option{
    strategy = DFS;
    analysis_kind = eliminate;
    local_analysis = [select=dirty];
    partial_order_reduction = true;
    goal = WeakPass
}
"""

SAID: Final = re.compile(r"verdict\s*:\s*'(\w+)'.*elapsed\s*:\s*([0-9.eE+-]+)", re.DOTALL)


class Asked(NamedTuple):
    """A multi-trace, and the milliseconds of one program with it."""

    name: str
    milliseconds: float
    is_right: bool


def drawn(entry: dict[str, Any], batch: int) -> list[dict[str, Any]]:
    """At most so many multi-traces of an interaction."""
    cases: list[dict[str, Any]] = entry["cases"]
    return Random(entry["name"]).sample(cases, batch) if batch < len(cases) else cases


def ours(entry: dict[str, Any], cases: list[dict[str, Any]]) -> Iterator[Asked]:
    """Each, by one verifier, in a new session."""
    with Session():
        interaction = read_interaction(entry["hif"])
        reader = MultiTraceReader(names(interaction.lifelines))
        verifier = Verifier(interaction, "multiprefix")
        for case in cases:
            begin = process_time()
            verdict = verifier.decide(reader.read(case["htf"])).verdict
            spent = process_time() - begin
            name = f"{entry['name']} {case['kind']} {case['trace']}"
            yield Asked(name, spent * 1e3, verdict.value == expected(case, "multiprefix"))


def theirs(
    hibou: Path, signature: Path, folder: Path, entry: dict[str, Any], cases: list[dict[str, Any]]
) -> Iterator[Asked]:
    """Each, by a process of HIBOU. Raises SystemExit where that does not answer."""
    model, log, configuration = (folder / f"asked.{kind}" for kind in ("hif", "htf", "hcf"))
    model.write_text(entry["hif"], encoding="utf-8")
    configuration.write_text(CONFIGURATION, encoding="utf-8")
    for case in cases:
        log.write_text(case["htf"], encoding="utf-8")
        command = [hibou, "analyze", signature, model, log, configuration]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        said = SAID.search(done.stdout)
        if said is None:
            raise SystemExit(f"{hibou} answered: {done.stdout}{done.stderr}")
        name = f"{entry['name']} {case['kind']} {case['trace']}"
        fits = said[1] in ("Pass", "WeakPass")
        spent = min(float(said[2]), processor)
        yield Asked(name, spent * 1e3, fits == bool(case["accept"] or case["prefix"]))


def shortest(rounds: list[list[Asked]]) -> list[Asked]:
    """Of each multi-trace the round that took least."""
    return [min(one, key=lambda asked: asked.milliseconds) for one in zip(*rounds, strict=True)]


def row(name: str, asked: list[Asked], mean: float | None = None) -> str:
    """A row of the table; `mean`, where that is not of these."""
    spent = sorted(one.milliseconds for one in asked)
    longest = max(asked, key=lambda one: one.milliseconds)
    average = sum(spent) / len(spent) if mean is None else mean
    wrong = sum(not one.is_right for one in asked)
    return (
        f"| {name} | {len(spent):,} | {average:.3f} | {spent[len(spent) // 2]:.3f} "
        f"| {spent[len(spent) * 99 // 100]:.2f} | {spent[-1]:.1f} ({longest.name}) | {wrong} |"
    )


def report(
    data: list[dict[str, Any]], hibou: Path, signature: Path, batch: int, rounds: int, kept: bool
) -> Iterator[str]:
    """The table, line by line."""
    yield "| | multi-traces | mean ms | median | 99 % | longest | not as the data say |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    we: list[Asked] = []
    they: list[Asked] = []
    whole = 0.0
    count = 0
    with TemporaryDirectory() as folder:
        for entry in data:
            cases = drawn(entry, batch)
            both: tuple[list[list[Asked]], list[list[Asked]]] = ([], [])
            for _ in range(rounds):
                both[0].append([*ours(entry, cases)])
                both[1].append([*theirs(hibou, signature, Path(folder), entry, cases)])
            we += shortest(both[0])
            they += (found := shortest(both[1]))
            mean = sum(one.milliseconds for one in found) / len(found)
            whole += mean * len(entry["cases"])
            count += len(entry["cases"])
    yield row(f"HIBOU, {batch} of each", they)
    yield row(f"choreomon, {batch} of each", we)
    if kept:
        yield row("HIBOU, estimated for all", they, whole / count)
        yield row("choreomon, all", [one for entry in data for one in ours(entry, entry["cases"])])


@click.command(help=__doc__)
@click.option("--hibou", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--data", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--signature", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--batch", type=click.IntRange(min=1), default=30, show_default=True)
@click.option("--rounds", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--kept", is_flag=True)
def main(hibou: Path, data: Path, signature: Path, batch: int, rounds: int, kept: bool) -> None:
    read = entries(data)
    gc.collect()
    gc.freeze()
    gc.disable()
    click.echo(f"{machine()}; shortest of {rounds} rounds; {load_at_the('beginning')}\n")
    for line in report(read, hibou, signature, batch, rounds, kept):
        click.echo(line)


if __name__ == "__main__":
    main()
