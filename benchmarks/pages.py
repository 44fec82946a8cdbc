"""How long pages take beside those of an earlier commit: many runs, and an audit of a long log.

    python -m benchmarks.pages [--before COMMIT] [--times N] [--write FILE]

Each command is run `--times` times in turn by this checkout and by a checkout of COMMIT, which has
to be in the repository, with the environment at hand; of both the least time of the processor
counts. A page is what a command takes longer with `--report` than without. The pages: `simulate` of
a scenario with 1,000 seeds, and `audit` of a log of 100,000 events with a property that some of
them form.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from platform import machine, python_version
from typing import Final

import click

ROOT: Final = Path(__file__).parents[1]
BEFORE: Final = "8a090dc"
PROPERTY: Final = """
property:
  sequences:
    - steps: ["p1 -> p2 : m1", "p4 -> p5 : m4"]
    - steps: ["p3 -> p4 : m3", "p6 -> p7 : m99"]
"""


def log(events: int) -> Iterator[str]:
    """A log of messages between ten processes, one after the other."""
    for number in range(events // 2):
        sender, receiver = number % 10, (number + 1) % 10
        message = {"sender": f"p{sender}", "name": f"m{number % 50}", "receiver": f"p{receiver}"}
        for event, process in (("send", sender), ("handle", receiver)):
            told = {"event": event, "process": f"p{process}", "message": message}
            yield json.dumps({**told, "id": f"{number}"}) + "\n"


def seconds(checkout: Path, folder: str, *typed: str) -> float:
    """The time that a command takes the processor."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    quiet = [(os.POSIX_SPAWN_OPEN, out, os.devnull, os.O_WRONLY, 0) for out in (1, 2)]
    arguments = [sys.executable, "-P", "-m", "choreomon", *typed]
    process = os.posix_spawn(sys.executable, arguments, environment, file_actions=quiet)
    _, status, used = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1, 3):
        raise click.ClickException(f"{folder}: {' '.join(typed)} ended with {status}")
    return used.ru_utime + used.ru_stime


def measured(before: Path, times: int) -> Iterator[tuple[str, float, float]]:
    """Names of pages, and seconds before and now."""
    with tempfile.TemporaryDirectory() as folder:
        rule, events, page = (str(Path(folder, name)) for name in ("r.yaml", "e.jsonl", "p.html"))
        Path(rule).write_text(PROPERTY, encoding="utf-8")
        with open(events, "w", encoding="ascii") as file:
            file.writelines(log(100_000))
        lock = str(ROOT / "scenarios" / "lock-violating.yaml")
        for name, typed in (
            ("1,000 runs", ("simulate", lock, "--runs", "1000")),
            ("an audit of 100,000 events", ("audit", rule, events)),
        ):
            ways = [
                (checkout, more) for more in ((), ("--report", page)) for checkout in (before, ROOT)
            ]
            taken = [
                [seconds(checkout, folder, *typed, *more) for checkout, more in ways]
                for _ in range(times)
            ]
            least = [min(each) for each in zip(*taken, strict=True)]
            yield f"{name}, without a page", least[0], least[1]
            yield f"{name}, its page", least[2] - least[0], least[3] - least[1]


@click.command(help=__doc__, context_settings={"max_content_width": 100})
@click.option("--before", default=BEFORE, show_default=True)
@click.option("--times", type=click.IntRange(1), default=5, show_default=True)
@click.option("--write", type=click.Path(path_type=Path))
def main(before: str, times: int, write: Path | None) -> None:
    text = (
        f"# Making pages\n\n    python -m benchmarks.pages --before {before} --times {times}\n\n"
        f"on {machine()}, Python {python_version()}. Seconds of the processor, the least.\n\n"
        "| what | before | now | ratio |\n|---|--:|--:|--:|\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        made = ["git", "-C", str(ROOT), "worktree", "add", "--detach", "--quiet", folder, before]
        subprocess.run(made, check=True)
        try:
            for name, one, other in measured(Path(folder), times):
                text += f"| {name} | {one:.2f} | {other:.2f} | {other / one:.2f} |\n"
        finally:
            gone = ["git", "-C", str(ROOT), "worktree", "remove", "--force", folder]
            subprocess.run(gone, check=True)
    click.echo(text, nl=False)
    if write is not None:
        write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
