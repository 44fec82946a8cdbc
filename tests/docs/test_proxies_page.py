"""Who follows the page on proxies sees what it shows, with each proxy that there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from choreomon.runtime.operations.metrics import ASKED
from tests.docs.ports import on_ports_of_its_own
from tests.docs.shell_pages import follow, missing_programs
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT

PAGE = ROOT / "docs" / "proxies.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROXIES = ("nginx", "Caddy", "Envoy")


def with_one(proxy: str) -> str:
    """The page without what is about the other proxies."""
    sections = re.split(r"(?m)^(?=## )", TEXT)
    others = [other for other in PROXIES if other != proxy]
    return "".join(
        each for each in sections if not any(re.match(rf"## \d+\. {o}\n", each) for o in others)
    )


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_newcomer_monitors_services_behind(proxy: str, tmp_path: Path) -> None:
    page = with_one(proxy)
    assert re.findall(r"(?m)^## \d+\. (nginx|Caddy|Envoy)$", page) == [proxy]
    if missing := missing_programs(page):
        pytest.skip(f"this machine has no {', '.join(missing)}, which docs/proxies.md uses")
    with on_ports_of_its_own(page) as text:
        follow(text, tmp_path)


def test_every_outcome_is_in_the_table() -> None:
    named = [re.findall("[a-z-]+", row[0]) for row in table_under(TEXT, "What is counted")]
    assert [each for row in named for each in row] == [*ASKED]
