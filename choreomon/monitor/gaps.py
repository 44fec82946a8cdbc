"""Gaps: stretches of a process's life in which events may have happened that nobody told its
monitor of.

The service was let go on while its agent was away, what it kept back ran over, or a disk
was lost. What a gap may hide is the same for every transition of the process, so it is kept
once, beside the history, and answered as a record of each reference that is asked for. As a
pre record it makes possible; as a vio record it makes uncertain and never certainly cancels,
since there may have been no event at all.

The gaps of a process end one after the other, though one that is found out late may begin before
the end of the one before. By the argument of `choreomon.monitor.history`, of those that ended
before an event the last is all that a judgement needs, and of those that are not after it, but did
not end before it either, the last, too.

The laws: tests/laws/test_gaps.py and test_gaps_told.py.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import GAP, NEVER, Reference
from choreomon.monitor.history import Record

MAX_GAPS: Final = 4
"""Gaps above which the two oldest become one, which costs certainty for what was between."""


class Gap(NamedTuple):
    """Gap: `since` is the clock before anything in the gap can have happened. `until` is that of
    its end, which has a count of its own; that count is `NEVER` while the gap is open."""

    since: VectorClock
    until: VectorClock


def with_gap(gaps: tuple[Gap, ...], gap: Gap) -> tuple[Gap, ...]:
    """The gaps with one more that has ended, newer than all."""
    gaps = (*gaps, gap)
    if len(gaps) > MAX_GAPS:
        older, newer, *rest = gaps
        gaps = (Gap(earlier(older.since, newer.since), newer.until), *rest)
    return gaps


def earlier(clock: VectorClock, other: VectorClock) -> VectorClock:
    """Return the earlier one of two clocks of a process."""
    return clock if sum(clock) <= sum(other) else other


def open_since(since: VectorClock, own: int) -> Gap:
    """The gap that began after `since` and has not ended."""
    return Gap(since, (*since[:own], NEVER, *since[own + 1 :]))


def relevant_gaps(
    gaps: tuple[Gap, ...], own: int, event: VectorClock, asker: int
) -> tuple[Gap, ...]:
    """The gaps of the process at `own` that a judgement about `event` of the process at
    `asker` needs, newest first."""
    known = event[own] - 1 if own == asker else event[own]  # the event itself is not before it
    found: list[Gap] = []
    for gap in reversed(gaps):
        if gap.until[own] <= known:
            found.append(gap)
            break
        if not found and gap.since[asker] < event[asker]:
            found.append(gap)
    return tuple(found)


def gap_records(gaps: tuple[Gap, ...], reference: Reference) -> list[Record]:
    return [Record(reference, until, GAP, since) for since, until in gaps]
