"""`-` is the standard input where a file is read, and the standard output where one is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from choreomon.cli.command_line.standard_input import ReadPath
from choreomon.cli.command_line.writing import WrittenPath
from tests.cli.command_line import ROOT, SCENARIOS, choreomon
from tests.cli.offline import write_offline_files
from tests.hostile.commands import commands


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    write_offline_files(place)
    for name in ("lock-violating.yaml", "lock.hif"):  # the one names the other
        place.joinpath(name).write_bytes(SCENARIOS.joinpath(name).read_bytes())
    place.joinpath("order.hif").write_text(
        place.joinpath("i.hif").read_text().replace("loopW", "loopS")
    )


def test_every_path_of_every_command_knows_it() -> None:
    """But for `--sessions`, which keeps its standard input by itself."""
    plain = {
        (name, option.name)
        for name, command in commands().items()
        for option in command.params
        if isinstance(option.type, click.Path)
        and not isinstance(option.type, ReadPath | WrittenPath)
    }
    assert {option for _, option in plain} <= {"sessions"}


@pytest.mark.parametrize(
    ("file", "line", "code", "said"),
    [
        ("violated.yaml", "check -", 0, "/dev/stdin: stdin is valid"),
        ("violated.yaml", "simulate - --json", 1, '"formed"'),
        ("lock-violating.yaml", "check -", 0, "from lock.hif"),
        ("i.hif", "verify -i - pass.htf", 0, "pass.htf"),
        ("fail.htf", "verify -i i.hif - --json", 1, '"trace":"/dev/stdin"'),
        ("i.hif", "canonize -", 0, "seq("),
        ("pass.htf", "join -", 0, "[a] a!m"),
    ],
)
def test_a_pipe_is_read_as_a_file_is(file: str, line: str, code: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "choreomon", *line.split()],
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "NO_COLOR": "1"},
        input=Path(file).read_bytes(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, b"")
    assert said in done.stdout.decode()


def test_the_standard_input_is_read_once() -> None:
    answer = choreomon("verify", "-i", "-", "-")
    assert (answer.code, answer.out) == (2, "")
    assert "the standard input can be read only once" in answer.err


@pytest.mark.parametrize(
    ("line", "begin"),
    [
        ("draw violated.yaml -o -", "<?xml"),
        ("draw i.hif -o -", "<?xml"),
        ("explore i.hif -o -", "<?xml"),
        ("synthesize order.hif -o -", '{"kind": "automaton"'),
        ("simulate violated.yaml --report -", "<!DOCTYPE html>"),
        ("verify -i i.hif pass.htf --junit -", "<?xml"),
        ("verify -i i.hif pass.htf --sarif -", "{"),
    ],
)
def test_what_is_written_to_the_output_is_there_alone(line: str, begin: str) -> None:
    answer = choreomon(*line.split())
    assert answer.code in (0, 1)
    assert answer.out.startswith(begin)
    assert answer.out.count(begin) == 1 or begin == "{"
    assert not Path("-").exists()


@pytest.mark.parametrize("line", ["canonize i.hif", "join pass.htf", "generate --class C3"])
def test_what_is_printed_anyway_is_printed(line: str) -> None:
    assert choreomon(*line.split(), "-o", "-") == choreomon(*line.split())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("split violated.yaml -o -", "a directory of its own is needed here"),
        ("init -", "a file of its own is needed here"),
        ("simulate violated.yaml --junit - --sarif -", "only one file can be the standard output"),
    ],
)
def test_what_cannot_be_on_the_output_is_said(line: str, said: str) -> None:
    answer = choreomon(*line.split())
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
