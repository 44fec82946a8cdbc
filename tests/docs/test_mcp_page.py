"""Who follows the page on the Model Context Protocol sees what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.ports import on_ports_of_its_own
from tests.docs.shell_pages import follow, missing_programs
from tests.docs.test_opentelemetry_page import NO_PROGRAMS
from tests.opentelemetry.watched import needs
from tests.scenarios.console_blocks import ROOT

TEXT = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
PATIENT = "CHOREOMON_DEADLINE=120"


def test_tools_that_agents_call_for_a_model_are_monitored(tmp_path: Path) -> None:
    needs("mcp")
    if missing := [each for each in missing_programs(TEXT) if each not in NO_PROGRAMS]:
        pytest.skip(f"this machine has no {', '.join(missing)}, which docs/mcp.md uses")
    with on_ports_of_its_own(TEXT) as text:
        follow(text.replace("CHOREOMON_MAPPING=", f"{PATIENT} CHOREOMON_MAPPING="), tmp_path)
