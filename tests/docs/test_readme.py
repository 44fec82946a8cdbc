"""README.md leads to every page, names every command, and says what exit codes mean."""

from __future__ import annotations

import re

import pytest

from choreomon.cli import EXIT_CODES, group
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [page.name for page in (ROOT / "docs").glob("*.md")])
def test_every_page_is_linked(page: str) -> None:
    assert f"](docs/{page})" in README


def test_every_page_is_in_the_table_of_pages() -> None:
    listed = " ".join(cell for row in table_under(README, "Where to read on") for cell in row)
    pages = {f"](docs/{page.name})" for page in (ROOT / "docs").glob("*.md")}
    assert {page for page in pages if page not in listed} == set()


def test_every_command_is_in_the_table_of_commands() -> None:
    listed = " ".join(row[0] for row in table_under(README, "Commands"))
    commands = set(group.list_commands(group.make_context("choreomon", [], resilient_parsing=True)))
    named = set(re.findall(r"[\w-]+", listed))
    assert commands - named == set()


def test_the_exit_codes_are_those_that_help_ends_with() -> None:
    _, _, table = README.partition("| exit code | meaning |")
    rows = re.findall(r"^\| ([\d, ]+) \|", table.partition("## ")[0], re.MULTILINE)
    in_help = re.findall(r"^  (\d+(?:, \d+)*)", EXIT_CODES, re.MULTILINE)
    assert [row.strip() for row in rows] == [row.strip() for row in in_help]


def test_the_glossary_has_the_words_that_verdicts_use() -> None:
    assert [row[0] for row in table_under(README, "The two kinds of verdicts")] == [
        "formed",
        "real order",
        "definite, possible",
        "cancelled",
        "multi-trace",
    ]
