"""`choreomon audit` over long logs: events a second, reading included, and its memory.

    python -m benchmarks.audit_speed [--events N] [--seed N]

Logs of 20 processes that send each other messages, with 1 % labelled: five forbidden sequences of
three messages, each with one that cancels it. A log is written to a temporary file, once with
vector clocks and once with message ids, and audited by a process of its own, as the command does;
also one of a fifth of the length, to compare the memory. What reading alone takes is measured in
the same way. "Per CPU s" is events a second of processor time, which others that use the machine
change less.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

import click

PROCESSES: Final = 20
LABELLED: Final = 0.01
SEQUENCES: Final = 5
COLUMNS: Final = (
    *("log", "events", "labelled", "verdicts", "undecided"),
    *("events/s", "per CPU s", "peak MB"),
)
WIDTHS: Final = (24, 12, 10, 10, 11, 12, 12, 9)

_CHILD: Final = """
import resource, sys
from time import perf_counter, process_time
from choreomon.documents.read import load_document
from choreomon.logs.readers.reading import read_recorded
from choreomon.audit.auditor import Auditor
from choreomon.core.recorded import RecordedEvent
document, log, what = sys.argv[1:]
auditor = Auditor(load_document(document).property.automaton)
from choreomon.audit.reading import tell
start, busy = perf_counter(), process_time()
events = read_recorded(log)
if what == "read":
    counted = sum(1 for _ in events)
    print(counted, 0, 0, 0, end=" ")
else:
    tell(auditor, [events], lambda _: None, lambda: False)
    outcome = auditor.finish()
    undecided = sum(verdict.undecided for verdict in outcome.verdicts)
    print(outcome.events, outcome.labelled, len(outcome.verdicts), undecided, end=" ")
print(perf_counter() - start, process_time() - busy, end=" ")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def property_text(without_verdicts: bool = False) -> str:
    """Sequences of sends by neighbours, each with a cancellation. `without_verdicts`: with a last
    step that nobody takes."""
    lines = ["name: speed", "property:", "  sequences:"]
    for number in range(SEQUENCES):
        first = 4 * number
        steps = [
            f"p{first + step} -> p{(first + step + 1) % PROCESSES} : s{step}" for step in range(3)
        ]
        if without_verdicts:
            steps.append(f"p{first} -> p{first + 1} : never")
        cancel = f"p{first + 3} -> p{first} : stop"
        lines.append(f"    - steps: [{', '.join(json.dumps(step) for step in steps)}]")
        lines.append(f"      cancel: [{{on: {json.dumps(cancel)}, after: [1, 2], back_to: 0}}]")
    return "\n".join(lines) + "\n"


def write_log(path: Path, events: int, seed: int, clocks: bool) -> None:
    """Every process sends to any other one; a message is handled after a few others were sent."""
    random = Random(seed)
    names = [f"p{number}" for number in range(PROCESSES)]
    known: list[dict[str, int]] = [{} for _ in names]
    flying: list[tuple[int, int, str, int, dict[str, int]]] = []
    with path.open("w", encoding="ascii") as stream:
        for index in range(events):
            sending = len(flying) < PROCESSES or random.random() < 0.5
            if sending:
                sender, receiver, name = _message(random)
                own = sender
            else:
                place = random.randrange(len(flying))
                flying[place], flying[-1] = flying[-1], flying[place]
                sender, receiver, name, identity, clock = flying.pop()
                own = receiver
                if clocks:
                    mine = known[own]
                    for process, count in clock.items():
                        if mine.get(process, 0) < count:
                            mine[process] = count
            message = {"sender": names[sender], "name": name, "receiver": names[receiver]}
            line = {
                "index": index,
                "time": index / 10,
                "event": "send" if sending else "handle",
                "process": names[own],
                "message": message,
            }
            if clocks:
                known[own][names[own]] = known[own].get(names[own], 0) + 1
                line["clock"] = known[own]
            else:
                line["id"] = str(index if sending else identity)
            stream.write(json.dumps(line, separators=(",", ":")) + "\n")
            if sending:
                flying.append((sender, receiver, name, index, dict(known[own]) if clocks else {}))


def _message(random: Random) -> tuple[int, int, str]:
    """Half of the events are sends; 2 % of these are labelled."""
    if random.random() < 2 * LABELLED:
        first, step = 4 * random.randrange(SEQUENCES), random.randrange(4)
        if step == 3:
            return first + 3, first, "stop"
        return first + step, (first + step + 1) % PROCESSES, f"s{step}"
    sender, receiver = random.sample(range(PROCESSES), 2)
    return sender, receiver, "other"


def _measured(document: Path, log: Path, what: str) -> tuple[list[int], float, float, int]:
    command = [sys.executable, "-c", _CHILD, str(document), str(log), what]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return [int(number) for number in said[:4]], float(said[4]), float(said[5]), int(said[6])


def _row(cells: Sequence[str]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))


@click.command(help=__doc__)
@click.option("--events", type=click.IntRange(min=1_000), default=1_000_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--without-verdicts", is_flag=True, help="Add a step that nobody takes.")
def main(events: int, seed: int, without_verdicts: bool) -> None:
    click.echo(_row(COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "speed.yaml")
        document.write_text(property_text(without_verdicts), encoding="ascii")
        for kind in ("clocks", "ids"):
            for count in (events // 5, events):
                log = Path(folder, f"{kind}.jsonl")
                start = perf_counter()
                write_log(log, count, seed, kind == "clocks")
                click.echo(f"written in {perf_counter() - start:.0f} s", err=True)
                for what in ("read", "audit"):
                    numbers, seconds, busy, peak = _measured(document, log, what)
                    cells = [f"{kind}, {'read only' if what == 'read' else 'audited'}"]
                    cells += [f"{number:,}" for number in numbers]
                    cells += [f"{numbers[0] / each:,.0f}" for each in (seconds, busy)]
                    cells.append(f"{peak / 1024:.0f}")
                    click.echo(_row(cells))


if __name__ == "__main__":
    main()
