"""What an agent measures, and what explanations make of the same two times."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.labels import parse_label
from choreomon.deployment.event_records import Timing
from choreomon.deployment.links import MICROSECONDS
from choreomon.deployment.observation import MonitorObserver
from choreomon.runtime.outputs import Decided, Ticked

LABEL = parse_label("P1 -> P2 : m")


def latency(happened: int, declared: float) -> int:
    """As the observer of an agent takes it down; the times are microseconds, and seconds."""
    observer = MonitorObserver(lambda told: None)
    hidden = cast("Any", observer)
    hidden._finals, hidden._own, hidden._process = {LABEL}, 0, "P1"
    hidden._beside = SimpleNamespace(happened=lambda output: None)
    observer.happened(Ticked(0, happened, LABEL, (1,)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: declared)
        observer.happened(Decided(0, 1, None, False))
    (found,) = observer.cost().latencies
    return found


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.sampled_from([0.0, 0.25, 0.75]))
def test_the_latency_is_what_lies_between_the_times_that_are_told(
    begun: int, after: int, part: float
) -> None:
    timing = Timing(begun, 1.0)
    happened = begun + after // 2
    declared = (begun + after + part) / MICROSECONDS
    told = timing.document_time(declared * MICROSECONDS) - timing.document_time(happened)
    assert latency(happened, declared) == told
