"""Docstrings say at their first word what a thing is, or does: they begin with a noun or a verb."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEITHER = frozenset(
    [
        *("about", "after", "all", "also", "and", "as", "at", "because", "before", "between"),
        *("both", "but", "by", "each", "either", "every", "everything", "for", "from", "here"),
        *("how", "if", "in", "into", "it", "its", "like", "most", "no", "nobody", "none"),
        *("not", "nothing", "of", "off", "on", "once", "one", "only", "or", "others", "same"),
        *("since", "so", "some", "still", "such", "than", "that", "their", "them", "then"),
        *("there", "these", "they", "this", "those", "though", "to", "unless", "until", "upon"),
        *("what", "whatever", "when", "where", "wherever", "whether", "which", "while", "who"),
        *("whoever", "whom", "whose", "why", "with", "within", "without", "you"),
    ]
)
"""Words that are neither."""


def beginnings(module: ast.Module) -> Iterator[tuple[str, str]]:
    """The functions and classes that say something, and with which word they begin."""
    for node in ast.walk(module):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if text := ast.get_docstring(node):
            yield node.name, text.split()[0].strip("`.,:;").lower()


def others_than_nouns_and_verbs(text: str) -> list[str]:
    return [name for name, word in beginnings(ast.parse(text)) if word in NEITHER]


@pytest.mark.parametrize("package", ["choreomon", "simulator"])
def test_docstrings_begin_with_a_noun_or_a_verb(package: str) -> None:
    files = sorted(ROOT.joinpath(package).rglob("*.py"))
    assert len(files) > 20
    found = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in others_than_nouns_and_verbs(file.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_one_that_begins_otherwise_is_noticed() -> None:
    text = (
        'def due():\n    """Whether it is time."""\ndef wait():\n    """Wait until it is time."""\n'
    )
    assert others_than_nouns_and_verbs(text) == ["due"]
