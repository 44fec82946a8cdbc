"""Options of a command in groups, each under a heading."""

from __future__ import annotations

import re

import click
import pytest

from choreomon.cli.command_line.option_groups import GroupedCommand
from choreomon.cli.documents.draw import command as draw
from choreomon.cli.offline.audit import command as audit
from choreomon.cli.offline.verify import command as verify
from tests.cli.command_line import choreomon

HEADINGS = {
    draw: [
        *("Options", "A run (--run)", "A run of a document (--run)", "A run of a log (--run)"),
        "An interaction",
        "A multi-trace beside an interaction (--trace; of its graph --strategy, too)",
        "An automaton",
    ],
    audit: ["Options", "Results", "Logs", "Sessions in the logs", "Rules", "Bounds"],
    verify: [
        *("Options", "Results", "Logs", "Many sessions in one file (--sessions)"),
        *("How it is decided", "Bounds"),
    ],
}


@pytest.mark.parametrize("command", HEADINGS, ids=lambda command: command.name)
def test_every_option_is_listed_once_below_what_it_is_about(command: click.Command) -> None:
    shown = choreomon(command.name, "--help", columns=80).out
    headings = re.findall(r"^([A-Z].*):$", shown, re.MULTILINE)
    assert [each for each in headings if each != "Examples"] == HEADINGS[command]
    listed = re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)
    options = [max(one.opts, key=len) for one in command.params if isinstance(one, click.Option)]
    assert sorted(listed) == sorted([*options, "--help"])
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("names", [("none",), ("one", "one")])
def test_groups_have_options_that_there_are_and_each_once(names: tuple[str, ...]) -> None:
    one = click.Option(["--one"])
    with pytest.raises(ValueError, match="is no option of c, or in two groups"):
        GroupedCommand("c", params=[one], groups={"A group": names})
