"""A short siege of a real agent, at every socket; `make fuzz` sends fifty times as much."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.fuzz import guiding, report
from benchmarks.fuzz.siege import ROOT, WAYS, besiege
from benchmarks.fuzz.worst import seconds

FRAMES = 2_000


def test_rubbish_at_every_socket_stops_nothing() -> None:
    """`besiege` says what it looks at: processes, memory, answers, words, counts, logs."""
    found = asyncio.run(besiege(WAYS, frames=FRAMES, seed=1))
    assert [each.way for each in found] == [*WAYS]
    assert [each.wrong for each in found] == [[] for _ in WAYS]
    for each in found:
        assert each.told.sent >= FRAMES
        assert each.events > 0
        assert each.words.get("violated", 0) + each.words.get("possibly-violated", 0) > 0
        if each.way.rogue in ("asks", "answers"):
            assert set(each.refused) >= {"malformed", "parts", "empty", "system", "kind", "rights"}
    section = "\n".join(report.siege_section("command", 1, found))
    assert section.count("\n| ") == len(WAYS) + 1


def test_the_longest_answers_have_few_records() -> None:
    _, size, records = seconds(3, 8)
    assert records == 2 * 8 * 8
    assert size < 10_000


def test_a_section_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    report.put(page, "## A\n\none\n")
    report.put(page, "## B\n\ntwo\n")
    report.put(page, "## A\n\nthree\n")
    assert page.read_text(encoding="utf-8") == f"{report.TITLE}\n## B\n\ntwo\n\n## A\n\nthree\n"


@pytest.mark.skipif(not guiding.why_not(), reason="atheris is installed here")
def test_without_atheris_the_guided_fuzzer_says_what_to_install() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.fuzz", "guided"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 2
    assert "pip install -e '.[fuzz]'" in ended.stderr


@pytest.mark.skipif(bool(guiding.why_not()), reason="atheris is not installed")
def test_the_guided_fuzzer_reaches_something_new_everywhere() -> None:
    for target in guiding.TARGETS:
        found = guiding.run(target, 500, 0)
        assert not found.wrong
        assert found.kept > 3
