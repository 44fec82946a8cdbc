"""Who follows the page on OpenTelemetry sees what it shows: a violation of untouched services."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.ports import on_ports_of_its_own
from tests.docs.shell_pages import follow, missing_programs
from tests.opentelemetry.watched import needs
from tests.scenarios.console_blocks import ROOT

TEXT = (ROOT / "docs" / "opentelemetry.md").read_text(encoding="utf-8")
NO_PROGRAMS = {"export", "opentelemetry-instrument"}


def test_services_that_nobody_changed_are_monitored(tmp_path: Path) -> None:
    needs("requests", "flask", "httpx", "fastapi", "uvicorn")
    if missing := [each for each in missing_programs(TEXT) if each not in NO_PROGRAMS]:
        pytest.skip(f"this machine has no {', '.join(missing)}, which docs/opentelemetry.md uses")
    with on_ports_of_its_own(TEXT) as text:
        follow(text, tmp_path)
