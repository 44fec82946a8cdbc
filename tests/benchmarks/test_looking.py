"""`benchmarks.looking`, in small."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from benchmarks import looking


def test_a_look_is_measured(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    answer = CliRunner().invoke(looking.main, ["--events", "200", "--write", str(page)])
    assert answer.exit_code == 0, answer.output
    row = page.read_text("utf-8").splitlines()[-1].strip("| ").split(" | ")
    assert row[0] == "200"
    assert float(row[2]) > 0
    assert float(row[3]) > 10
