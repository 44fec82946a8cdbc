"""Mutants of real logs in all formats, read: what comes of them is events, diagnostics, or the one
error that is documented.

    python -m benchmarks.log_mutants [--mutants N] [--seed N] [--write FILE]

Each mutant is one of the logs below with some of its bytes, lines or pieces changed, moved, doubled
or taken out, or mixed with those of another; mapping documents and parsers are changed, too. With
`--write` the table goes into a file.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from platform import machine, python_version
from random import Random
from time import process_time
from typing import Final, NamedTuple, TypeAlias, TypeVar

import click

from choreomon.core.errors import DocumentError
from choreomon.core.pairing import Pairing
from choreomon.core.recorded import RecordedEvent
from choreomon.logs.formats import FORMATS, LogFormat
from choreomon.logs.mappings.mapping_document import built_in, parse_mapping
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.readers.shiviz import GOVECTOR, RUNS, SHIVIZ

SPECIAL: Final = (
    *(b"\x00", b"\xff", b"\xc3", b"{", b"}", b"[", b"]", b'"', b"\\", b"\n", b"\r\n", b":", b","),
    *(
        b"-1",
        b"0",
        b"1e999",
        b"9" * 40,
        b"null",
        b"true",
        b"[" * 300,
        b'{"a":' * 300,
        b"\xef\xbb\xbf",
    ),
    *("²".encode(), "\u2028".encode(), b'""', b"=== x ===\n", b"resourceSpans", b'"traceId": 7,'),
)
PARSERS: Final = (SHIVIZ, GOVECTOR, r"(?<host>\w+) (?<clock>{.*}) (?<event>.*)")
MAPPING: Final = r"""
process: [host, service.name, {match: '(?<value>\w+)', of: name}]
kind: {table: {send: send, a: handle}, of: [kind, event], otherwise: local}
name: [name, event, {join: [topic, {constant: x}]}]
clock: clock
number: seq
fields: {k: k}
events:
  - match: {event: 'Sending (?<name>\w+).* to (?<peer>\w+)'}
    kind: {constant: send}
  - where: {kind: [send, 3]}
    each: links
    kind: {constant: handle}
    message_id: each.spanId
"""


class Log(NamedTuple):
    """A log, and how it is read."""

    content: bytes
    parser: str | None = None
    delimiter: str | None = None


Found = TypeVar("Found")
Tried: TypeAlias = Callable[[dict[str, Log], int, int, Callable[[], None]], Found]
"""Tries so many mutants of these logs, with this seed, and calls the last one after each."""


class Kind(NamedTuple):
    """What became of mutants: how many were read as a whole, with diagnostics, or refused."""

    read: int = 0
    told: int = 0
    refused: int = 0


def mutant(log: bytes, others: list[bytes], randomness: Random) -> bytes:
    """The log with one to four changes."""
    for _ in range(randomness.randint(1, 4)):
        at = randomness.randrange(len(log) + 1)
        to = min(len(log), at + int(randomness.expovariate(1 / 20)) + 1)
        lines = log.split(b"\n")
        line = randomness.randrange(len(lines))
        match randomness.randrange(10):
            case 0:
                log = log[:at]
            case 1:
                log = log[:at] + log[to:]
            case 2:
                log = log[:at] + randomness.choice(SPECIAL) + log[at:]
            case 3:
                log = log[:at] + randomness.choice(SPECIAL) + log[to:]
            case 4:
                log = log[:at] + log[at:to] * randomness.randint(2, 9) + log[to:]
            case 5:
                lines.insert(randomness.randrange(len(lines)), lines[line])
                log = b"\n".join(lines)
            case 6:
                lines.insert(randomness.randrange(len(lines)), lines.pop(line))
                log = b"\n".join(lines)
            case 7:
                del lines[line]
                log = b"\n".join(lines)
            case 8:
                log = log[:at] + bytes([randomness.randrange(256)]) + log[at + 1 :]
            case _:
                other = randomness.choice(others).split(b"\n")
                start = randomness.randrange(len(other))
                lines[line:line] = other[start : start + randomness.randint(1, 8)]
                log = b"\n".join(lines)
    return log


def outcome(one: Log, randomness: Random, others: list[bytes]) -> str:
    """What became of one: `read`, `told`, or `refused`. Lets out everything but `DocumentError`."""
    format: LogFormat | None = randomness.choice((*[None] * 40, *FORMATS))
    parser = randomness.choice((*[one.parser] * 60, *PARSERS))
    delimiter = randomness.choice((*[one.delimiter] * 30, None, RUNS, r"^=+"))
    mapping = None
    try:
        match randomness.randrange(16):
            case 0:
                mapping = parse_mapping(MAPPING, "m.yaml")
            case 1:
                changed = mutant(MAPPING.encode(), others, randomness)
                mapping = parse_mapping(changed, "m.yaml")
            case 2 if format is None:
                mapping = built_in(randomness.choice(("opentelemetry", "json-lines")))
            case _:
                pass
        pairing = Pairing()
        strange = 0
        for each in read_recorded(
            io.BytesIO(one.content),
            format,
            mapping,
            parser=parser if format in (None, "shiviz", "tsviz") else None,
            delimiter=delimiter if parser or format in ("shiviz", "tsviz") else None,
            session_key=randomness.choice((*[None] * 20, "host", "traceId")),
        ):
            if isinstance(each, RecordedEvent):
                pairing.take(each)
            else:
                strange += 1
        [*pairing.end()]
    except DocumentError as error:
        if not all(problem.message for problem in error.problems):
            raise ValueError("an error that says nothing") from error
        return "refused"
    return "told" if strange else "read"


def try_mutants(
    logs: dict[str, Log], count: int, seed: int, step: Callable[[], None] = lambda: None
) -> dict[str, Kind]:
    """What became of so many mutants, for each log. Lets out what should never be raised, after
    saying which mutant did it."""
    others = [each.content for each in logs.values()]
    found: dict[str, Counter[str]] = {name: Counter() for name in logs}
    names = [*logs]
    for number in range(count):
        randomness = Random(f"{seed} {number}")
        name = names[number % len(names)]
        one = logs[name]
        one = one._replace(content=mutant(one.content, others, randomness))
        try:
            found[name][outcome(one, randomness, others)] += 1
        except Exception as error:
            error.add_note(f"mutant {number} of seed {seed}, of {name}")
            raise
        step()
    return {name: Kind(**counts) for name, counts in found.items()}


def logs_in(folder: Path) -> dict[str, Log]:
    """The logs of the tests: the five of ShiViz, and small ones in the other formats."""
    from tests.logs.readers.logs_for_tests import ALL, PARSERS

    real = {
        name: Log((folder / f"{name}.log").read_bytes()[:12_000], *how)
        for name, how in PARSERS.items()
    }
    return {**real, **{name: Log(text.encode()) for name, text in ALL.items()}}


def timed(tried: Tried[Found], mutants: int, seed: int) -> tuple[Found, float]:
    """What became of mutants of the logs of the tests, and the seconds of the processor, while a
    bar shows how far it is."""
    from tests.logs.readers.logs_for_tests import SHIVIZ

    begun = process_time()
    with click.progressbar(length=mutants, label="Mutants", file=sys.stderr) as bar:
        found = tried(logs_in(SHIVIZ), mutants, seed, lambda: bar.update(1))
    return found, process_time() - begun


def page(above: str, columns: Sequence[str], rows: Mapping[str, Sequence[int]]) -> str:
    """A page of results: for each log how many of its mutants became what, in that order."""
    text = (
        f"{above}\n\n| log | mutants | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}\n"
    )
    for name, counts in rows.items():
        cells = " | ".join(f"{count:,}" for count in counts)
        text += f"| {name} | {sum(counts):,} | {cells} |\n"
    return text


def head(title: str, module: str, mutants: int, seed: int, seconds: float, came_out: str) -> str:
    """What stands above the table: how it was made, and that nothing else came out."""
    return (
        f"# {title}\n\n`python -m benchmarks.{module} --mutants {mutants} --seed {seed}`, "
        f"Python {python_version()}, {machine()}: {seconds:.0f} s of the processor. Nothing but "
        f"{came_out} came out."
    )


@click.command()
@click.option("--mutants", default=10_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--write", type=click.Path(path_type=Path))
def main(mutants: int, seed: int, write: Path | None) -> None:
    """Read mutants of logs."""
    found, seconds = timed(try_mutants, mutants, seed)
    came_out = "events, diagnostics and `DocumentError`"
    text = page(
        head("Mutants of logs", "log_mutants", mutants, seed, seconds, came_out),
        ("read as a whole", "with diagnostics", "refused"),
        found,
    )
    click.echo(text, nl=False)
    if write is not None:
        write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
