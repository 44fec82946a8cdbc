"""What docstrings and comments cite exists in the repository."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.console_blocks import ROOT

SOURCES = [
    path
    for room in ("choreomon", "simulator", "benchmarks", "tests")
    for path in sorted(ROOT.glob(f"{room}/**/*.py"))
]

_PAGE = re.compile(r"([\w./-]*\w\.md)\b(?:, (\"[^\"]+\"(?:(?:,| and) \"[^\"]+\")*))?")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_CITES = re.compile(r"\.md\b|paper", re.IGNORECASE)
"""What cites anything has one of these; most sources need not be parsed."""
_NUMBERED_PAPER = re.compile(r"\bpaper \d", re.IGNORECASE)


def prose_of(source: str) -> Iterator[str]:
    """Each docstring, those of attributes too, and all comments, without line breaks."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield " ".join(str(node.value.value).split())
    comments = [
        token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    yield " ".join(comments)


def broken_citations(source: str) -> list[str]:
    """Pages that do not exist, sections that their page does not have, and papers that are
    called by a number."""
    broken: list[str] = []
    for prose in prose_of(source) if _CITES.search(source) else ():
        broken += _NUMBERED_PAPER.findall(prose)
        for name, sections in _PAGE.findall(prose):
            page = ROOT / name
            if not page.is_file():
                broken.append(name)
                continue
            headings = _HEADING.findall(page.read_text(encoding="utf-8"))
            named = re.findall(r'"([^"]+)"', sections)
            broken += [f"{name}, {section}" for section in named if section not in headings]
    return broken


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_page_and_section_that_a_docstring_names_exists(path: Path) -> None:
    assert broken_citations(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "broken"),
    [
        ('"""See docs/monitors.md, "Secrecy"."""', []),
        ('"""See docs/monitors.md,\n"What\nit costs"."""', []),
        ('"""See docs/monitors.md, "Cogs"."""', ["docs/monitors.md, Cogs"]),
        ('"""docs/monitors.md, "Secrecy" and "Cogs"."""', ["docs/monitors.md, Cogs"]),
        ("x = 1\n# see docs/nowhere.md", ["docs/nowhere.md"]),
        ('def f():\n    """As design.md says."""', ["design.md"]),
        ('X = 1\n"""Paper 7, section 2."""', ["Paper 7"]),
        ('X = "no-docstring.md"', []),
    ],
)
def test_a_citation_that_leads_nowhere_is_noticed(source: str, broken: list[str]) -> None:
    assert broken_citations(source) == broken


def test_the_code_cites_pages() -> None:
    cited = {
        name
        for source in (path.read_text(encoding="utf-8") for path in SOURCES)
        if ".md" in source
        for prose in prose_of(source)
        for name, _ in _PAGE.findall(prose)
    }
    assert {"docs/adr/022-monitors.md", "docs/properties.md", "docs/verdicts.md"} <= cited
