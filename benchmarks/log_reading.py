"""How fast logs are read, and in how much memory, in each format.

    python -m benchmarks.log_reading [--events N] [--processes N] [--json]

A log of `--events` events is written to a temporary file and read once, event by event, without
keeping them. Times are of the processor, on one core; memory is the peak above what the process had
with everything imported and a tenth of the log read, so that what grows with the log is seen.
Spans are kept until the end of their log; no other format is. The baseline is `json.loads` of every
line of the same log of our own events.
"""

from __future__ import annotations

import json
import resource
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from platform import machine, python_version
from random import Random
from time import process_time
from typing import Any, Final, NamedTuple

import click

from choreomon.core.recorded import RecordedEvent
from choreomon.logs.readers.reading import read_recorded


class Measured(NamedTuple):
    """Events a second, and megabytes that reading the rest of the log added."""

    format: str
    events: int
    bytes: int
    per_second: float
    megabytes: float


def happenings(events: int, processes: int) -> Iterator[tuple[int, str, str, str, dict[str, int]]]:
    """Messages between processes, each handled at once: number, kind, sender, receiver, clock."""
    randomness = Random(0)
    names = [f"p{number}" for number in range(processes)]
    clocks: dict[str, dict[str, int]] = {name: {} for name in names}
    number = 0
    while True:
        sender, receiver = randomness.sample(names, 2)
        for kind, process in (("send", sender), ("handle", receiver)):
            if number == events:
                return
            clock = clocks[process]
            if kind == "handle":
                for name, count in clocks[sender].items():
                    clock[name] = max(count, clock.get(name, 0))
            clock[process] = clock.get(process, 0) + 1
            yield number, kind, sender, receiver, clock
            number += 1


def own(events: int, processes: int) -> Iterator[str]:
    for number, kind, sender, receiver, clock in happenings(events, processes):
        process = sender if kind == "send" else receiver
        message = {"sender": sender, "name": "m", "receiver": receiver}
        one = {"index": number, "time": number / 8, "event": kind, "process": process}
        yield json.dumps({**one, "message": message, "clock": clock}, separators=(",", ":"))


def lines(events: int, processes: int) -> Iterator[str]:
    for number, kind, sender, receiver, _ in happenings(events, processes):
        process, peer = (sender, receiver) if kind == "send" else (receiver, sender)
        one = {"ts": f"12:00:{number % 60:02}", "service": process, "kind": kind, "topic": "m"}
        yield json.dumps({**one, "peer": peer, "msg_id": number // 2, "trace_id": number // 50})


def text(events: int, processes: int) -> Iterator[str]:
    for _, kind, sender, receiver, clock in happenings(events, processes):
        process = sender if kind == "send" else receiver
        yield f"{kind} of m\n{process} {json.dumps(clock)}"


def detecter(events: int, processes: int) -> Iterator[str]:
    for number, kind, sender, receiver, _ in happenings(events, processes):
        message = f"{{m, {number // 2}}}"
        yield (
            f"send({sender}, {receiver}, {message})"
            if kind == "send"
            else f"recv({receiver}, {message})"
        )


def spans(events: int, processes: int) -> Iterator[str]:
    for number, kind, sender, receiver, _ in happenings(events, processes):
        process = sender if kind == "send" else receiver
        span: dict[str, Any] = {
            "traceId": f"{number // 50 + 1:032x}",
            "spanId": f"{number + 1:016x}",
            "name": "m",
            "kind": 4 if kind == "send" else 5,
            "startTimeUnixNano": str(number + 1),
            "endTimeUnixNano": str(number + 2),
            "attributes": [{"key": "messaging.destination.name", "value": {"stringValue": "m"}}],
        }
        if kind == "handle":
            span["links"] = [{"traceId": span["traceId"], "spanId": f"{number:016x}"}]
        own = {"attributes": [{"key": "service.name", "value": {"stringValue": process}}]}
        parts = [{"resource": own, "scopeSpans": [{"spans": [span]}]}]
        yield json.dumps({"resourceSpans": parts})


FORMATS: Final[dict[str, Callable[[int, int], Iterator[str]]]] = {
    "events": own,
    "jsonl": lines,
    "shiviz": text,
    "detecter": detecter,
    "otlp": spans,
}


def measured(name: str, events: int, processes: int, folder: Path) -> Measured:
    """One format, written and read. Raises ValueError where not every event came out."""
    path = folder / f"{name}.log"
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in FORMATS[name](events, processes))
    small = folder / "small.log"
    with small.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in FORMATS[name](max(10, events // 10), processes))
    for _ in read_recorded(small):
        pass
    before = _peak()
    begun = process_time()
    found = sum(isinstance(each, RecordedEvent) for each in read_recorded(path))
    spent = process_time() - begun
    if found != events:
        raise ValueError(f"{found} of {events} events of {name} came out")
    size = path.stat().st_size
    path.unlink()
    return Measured(name, events, size, events / max(spent, 1e-9), _peak() - before)


def baseline(events: int, processes: int) -> float:
    """Lines of our own events that `json.loads` takes a second."""
    made = [line.encode() for line in islice(own(events, processes), 20_000)]
    begun = process_time()
    for line in made:
        json.loads(line)
    return len(made) / max(process_time() - begun, 1e-9)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@click.command()
@click.option("--events", type=click.IntRange(min=10), default=200_000, show_default=True)
@click.option("--processes", type=click.IntRange(min=2), default=20, show_default=True)
@click.option("--json", "as_json", is_flag=True)
def main(events: int, processes: int, as_json: bool) -> None:
    """Read logs in each format."""
    with tempfile.TemporaryDirectory() as folder:
        found = [measured(name, events, processes, Path(folder)) for name in FORMATS]
    loads = baseline(events, processes)
    if as_json:
        click.echo(json.dumps({"json_loads": loads, "formats": [one._asdict() for one in found]}))
        return
    click.echo(
        f"{events:,} events of {processes} processes, Python {python_version()}, {machine()}"
    )
    click.echo(f"{'':10}{'events/s':>12}{'bytes/event':>14}{'of json.loads':>15}{'more MB':>10}")
    for one in found:
        click.echo(
            f"{one.format:10}{one.per_second:>12,.0f}{one.bytes / one.events:>14.0f}"
            f"{one.per_second / loads:>14.2f}x{one.megabytes:>10.1f}"
        )


if __name__ == "__main__":
    main()
