"""A schedule of each fault, with real processes: of a property for each instance where that can be;
`make faults` runs twenty, of both."""

from __future__ import annotations

import pytest

from benchmarks.faults.schedules import KINDS, play_until_hit

SHORT = [name for name in KINDS if name != "unreachable-10s"]
OF_INSTANCES = [name for name in SHORT if KINDS[name].instances]
MESSAGES = 120


@pytest.mark.parametrize("name", sorted({*SHORT} - {*OF_INSTANCES} | {"all-agents", "everything"}))
@pytest.mark.asyncio
async def test_nothing_is_missed_made_up_or_lost(name: str) -> None:
    """And something is hit: an unanswered inquiry, or an event that is not acknowledged."""
    outcome = await play_until_hit(KINDS[name], 0, messages=MESSAGES)
    assert not outcome.judged.broken, f"seed {outcome.seed}: see {outcome.kept}"
    assert outcome.judged.told
    assert outcome.judged.hits


@pytest.mark.parametrize("name", OF_INSTANCES)
@pytest.mark.asyncio
async def test_nothing_is_missed_made_up_or_lost_of_any_instance(name: str) -> None:
    # Of this seed other events would form the property if all instances were one.
    outcome = await play_until_hit(KINDS[name], 20, messages=MESSAGES, instances=True)
    assert not outcome.judged.broken, f"seed {outcome.seed}: see {outcome.kept}"
    assert outcome.judged.told
    assert outcome.judged.hits
