"""`choreomon audit` over logs of many sessions: time, memory, and what several processes help.

    python -m benchmarks.audit_sessions [--sessions N] [--events M] [--jobs 1,2] [--seed S]

Sessions of M events, 50 of them mixed at any time, of three processes that number all that they
do, whatever session it is of; in 2 % of the sessions something is shipped after it was cancelled.
The whole command is measured, from its start to its end: by the clock on the wall, the processor
time of all its processes, that of the busiest one, and the most memory that one of them had
resident. On a machine that others use, the busiest process tells what more of them help: it is
what the command would take if each had a processor, but for waiting. `reading` is what reading the
same log by the same mapping takes one process, and nothing else. Results are compared: they must
not depend on how many processes there are.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

import click

from benchmarks.command_line import machine

PROPERTY: Final = """
name: nothing is shipped once it is cancelled
property:
  sequences:
    - steps: ["desk -> shop : cancel", "warehouse -> customer : ship"]
      cancel: [{on: "desk -> shop : reopen", after: [1, 1], back_to: 0}]
"""

MAPPING: Final = """
format: jsonl
process: svc
kind: {table: {out: send, in: handle}, of: dir}
name: what
peer: to
message_id: id
number: n
session: order
"""

WIDTHS: Final = (16, 10, 13, 10, 14, 9)

OPEN: Final = 50
"""Sessions that are mixed."""

BAD: Final = 0.02

OTHERS: Final = (("shop", "note", "desk"), ("desk", "ask", "shop"), ("warehouse", "stock", "shop"))

_READING: Final = """
import sys
from choreomon.cli.command_line.log_options import LogChoices
reading = LogChoices(mapping=sys.argv[2]).loaded()
print(sum(1 for _ in reading.read(sys.argv[1])))
"""

LOOK: Final = 0.1
"""Seconds between two looks at processes."""

TICKS: Final = os.sysconf("SC_CLK_TCK")


def session(random: Random, name: str, events: int) -> list[tuple[str, dict[str, str]]]:
    """The processes and lines of one session, in their order."""
    found: list[tuple[str, dict[str, str]]] = []

    def sent(sender: str, what: str, receiver: str) -> None:
        identity = f"{name}.{len(found)}"
        for process, way, peer in ((sender, "out", receiver), (receiver, "in", sender)):
            line = {"order": name, "svc": process, "dir": way, "what": what, "to": peer}
            found.append((process, {**line, "id": identity}))

    if random.random() < BAD:
        sent("desk", "cancel", "shop")
        sent("shop", "order", "warehouse")
        ship = {"svc": "warehouse", "dir": "out", "what": "ship", "to": "customer"}
        found.append(("warehouse", {"order": name, **ship}))
    while len(found) < events:
        sent(*random.choice(OTHERS))
    return found[:events]


def write_log(path: Path, sessions: int, events: int, seed: int) -> None:
    """All sessions mixed."""
    random = Random(seed)
    counts = dict.fromkeys(("shop", "desk", "warehouse"), 0)
    going: list[list[tuple[str, dict[str, str]]]] = []
    begun = 0
    with path.open("w", encoding="ascii") as stream:
        while going or begun < sessions:
            while len(going) < OPEN and begun < sessions:
                going.append(session(random, f"order-{begun}", events)[::-1])
                begun += 1
            place = random.randrange(len(going))
            process, line = going[place].pop()
            counts[process] += 1
            stream.write(json.dumps({**line, "n": counts[process]}, separators=(",", ":")) + "\n")
            if not going[place]:
                going[place] = going[-1]
                going.pop()


class Watcher:
    """The processes of one session of the system: the processor seconds of each, and the most
    megabytes that it had resident, when they were looked at last (Linux)."""

    def __init__(self, session: int) -> None:
        self._session = str(session)
        self._seconds: dict[str, float] = {}
        self._megabytes: dict[str, float] = {}

    def look(self) -> None:
        for process in Path("/proc").iterdir():
            if not process.name.isdigit():
                continue
            try:
                fields = process.joinpath("stat").read_text().rpartition(")")[2].split()
                if fields[3] != self._session:
                    continue
                status = process.joinpath("status").read_text()
            except OSError:  # it has ended
                continue
            self._seconds[process.name] = (int(fields[11]) + int(fields[12])) / TICKS
            for line in status.splitlines():
                if line.startswith("VmHWM:"):
                    self._megabytes[process.name] = int(line.split()[1]) / 1024

    @property
    def seconds(self) -> float:
        return sum(self._seconds.values())

    @property
    def busiest(self) -> float:
        """Of the process that had most to do."""
        return max(self._seconds.values(), default=0)

    @property
    def megabytes(self) -> float:
        """Of the largest process."""
        return max(self._megabytes.values(), default=0)


def measured(command: list[str]) -> tuple[str, float, Watcher]:
    """What a command prints, its seconds, and what was seen of its processes."""
    begun = perf_counter()
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(command, stdout=printed, start_new_session=True)
        watcher = Watcher(process.pid)
        while True:
            try:
                process.wait(LOOK)
                break
            except subprocess.TimeoutExpired:
                watcher.look()
        seconds = perf_counter() - begun
        if process.returncode not in (0, 1, 3):
            raise click.ClickException(f"{' '.join(command)}: ended with {process.returncode}")
        printed.seek(0)
        return printed.read().decode(), seconds, watcher


def row(*cells: str) -> None:
    click.echo("".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True)))


@click.command(help=__doc__)
@click.option("--sessions", type=click.IntRange(min=1), default=10_000, show_default=True)
@click.option("--events", type=click.IntRange(min=2), default=100, show_default=True)
@click.option("--jobs", default="1,2", show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(sessions: int, events: int, jobs: str, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log, document, mapping = (
            Path(folder, name) for name in ("log.jsonl", "property.yaml", "mapping.yaml")
        )
        document.write_text(PROPERTY, encoding="ascii")
        mapping.write_text(MAPPING, encoding="ascii")
        write_log(log, sessions, events, seed)
        total = sessions * events
        size = log.stat().st_size / 1e6
        click.echo(f"{machine()}; {sessions:,} sessions, {total:,} events, {size:,.0f} MB\n")
        row("", "seconds", "CPU seconds", "busiest", "events/CPU s", "peak MB")

        def told(name: str, command: list[str]) -> str:
            text, seconds, seen = measured(command)
            rate = total / seen.seconds
            times = (f"{each:.1f}" for each in (seconds, seen.seconds, seen.busiest))
            row(name, *times, f"{rate:,.0f}", f"{seen.megabytes:,.0f}")
            return text

        told("reading", [sys.executable, "-c", _READING, str(log), str(mapping)])
        command = [sys.executable, "-m", "choreomon", "audit", str(document), str(log)]
        command += ["--mapping", str(mapping), "--json", "--jobs"]
        said = {
            told(f"audit, {each} {'job' if each == '1' else 'jobs'}", [*command, each])
            for each in jobs.split(",")
        }
        found = json.loads(said.pop())
        click.echo(f"\nsessions: {found['sessions']['count']:,}, {found['sessions']['verdicts']}")
        click.echo(f"the same by any number of processes: {'no' if said else 'yes'}")


if __name__ == "__main__":
    main()
