"""The history of a monitor: which of its transitions fired when, and what of it to keep.

The records of one reference form a *chain*: all are of one process, so they are totally
ordered, oldest first.

**What an answer needs.** For an event m and one reference, the judgement of the `sound`
rules is the same with all records of the chain as with at most three (`relevant`):
of the records before m the last, and the last `Frm`; of the others not after m the last.
For p1 before p2 before m: whatever may cancel p2 may cancel p1, and whatever certainly
cancels p2 certainly cancels p1; so p1 matters only where p1 is `Frm` and p2 is not. For
v1 before v2 before m the same holds of what they cancel. Of records concurrent to m
each makes the judgement possible, none certain, and if the last is harmless to a
pre record (happened before it), so are the earlier ones.

**What may be dropped.** By the same argument, records that every future inquiry knows
(`settled` of all readers has reached them) are dropped except the last and the last
`Frm` (`without_dominated`). This changes no judgement.

**What is merged.** A reader that stays silent never reports what it knows. So a chain
longer than `MAX_CHAIN` merges its oldest neighbours into one record: the newer one, which
now stands for the older one too, back to `since`. For an event after both the newer one
is all that matters, as above; so merging costs certainty for an event between the two,
for which the record is one that may have happened before or after it. Where open records
leave no other neighbours the last `Frm` is merged into a `Frm_p`, which costs certainty
for later events too.

The laws of all three: tests/laws/test_history.py and test_merging.py.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Reference

OPEN: Final = "?"

RecordResult: TypeAlias = Literal["Frm", "Frm_p", "Gap", "Forgotten", "?"]

MAX_CHAIN: Final = 6
"""Records of one reference above which the oldest are merged."""

FAR_BACK: Final = 32
"""Records that are looked at one by one, newest first, before bisection is cheaper. Merged
chains are shorter; those of the simulator's other strategies grow with the run."""


class Record(NamedTuple):
    """Record of one event at which a transition fired, possibly fired, or is under inspection
    (`?`); or several such events, merged: then `since` is the clock of the first, and `clock` and
    `result` are those of the last. Or a gap, in an answer: `choreomon.monitor.gaps`."""

    reference: Reference
    clock: VectorClock
    result: RecordResult
    since: VectorClock | None = None

    @property
    def first(self) -> VectorClock:
        return self.since or self.clock


Chain: TypeAlias = tuple[Record, ...]


def relevant(chain: Chain, own: int, event: VectorClock, asker: int) -> list[Record]:
    """The records of a chain that a judgement about `event` needs, newest first.

    `own` and `asker` are the indices of the chain's process and of the event's process.
    Open records before the event must have been waited for; one that is concurrent is
    answered conservatively, as `Frm_p`.
    """
    count = event[asker]
    known = count - 1 if own == asker else event[own]  # the event itself is not before it
    if len(chain) > FAR_BACK and chain[-FAR_BACK].clock[own] > known:
        return _relevant_far_back(chain, own, known, asker, count)
    records: list[Record] = []
    concurrent = last = False
    for record in reversed(chain):
        _, clock, result, since = record
        if clock[own] <= known:
            if result == FRM:
                records.append(record)
                break
            if not last:
                last = True
                records.append(record)
        elif not concurrent and (since or clock)[asker] < count:
            concurrent = True
            records.append(_answered(record))
    return records


def _relevant_far_back(chain: Chain, own: int, known: int, asker: int, count: int) -> list[Record]:
    """`relevant` where many records are newer than what the event knows. The records
    before the event, and those not after it, are each a beginning of the chain."""
    before = bisect_right(chain, known, key=lambda record: record.clock[own])
    reached = bisect_left(chain, count, before, key=lambda record: record.first[asker])
    records = [_answered(chain[reached - 1])] if reached > before else []
    for place in range(before - 1, -1, -1):
        record = chain[place]
        if record.result == FRM:
            records.append(record)
            break
        if place == before - 1:
            records.append(record)
    return records


def not_after(chain: Chain, own: int, event: VectorClock, asker: int) -> list[Record]:
    """Return all records of a chain that did not happen after the event, newest first."""
    count = event[asker]
    same = own == asker
    return [
        _answered(record)
        for record in reversed(chain)
        if record.first[asker] < count or (same and record.first[asker] == count)
    ]


def _answered(record: Record) -> Record:
    reference, clock, result, since = record
    return Record(reference, clock, FRM_P, since) if result == OPEN else record


def place_in(chain: Chain, own: int, count: int) -> int:
    """Return the place, in the chain of the process at `own`, of the record of its event number
    `count`."""
    return bisect_left(chain, count, key=lambda record: record.clock[own])


def without_dominated(chain: Chain, own: int, settled: int) -> Chain:
    """The chain without the records that can no longer matter, given that every future
    inquiry knows the events of this process up to the count `settled`."""
    if len(chain) < 2 or chain[1].clock[own] > settled:
        return chain
    passed = 2
    while passed < len(chain) and chain[passed].clock[own] <= settled:
        passed += 1
    kept: list[Record] = []
    last = sure = False
    for record in reversed(chain[:passed]):
        if record.result == OPEN:
            kept.append(record)
        elif not sure and (record.result == FRM or not last):
            kept.append(record)
            last, sure = True, record.result == FRM
    return chain if len(kept) == passed else (*reversed(kept), *chain[passed:])


def merged(chain: Chain, longest: int = MAX_CHAIN) -> Chain:
    """The chain with its oldest neighbours merged until it is no longer than `longest`.

    The last `Frm` is not given up for a later `Frm_p` where others can be merged; open
    records are never merged, so a chain can stay longer while inspections are open.
    """
    while len(chain) > longest:
        at = None
        for place in range(len(chain) - 1):
            older, newer = chain[place], chain[place + 1]
            if older.result == OPEN or newer.result == OPEN:
                continue
            if older.result != FRM or any(r.result == FRM for r in chain[place + 1 :]):
                at = place
                break
            if at is None:
                at = place  # gives up the last `Frm`, unless there are others to merge
        if at is None:
            break
        older, newer = chain[at], chain[at + 1]
        both = Record(newer.reference, newer.clock, newer.result, older.since or older.clock)
        chain = (*chain[:at], both, *chain[at + 2 :])
    return chain
