"""What of all that is known matters to an event, slow and plain: `choreomon.monitor.what_matters`
has to say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Reference
from choreomon.monitor.history import Record
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.what_matters import _relevant


def mattering_by_definition(
    monitor: MonitorSetup,
    event: VectorClock,
    own: int,
    references: Sequence[Reference],
    known: Sequence[Record],
) -> list[Record]:
    """Each record beside each event that uses what it sets or takes back, and each that settles."""
    while True:
        known = _relevant(monitor, references, known)
        kept = _left(
            monitor, known, [*_used_at(monitor, event, own, references), *_uses(monitor, known)]
        )
        if len(kept) == len(known):
            return kept
        known = kept


def mattering_directly_by_definition(
    monitor: MonitorSetup,
    event: VectorClock,
    own: int,
    references: Sequence[Reference],
    known: Sequence[Record],
) -> list[Record]:
    return _left(monitor, known, _used_at(monitor, event, own, references))


def _used_at(
    monitor: MonitorSetup, event: VectorClock, own: int, references: Sequence[Reference]
) -> list[tuple[Reference, _Place]]:
    skeleton = monitor.table.skeleton
    return [
        (pre, _Place(own, event))
        for each in references
        for need in skeleton[each]
        for pre in need.pres
    ]


def _uses(monitor: MonitorSetup, known: Sequence[Record]) -> list[tuple[Reference, _Place]]:
    return [
        (pre, _Place(monitor.index_of[record.reference.process], record.clock))
        for record in known
        if record.result == FRM_P and record.since is None
        for need in monitor.table.skeleton[record.reference]
        for pre in need.pres
    ]


def _left(
    monitor: MonitorSetup, known: Sequence[Record], uses: Sequence[tuple[Reference, _Place]]
) -> list[Record]:
    index_of, cancels = monitor.index_of, monitor.bits.cancels
    settling = [
        (each, _Place(index_of[record.reference.process], record.clock))
        for record in known
        if record.result == FRM
        for each in cancels.get(record.reference, (record.reference,))
    ]
    kept = []
    for record in known:
        reference, clock, result, since = record
        index = index_of[reference.process]
        last = _Place(index, clock)
        first = last if since is None or result == FRM else _Place(index, since)
        if any(
            used in cancels.get(reference, (reference,))
            and not user.before(first)
            and (user != first or first != last)
            and not any(
                settled == used and last.before(place) and place.before(user)
                for settled, place in settling
            )
            for used, user in uses
        ):
            kept.append(record)
    return kept


class _Place(NamedTuple):
    """An event: the index of its process, and its clock."""

    process: int
    clock: VectorClock

    def before(self, other: _Place) -> bool:
        """Whether this one happened before the other."""
        here, there = self.clock[self.process], other.clock[self.process]
        return here < there or (here == there and self.process != other.process)
