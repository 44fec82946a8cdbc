"""What axe-core finds wrong with a page for people who do not see it, or use no mouse.

`make diagram-tools` gets it into `build/diagram-tools`; where it is missing the tests are skipped.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.headless import told_by
from tests.cli.command_line import ROOT

AXE = ROOT / "build" / "diagram-tools" / "node_modules" / "axe-core" / "axe.min.js"

needs_axe = pytest.mark.skipif(
    not AXE.is_file(),
    reason="needs axe-core in build/diagram-tools, to ask whether everybody can read a page: "
    "make diagram-tools",
)

_ASK = Path(__file__).with_name("ask_axe.js")


def found_by_axe(page: str, width: int, folder: Path, *, dark: bool = False) -> list[str]:
    """What is serious or critical, as `rule: element`."""
    scripts = [file.read_text(encoding="utf-8") for file in (AXE, _ASK)]
    found: list[str] = told_by(scripts, page, width, folder, dark=dark)
    return found
