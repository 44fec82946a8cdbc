"""Who follows the page on many sessions sees what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.cli.offline.sessions_options import SESSIONS_ALONE
from choreomon.cli.offline.verify import command
from choreomon.sessions.json_lines import KINDS
from tests.docs.shell_pages import follow, missing_programs
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT

TEXT = (ROOT / "docs" / "sessions.md").read_text(encoding="utf-8")


def test_the_page_can_be_followed(tmp_path: Path) -> None:
    missing = [one for one in missing_programs(TEXT) if one not in ("line", "line()")]
    if missing:
        pytest.skip(f"this machine has no {', '.join(missing)}, which docs/sessions.md uses")
    follow(TEXT, tmp_path)


def test_every_option_about_sessions_is_on_the_page() -> None:
    told = " ".join(row[0] for row in table_under(TEXT, "Options"))
    names = {one.name: one.opts for one in command.params}
    for option in (*SESSIONS_ALONE, "sessions"):
        assert any(f"`{name}" in told for name in names[option]), option


def test_every_kind_is_on_the_page() -> None:
    said = " ".join(TEXT.split())
    assert "A kind is `!`, `send` or `emission`, or `?`, `receive`, `handle` or `reception`" in said
    assert [*KINDS] == ["!", "send", "emission", "?", "receive", "handle", "reception"]
