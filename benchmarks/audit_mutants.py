"""Mutants of real logs in all formats, audited: what comes of them is a verdict with diagnostics,
or the one error that is documented.

    python -m benchmarks.audit_mutants [--mutants N] [--seed N] [--write FILE]

The mutants are those of `benchmarks.log_mutants`: logs of which bytes, lines or pieces are changed,
moved, doubled, taken out or mixed with others. Each is audited by `choreomon audit`, in this
process, alone or beside a second log, against a property that mentions what the log says, with
options drawn at random. With `--write` the table goes into a file.
"""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final
from unittest.mock import patch

import click

from benchmarks.log_mutants import MAPPING, Log, head, mutant, page, timed
from choreomon.cli import main as choreomon
from choreomon.core.labels import parse_label
from choreomon.core.message import HANDLE
from choreomon.core.recorded import RecordedEvent
from choreomon.logs.formats import FORMATS
from choreomon.logs.mappings.mapping_document import parse_mapping
from choreomon.logs.readers.reading import read_recorded

NAMES: Final = {0: "nothing formed", 1: "violated", 2: "refused", 3: "possibly violated"}
"""What exit codes say. There is no other one."""


class Wrong(Exception):
    """What should never come out."""


def property_of(one: Log, mapped: bool) -> str:
    """A property that mentions the first messages that the log says, in their order; of a log with
    local events alone, messages between its processes."""
    mapping = parse_mapping(MAPPING, "m.yaml") if mapped else None
    found = read_recorded(
        io.BytesIO(one.content), mapping=mapping, parser=one.parser, delimiter=one.delimiter
    )
    events = [each for each in found if isinstance(each, RecordedEvent)]
    names = [*dict.fromkeys(each.process for each in events), "a", "b"]
    labels: dict[str, None] = {}
    for event in events:
        peer = event.peer or next(each for each in names if each != event.process)
        ends = (peer, event.process) if event.kind == HANDLE else (event.process, peer)
        kind = "handle " if event.kind == HANDLE else ""
        labels.setdefault(f"{kind}{ends[0]} -> {ends[1]} : {event.name}")
    labels.setdefault("a -> b : m")
    plain = [each for each in labels if parse_label(each)][:4]
    steps = [json.dumps({"steps": pair}) for pair in zip(plain, plain[1:] + plain[:1], strict=True)]
    return f"property: {{sequences: [{', '.join(steps)}]}}\n"


def asked(one: Log, randomness: Random, place: Path, mapped: bool) -> list[str]:
    """The arguments of an audit of it."""
    arguments = ["audit", str(place / "property.yaml"), str(place / "mutant.log")]
    if mapped:
        arguments += ["--mapping", str(place / "mapping.yaml")]
    if one.parser is not None and randomness.random() < 0.95:
        arguments += ["--parser", one.parser]
    if one.delimiter is not None and randomness.random() < 0.9:
        arguments += ["--delimiter", one.delimiter]
    for option in (
        ["--json"],
        ["--json"],
        ["--budget", "2"],
        ["--max-window", "2"],
        ["--incomplete", "a"],
        ["--session-key", "host"],
        ["--session-key", "traceId"],
        ["--format", randomness.choice([*FORMATS])],
        ["--report", str(place / "report.html")],
        ["--junit", str(place / "junit.xml")],
        ["--sarif", str(place / "findings.sarif")],
        [str(place / "second.log")],
        [str(place / "second.log")],
    ):
        if randomness.random() < 0.06:
            arguments += option
    if randomness.random() < 0.03:
        arguments = ["audit", "--explain-mapping", *arguments[2:]]
    return arguments


def outcome(arguments: list[str]) -> str:
    """What the command ends with, in a word. Raises `Wrong` where that is not documented."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["choreomon", *arguments]),
        patch.dict("os.environ", {"NO_COLOR": "1"}),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            choreomon()
        except SystemExit as end:
            code = end.code
    if code not in NAMES or "Traceback" in err.getvalue():
        raise Wrong(f"exit code {code}: {err.getvalue()[-3000:]}")
    if code == 2 and not (err.getvalue() + out.getvalue()).strip():
        raise Wrong("an error that says nothing")
    if "--json" in arguments and (code != 2 or out.getvalue()):
        json.loads(out.getvalue())
    return "explained" if "--explain-mapping" in arguments else NAMES[int(code or 0)]


def try_mutants(
    logs: dict[str, Log], count: int, seed: int, step: Callable[[], None] = lambda: None
) -> dict[str, Counter[str]]:
    """What became of so many mutants, for each log. Lets out what should never be raised, after
    saying which mutant did it."""
    others = [each.content for each in logs.values()]
    unmapped = [name for name, each in FORMATS.items() if "mapping" not in each.fits]
    properties = {
        (name, mapped): property_of(one, mapped)
        for name, one in logs.items()
        for mapped in (False, True)
        if not mapped or name not in unmapped
    }
    found: dict[str, Counter[str]] = {name: Counter() for name in logs}
    names = [*logs]
    with TemporaryDirectory() as folder:
        place = Path(folder)
        for number in range(count):
            randomness = Random(f"{seed} {number}")
            name = names[number % len(names)]
            mapped = (name, True) in properties and randomness.random() < 0.4
            place.joinpath("property.yaml").write_text(properties[name, mapped], encoding="utf-8")
            mapping = MAPPING.encode()
            if randomness.random() < 0.1:
                mapping = mutant(mapping, others, randomness)
            place.joinpath("mapping.yaml").write_bytes(mapping)
            log = mutant(logs[name].content, others, randomness)
            place.joinpath("mutant.log").write_bytes(log)
            second = randomness.choice((log, mutant(log, others, randomness), *others))
            place.joinpath("second.log").write_bytes(second)
            arguments = asked(logs[name], randomness, place, mapped)
            try:
                found[name][outcome(arguments)] += 1
            except Exception as error:
                error.add_note(f"mutant {number} of seed {seed}, of {name}: {arguments}")
                raise
            step()
    return found


@click.command(help=__doc__)
@click.option("--mutants", default=10_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--write", type=click.Path(path_type=Path))
def main(mutants: int, seed: int, write: Path | None) -> None:
    found, seconds = timed(try_mutants, mutants, seed)
    columns = (*NAMES.values(), "explained")
    came_out = "verdicts, diagnostics and documented errors"
    text = page(
        head("Mutants of logs, audited", "audit_mutants", mutants, seed, seconds, came_out),
        columns,
        {name: [counts[each] for each in columns] for name, counts in found.items()},
    )
    click.echo(text, nl=False)
    if write is not None:
        write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
