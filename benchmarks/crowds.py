"""Steps that any of many processes may take: what `check` and `split` cost, and how large the files
of the monitors are.

    python -m benchmarks.crowds [--write FILE]

The property has three steps and two cancellations, each by any of so many processes: a hundred own
500 transitions, each of which rests on a hundred, which a hundred others may have taken back. Times
are processor time, user and system, of one process each, with what it takes to start.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import click

from benchmarks.command_line import load_at_the, machine
from benchmarks.start_up import SCRIPT, seconds

CROWDS: Final = (1, 8, 20, 50, 100)
MOST_SECONDS: Final = 2.0
MOST_BYTES: Final = 100_000


def property_of(crowd: int) -> str:
    """The document, in which each step is one of the crowd's."""
    anybody = "{" + ", ".join(f"worker-{number}" for number in range(crowd)) + "}"
    step = json.dumps(f"{anybody} -> store : %s")
    return "\n".join(
        [
            "rules:",
            "  - id: never-in-this-order",
            f"    steps: [{step % 'open'}, {step % 'change'}, {step % 'close'}]",
            "    cancel:",
            f"      - {{on: {step % 'undo'}, after: [1, 2], back_to: 0}}",
            f"      - {{on: {step % 'pause'}, after: [2, 2], back_to: 1}}",
            "",
        ]
    )


class Measured(NamedTuple):
    crowd: int
    check: float
    split: float
    largest: int
    every: int

    @property
    def is_within(self) -> bool:
        seconds_ = max(self.check, self.split)
        return seconds_ <= MOST_SECONDS and self.largest <= MOST_BYTES


def measured() -> Iterator[Measured]:
    with TemporaryDirectory() as folder:
        document = Path(folder, "rules.yaml")
        for number, crowd in enumerate((1, *CROWDS)):  # the first one writes bytecode
            document.write_text(property_of(crowd), encoding="utf-8")
            tables = Path(folder, f"tables-{number}")
            check = seconds((str(SCRIPT), "check", str(document)), folder, {})
            split = seconds((str(SCRIPT), "split", str(document), "-o", str(tables)), folder, {})
            sizes = [path.stat().st_size for path in tables.iterdir()]
            yield Measured(crowd, check, split, max(sizes), sum(sizes))


def report(found: Sequence[Measured]) -> list[str]:
    return [
        "| processes | `check` | `split` | largest file | all files |",
        "|--:|--:|--:|--:|--:|",
        *[
            f"| {each.crowd} | {each.check:.2f} s | {each.split:.2f} s"
            f" | {each.largest:,} bytes | {each.every:,} bytes |"
            for each in found
        ],
    ]


@click.command(help=__doc__)
@click.option("--write", type=click.Path(dir_okay=False, path_type=Path), help="as Markdown")
def main(write: Path | None) -> None:
    begin = load_at_the("beginning")
    _, *found = measured()
    arguments = " ".join(["python", "-m", "benchmarks.crowds", *sys.argv[1:]])
    within = "yes" if found[-1].is_within else "**no**"
    text = "\n".join(
        [
            "# Steps that many processes may take",
            "",
            "What is measured says the top of `benchmarks/crowds.py`.",
            "",
            f"`{arguments}`",
            "",
            f"{machine()}; {begin}; {load_at_the('end')}",
            "",
            *report(found),
            "",
            f"With {CROWDS[-1]} processes at most {MOST_SECONDS:g} s each are asked, and"
            f" {MOST_BYTES:,} bytes a file: {within}.",
            "",
        ]
    )
    if write is not None:
        write.write_text(text, encoding="utf-8")
    click.echo(text, nl=False)
    sys.exit(not found[-1].is_within)


if __name__ == "__main__":
    main()
