"""Documents as files, in a directory of their own that commands are run in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command_line import APPLICATION, CONFORMING, ENDLESS, POSSIBLE, PROPERTY, VIOLATED


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with `violated.yaml` and the like."""
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("violated", VIOLATED),
        ("conforming", CONFORMING),
        ("possible", POSSIBLE),
        ("endless", ENDLESS),
        ("application", APPLICATION + "  start: [{to: P1, message: go}]\n"),
        ("property", PROPERTY),
        ("empty", ""),
    ):
        tmp_path.joinpath(f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path
