"""What commands read they do not write over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command_line import choreomon
from tests.cli.offline import write_offline_files


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    write_offline_files(place)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("canonize", ["x.hif", "-o", "x.hif"]),
        ("canonize", ["i.hif", "--config", "c.svg", "-o", "c.svg"]),
        ("draw", ["i.hif", "-o", "i.hif"]),
        ("draw", ["i.hif", "--trace", "pass.htf", "--config", "c.svg", "-o", "c.svg"]),
        ("explore", ["i.hif", "--config", "c.svg", "-o", "c.svg"]),
    ],
    ids=str,
)
def test_nothing_is_written_over_what_is_read(command: str, options: list[str]) -> None:
    Path("x.hif").write_text("seq(o, a -- m ->|)", encoding="utf-8")
    Path("c.svg").write_text("@explore_option{ strategy = DFS }", encoding="utf-8")
    before = Path(options[-1]).read_bytes()
    answer = choreomon(command, *options)
    assert (answer.code, answer.out) == (2, "")
    assert f"{options[-1]}: is read, too: write another file" in answer.err
    assert Path(options[-1]).read_bytes() == before
