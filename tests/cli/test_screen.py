"""Who watches, and what they see."""

from __future__ import annotations

import io
from itertools import product
from pathlib import Path

import pytest
from rich.console import Console

from choreomon.cli.command_line.screen import is_terminal
from tests.cli.command_line import choreomon
from tests.cli.offline import write_offline_files


class Stream(io.StringIO):
    def __init__(self, watched: bool) -> None:
        super().__init__()
        self._watched = watched

    def isatty(self) -> bool:
        return self._watched


@pytest.mark.parametrize(
    ("watched", "colour", "compatible"),
    [*product([True, False], [None, "", "1"], [None, "", "0", "1", "2"])],
)
def test_a_terminal_is_what_rich_takes_for_one(
    monkeypatch: pytest.MonkeyPatch, watched: bool, colour: str | None, compatible: str | None
) -> None:
    for name, said in (("FORCE_COLOR", colour), ("TTY_COMPATIBLE", compatible)):
        if said is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, said)
    stream = Stream(watched)
    assert is_terminal(stream) == Console(file=stream).is_terminal


@pytest.mark.parametrize("letter", ["a", "é"])
def test_a_long_name_is_folded_for_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, place: Path, letter: str
) -> None:
    write_offline_files(place)
    name = letter * 100 + ".htf"
    place.joinpath("pass.htf").rename(name)
    assert name in choreomon("verify", "-i", "i.hif", name, columns="").out
    assert name not in choreomon("verify", "-i", "i.hif", name, columns="60").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    watched = choreomon("verify", "-i", "i.hif", name).out
    assert name not in watched
    assert "\x1b[" in watched
