"""A bug that was real: evidence is cut at the event that it is told about, and used for later ones
as if it were whole (docs/adr/018-precise-rules.md). What `precise` rules told and knew then, to the
letter; planted for laws that have to notice it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Reference
from choreomon.monitor import evidence as evidence_module
from choreomon.monitor import precise
from choreomon.monitor.gaps import gap_records
from choreomon.monitor.history import OPEN, Record
from choreomon.monitor.messages import MOST_EVIDENCE_TOLD
from choreomon.monitor.rules import Told
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Inspection, MonitorState
from choreomon.properties.tables import closure

_RANK = {OPEN: 0, FRM_P: 1, FRM: 2}


def plant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precise, "_told", told)
    monkeypatch.setattr(precise, "known_records", known_records)
    monkeypatch.setattr(evidence_module, "known_records", known_records)


def told(
    monitor: MonitorSetup, state: MonitorState, records: Sequence[Record], asker: int, count: int
) -> Told:
    undecided = [each for each in records if each.result == FRM_P and each.since is None]
    if not undecided:
        return Told(tuple(records))
    numbers = {each.clock[monitor.own] for each in undecided}
    related = closure(monitor.table.skeleton, [each.reference for each in undecided])
    found: dict[Record, None] = {}
    for evidence in state.evidence:
        if evidence.number in numbers:
            for each in evidence.records:
                if each.reference in related and each.first[asker] < count:
                    found[each] = None
    if len(found) > min(MOST_EVIDENCE_TOLD, precise.MOST_ENTRIES_TOLD // len(monitor.processes)):
        return Told(
            tuple([each for each in records if each not in undecided])
            + tuple([each._replace(since=each.clock) for each in undecided])
        )
    return Told(tuple(records), tuple(found))


def standing_for(records: Iterable[Record], own: int, count: int) -> Record | None:
    found = None
    for record in records:
        if record.clock[own] == count and (record.since is None or record.result == FRM):
            return record
        if record.since is not None and record.clock[own] >= count and found is None:
            found = record
    return found


def known_records(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection
) -> list[Record]:
    event, plan, waiting, direct, _, evidence, _, resolved = inspection
    own, index_of = monitor.own, monitor.index_of
    points: dict[tuple[Reference, int], Record] = {}
    stretches: dict[tuple[Reference, VectorClock, str], Record] = {}
    at_first_hand: dict[Reference, list[Record]] = {}
    refreshed: list[Record] = []
    for record in evidence:
        if record.reference.process == monitor.process and record.result != FRM:
            refreshed += _own(monitor, state, record)
    for record in (*direct, *evidence, *refreshed):
        reference, clock, result, since = record
        if since is not None and result != FRM:
            known = stretches.get((reference, since, result))
            index = index_of[reference.process]
            if known is None or clock[index] > known.clock[index]:
                stretches[reference, since, result] = record
        else:
            at = (reference, clock[index_of[reference.process]])
            best = points.get(at)
            if best is None or _RANK[result] > _RANK[best.result]:
                points[at] = record
    for record in direct:
        at_first_hand.setdefault(record.reference, []).append(record)
    asked = {each for _, _, references in plan.others for each in references} | {*plan.own_asked}
    silent = () if inspection.named else waiting
    answered = {each for each in asked if each.process not in silent}
    by_name = {(reference, count) for count, reference in resolved}
    for at, record in [*points.items()]:
        if record.result != OPEN:
            continue
        reference, count = at
        hand = at_first_hand.get(reference, [])
        if reference.process == monitor.process:
            place = monitor.chain_of[reference]
            gaps = gap_records(state.gaps, reference)
            told = standing_for((*state.history[place], *gaps), own, count)
        elif at in by_name:
            decided = [each for each in hand if each.result != OPEN]
            told = standing_for(decided, index_of[reference.process], count)
        elif reference in answered:
            told = standing_for(hand, index_of[reference.process], count)
        else:
            continue
        if told is None:
            del points[at]
        elif told.clock != record.clock or (told.since is not None and told.result != FRM):
            points[at] = record._replace(result=FRM_P, since=record.clock)
        elif told.result == FRM:
            points[at] = told
    count = event[own]
    return [
        each
        for each in (*points.values(), *stretches.values())
        if (each.clock if each.result == FRM else each.first)[own] < count
    ]


def _own(monitor: MonitorSetup, state: MonitorState, record: Record) -> list[Record]:
    own = monitor.own
    place = monitor.chain_of[record.reference]
    found = standing_for(state.history[place], own, record.clock[own])
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
