"""What the documentation shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from choreomon.formats.read import parse_document
from tests.scenarios.console_blocks import (
    PAGES,
    ROOT,
    blocks_of,
    commands_in,
    documents_of,
    matches,
    run,
    workplace,
)

_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks_of(page, "console")], ids=name_of
)
def test_every_command_prints_and_returns_what_the_page_says(page: Path) -> None:
    with workplace(page):
        for block in blocks_of(page, "console"):
            for command in commands_in(block):
                printed = run(command.line)
                assert printed.code == command.code, command.line
                assert matches(command.printed, printed.text), (
                    f"{command.line} prints something else now; see "
                    f"tests/scenarios/console_blocks.py for renewing the page:\n{printed.text}"
                )


@pytest.mark.parametrize(
    ("page", "file", "text"),
    [(page, file, text) for page in PAGES for file, text in documents_of(page)],
    ids=lambda value: name_of(value) if isinstance(value, Path) else str(value)[:20].strip(),
)
def test_every_document_is_valid(page: Path, file: str, text: str) -> None:
    if not file.startswith("wrong"):
        parse_document(text, file)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    links = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if ":" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_pages_show_commands_and_documents() -> None:
    assert sum(len(commands_in(b)) for page in PAGES for b in blocks_of(page, "console")) >= 20
    assert sum(len(documents_of(page)) for page in PAGES) >= 8


@pytest.mark.parametrize(
    ("shown", "printed", "agrees"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nb\nc\n", False),
        ("...\n", "", True),
    ],
)
def test_a_page_that_shows_something_else_is_noticed(
    shown: str, printed: str, agrees: bool
) -> None:
    assert matches(shown, printed) is agrees


def test_exit_codes_belong_to_the_command_before_them() -> None:
    first, second = commands_in("$ choreomon a\nout\n$ echo $?\n3\n$ choreomon b\n")
    assert (first.line, first.printed, first.code) == ("choreomon a", "out\n", 3)
    assert (second.line, second.printed, second.code) == ("choreomon b", "", 0)
