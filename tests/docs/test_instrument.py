"""Who follows the page on instrumenting a service sees what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.ports import on_ports_of_its_own
from tests.docs.shell_pages import Change, File, follow, missing_programs, steps_of
from tests.scenarios.console_blocks import ROOT

PAGE = ROOT / "docs" / "instrument.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_a_newcomer_instruments_two_services_and_sees_a_violation(tmp_path: Path) -> None:
    if missing := missing_programs(TEXT):
        pytest.skip(f"this machine has no {', '.join(missing)}, which docs/instrument.md uses")
    with on_ports_of_its_own(TEXT) as text:
        follow(text, tmp_path)


def test_a_message_path_takes_two_lines() -> None:
    """What is added to the services, apart from what connects them."""
    connecting = {"from choreomon.sdk.blocking import connect\n", "process = connect()\n", "\n"}
    files: dict[str, str] = {}
    added: dict[str, int] = {}
    for step in steps_of(TEXT):
        if isinstance(step, File):
            files[step.name] = step.text
        elif isinstance(step, Change):
            before = files[step.name].splitlines(keepends=True)
            after = step.applied(files[step.name]).splitlines(keepends=True)
            new = [line for line in after if line not in before and line not in connecting]
            added[step.name] = len(new)
            assert [line for line in before if line not in after] == []
    # To billing, from admin, and one to the bank, which has no monitor.
    assert added == {"admin.py": 2, "billing.py": 2 + 1}
