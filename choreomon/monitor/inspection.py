"""What becomes of an inspection: answers arrive, the last one lets it be judged, and its open
record becomes what was found. With the last final transition of an event the verdict about it is
given. Pure functions of a monitor's state.

EvalVc and NotViolate are `choreomon.monitor.rules`; EvalHist is here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Judgement, Reference, Result
from choreomon.monitor.answering import FEW, FOREVER
from choreomon.monitor.effects import Declared, Effect
from choreomon.monitor.history import MAX_CHAIN, Chain, Record, place_in
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Decision, Inspection, MonitorState

SMALL: Final = 4
"""A chain is looked through for what can be dropped when its length is a multiple of this
(or above `MAX_CHAIN`), and a promise that is better by less than this is not taken down:
doing either every time would cost more than it saves."""


def received(
    monitor: MonitorSetup,
    state: MonitorState,
    settled: tuple[int, ...],
    owner: str,
    reference: Reference,
    count: int,
    records: tuple[Record, ...],
    effects: list[Effect],
) -> MonitorState:
    """Take down an answer and the promises `settled`; with the last answer, judge."""
    place = inspection_at(monitor, state, owner, reference, count)
    if place is None:
        return state if settled is state.settled else state._replace(settled=settled)
    unprocessed, history, inspections, decisions, postponed, _, gaps = state
    event, inspected, waiting, answered, behind = inspections[place]
    records = answered + records
    if len(waiting) > 1:
        at = waiting.index(owner)
        less = Inspection(event, inspected, waiting[:at] + waiting[at + 1 :], records, behind)
        inspections = (*inspections[:place], less, *inspections[place + 1 :])
        return MonitorState(unprocessed, history, inspections, decisions, postponed, settled, gaps)
    judgement = monitor.judge(inspected, event, records)
    return concluded(monitor, state, settled, place, judgement, effects)


def inspection_at(
    monitor: MonitorSetup, state: MonitorState, owner: str, reference: Reference, count: int
) -> int | None:
    """Where the inspection of `reference` at the own event number `count` is that still waits
    for `owner`, if there is one."""
    own, inspections = monitor.own, state.inspections
    place = first_at(inspections, own, count) if len(inspections) > FEW else 0
    for event, inspected, waiting, _, _ in inspections[place:]:
        if event[own] > count:
            return None
        if event[own] == count and inspected.reference == reference and owner in waiting:
            return place
        place += 1
    return None


def concluded(
    monitor: MonitorSetup,
    state: MonitorState,
    settled: tuple[int, ...],
    place: int,
    judgement: Judgement,
    effects: list[Effect],
) -> MonitorState:
    """The inspection at `place` is over."""
    unprocessed, history, inspections, decisions, postponed, _, gaps = state
    event, inspected, _, _, _ = inspections[place]
    inspections = inspections[:place] + inspections[place + 1 :]
    place = monitor.chain_of[inspected.reference]
    chain = _evaluated(monitor, history[place], place, event, judgement.result)
    if judgement.result is not None:
        chain = pruned(monitor, chain, place, inspections, settled)
    history = (*history[:place], chain, *history[place + 1 :])
    if inspected.final:
        decisions = _decided(monitor, decisions, inspected.reference, event, judgement, effects)
    return MonitorState(unprocessed, history, inspections, decisions, postponed, settled, gaps)


def pruned(
    monitor: MonitorSetup,
    chain: Chain,
    place: int,
    inspections: tuple[Inspection, ...],
    settled: tuple[int, ...],
) -> Chain:
    """The chain at `place`, in which a record became known, without the records that
    no longer matter."""
    size = len(chain)
    if len(inspections) > FEW:
        size -= len(inspections)  # of a backlog, open records are not looked through
    keep = monitor.rules.keep
    if size <= 0 or (size % SMALL and size <= MAX_CHAIN) or keep is None:
        return chain
    own, reached = monitor.own, FOREVER
    for reader in monitor.readers_of[place]:
        if reader != own:
            promised = settled[reader]
        elif inspections:
            promised = inspections[0].event[own] - 1
        else:
            continue  # what is queued happened after all that is in the chain
        if promised < reached:
            reached = promised
    return keep(chain, own, reached)


def _evaluated(
    monitor: MonitorSetup, chain: Chain, place: int, event: VectorClock, result: Result | None
) -> Chain:
    """EvalHist: the open record becomes what was found, or goes."""
    own = monitor.own
    at = len(chain) - 1
    if chain[at].clock[own] != event[own]:
        at = place_in(chain, own, event[own])
    if result is None or not monitor.remembers[place]:
        return chain[:at] + chain[at + 1 :]
    return (
        *chain[:at],
        Record(chain[at].reference, event, result),
        *chain[at + 1 :],
    )


def _decided(
    monitor: MonitorSetup,
    decisions: tuple[Decision, ...],
    reference: Reference,
    event: VectorClock,
    judgement: Judgement,
    effects: list[Effect],
) -> tuple[Decision, ...]:
    """One final transition of an event is judged; with the last one, give the verdict."""
    place = first_at(decisions, monitor.own, event[monitor.own])
    _, label, judged, missing, told, silent, waiting_for = decisions[place]
    judged = (*judged, (reference, judgement))
    before, after = decisions[:place], decisions[place + 1 :]
    if missing > 1:
        less = Decision(event, label, judged, missing - 1, told, silent, waiting_for)
        return (*before, less, *after)
    verdict = joint_verdict(monitor.process, event, judged, told, silent, waiting_for)
    effects.append(Declared(event, verdict, False, label))
    return before + after


def first_at(things: Sequence[Inspection | Decision], own: int, count: int) -> int:
    """Where the first of the things is, oldest first, whose event has this count or more."""
    return bisect_left(things, count, key=lambda thing: thing.event[own])
