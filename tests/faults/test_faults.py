"""Three schedules of each fault, with real processes, and two of properties for each instance;
`make faults` runs twenty."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.faults.schedules import KINDS, play_until_hit

SHORT = [name for name in KINDS if name != "unreachable-10s"]
MESSAGES = 120


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.asyncio
async def test_nothing_is_missed_made_up_or_lost(name: str) -> None:
    """And something is hit: an unanswered inquiry, or an event that is not acknowledged."""
    outcomes = await asyncio.gather(
        *[play_until_hit(KINDS[name], seed, messages=MESSAGES) for seed in range(3)]
    )
    for outcome in outcomes:
        assert not outcome.judged.broken, f"seed {outcome.seed}: see {outcome.kept}"
        assert outcome.judged.told
        assert outcome.judged.hits


@pytest.mark.parametrize("name", [name for name in SHORT if KINDS[name].instances])
@pytest.mark.asyncio
async def test_nothing_is_missed_made_up_or_lost_of_any_instance(name: str) -> None:
    outcomes = await asyncio.gather(
        *[
            play_until_hit(KINDS[name], seed, messages=MESSAGES, instances=True)
            for seed in (20, 33)  # formed otherwise if all instances were one
        ]
    )
    for outcome in outcomes:
        assert not outcome.judged.broken, f"seed {outcome.seed}: see {outcome.kept}"
        assert outcome.judged.told
        assert outcome.judged.hits
