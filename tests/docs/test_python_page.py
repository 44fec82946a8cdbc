"""What the page about Python shows is what Python says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import choreomon
from tests.scenarios.console_blocks import ROOT

TEXT = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME_ON_TOP = re.compile(r"// (\S+)\n")


def blocks(text: str) -> list[tuple[str, str, str]]:
    """Each block: its kind, the file that it is, "" for none, and what is in it."""
    found = []
    for kind, name, body in BLOCK.findall(text):
        top = NAME_ON_TOP.match(body)
        found.append((kind, name or (top[1] if top else ""), body))
    return found


def followed(text: str) -> doctest.TestResults:
    """Files are written and examples tried, from the top to the end, in the current folder."""
    Path("scenarios").symlink_to(ROOT / "scenarios")
    names: dict[str, object] = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for kind, name, body in blocks(text):
        if name:
            Path(name).write_text(body, encoding="utf-8")
        elif kind == "python":
            exec(body, names)
        elif kind == "pycon":
            examples = parser.get_doctest(body, names, "docs/python.md", None, 0)
            runner.run(examples, clear_globs=False)
            names.update(examples.globs)
    return runner.summarize(verbose=False)


def test_the_page_shows_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = followed(TEXT)
    assert results.attempted > 40
    assert results.failed == 0


def test_an_example_that_is_not_so_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "('violated', 5)" in TEXT
    assert followed(TEXT.replace("('violated', 5)", "('violated', 6)")).failed == 1


def test_the_page_shows_names_that_are_at_the_top() -> None:
    shown = set(re.findall(r"from choreomon import ([\w, ]+)", TEXT))
    names = {name.strip() for line in shown for name in line.split(",")}
    assert {"Verifier", "load_interaction", "load_multi_trace", "evaluate"} <= names
    assert names <= {*choreomon.__all__}
