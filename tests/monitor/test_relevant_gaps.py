"""Which gaps a judgement needs (choreomon/monitor/gaps.py), one by one; that the others make no
difference is a law."""

from __future__ import annotations

import pytest

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER
from choreomon.monitor.gaps import Gap, relevant_gaps

OLDER, NEWER = Gap((0, 0), (2, 0)), Gap((2, 3), (4, 3))
STILL_OPEN = Gap((4, 3), (NEVER, 3))
"""All of the first process."""


@pytest.mark.parametrize(
    ("event", "asker", "expected"),
    [
        ((4, 4), 1, [NEWER]),
        ((3, 4), 1, [NEWER, OLDER]),
        ((2, 3), 1, [OLDER]),
        ((1, 3), 1, [OLDER]),
        ((4, 3), 0, [NEWER, OLDER]),
        ((5, 3), 0, [NEWER]),
    ],
    ids=[
        "the end is known",
        "the end is not known",
        "before the newer one, after the older one",
        "before the newer one",
        "at the end",
        "after the end",
    ],
)
def test_of_gaps_that_ended_before_an_event_and_of_the_others_the_last_is_needed(
    event: VectorClock, asker: int, expected: list[Gap]
) -> None:
    assert relevant_gaps((OLDER, NEWER), 0, event, asker) == tuple(expected)


def test_a_gap_that_is_open_ended_before_nothing() -> None:
    assert relevant_gaps((OLDER, NEWER, STILL_OPEN), 0, (5, 4), 1) == (STILL_OPEN, NEWER)
    assert relevant_gaps((STILL_OPEN,), 0, (5, 3), 1) == ()
