"""Time and memory that a decision may take."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from choreomon.batch import bounds as bounded
from choreomon.batch.bounds import Bounds, bounds_for, seconds_for
from choreomon.hibou.model import read_interaction

FLAT = read_interaction("seq(a -- m -> b, b -- n -> c)")


def test_bounds_are_looked_at_now_and_then() -> None:
    bounds = Bounds(None, None)
    bounds.start()
    assert {bounds() for _ in range(200)} == {None}
    bounds = Bounds(1e-9, None)
    bounds.start()
    assert [bounds() == "TimedOut" for _ in range(9)] == [True] + [False] * 7 + [True]
    bounds = Bounds(1e-9, None, polls=1)
    bounds.start()
    assert [bounds() for _ in range(9)] == ["TimedOut"] * 9


def test_the_memory_of_a_process_is_what_the_documentation_says() -> None:
    page = Path(__file__).parents[2].joinpath("docs/verify.md").read_text(encoding="utf-8")
    assert f"{bounded.MEMORY:,} MB where nothing was said" in page


def test_memory_that_was_used_up_is_a_reason_and_time_comes_first() -> None:
    bounds = Bounds(None, 1)
    bounds.start()
    assert bounds() == "OutOfMemory"
    bounds = Bounds(1e-9, 1)
    bounds.start()
    assert bounds() == "TimedOut"


def test_memory_that_was_given_back_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = Bounds(None, 100, polls=1)
    had = {}
    for megabytes in (40, 60, 120, 40):
        monkeypatch.setattr(bounded, "resident_bytes", lambda now=megabytes: now * 1_000_000)
        bounds.start()
        had[bounds.is_tight, bounds()] = megabytes
    assert had == {(True, None): 60, (True, "OutOfMemory"): 120, (False, None): 40}


def test_memory_is_looked_at_less_often_than_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(bounded, "resident_bytes", lambda: looks.append(1) or 1)
    seconds = iter(range(1_000))
    monkeypatch.setattr(
        bounded, "time", SimpleNamespace(perf_counter=lambda: next(seconds) * bounded._LOOK / 10)
    )
    bounds = Bounds(None, 100, polls=1)
    bounds.start()
    assert {bounds() for _ in range(100)} == {None}
    assert 9 <= len(looks) <= 11


def test_without_a_budget_only_deep_interactions_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert seconds_for(FLAT, None) is None
    assert seconds_for(FLAT, 3.0) == 3.0
    monkeypatch.setattr(bounded, "DEEP", -1)
    assert seconds_for(FLAT, None) == bounded.DECIDING_DEEP
    assert seconds_for(FLAT, 3.0) == 3.0


def test_of_large_interactions_the_clock_is_looked_at_whenever_it_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def looked() -> list[bool]:
        bounds = bounds_for(FLAT, 1e-9, None)
        bounds.start()
        return [bounds() is not None for _ in range(2)]

    assert looked() == [True, False]
    monkeypatch.setattr(bounded, "LARGE", 1)
    assert looked() == [True, True]
