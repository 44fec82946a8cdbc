"""Sentences that nobody understood at the first reading are nowhere any more.

They are put together here, so that this file does not hold them.
"""

from __future__ import annotations

import pytest

from tests.scenarios.console_blocks import ROOT

GONE = (
    " ".join(("surely", "fired")),
    " ".join(("possibly", "fired,", "into")),
    " ".join(("No", "cancellation", "of", "it", "is", "in", "question")),
    " ".join(("whatever", "the", "unknown", "orderings")),
    " ".join(("was", "declared", "formed")),
    " ".join(("history", "records,", "most")),
    " ".join(("in", "a", "record", "that", "stands", "for")),
    " ".join(("Its", "pre-transition")),
    " ".join(("is", "open", "itself:")),
)
PLACES = ("choreomon", "simulator", "docs", "tests", "scenarios", "examples", "benchmarks")
SUFFIXES = frozenset((".py", ".md", ".yaml", ".toml", ".svg", ".txt"))

TEXTS = {
    path: " ".join(path.read_text(encoding="utf-8").split())
    for path in (
        ROOT / "README.md",
        *(
            path
            for place in PLACES
            for path in (ROOT / place).rglob("*")
            if path.suffix in SUFFIXES
        ),
    )
}
"""Each with single blanks: a sentence may be broken over lines."""


@pytest.mark.parametrize("sentence", GONE)
def test_it_is_gone(sentence: str) -> None:
    found = [str(path.relative_to(ROOT)) for path, text in TEXTS.items() if sentence in text]
    assert found == []


def test_what_is_there_would_be_found() -> None:
    there = "Nothing cancelled this"
    assert any(there in text for path, text in TEXTS.items() if path.suffix == ".md")
    assert any(there in text for path, text in TEXTS.items() if path.suffix == ".py")
