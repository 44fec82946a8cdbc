"""Who follows the page on tests sees what it shows."""

from __future__ import annotations

from pathlib import Path

from tests.docs.shell_pages import follow
from tests.scenarios.console_blocks import ROOT

TEXT = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")


def test_the_page_can_be_followed(tmp_path: Path) -> None:
    follow(TEXT, tmp_path)
