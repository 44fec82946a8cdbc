"""Who follows the page on logs sees what it shows, and it says everything that there is."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from choreomon.cli.command_line.log_options import LOG_OPTIONS
from choreomon.cli.offline.join import command
from choreomon.core.recorded import Strange
from choreomon.files.input_files import LINE
from choreomon.files.shapes import fields_of
from choreomon.logs.formats import FORMATS
from choreomon.logs.mappings.mapping_shape import MappingDocument, RuleDocument, ValuesDocument
from choreomon.logs.readers.shiviz import GOVECTOR, SHIVIZ, TSVIZ
from tests.docs.shell_pages import follow, missing_programs
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT

TEXT = (ROOT / "docs" / "logs.md").read_text(encoding="utf-8")
ELSEWHERE = {"gap", "log-missing"}
"""What readers do not see: it is found by what looks at clocks and at several logs."""


def keys_under(heading: str) -> set[str]:
    return {name.strip("` ") for row in table_under(TEXT, heading) for name in row[0].split(",")}


def test_the_page_can_be_followed(tmp_path: Path) -> None:
    if missing := missing_programs(TEXT):
        pytest.skip(f"this machine has no {', '.join(missing)}, which docs/logs.md uses")
    for folder in ("examples", "tests"):  # as in a checkout
        (tmp_path / folder).symlink_to(ROOT / folder)
    follow(TEXT, tmp_path)


def test_every_format_key_and_diagnostic_is_on_the_page() -> None:
    assert keys_under("Formats") == set(FORMATS)
    assert keys_under("Mappings") == set(fields_of(MappingDocument)) - {"$schema"}
    assert keys_under("Rules") == set(fields_of(RuleDocument)) - set(fields_of(ValuesDocument))
    assert keys_under("What is strange") == set(get_args(Strange)) - ELSEWHERE


def test_every_option_parser_and_bound_is_on_the_page() -> None:
    names = {one.name: one.opts[0] for one in command.params}
    for option in (*LOG_OPTIONS, "session_key"):
        assert f"| `{names[option]} " in TEXT
    for parser in (SHIVIZ, GOVECTOR, TSVIZ):
        assert f"`{parser}`" in TEXT
    assert f"{LINE // 1024**2} MiB" in TEXT
