"""`benchmarks.log_reading` and `benchmarks.log_mutants`, in small."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from benchmarks import log_mutants, log_reading


def test_every_event_of_every_format_comes_out() -> None:
    answer = CliRunner().invoke(log_reading.main, ["--events", "400", "--json"])
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.output)
    assert {one["format"]: one["events"] for one in found["formats"]} == dict.fromkeys(
        ("events", "jsonl", "shiviz", "detecter", "otlp"), 400
    )
    table = CliRunner().invoke(log_reading.main, ["--events", "50"]).output
    assert [line.split()[0] for line in table.splitlines()[2:]] == [*log_reading.FORMATS]


def test_mutants_are_counted_and_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    answer = CliRunner().invoke(log_mutants.main, ["--mutants", "24", "--write", str(page)])
    assert answer.exit_code == 0, answer.output
    assert page.read_text() in answer.output
    assert page.read_text().count("| 2 |") >= 12
