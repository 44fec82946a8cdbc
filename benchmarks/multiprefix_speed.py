"""Many short multi-traces of the removal paper's benchmark, read and decided one after the other.

    python -m benchmarks.multiprefix_speed [--data FILE] [--mode M] [--by METHOD] [--batch N]
                                           [--json]

One process, one core; every multi-trace is read from its text and decided, and what was found out
for one is kept for the next, as in `choreomon verify`. Start-up is not counted, nor are opening
the data file and reading the interactions; building the tables is. Times are of the processor, per
multi-trace, and the verdicts are compared with those of the data.

The cycle collector is off: what is dropped is taken apart, so there is next to nothing to find.
`--data` is a file like `tests/data/offline/multiprefix-sample.jsonl`, which is the default, or one
compressed by xz. `--by search` asks the search of the papers, with its default options, instead;
`--by reduced`, `centralized` and `semi-centralized` ask the procedures about automata, of those
interactions that have an automaton of at most 5,000 states. `--batch N` takes that many
multi-traces of each interaction, drawn at random: the fewer, the more of the time is for tables.
"""

from __future__ import annotations

import gc
import json
import lzma
from pathlib import Path
from platform import machine, python_version
from random import Random
from time import process_time
from typing import Any, Final

import click

import choreomon.verify.exact  # noqa: F401  # by itself when it is to decide, which is start-up
from choreomon.hibou.model import read_interaction
from choreomon.hibou.multitrace import MultiTraceReader
from choreomon.interaction.lifelines import names
from choreomon.verify.papers.options import Options
from choreomon.verify.synthesis import TooLarge, synthesize
from choreomon.verify.verdict import PROCEDURES, Mode, Procedure
from choreomon.verify.verifier import Verifier

SAMPLE: Final = Path(__file__).parents[1] / "tests/data/offline/multiprefix-sample.jsonl"

MAX_STATES: Final = 5_000


def entries(path: Path) -> list[dict[str, Any]]:
    """The interactions of a file, each with its multi-traces and verdicts."""
    if path.suffix == ".xz":
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def expected(case: dict[str, Any], mode: Mode) -> str:
    """The verdict that the data state."""
    if case["accept"]:
        return "Pass"
    return "WeakPass" if case["prefix"] and mode == "multiprefix" else "Fail"


def measured(
    data: list[dict[str, Any]],
    mode: Mode,
    options: Options | None,
    procedure: Procedure | None,
    batch: int | None,
) -> dict[str, Any]:
    """What the command prints."""
    seconds: list[tuple[float, str]] = []
    reading = 0.0
    wrong = unfinished = decided = 0
    for entry in data:
        interaction = read_interaction(entry["hif"])
        reader = MultiTraceReader(names(interaction.lifelines))
        if procedure is not None:
            try:
                synthesize(interaction, max_states=MAX_STATES)
            except TooLarge:
                continue
        decided += 1
        verifier = Verifier(interaction, mode, options=options, procedure=procedure)
        cases = entry["cases"]
        if batch is not None and batch < len(cases):
            cases = Random(entry["name"]).sample(cases, batch)
        for case in cases:
            begin = process_time()
            multitrace = reader.read(case["htf"])
            read = process_time()
            answer = verifier.decide(multitrace)
            end = process_time()
            seconds.append((end - begin, f"{entry['name']} {case['kind']} {case['trace']}"))
            reading += read - begin
            if answer.reason == "TooManyStates":
                unfinished += 1
            else:
                wrong += answer.verdict.value != expected(case, mode)
    seconds.sort()
    count = len(seconds)
    return {
        "interactions": decided,
        "multi-traces": count,
        "wrong verdicts": wrong,
        "not finished": unfinished,
        "mean ms": round(sum(one for one, _ in seconds) / count * 1000, 4),
        "of these reading ms": round(reading / count * 1000, 4),
        "median ms": round(seconds[count // 2][0] * 1000, 4),
        "99 % within ms": round(seconds[count * 99 // 100][0] * 1000, 3),
        "longest ms": round(seconds[-1][0] * 1000, 2),
        "longest one": seconds[-1][1],
    }


@click.command(help=__doc__.split("\n", 1)[0] if __doc__ else "")
@click.option("--data", type=click.Path(exists=True, path_type=Path), default=SAMPLE)
@click.option("--mode", type=click.Choice(["multiprefix", "accept"]), default="multiprefix")
@click.option("--by", type=click.Choice(["auto", "search", *PROCEDURES]), default="auto")
@click.option("--batch", type=click.IntRange(min=1))
@click.option("--json", "as_json", is_flag=True)
def main(data: Path, mode: Mode, by: str, batch: int | None, as_json: bool) -> None:
    read = entries(data)
    gc.collect()
    gc.freeze()
    gc.disable()
    procedure = next((one for one in PROCEDURES if one == by), None)
    found = measured(read, mode, Options() if by == "search" else None, procedure, batch)
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"Python {python_version()}, {machine()}; {mode}, {data.name}")
    for name, value in found.items():
        click.echo(f"{name:<22} {value}")


if __name__ == "__main__":
    main()
