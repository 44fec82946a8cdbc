"""The console script itself: help, what is imported, and how it ends."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import jsonschema
import pytest
import yaml

import choreomon.documents.several as several
from choreomon.cli import group
from choreomon.core.errors import InternalError
from tests.cli.command_line import ROOT, VIOLATED, choreomon, unread

HEAVY = ("pydantic", "rich", "yaml", "matplotlib", "msgspec", "simulator")


def in_a_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["--version"]], ids=" ".join)
def test_help_answers_without_importing_anything_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        f"sys.argv = ['choreomon', *{arguments}]\n"
        "from choreomon.cli import group\n"
        "code = group.main(standalone_mode=False)\n"
        f"print([name for name in {HEAVY} if name in sys.modules], code, file=sys.stderr)"
    )
    finished = in_a_process("-c", program)
    assert finished.stderr.decode().strip().splitlines()[-1] == "[] 0"
    assert b"choreomon" in finished.stdout


def test_help_names_every_command_and_what_exit_codes_mean() -> None:
    answer = choreomon("--help")
    assert answer.code == 0
    for said in (*group.commands_at, "0    nothing found; all logs fit"):
        assert said in answer.out


def commands_below(one: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """The command, or those of a group, with their names from the first word on."""
    if not isinstance(one, click.Group):
        yield name, one
        return
    context = click.Context(one)
    for word in one.list_commands(context):
        below = one.get_command(context, word)
        assert below is not None
        yield from commands_below(below, f"{name} {word}")


@pytest.mark.parametrize(
    ("name", "command"), [*commands_below(group, "choreomon")], ids=lambda value: str(value)[:40]
)
def test_every_command_has_help_that_explains_each_option(
    name: str, command: click.Command
) -> None:
    answer = choreomon(*name.split()[1:], "--help")
    assert answer.code == 0
    assert answer.out.startswith(f"Usage: {name} ")
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert option.opts[-1] in answer.out


@pytest.mark.parametrize("arguments", [[], ["simul"], ["check"], ["draw", "a", "b"]], ids=str)
def test_bad_usage_is_exit_code_2(arguments: list[str]) -> None:
    answer = choreomon(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert "Usage: choreomon" in answer.err


def test_the_schema_is_a_json_schema_that_documents_fulfil() -> None:
    answer = choreomon("schema")
    assert (answer.code, answer.err) == (0, "")
    schema = json.loads(answer.out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(VIOLATED), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"processes": []}, schema)


@pytest.mark.parametrize("error", [RuntimeError("broken"), InternalError("broken")], ids=repr)
def test_an_error_of_ours_is_told_apart_from_every_verdict(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: str) -> None:
        raise error

    monkeypatch.setattr(several, "load_document", broken)
    answer = choreomon("check", "violated.yaml")
    assert (answer.code, answer.out) == (70, "")
    assert "broken" in answer.err
    assert "an error of choreomon itself: please report it" in answer.err


def test_an_interrupted_run_says_so_and_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(several, "load_document", interrupted)
    answer = choreomon("check", "violated.yaml")
    assert (answer.code, answer.out) == (130, "")
    assert answer.err.strip() == "interrupted"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["schema"],
        ["simulate", "violated.yaml"],
        ["simulate", "violated.yaml", "--json"],
        ["check", "violated.yaml", "--tables"],
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_verdict_and_no_error(arguments: list[str]) -> None:
    finished = unread(*arguments)
    assert finished.returncode == 141
    assert finished.stderr == b""


def test_a_terminal_that_cannot_show_a_sign_gets_another() -> None:
    arguments = ("-m", "choreomon", "check", "violated.yaml", "--tables")
    finished = in_a_process(*arguments, PYTHONIOENCODING="ascii")
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert b"Transition table of P1" in finished.stdout


def test_a_full_output_device_is_exit_code_2() -> None:
    with Path("/dev/full").open("wb") as full:
        finished = subprocess.run(
            [sys.executable, "-m", "choreomon", "schema"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert finished.returncode == 2
    assert finished.stderr == b"the output: No space left on device\n"


def test_lines_are_broken_for_terminals_and_those_who_say_how_wide_they_are() -> None:
    long = "x" * 150
    Path("long.yaml").write_text(
        VIOLATED.replace("message: b", f"message: {long}")
        .replace("{b: []}", f"{{{long}: []}}")
        .replace("P3 : b", f"P3 : {long}"),
        encoding="utf-8",
    )
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    said = {}
    for columns in ("", "60"):
        finished = subprocess.run(
            [sys.executable, "-m", "choreomon", "check", "long.yaml"],
            env={**environment, "PYTHONPATH": str(ROOT), "COLUMNS": columns},
            capture_output=True,
            check=False,
        )
        assert finished.returncode == 0
        rows = [line for line in finished.stdout.decode().splitlines() if line[:1] == "│"]
        said[columns] = [row for row in rows if long in row]
    assert said[""]
    assert not said["60"]


def redirected(
    redirection: str, *arguments: str, program: tuple[str, ...] = ("-m", "choreomon")
) -> subprocess.CompletedProcess[bytes]:
    """The command, or another program, with a redirection of a shell."""
    command = shlex.join([sys.executable, *program, *arguments])
    return subprocess.run(
        ["sh", "-c", f"exec {command} {redirection}"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["schema"],
        ["check", "violated.yaml"],
        ["simulate", "violated.yaml", "--json"],
        ["simulate", "violated.yaml", "--report", "x.html"],
    ],
    ids=" ".join,
)
def test_a_closed_output_is_exit_code_2_before_anything_is_done(arguments: list[str]) -> None:
    finished = redirected(">&-", *arguments)
    assert finished.returncode == 2
    assert finished.stderr == b"the output is closed: nothing can be shown\n"
    assert not Path("x.html").exists()


@pytest.mark.parametrize(
    ("document", "code"), [("conforming", 0), ("violated", 1), ("endless", 2), ("possible", 3)]
)
def test_closed_errors_change_no_exit_code(document: str, code: int) -> None:
    finished = redirected("2>&-", "simulate", f"{document}.yaml")
    assert finished.returncode == code
    assert b"The forbidden sequence" in finished.stdout or code == 0


def test_no_file_is_opened_in_the_place_of_closed_errors() -> None:
    """Else what a library writes to the errors would get into a trace."""
    program = (
        "import os, sys\n"
        "from choreomon.cli import main\n"
        "sys.argv = ['choreomon', 'schema']\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print(os.path.samestat(os.fstat(2), os.stat(os.devnull)))\n"
    )
    finished = redirected("2>&-", program=("-c", program))
    assert finished.returncode == 0
    assert finished.stdout.endswith(b"True\n")


@pytest.mark.parametrize(
    ("redirection", "arguments"),
    [
        ("2>/dev/full", ["check", "nowhere.yaml"]),
        ("2>/dev/full", ["simul"]),
        ("2>/dev/full", ["simulate", "application.yaml"]),
        (">/dev/full 2>&1", ["schema"]),
        (">&- 2>/dev/full", ["schema"]),
    ],
    ids=str,
)
def test_errors_that_cannot_be_said_are_no_verdict(redirection: str, arguments: list[str]) -> None:
    """Python's own exit code for this is that of a violation."""
    assert redirected(redirection, *arguments).returncode == 2


@pytest.mark.parametrize("columns", [0, 1, 39])
def test_a_screen_that_is_too_narrow_is_taken_to_have_40_columns(columns: int) -> None:
    for arguments in (["check", "violated.yaml", "--tables"], ["simulate", "violated.yaml"]):
        narrow = choreomon(*arguments, columns=columns)
        assert narrow == choreomon(*arguments, columns=40)
        assert "q0" in narrow.out or "The forbidden sequence was formed." in narrow.out
    assert choreomon("simulate", "violated.yaml", columns=60) != narrow


def test_a_command_that_is_nearly_spelt_right_is_suggested() -> None:
    answer = choreomon("simulat")
    assert answer.code == 2
    assert "No such command 'simulat'. Did you mean simulate?" in answer.err
    assert "Did you mean" not in choreomon("xyzzy").err
