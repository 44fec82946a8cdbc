"""What is known about an event under `precise` rules: the answers to its inquiries put together
with the evidence in them. Pure functions.

What is known is *grounded*: with each undecided record (`Frm_p`) of an event e all records are
there that it directly needs and that are not after e, but those of which nothing is left at e. That
must be so whoever uses e: the inspected event, or another undecided one of which nobody ever knew
together with the inspected one. So what is after the inspected event belongs to it all the same;
only the search about that event leaves it out (docs/adr/018-precise-rules.md, "Why it is exact").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from choreomon.core.vector_clock import VectorClock, zero
from choreomon.core.verdict import FRM, FRM_P, GAP, NEVER, UNSEEN, Reference
from choreomon.monitor.gaps import gap_records
from choreomon.monitor.history import OPEN, Chain, Record, place_in

if TYPE_CHECKING:
    from choreomon.monitor.setup import MonitorSetup
    from choreomon.monitor.state import Inspection, MonitorState

_RANK: Final[Mapping[str, int]] = {OPEN: 0, FRM_P: 1, FRM: 2}

_At: TypeAlias = tuple[Reference, int]
"""A transition, and the count of an event of its process."""


def standing_for(records: Iterable[Record], own: int, count: int) -> Record | None:
    """Return the record of the event number `count` among those of one transition of the process at
    `own`, or what stands for it, where it was dropped or merged, or fell into a gap. `None`: it did
    not fire."""
    found = None
    for record in records:
        _, clock, result, since = record
        if clock[own] == count and (since is None or result == FRM):
            return record
        # A gap begins after its `since`, all else with the event that has this clock.
        if (
            since is not None
            and since[own] + (result in UNSEEN) <= count <= clock[own]
            and found is None
        ):
            found = record
    return found


def known_records(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection
) -> list[Record]:
    """Return all records that are known, those of the beginning included, each grounded: of each
    event the most certain one, without open records that turned out not to have fired."""
    event, _, _, direct, _, evidence, _, resolved = inspection
    own, entry_of = monitor.own, monitor.entry_of
    points: dict[_At, Record] = {}
    stretches: dict[tuple[Reference, VectorClock, str], Record] = {}
    at_first_hand: dict[Reference, list[Record]] = {}
    refreshed: list[Record] = []
    for record in evidence:
        if record.reference.process == monitor.process and record.result != FRM:
            refreshed += _own(monitor, state, record)
    for record in (*direct, *evidence, *refreshed):
        reference, clock, result, since = record
        if since is not None and result != FRM:
            # What was merged grows, and two gaps may have begun alike.
            known = stretches.get((reference, since, result))
            index = entry_of[reference.process]
            if known is None or clock[index] > known.clock[index]:
                stretches[reference, since, result] = record
        else:
            at = (reference, clock[entry_of[reference.process]])
            best = points.get(at)
            if best is None or _RANK[result] > _RANK[best.result]:
                points[at] = record
    for record in direct:
        at_first_hand.setdefault(record.reference, []).append(record)
    answered = _answered(monitor, inspection)
    queued = state.unprocessed[0].clock[own] if state.unprocessed else NEVER
    by_name = {(reference, count) for count, reference in resolved}
    for at, record in [*points.items()]:
        if record.result != OPEN:
            continue
        (reference, count), clock = at, record.clock
        if reference.process == monitor.process:
            if count >= queued:
                continue
            place = monitor.chain_of[reference]
            told = _of_own(state, place, reference, own, count)
        elif at in by_name:
            told = standing_for(
                [each for each in at_first_hand.get(reference, ()) if each.result != OPEN],
                entry_of[reference.process],
                count,
            )
        elif reference in answered and clock[own] < event[own]:
            told = standing_for(
                at_first_hand.get(reference, ()), entry_of[reference.process], count
            )
        else:
            continue
        if told is None:
            del points[at]
        elif told.clock != clock or (told.since is not None and told.result != FRM):
            points[at] = record._replace(result=FRM_P, since=clock)
        elif told.result == FRM:
            points[at] = told
    return [*points.values(), *stretches.values(), *monitor.beginning]


def _of_own(
    state: MonitorState, place: int, reference: Reference, own: int, count: int
) -> Record | None:
    """`standing_for` of all that is known of an own transition."""
    found = _at(state.history[place], own, count)
    return found or standing_for(
        (*state.history[place], *gap_records(state.gaps, reference)), own, count
    )


def _at(chain: Chain, own: int, count: int) -> Record | None:
    """The record of exactly this event, which is looked up, as backlogs have long chains."""
    place = place_in(chain, own, count)
    if place == len(chain):
        return None
    found = chain[place]
    _, clock, result, since = found
    return found if clock[own] == count and (since is None or result == FRM) else None


def _answered(monitor: MonitorSetup, inspection: Inspection) -> set[Reference]:
    """Return the transitions whose records before the inspected event are all known."""
    silent = () if inspection.named else inspection.waiting
    asked = [each for _, _, references in inspection.plan.others for each in references]
    return {each for each in (*asked, *inspection.plan.own_asked) if each.process not in silent}


def concerning(
    monitor: MonitorSetup, inspection: Inspection, known: Sequence[Record]
) -> list[Record]:
    """Return what of all that is known concerns the inspected event: nothing that is after it, and
    of the gaps of who answered about it only those of this answer. In others nothing was lost that
    is not after the event, as in one that ended after somebody else had been told of it."""
    own, count = monitor.own, inspection.event[monitor.own]
    answered = _answered(monitor, inspection)
    return [
        each
        for each in known
        if (each.clock if each.result == FRM else each.first)[own] < count
        and (each.result not in UNSEEN or each.reference not in answered)
    ] + [each for each in inspection.records if each.result in UNSEEN]


def _own(monitor: MonitorSetup, state: MonitorState, record: Record) -> list[Record]:
    """Return the present knowledge about an own record that another monitor sent back."""
    own = monitor.own
    place = monitor.chain_of[record.reference]
    found = _at(state.history[place], own, record.clock[own])
    if found is None or found.clock != record.clock:
        return []
    if found.since is not None and found.result != FRM:
        return []
    return [
        found,
        *(
            each
            for evidence in state.evidence
            if found.result == FRM_P and evidence.number == found.clock[own]
            for each in evidence.records
        ),
    ]


def unanswered(monitor: MonitorSetup, inspection: Inspection) -> list[Record]:
    """Return records that stand for missing first answers: the transitions that were asked about
    may have fired at any time."""
    event, plan, waiting, *_ = inspection
    if inspection.named:
        return []
    asked = [each for _, _, references in plan.others for each in references]
    return [
        Record(each, _for_ever(len(event), monitor.index_of[each.process]), GAP, zero(len(event)))
        for each in (*asked, *plan.own_asked)
        if each.process in waiting
    ]


def _for_ever(entries: int, index: int) -> VectorClock:
    return tuple([NEVER if place == index else 0 for place in range(entries)])
