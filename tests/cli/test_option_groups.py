"""Options of a command in groups, each under a heading."""

from __future__ import annotations

import re

import click
import pytest

from choreomon.cli.draw import command as draw
from choreomon.cli.option_groups import GroupedCommand
from tests.cli.command_line import choreomon


def test_every_option_of_draw_is_listed_once_below_what_it_is_about() -> None:
    shown = choreomon("draw", "--help", columns=80).out
    headings = re.findall(r"^([A-Z].*):$", shown, re.MULTILINE)
    assert headings[:3] == ["Options", "A run (--run)", "A run of a document (--run)"]
    assert headings[-2:] == [
        "A multi-trace beside an interaction (--trace; of its graph --strategy, too)",
        "An automaton",
    ]
    listed = re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)
    options = [max(one.opts, key=len) for one in draw.params if isinstance(one, click.Option)]
    assert sorted(listed) == sorted([*options, "--help"])
    assert listed.index("--run") < listed.index("--seed") < listed.index("--tree")


@pytest.mark.parametrize("names", [("none",), ("one", "one")])
def test_groups_have_options_that_there_are_and_each_once(names: tuple[str, ...]) -> None:
    one = click.Option(["--one"])
    with pytest.raises(ValueError, match="is no option of c, or in two groups"):
        GroupedCommand("c", params=[one], groups={"A group": names})
