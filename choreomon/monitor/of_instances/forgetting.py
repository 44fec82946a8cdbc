"""What a monitor knows of instances that it has forgotten: that each may have had any events up to
one own count.

An instance that was idle for long is forgotten where it is, and nobody is asked. So what a monitor
knows nothing of may be one of these, and it answers for it with a stretch up to `Forgotten.until`
in which anything may have happened (`unseen`): of what was forgotten nothing is later. An instance
that begins again keeps the stretch in its chains, before its first record, until it is forgotten
in its turn. Others, of which something is known, were never forgotten.

How old an instance is, counts tell: the newest of its records is no newer than a moment that was
noted long enough ago. Pure functions; times are in seconds, and passed in. Were the clock on the
wall wrong, more would be possible, or less be forgotten, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Final, NamedTuple

from choreomon.core.vector_clock import VectorClock, zero
from choreomon.core.verdict import FORGOTTEN, Reference
from choreomon.monitor.history import Chain, Record

NOTED_EACH: Final = 16
"""Moments that are noted in the time after which instances are forgotten."""


class Moment(NamedTuple):
    """Moment at which the process had this clock."""

    time: float
    clock: VectorClock


class Forgotten(NamedTuple):
    """Summary of what was forgotten: `instances` so many, whose newest records were no newer than
    the clock `until`, which is empty where there was none. `moments`: oldest first; one that is old
    enough, and those after it."""

    until: VectorClock = ()
    instances: int = 0
    moments: tuple[Moment, ...] = ()


NOTHING_FORGOTTEN: Final = Forgotten()


def noted(forgotten: Forgotten, now: Moment, own: int, after: float) -> Forgotten:
    """Note this moment of the process at `own`, where the last one is old enough and other than
    this; drop those of which a later one is as good."""
    moments = forgotten.moments
    if any(each.time > now.time for each in moments):  # the clock on the wall was set back
        moments = tuple([Moment(min(each.time, now.time), each.clock) for each in moments])
    last = moments[-1] if moments else Moment(-inf, zero(len(now.clock)))
    if now.time - last.time >= after / NOTED_EACH and now.clock[own] > last.clock[own]:
        moments = (*moments, now)
    while len(moments) > 1 and now.time - moments[1].time >= after:
        moments = moments[1:]
    return forgotten if moments == forgotten.moments else forgotten._replace(moments=moments)


def old_clock(forgotten: Forgotten, time: float, after: float) -> VectorClock | None:
    """The newest known clock that the process had `after` seconds ago; `None` where none is."""
    old = [each.clock for each in forgotten.moments if time - each.time >= after]
    return old[-1] if old else None


def unseen(
    until: VectorClock, references: Iterable[Reference], remembers: Iterable[bool]
) -> tuple[Chain, ...]:
    """The chains of an instance that may have been forgotten, of these own references;
    `remembers`: of which of them records are kept at all."""
    since = zero(len(until))
    return tuple(
        [
            (Record(reference, until, FORGOTTEN, since),) if kept else ()
            for reference, kept in zip(references, remembers, strict=True)
        ]
    )
