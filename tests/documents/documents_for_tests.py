"""The documented example, and variations of it by replacing text."""

from __future__ import annotations

from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError, Problem
from choreomon.documents.read import Document, parse_document

EXAMPLE_FILE = Path(__file__).with_name("smart_home.yaml")
EXAMPLE = EXAMPLE_FILE.read_text(encoding="utf-8")

SEQUENCES = """\
property:
  sequences:
    - steps: ["P1 -> P2 : turnOff", "P1 -> P3 : turnOn"]
      cancel: [{on: "P2 -> P1 : resume", after: [1, 1], back_to: 0}]
"""


def variation(old: str, new: str, text: str = EXAMPLE) -> str:
    assert text.count(old) >= 1, f"{old!r} is not in the text"
    return text.replace(old, new, 1)


def parsed(text: str | bytes) -> Document:
    return parse_document(text, "f.yaml")


def problems(text: str | bytes, file: str = "f.yaml") -> tuple[Problem, ...]:
    with pytest.raises(DocumentError) as caught:
        parse_document(text, file)
    return caught.value.problems


def told(text: str | bytes) -> list[tuple[int, str, str]]:
    return [(problem.line, problem.field, problem.message) for problem in problems(text)]
