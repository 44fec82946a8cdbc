"""The cycle collector is out of the way while verdicts are made, and back afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from choreomon.batch.collector import collector_at_rest
from choreomon.batch.judge import Judge
from choreomon.batch.outcomes import outcomes
from choreomon.batch.question import Question
from choreomon.cli.experiments.slices import Task, measured_model
from choreomon.experiments.offline import slices


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_on else gc.disable)()


def test_it_rests_and_goes_on_whatever_happens() -> None:
    def failing() -> None:
        with collector_at_rest():
            assert not gc.isenabled()
            raise KeyError

    with pytest.raises(KeyError):
        failing()
    assert gc.isenabled()


def test_where_it_was_off_it_stays_off() -> None:
    gc.disable()
    with collector_at_rest():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_it_rests_while_slices_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    def measured(*given: Any, **named: Any) -> None:
        seen.append(gc.isenabled())

    monkeypatch.setattr(slices, "measured", measured)
    measured_model(Task("i1", None, None, None, None, None, None, True, 0, 1, 1.0))
    assert seen == [False]
    assert gc.isenabled()


def test_it_rests_while_multi_traces_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(Judge, "__init__", lambda self, question: None)
    monkeypatch.setattr(Judge, "judge", lambda self, path: seen.append(gc.isenabled()))
    list(outcomes(Question(interaction="i.hif"), ["a.htf", "b.htf"]))
    assert seen == [False, False]
    assert gc.isenabled()
