"""The help of every command ends with two examples, which can be typed as they stand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from choreomon.cli import BAD_INPUT, INTERNAL_ERROR, group
from choreomon.cli.command_line.examples import examples
from tests.cli.command_line import ROOT, choreomon
from tests.scenarios.console_blocks import workplace

WIDTH = 80
"""Columns of the narrowest terminal that help has to fit."""

AGENTS = (
    "choreomon agent --config shop.agent.yaml",
    "choreomon agent --config shop.agent.yaml --trace events.jsonl",
)
RELOADS = (
    "choreomon agent reload --config shop.agent.yaml",
    "choreomon agent reload --config shop.agent.yaml --timeout 60",
)
WATCHES = (
    "choreomon watch http://127.0.0.1:7680",
    "choreomon watch --once --json --config shop.agent.yaml",
)
EXPERIMENTS = tuple(
    f"choreomon experiment {options}"
    for options in (
        *(f"{name} --quick" for name in ("fig7", "fig8", "rq4")),
        *(f"{name} -j 4 -o {name}" for name in ("fig7", "fig8", "rq4")),
        *("all --quick -o quick", "all -j 4 -o results", "instances -o curve.svg"),
    )
)
NEED_MORE: dict[str, str] = {
    **dict.fromkeys(AGENTS, "runs until it is ended"),
    **dict.fromkeys((*RELOADS, *WATCHES), "needs a live agent"),
    **dict.fromkeys(EXPERIMENTS, "takes a minute or more"),
}
"""Examples that are not run here, each with what they would need."""


def _commands(
    at: click.Command = group, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Every command, and every group but the whole, by what is typed behind `choreomon`."""
    if path:
        yield " ".join(path), at
    if isinstance(at, click.Group):
        context = click.Context(at)
        for name in at.list_commands(context):
            below = at.get_command(context, name)
            assert below is not None
            yield from _commands(below, (*path, name))


COMMANDS = dict(_commands())


def _examples_of(name: str) -> list[str]:
    """The examples at the end of what `--help` prints."""
    _, heading, shown = _help(name).partition("\n  Examples:\n")
    assert heading, f"choreomon {name} --help has no examples"
    lines = shown.rstrip().splitlines()
    for number, line in enumerate(lines):
        assert line.startswith("      " if number % 2 else "    choreomon")
    return [line.strip() for line in lines[::2]]


def _help(name: str) -> str:
    return choreomon(*name.split(), "--help", columns=WIDTH).out


@pytest.fixture(scope="module")
def shared() -> Iterator[Path]:
    """A folder with the files that examples name: those of docs/verify.md; the logs of one run, one
    by one; what is made of them; the scenarios, and the trace of one."""
    logs = {
        "customer": "[customer] customer!order.customer?parcel",
        "shop": "[shop] shop?order.shop!charge.shop?yes.shop!parcel",
        "bank": "[bank] bank?charge.bank!yes",
    }
    with workplace(ROOT / "docs" / "verify.md") as folder:
        made = [choreomon("synthesize", "order.hif", "-o", "order.json", "--verifiers", ".")]
        (folder / "machines").mkdir()
        for name, log in logs.items():
            for place in (folder, folder / "machines"):
                (place / f"{name}.htf").write_text(f"{{ {log} }}", encoding="utf-8")
            where = ["--verifier", f"{name}.json", "-o", f"{name}.area.json"]
            made.append(choreomon("local-check", f"{name}.htf", *where))
        # Its exit code is 1: there is something to audit.
        choreomon("simulate", "scenarios/lock-violating.yaml", "--trace", "runs")
        assert [one.code for one in made] == [0] * len(made), made
        yield folder


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_ends_with_two_examples_of_it(name: str) -> None:
    typed = _examples_of(name)
    assert len(typed) == 2
    assert len({*typed}) == 2
    for line in typed:
        assert f"{line} ".startswith(f"choreomon {name} ")
    assert max(map(len, _help(name).splitlines())) <= WIDTH


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_can_be_typed_as_they_stand(
    name: str, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shared)
    for line in _examples_of(name):
        if line in NEED_MORE:
            continue
        answer = choreomon(*shlex.split(line)[1:])
        assert answer.code not in (BAD_INPUT, INTERNAL_ERROR), f"{line}\n{answer.out}{answer.err}"


def test_what_is_said_of_examples_is_about_examples_that_there_are() -> None:
    assert {line for name in COMMANDS for line in _examples_of(name)} >= {*NEED_MORE}


def test_examples_are_lines_that_are_not_wrapped() -> None:
    assert examples(("choreomon a", "Does this."), ("choreomon b", "Does that.")).splitlines() == [
        "\b",
        "Examples:",
        "  choreomon a",
        "      Does this.",
        "  choreomon b",
        "      Does that.",
    ]
