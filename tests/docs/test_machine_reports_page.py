"""docs/machine-reports.md against the rules."""

from __future__ import annotations

import re
from pathlib import Path

from choreomon.reports.sarif import RULES

PAGE = Path(__file__).parents[2] / "docs" / "machine-reports.md"


def test_the_table_of_rules_is_that_of_the_code() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows[-len(RULES) :]) == {name: rule.level for name, rule in RULES.items()}
