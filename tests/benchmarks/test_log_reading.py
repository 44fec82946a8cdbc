"""`benchmarks.log_reading`, `benchmarks.log_mutants` and `benchmarks.audit_mutants`, in small."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import audit_mutants, log_mutants, log_reading
from benchmarks.log_mutants import logs_in
from tests.logs.readers.logs_for_tests import SHIVIZ


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
    logs = len(logs_in(SHIVIZ))
    asked = ["--mutants", str(2 * logs), "--write", str(page)]
    answer = CliRunner().invoke(log_mutants.main, asked)
    assert answer.exit_code == 0, answer.output
    assert page.read_text() in answer.output
    assert page.read_text().count("| 2 |") >= logs


def test_mutants_are_audited_and_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    logs = len(logs_in(SHIVIZ))
    asked = ["--mutants", str(20 * logs), "--seed", "1", "--write", str(page)]
    answer = CliRunner().invoke(audit_mutants.main, asked)
    assert answer.exit_code == 0, answer.output
    assert page.read_text() in answer.output
    rows = [line.split("|")[3:-1] for line in page.read_text().splitlines() if "| 20 |" in line]
    assert len(rows) == logs
    kinds = [sum(map(int, column)) for column in zip(*rows, strict=True)]
    assert all(kinds), "every kind of end should be met"


@pytest.mark.parametrize("code", [70, 0])
def test_an_end_that_is_not_documented_is_found(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def planted() -> None:
        print("Traceback", file=sys.stderr)
        raise SystemExit(code)

    monkeypatch.setattr(audit_mutants, "choreomon", planted)
    with pytest.raises(audit_mutants.Wrong) as caught:
        audit_mutants.try_mutants(logs_in(SHIVIZ), 30, seed=1)
    assert "mutant 0 of seed 1" in caught.value.__notes__[0]
