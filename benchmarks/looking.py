"""How long `choreomon look` takes for logs of any length, and in how much memory.

    python -m benchmarks.looking [--events N]... [--write FILE]

For each N a log of lines of JSON is written: messages between twenty processes, of which each end
says only its own, with ids and with fields that no mapping knows; one line in ten is a text. The
command drafts a mapping for it, reads it by that, and writes rules and a page. Seconds are of the
processor, on one core; megabytes the most that the command had.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from platform import machine, python_version
from random import Random
from typing import NamedTuple

import click


class Looked(NamedTuple):
    """What one look came to."""

    events: int
    megabytes_of_log: float
    seconds: float
    megabytes: float


def lines(events: int) -> Iterator[str]:
    """The lines of a log with so many events."""
    random = Random(0)
    for number in range(events):
        if number % 10 == 9:
            text = f"read {random.randrange(1000)} rows of table {random.randrange(9)}"
            yield json.dumps({"svc": f"s{number % 20}", "dir": "note", "what": text})
            continue
        message = number // 2
        sender, receiver = Random(message).sample(range(20), 2)
        sent = number % 2 == 0
        own = {"svc": f"s{sender if sent else receiver}", "dir": "out" if sent else "in"}
        told = {"what": f"m{message % 30}", "id": f"id{message}", "cart": message // 10}
        yield json.dumps({**own, **told})


def looked(events: int) -> Looked:
    """Write a log, look at it, and measure that."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.jsonl")
        with log.open("w", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in lines(events))
        mapping, rules, page = (str(Path(folder, f"draft{n}.yaml")) for n in range(3))
        options = ["-o", mapping, "--rules", rules, "--report", page]
        typed = [sys.executable, "-m", "choreomon", "look", str(log), *options]
        quiet = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
        process = os.posix_spawn(sys.executable, typed, os.environ, file_actions=[quiet])
        _, status, used = os.wait4(process, 0)
        if status:
            raise click.ClickException(f"choreomon look ended with {status}")
        return _measured(events, log.stat().st_size, used)


def _measured(events: int, size: int, used: resource.struct_rusage) -> Looked:
    seconds = used.ru_utime + used.ru_stime
    return Looked(events, size / 1e6, seconds, used.ru_maxrss * 1024 / 1e6)


@click.command(help=__doc__, context_settings={"max_content_width": 100})
@click.option("--events", multiple=True, type=click.IntRange(1), default=(1_000_000, 10_000_000))
@click.option("--write", type=click.Path(path_type=Path))
def main(events: tuple[int, ...], write: Path | None) -> None:
    rows = [looked(each) for each in events]
    counts = " ".join(f"--events {each.events}" for each in rows)
    text = (
        f"# Looking at logs\n\n    python -m benchmarks.looking {counts}\n\n"
        f"on {machine()}, one core, Python {python_version()}.\n\n"
        "| events | the log, MB | seconds | most memory, MB |\n|--:|--:|--:|--:|\n"
    )
    for row in rows:
        text += (
            f"| {row.events:,} | {row.megabytes_of_log:,.0f} | {row.seconds:.1f} "
            f"| {row.megabytes:.0f} |\n"
        )
    click.echo(text, nl=False)
    if write is not None:
        write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
