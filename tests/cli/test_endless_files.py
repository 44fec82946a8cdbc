"""Every file that a command reads has a limit: what never ends is refused, in bounded memory.

The files are found in the commands themselves, so that a new one cannot be forgotten.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import click
import pytest

from choreomon.cli import group
from choreomon.cli.command_line.writing import WrittenPath
from choreomon.logs.formats import FORMATS
from tests.cli.command_line import ROOT, choreomon
from tests.cli.offline import write_offline_files

BAD: Final = "BAD"

HIBOU: Final = (".hif", ".json", ".mmd", ".puml", ".yaml")
TRACES: Final = (".htf", ".json", ".jsonl")
LOGS: Final = (*TRACES, ".log")

READ: Final[dict[str, list[tuple[str, str, tuple[str, ...]]]]] = {
    "check": [
        ("files", "BAD", (*HIBOU, *TRACES, ".hsf", ".hcf", ".timbuk", ".txt")),
        ("files", "property.yaml BAD", (".yaml", ".json")),
        ("locations", "a.timbuk --locations BAD", (".json",)),
        ("against", "property.yaml --against BAD", (*HIBOU, ".timbuk", ".yaml")),
    ],
    "draw": [
        ("files", "BAD -o x.svg", (*HIBOU, *TRACES, ".hsf", ".timbuk")),
        ("files", "property.yaml BAD -o x.svg", (".yaml", ".json")),
        ("signature", "i.hif -o x.svg --signature BAD", (".hsf", ".json")),
        ("trace", "i.hif -o x.svg --trace BAD", LOGS),
        ("locations", "a.timbuk -o x.svg --locations BAD", (".json",)),
        ("mapping", "run.jsonl -o x.svg --run --mapping BAD", (".yaml", ".json")),
        ("config", "i.hif -o x.svg --trace pass.htf --config BAD", (".hcf", ".json")),
    ],
    "export": [
        ("files", "BAD --to mermaid", (*HIBOU, ".jsonl", ".log")),
        ("mapping", "run.log --to mermaid --mapping BAD", (".yaml", ".json")),
        ("results", "run.jsonl --to mermaid --results BAD", (".json",)),
    ],
    "simulate": [("file", "BAD", (".yaml", ".json"))],
    "run": [("file", "BAD", (".yaml", ".json"))],
    "split": [
        ("files", "BAD -o tables", (".yaml", ".json")),
        ("deployment", "property.yaml -o tables --deployment BAD", (".yaml", ".json")),
        ("predecessor", "property.yaml -o tables --after BAD", (".json",)),
    ],
    "watch": [("configs", "--config BAD", (".yaml", ".json"))],
    "look": [
        ("paths", "BAD", LOGS),
        ("mapping", "run.jsonl --mapping BAD", (".yaml", ".json")),
    ],
    "audit": [
        ("paths", "BAD run.jsonl", (".yaml", ".json")),
        ("paths", "property.yaml BAD", LOGS),
        ("paths", "property.yaml BAD --follow", LOGS),
        ("paths", "--explain-mapping BAD", LOGS),
        *(("paths", f"property.yaml --format {each} BAD", (".log",)) for each in FORMATS),
        ("mapping", "property.yaml run.jsonl --mapping BAD", (".yaml", ".json")),
    ],
    "verify": [
        ("traces", "-i i.hif BAD", LOGS),
        ("traces", "-i i.hif BAD pass.htf -j 2", (".htf",)),
        ("interaction", "-i BAD pass.htf", HIBOU),
        ("automaton", "--automaton BAD pass.htf", (".json", ".timbuk")),
        ("locations", "--automaton a.timbuk --locations BAD pass.htf", (".json",)),
        ("signature", "-i i.hif -s BAD pass.htf", (".hsf", ".json")),
        ("config", "-i i.hif --config BAD pass.htf", (".hcf", ".json")),
        ("mapping", "-i i.hif --mapping BAD run.jsonl", (".yaml", ".json")),
        ("sessions", "-i i.hif --sessions BAD", (".jsonl", ".parquet")),
        ("sessions", "-i i.hif --sessions -", (".stdin",)),
    ],
    "explore": [
        ("file", "BAD", HIBOU),
        ("signature", "i.hif -s BAD", (".hsf", ".json")),
        ("config", "i.hif --config BAD", (".hcf", ".json")),
    ],
    "canonize": [
        ("file", "BAD", HIBOU),
        ("signature", "i.hif -s BAD", (".hsf", ".json")),
        ("config", "i.hif --config BAD", (".hcf", ".json")),
    ],
    "synthesize": [
        ("file", "BAD -o x.json", HIBOU),
        ("signature", "i.hif -o x.json -s BAD", (".hsf", ".json")),
    ],
    "local-check": [
        ("log", "--verifier V/a.json BAD -o x.json", TRACES),
        ("verifier", "--verifier BAD pass.htf -o x.json", (".json",)),
    ],
    "central-check": [
        ("areas", "--automaton a.json BAD", (".json",)),
        ("automaton", "--automaton BAD pass.htf", (".json", ".timbuk")),
    ],
    "mutate": [
        ("traces", "BAD --kind insert", TRACES),
        ("signature", "pass.htf --kind insert -s BAD", (".hsf", ".json")),
    ],
    "join": [
        ("traces", "pass.htf BAD", LOGS),
        ("signature", "pass.htf -s BAD", (".hsf", ".json")),
        ("mapping", "run.jsonl --mapping BAD", (".yaml", ".json")),
    ],
    "slice": [("traces", "BAD", TRACES)],
    "experiment multiprefix": [
        ("data", "--data BAD", (".jsonl", ".jsonl.xz")),
        ("signature", "--data cases.jsonl --signature BAD", (".hsf", ".json")),
    ],
    "experiment slices": [
        ("file", "--interaction BAD", (".hif", ".json")),
        ("signature", "--interaction i.hif --signature BAD", (".hsf", ".json")),
    ],
    "experiment procedures": [("files", "BAD", (".hif", ".json", ".timbuk"))],
    "agent": [("file", "--config BAD", (".yaml", ".json"))],
    "agent reload": [("file", "--config BAD", (".yaml", ".json"))],
}
"""Of every command the parameters that are files it reads, a use of each, and its suffixes."""

KINDS: Final = {"device": "", "text": "", "sparse": ".log"}
"""What never ends: zeros of a device, a pipe with one line of text, a file of 1 TiB; of the last,
the suffix with which it is tried, since only of logs the beginning is looked at first."""

PROPERTY: Final = 'property: {sequences: [{steps: ["a -> b : m"]}]}\n'
EVENT: Final = (
    '{"index":0,"time":0,"event":"send","process":"a","message":{"sender":"a","name":"m",'
    '"receiver":"b"},"clock":{"a":1}}\n'
)


class Asked(NamedTuple):
    command: str
    use: str
    file: str
    kind: str

    @property
    def case(self) -> dict[str, object]:
        arguments = [*self.command.split(), *self.use.replace(BAD, self.file).split()]
        fed = {"input": self.file} if self.file.endswith(".stdin") else {}
        return {"arguments": arguments, "endless": self.file, "kind": self.kind, **fed}


def _read(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Every command with every parameter that is a file to read."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _read(found, (*path, name))
    for parameter in command.params:
        if isinstance(parameter.type, click.File) or (
            isinstance(parameter.type, click.Path) and not isinstance(parameter.type, WrittenPath)
        ):
            assert parameter.name is not None
            yield " ".join(path), parameter.name


def test_every_file_that_is_read_is_tried() -> None:
    tried = {(command, name) for command, uses in READ.items() for name, _, _ in uses}
    assert tried == set(_read(group))


@pytest.fixture(name="files")
def _files(place: Path) -> Path:
    write_offline_files(place)
    place.joinpath("property.yaml").write_text(PROPERTY, encoding="utf-8")
    place.joinpath("run.jsonl").write_text(EVENT, encoding="utf-8")
    place.joinpath("a.timbuk").write_text("Ops a:1\n", encoding="utf-8")
    place.joinpath("run.log").write_text(EVENT, encoding="utf-8")
    place.joinpath("cases.jsonl").write_text("{}\n", encoding="utf-8")
    place.joinpath("m.hif").write_text("a -- m -> b\n", encoding="utf-8")
    assert choreomon("synthesize", "m.hif", "-o", "a.json", "--verifiers", "V").code == 0
    return place


@pytest.mark.parametrize("kind", KINDS)
def test_what_never_ends_is_refused_in_bounded_memory(files: Path, kind: str) -> None:
    asked = [
        Asked(command, use, f"endless{suffix}", kind)
        for command, uses in READ.items()
        for _, use, suffixes in uses
        for suffix in suffixes
        if suffix.endswith(KINDS[kind])
    ]
    answered = subprocess.run(
        [sys.executable, "-m", "tests.cli.endless_files"],
        input="".join(f"{json.dumps(each.case)}\n" for each in asked),
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "300", "NO_COLOR": "1"},
        cwd=files,
        capture_output=True,
        text=True,
        check=True,
    )
    wrong = [
        (*one, answer)
        for one, answer in zip(asked, map(json.loads, answered.stdout.splitlines()), strict=True)
        if answer["code"] != 2
        or "Traceback" in answer["told"]
        or (one.file not in answer["told"] and "standard input" not in answer["told"])
    ]
    assert not wrong
