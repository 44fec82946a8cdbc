"""How fast a log is read, beside the parser of ShiViz itself.

    python -m benchmarks.beside_shiviz [--shiviz DIR] [--megabytes N] [--rounds N] [--json]

DIR is a checkout of ShiViz, https://github.com/DistributedClocks/shiviz: its parser is no package,
so it is run from there, by Node.js (`shiviz_parser.js`). Where none is given, only our reader is
measured, and the output says so.

Three logs of a megabyte each, with ShiViz' own expression:

- `simpledb`: the log of that name that comes with ShiViz, again and again, each time as a run of
  its own. ShiViz counts the lines before each event from the beginning of its run, so short
  runs are what it likes best;
- `20 processes`: one run, with clocks of up to twenty entries;
- `2 processes`: one run, with as short lines as there can be, and so the most events.

Both read the same file, from the text to events with their clocks; the times are of the processor,
without those of starting Python, Node.js and of reading the file into memory (which ours does
within its time). The medians of `--rounds` are compared, and what the first round took, before
Node.js has compiled anything, is shown. Hosts, their events and the sum of all clocks must be
equal.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from platform import machine, python_version
from shutil import which
from statistics import median
from time import process_time
from typing import Final, NamedTuple

import click

from benchmarks.log_reading import text
from choreomon.core.recorded import RecordedEvent
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.readers.shiviz import RUNS, SHIVIZ

RUNNER: Final = Path(__file__).with_name("shiviz_parser.js")
SIMPLEDB: Final = Path(__file__).parents[1] / "tests" / "data" / "shiviz" / "simpledb.log"
PATIENCE: Final = 1_800
"""Seconds after which a parser counts as one that hangs."""

COLUMNS: Final = ("log", "events", "bytes", "ours ms", "ShiViz ms", "its first", "ours is")
WIDTHS: Final = (14, 9, 11, 9, 11, 11, 13)


class Parsed(NamedTuple):
    """What a parser found, and how long each round took."""

    hosts: dict[str, int]
    entries: int
    milliseconds: list[float]


def copies(size: int) -> Iterator[str]:
    """Runs of the database, until there are so many characters, whole ones."""
    one = SIMPLEDB.read_text(encoding="utf-8")
    written = 0
    number = 0
    while written < size:
        number += 1
        run = f"=== {number} ===\n{one}\n"
        written += len(run)
        yield run


def run_of(size: int, processes: int) -> Iterator[str]:
    """One run of messages between processes, until there are so many characters, whole events."""
    written = 0
    for event in text(size, processes):
        written += len(event) + 1
        yield f"{event}\n"
        if written >= size:
            return


def ours(path: Path, delimiter: str | None, rounds: int) -> Parsed:
    """Our reader."""
    milliseconds = []
    hosts: Counter[str] = Counter()
    entries = 0
    for number in range(rounds):
        begun = process_time()
        found = list(read_recorded(path, "shiviz", parser=SHIVIZ, delimiter=delimiter))
        milliseconds.append(1000 * (process_time() - begun))
        if number == 0:
            for event in found:
                if not isinstance(event, RecordedEvent) or event.clock is None:
                    raise ValueError(f"{event.place}: no event with a clock")
                hosts[event.process] += 1
                entries += sum(event.clock.values())
    return Parsed(dict(hosts), entries, milliseconds)


def theirs(checkout: Path, path: Path, delimiter: str | None, rounds: int) -> Parsed:
    """ShiViz'. Raises ClickException where it does not run."""
    arguments = [str(checkout), str(path), str(rounds), SHIVIZ]
    command = ["node", str(RUNNER), *arguments, *([delimiter] if delimiter else [])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        raise click.ClickException(f"ShiViz' parser in {checkout} did not run: {done.stderr}")
    return Parsed(**json.loads(done.stdout))


def compared(
    name: str, path: Path, delimiter: str | None, checkout: Path | None, rounds: int
) -> dict[str, object]:
    """One log, by both. Raises ClickException where they find different things."""
    mine = ours(path, delimiter, rounds)
    row: dict[str, object] = {
        "log": name,
        "events": sum(mine.hosts.values()),
        "bytes": path.stat().st_size,
        "ours": median(mine.milliseconds),
    }
    if checkout is not None:
        other = theirs(checkout, path, delimiter, rounds)
        if (other.hosts, other.entries) != (mine.hosts, mine.entries):
            raise click.ClickException(f"{name}: ShiViz found {other[:2]}, we found {mine[:2]}")
        row["shiviz"] = median(other.milliseconds)
        row["shiviz_first"] = other.milliseconds[0]
    return row


def table(rows: list[dict[str, object]]) -> str:
    lines = ["".join(f"{name:>{width}}" for name, width in zip(COLUMNS, WIDTHS, strict=True))]
    for row in rows:
        cells = [str(row["log"]), f"{row['events']:,}", f"{row['bytes']:,}", f"{row['ours']:.0f}"]
        if "shiviz" in row:
            times = f"{float(str(row['shiviz'])) / float(str(row['ours'])):.1f} times"
            cells += [f"{row['shiviz']:.0f}", f"{row['shiviz_first']:.0f}", times]
        else:
            cells.append("left out")
        cells += [""] * (len(WIDTHS) - len(cells))
        line = "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))
        lines.append(line.rstrip())
    return "\n".join(lines)


@click.command()
@click.option(
    "--shiviz",
    "checkout",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A checkout of ShiViz. Without it its parser is left out.",
)
@click.option("--megabytes", type=click.FloatRange(0.001), default=1.0, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=5, show_default=True)
@click.option("--json", "as_json", is_flag=True)
def main(checkout: Path | None, megabytes: float, rounds: int, as_json: bool) -> None:
    """Read the same logs by ShiViz' parser and by ours."""
    if checkout is not None and which("node") is None:
        raise click.ClickException("--shiviz needs Node.js: there is no program node")
    size = int(megabytes * 1_000_000)
    logs = (
        ("simpledb", copies(size), RUNS),
        ("20 processes", run_of(size, 20), None),
        ("2 processes", run_of(size, 2), None),
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, pieces, delimiter in logs:
            path = Path(folder) / "shiviz.log"
            with path.open("w", encoding="utf-8", newline="") as stream:
                stream.writelines(pieces)
            rows.append(compared(name, path, delimiter, checkout, rounds))
    if as_json:
        click.echo(json.dumps({"shiviz": checkout is not None, "logs": rows}))
        return
    click.echo(f"Python {python_version()}, {machine()}{_node(checkout)}")
    click.echo(table(rows))
    if checkout is None:
        click.echo("ShiViz' parser is left out: --shiviz DIR, a checkout of it, was not given")


def _node(checkout: Path | None) -> str:
    if checkout is None:
        return ""
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    return f", Node.js {told.stdout.strip()}"


if __name__ == "__main__":
    main()
