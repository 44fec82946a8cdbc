"""The bounds that the page on monitors names are those of the code."""

from __future__ import annotations

import re

from choreomon.monitor.consistent_cuts import MAX_STATES
from choreomon.monitor.precise import KEPT_DOMINATED, MOST_EVIDENCE, MOST_RECORDS
from tests.scenarios.console_blocks import ROOT

TEXT = (ROOT / "docs" / "adr" / "022-monitors.md").read_text(encoding="utf-8")


def test_the_bounds_of_precise_rules() -> None:
    rows = re.findall(r"^\| ([\d,]+) (records of|records that|states in)", TEXT, re.MULTILINE)
    bounds = [int(number.replace(",", "")) for number, _ in rows]
    assert bounds == [MOST_RECORDS, MOST_EVIDENCE, MAX_STATES]
    assert KEPT_DOMINATED == 4
    assert "The last four of them are kept" in TEXT
