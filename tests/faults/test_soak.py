"""Short soaks of real agents, which count things; `make soak` looks at times, too."""

from __future__ import annotations

import pytest

from benchmarks.live_soak import LAST, soak

MOST_OPEN = 512


@pytest.mark.asyncio
async def test_nothing_is_lost_and_nothing_grows() -> None:
    found = await soak(events=20_000, window=4_000)
    assert sum(found.told.values()) == 20_000
    assert found.counted == found.told
    assert found.memory_is_flat()
    assert found.windows[-1].store < 3 * found.windows[1].store + 20_000_000


@pytest.mark.asyncio
async def test_a_peer_that_stays_dead_costs_no_more_and_no_more() -> None:
    """P2 asks P1, which is dead, about each `b`, and P3 asks P2 about each `c`, which must wait:
    both bound what is open. A dead peer is not sent more than a few inquiries again and again."""
    found = await soak(events=12_000, window=2_000, dead=True)
    assert {name: found.told[name] for name in found.counted} == found.counted
    assert found.provisional >= LAST
    assert found.memory_is_flat()
    assert MOST_OPEN <= found.windows[-1].most_inspections <= 2 * MOST_OPEN
    before, *_, last = found.windows[1:]
    assert last.frames - before.frames < last.events - before.events
