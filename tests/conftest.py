"""What holds of all tests."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from choreomon.batch import bounds

# A busy machine is slow: no mistake of what is tested. The rest is as it was chosen before.
settings.register_profile(
    "busy", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")


def pytest_collection_finish() -> None:
    """What was collected stays: no collection of garbage needs to look at all these tests again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _garbage_is_collected_after_those_who_collect_none() -> Iterator[None]:
    """Some benchmarks switch it off for themselves."""
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def _memory_of_earlier_tests_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds on memory are about a process that does nothing else, and has ten megabytes then."""
    tell = bounds.resident_bytes
    before = tell()
    monkeypatch.setattr(bounds, "resident_bytes", lambda: max(tell() - before, 0) + 10_000_000)
