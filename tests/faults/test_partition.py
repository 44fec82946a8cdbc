"""A short partition between agents, with a backlog that is too long to be searched; a long one is
measured by `make faults`."""

from __future__ import annotations

import pytest

from benchmarks.faults.partition import Course, Size, part, row
from choreomon.monitor.precise import TOO_MANY


@pytest.mark.asyncio
async def test_after_a_partition_all_that_was_cut_off_is_judged_and_nothing_wrong_is_said() -> None:
    found = await part(Size(3, 3), Course(calm=0.5, apart=2.0, after=1.0, rate=200.0))
    assert not found.judged.broken
    assert found.most_open > TOO_MANY
    assert found.judged.events == found.judged.told == found.judged.ticks
    assert found.judged.events > 600
    assert found.judged.formed == found.judged.declared > 0
    for phase in (found.calm, found.apart, found.after):
        assert phase.events
        assert phase.unsettled <= phase.possible
    assert row(found).startswith("| 3x3 | precise | 6")
