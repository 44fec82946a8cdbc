"""The benchmark of generated scenarios, and what the page says that came out."""

from __future__ import annotations

from benchmarks.generated_scenarios import COLUMNS, ROWS, Row, measured, table_row
from tests.scenarios.console_blocks import ROOT


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|\n").split("|")]


def rows_of(page: str, heading: str) -> list[list[str]]:
    """The rows of the table under a heading."""
    text = (ROOT / page).read_text(encoding="utf-8").partition(heading)[2]
    return [cells(line) for line in text.splitlines() if line.startswith("| C")]


def test_every_run_is_counted_once() -> None:
    found = measured(Row("C6", 3, 7), documents=4, runs=5)
    assert sum(found.outcomes.values()) == 20
    assert 0 <= found.never + found.always <= 4
    assert found.messages > 0


def test_a_row_has_a_cell_for_each_column() -> None:
    row = cells(table_row(Row("C1", 1, 1), documents=1, runs=2))
    assert len(row) == len(COLUMNS)
    assert row[:3] == ["C1", "1", "1"]


def test_the_page_says_what_the_results_say() -> None:
    results = rows_of("benchmarks/results/generated_scenarios.md", "# Generated scenarios")
    assert [row[:6] for row in results] == [[*map(str, row)] for row in ROWS]
    sound = [row for row in results if row[3] == "0.3" and row[5] == "sound"]
    shown = rows_of("docs/generate.md", "## How often sequences are formed")
    assert len(shown) == 7
    for complexity, sequences, length, branching, *shares in shown:
        asked = [complexity, sequences, length, branching]
        assert [row[6:10] for row in sound if [*row[:3], row[4]] == asked] == [shares]
