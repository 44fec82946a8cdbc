"""Who follows the page on brokers sees what it shows."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.ports import on_ports_of_its_own
from tests.docs.shell_pages import follow
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT
from tests.sdk.brokers.real_brokers import broker

PAGE = ROOT / "docs" / "brokers.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_a_newcomer_monitors_services_through_rabbitmq(tmp_path: Path) -> None:
    if find_spec("aio_pika") is None:
        pytest.skip("aio-pika is not installed, which docs/brokers.md uses")
    (tmp_path / "broker").mkdir()
    (tmp_path / "page").mkdir()
    with broker("rabbitmq", tmp_path / "broker") as port:
        page = TEXT.replace("127.0.0.1:5672", f"localhost:{port}")
        with on_ports_of_its_own(page) as text:
            follow(text, tmp_path / "page")


def test_every_helper_is_in_the_table() -> None:
    modules = {path.stem for path in (ROOT / "choreomon" / "sdk" / "brokers").glob("*.py")}
    named = re.findall(
        r"`(?:middlewares=\[)?(\w+)\.",
        " ".join(row[1] for row in table_under(TEXT, "Other brokers")),
    )
    assert {*named} == modules - {"__init__", "messages"}
