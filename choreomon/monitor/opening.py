"""What a monitor begins with where its process did things before: histories of what is alike in the
system that it follows, and a gap up to now for everything else.

A record that is taken over also stands for what may have been dropped between it and the one
before: the old monitor dropped what its readers would not ask for, and here others ask, and about
events from before those promises. So there is a gap before the last one that is certain, and what
is not is a stretch from the one before on. To an event that knows the record this makes no
difference. Undecided and open records come without what they rest on. Why all of that is true of
what happened, and enough: docs/adr/030-systems-that-follow.md, "What a history that is taken over
still says".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from choreomon.core.vector_clock import VectorClock, zero
from choreomon.core.verdict import FRM, FRM_P, GAP, Reference
from choreomon.monitor.history import Chain, Record
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import MonitorState


class Predecessor(NamedTuple):
    """The system that one follows, as one process knows it: the ids of the system and of the first
    one that has its clock, 32 hex digits each; and by own reference the old one that is alike and
    was remembered, where there is one."""

    system: str
    clock: str
    alike: Mapping[Reference, Reference]


def opened(
    monitor: MonitorSetup,
    fresh: MonitorState,
    until: VectorClock,
    alike: Mapping[Reference, Reference],
    old: tuple[MonitorSetup, MonitorState] | None = None,
) -> MonitorState:
    """The state of a monitor that is opened at `until`, a clock of its own count that is no event.
    `fresh` is its state before anything happened. `alike`: by own reference that of the `old`
    monitor of this process, which has the same clock."""
    history: list[Chain] = []
    for reference, remembered in zip(monitor.references, monitor.remembers, strict=True):
        same = alike.get(reference)
        if not remembered:
            history.append(())
        elif same is None or old is None:
            history.append((Record(reference, until, GAP, zero(len(until))),))
        else:
            setup, state = old
            chain = taken_over(state.history[setup.chain_of[same]], reference, monitor.own)
            keep = monitor.rules.keep
            history.append(chain if keep is None else keep(chain, monitor.own, 0))
    gaps = () if old is None else old[1].gaps
    return fresh._replace(history=tuple(history), gaps=gaps)


def taken_over(chain: Chain, reference: Reference, own: int) -> Chain:
    """The chain of a reference that is alike, as one of `reference`, which is of the process at
    `own`: a gap up to the last record that is certain, that one, and what came after it."""
    found: list[Record] = []
    for record in chain:
        clock, result = record.clock, record.result
        before = found[-1].clock if found else zero(len(clock))
        if result == GAP:
            found.append(record._replace(reference=reference))
        elif result != FRM:
            found.append(Record(reference, clock, FRM_P, before))
        else:
            last = clock[own] - 1
            gone = (*clock[:own], last, *clock[own + 1 :])
            found = [Record(reference, gone, GAP, zero(len(clock)))] if last else []
            found.append(Record(reference, clock, FRM))
    return tuple(found)
