"""What of all that is known matters to an event: that on which its transitions rest, and of this
nothing of whose effect nothing is left.

A process that was cut off from the others for some seconds is told of hundreds of events at once,
for hundreds of its own. So events are looked up by their count, process by process, where the
definition compares each with each: `tests/monitor/mattering_by_definition.py`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Reference
from choreomon.monitor.history import Record
from choreomon.properties.tables import Skeleton

if TYPE_CHECKING:
    from choreomon.monitor.setup import MonitorSetup


def mattering(
    monitor: MonitorSetup,
    event: VectorClock,
    own: int,
    references: Sequence[Reference],
    known: Sequence[Record],
) -> list[Record]:
    """Return what of this matters to these transitions at the event: what they rest on, but no
    record of whose effect nothing is left. A forward transition that certainly fired is live after
    that, one that was surely cancelled is not, whatever was before; so a record matters no more to
    an event that comes after such a one for each transition that it concerns. It may still matter
    to an undecided event that matters itself."""
    entry_of, skeleton = monitor.entry_of, monitor.table.skeleton
    while True:
        known = _relevant(monitor, references, known)
        if not known:
            return []
        users = _users(monitor, event, own, references)
        for reference, clock, result, since in known:
            if result == FRM_P and since is None:
                for need in skeleton[reference]:
                    for pre in need.pres:
                        users[pre].add(entry_of[reference.process], clock)
        kept = _left(monitor, users, known)
        if len(kept) == len(known):
            return kept
        known = kept


def mattering_directly(
    monitor: MonitorSetup,
    event: VectorClock,
    own: int,
    references: Sequence[Reference],
    known: Sequence[Record],
) -> list[Record]:
    """Return what of this matters to these transitions at the event, and not only to an undecided
    event on which they rest. Of `known`, which may be what `mattering` left, a cancellation may be
    missing while what it took back is there for the sake of such an event; here it is not."""
    return _left(monitor, _users(monitor, event, own, references), known) if known else []


def _users(
    monitor: MonitorSetup, event: VectorClock, own: int, references: Sequence[Reference]
) -> dict[Reference, _Events]:
    """Map each transition to the event, where one of `references` needs it there."""
    users: dict[Reference, _Events] = defaultdict(_Events)
    for reference in references:
        for need in monitor.table.skeleton[reference]:
            for pre in need.pres:
                users[pre].add(own, event)
    return users


def _left(
    monitor: MonitorSetup, users: dict[Reference, _Events], known: Sequence[Record]
) -> list[Record]:
    """Return what of this has an effect of which something is left at one of the `users`, the
    events that need each transition."""
    entry_of, cancels = monitor.entry_of, monitor.bits.cancels
    settling: dict[Reference, _Events] = defaultdict(_Events)
    for reference, clock, result, _ in known:
        if result == FRM:
            for each in cancels.get(reference, (reference,)):
                settling[each].add(entry_of[reference.process], clock)
    for events in (*settling.values(), *users.values()):
        events.sort()
    return [
        record
        for record in known
        if any(
            _matters(record, entry_of[record.reference.process], users[each], settling[each])
            for each in cancels.get(record.reference, (record.reference,))
        )
    ]


def _relevant(
    monitor: MonitorSetup, references: Iterable[Reference], known: Sequence[Record]
) -> list[Record]:
    """Return the known records that these transitions rest on: those they need, and those that
    undecided ones among them need in turn."""
    skeleton: Skeleton = monitor.table.skeleton
    by_reference: dict[Reference, list[Record]] = {}
    for record in known:
        by_reference.setdefault(record.reference, []).append(record)
    found: list[Record] = []
    seen: set[Reference] = set()
    queue = [*references]
    for reference in queue:
        for pre, vio, others in skeleton[reference]:
            for each in (pre, *others, *vio):
                if each in seen:
                    continue
                seen.add(each)
                records = by_reference.get(each, ())
                found += records
                if any(record.result == FRM_P and record.since is None for record in records):
                    queue.append(each)
    return found


class _Events:
    """List of some events of each process, by its index; after `sort` in their order: counts and
    clocks."""

    __slots__ = ("clocks", "counts", "settled")

    def __init__(self) -> None:
        self.clocks: dict[int, dict[int, VectorClock]] = {}
        self.counts: dict[int, list[int]] = {}
        self.settled: dict[tuple[int, int, int], int] = {}
        """Kept by `settled`, of users: see there."""

    def add(self, process: int, clock: VectorClock) -> None:
        self.clocks.setdefault(process, {})[clock[process]] = clock

    def sort(self) -> None:
        self.counts = {process: sorted(clocks) for process, clocks in self.clocks.items()}


def _matters(record: Record, index: int, users: _Events, settling: _Events) -> bool:
    """Tell whether an event that uses what the record, of the process at `index`, sets or takes
    back is not before it, and nothing is settled in between. Of each process only the first such
    event can tell: between it and the record least is settled."""
    _, clock, result, since = record
    first = clock if since is None or result == FRM else since
    for process, counts in users.counts.items():
        if process == index and first != clock:
            place = bisect_left(counts, first[process])
        else:  # no event uses what it does itself
            place = bisect_right(counts, first[process])
        if place < len(counts):
            count = counts[place]
            if clock[index] > settled(users, process, count, settling, index):
                return True
    return False


def settled(users: _Events, process: int, count: int, settling: _Events, index: int) -> int:
    """Up to which event of the process at `index` all is before one that settles, which is before
    the event number `count` of the process at `process`."""
    asked = (process, count, index)
    found = users.settled.get(asked)
    if found is None:
        found = -1
        user = users.clocks[process][count]
        for each, counts in settling.counts.items():
            place = bisect_right(counts, user[each] - (each == process))
            if place:
                last = settling.clocks[each][counts[place - 1]]
                found = max(found, last[index] - (each == index))
        users.settled[asked] = found
    return found
