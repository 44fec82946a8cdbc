"""Every option, with values that it must refuse or can live with."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from choreomon.cli.command_line.writing import WrittenPath
from tests.hostile.commands import GOES_ON, LONG, VALID, commands
from tests.hostile.judged import clear, judged

NUMBERS = ("-1", "x", "", "nan", "1e999", "--", "٣", "0x1", "1" * 5000)
NAMES = ("", "\udcff", "a\nb", "../../x", "x" * 5000, "--", "=", ";", "a,,b", "[")


def values(option: click.Parameter) -> tuple[str, ...]:
    if isinstance(option.type, WrittenPath):
        return ("", ".", "violated.yaml/out", "loop/out", "x" * 300)
    if isinstance(option.type, click.Path):
        return ("", "x" * 5000)
    if isinstance(option.type, click.types.IntParamType | click.types.FloatParamType):
        return NUMBERS
    return NAMES


@pytest.mark.parametrize("name", [name for name in VALID if name not in (*GOES_ON, *LONG)])
def test_a_bad_value_is_refused_or_harmless(name: str, place: Path) -> None:
    place.joinpath("loop").symlink_to("loop")
    words = VALID[name].replace("--jobs 2", "--jobs 1").split()
    for option in commands()[name].params:
        if not isinstance(option, click.Option) or option.is_flag:
            continue
        for value in values(option):
            line = [*words, option.opts[-1], *[value] * option.nargs]
            answer = judged(name, line, place)
            if isinstance(option.type, click.Choice):
                assert answer.code == 2
            clear(place)
        assert judged(name, [*words, option.opts[-1]], place).code == 2  # without a value


@pytest.mark.parametrize("name", VALID)
def test_what_is_no_option_is_refused(name: str, place: Path) -> None:
    for words in (["--nonsense"], ["-\udcff"], [*VALID[name].split(), "--nonsense=1"]):
        answer = judged(name, words, place)
        assert answer.code == 2
        assert "Usage:" in answer.err
