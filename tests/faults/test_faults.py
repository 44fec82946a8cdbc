"""Three schedules of each fault, with real processes; `make faults` runs twenty."""

from __future__ import annotations

import pytest

from benchmarks.faults.schedules import KINDS, play

SHORT = [name for name in KINDS if name != "unreachable-10s"]
MESSAGES = 120


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.asyncio
async def test_nothing_is_missed_made_up_or_lost(name: str) -> None:
    """And something is hit, in one of the three at least."""
    hits = 0
    for seed in range(3):
        outcome = await play(KINDS[name], seed, messages=MESSAGES)
        assert not outcome.judged.broken, f"seed {seed}: see {outcome.kept}"
        assert outcome.judged.told
        hits += outcome.judged.hits
    assert hits
