"""The laws of live agents where every clock that can be is told relative to another one, however
few entries it has. What becomes of them without the rules for that: test_clock_links.py."""

from __future__ import annotations

import pytest

from choreomon.agent_files import wire
from choreomon.agent_files.clocks import coding as clock_coding
from choreomon.agent_files.clocks import links as clock_links
from tests.laws.live_sweep import played, sweep
from tests.runtime.world.drawn import ANY, BATCHES, GAPS, POWER


@pytest.fixture(autouse=True)
def all_clocks_are_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (clock_coding, clock_links, wire):
        monkeypatch.setattr(module, "PLAIN", 0)
    monkeypatch.setattr(clock_links, "WORTH", 0)
    monkeypatch.setattr(clock_links, "NAMED", -1000)


@pytest.mark.parametrize("flavor", [ANY, BATCHES, GAPS, POWER])
def test_no_law_is_broken_whatever_happens(flavor: object) -> None:
    frames = relative = crashes = 0
    for seed in range(60):
        playing, broken = played(seed, None, flavor)  # type: ignore[arg-type]
        assert not broken
        frames += playing.world.network.sent
        relative += playing.world.truth.relative
        crashes += playing.happened["crash"]
    assert relative > frames / 3
    assert crashes > 10


def test_no_law_is_broken_at_any_crash_point() -> None:
    swept = sweep(range(6))
    assert not swept.broken
    assert swept.crashes > 300
