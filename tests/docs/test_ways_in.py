"""README.md is one page, and from there every page, command and exit code is found."""

from __future__ import annotations

import re

import pytest

from choreomon.cli import EXIT_CODES, group
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
VERDICTS = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")


def test_the_readme_is_one_page_that_leads_to_all_others() -> None:
    assert len(README.splitlines()) <= 150
    assert "](docs/README.md)" in README


@pytest.mark.parametrize(
    "page", [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "README.md"]
)
def test_every_page_is_for_somebody(page: str) -> None:
    assert f"]({page})" in PAGES


def test_every_command_is_in_the_table_of_commands() -> None:
    listed = " ".join(row[0] for row in table_under(COMMANDS, "All commands"))
    commands = set(group.list_commands(group.make_context("choreomon", [], resilient_parsing=True)))
    named = set(re.findall(r"[\w-]+", listed))
    assert commands - named == set()


def test_the_exit_codes_are_those_that_help_ends_with() -> None:
    _, _, table = COMMANDS.partition("| exit code | meaning |")
    rows = re.findall(r"^\| ([\d, ]+) \|", table.partition("## ")[0], re.MULTILINE)
    in_help = re.findall(r"^  (\d+(?:, \d+)*)", EXIT_CODES, re.MULTILINE)
    assert [row.strip() for row in rows] == [row.strip() for row in in_help]


def test_the_glossary_has_the_words_that_verdicts_use() -> None:
    assert [row[0] for row in table_under(VERDICTS, "Words")] == [
        "formed",
        "real order",
        "definite, possible",
        "cancelled",
        "multi-trace",
    ]
