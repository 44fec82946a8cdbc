"""What becomes of an inspection: answers arrive, the last one lets it be judged, and its open
records become what was found; or it asks again, where the rules want more. With the last final
transition of an event the verdict about it is given. Pure functions of a monitor's state.

EvalVc and NotViolate are `choreomon.monitor.record_by_record`; EvalHist is here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, NEVER, Judgement, Reference
from choreomon.monitor.answering import FEW
from choreomon.monitor.effects import Declared, Effect, Send, Unsettled
from choreomon.monitor.history import MAX_CHAIN, Chain, Record, place_in
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.messages import Inquiry, Named, Response
from choreomon.monitor.plan import Plan
from choreomon.monitor.rules import Findings
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Decision, Evidence, Inspection, MonitorState

SMALL: Final = 4
"""A chain is looked through for what can be dropped when its length is a multiple of this
(or above `MAX_CHAIN`), and a promise that is better by less than this is not taken down:
doing either every time would cost more than it saves."""


def received(
    monitor: MonitorSetup,
    state: MonitorState,
    settled: tuple[int, ...],
    clock: VectorClock,
    response: Response,
    effects: list[Effect],
) -> MonitorState:
    """Take down an answer and the promises `settled`; with the last answer, judge. `clock` is that
    of the process, the answer's merged."""
    owner, _, reference, count, records, _, _, evidence, named = response
    place = inspection_at(monitor, state, owner, reference, count)
    if place is None or named != named_of(state.inspections[place], owner):
        return state if settled is state.settled else state._replace(settled=settled)
    # By calling their classes: `_replace` costs more, and every answer passes here.
    unprocessed, history, inspections, decisions, postponed, _, gaps, resting = state
    event, plan, waiting, told, behind, rested, asked, resolved = inspections[place]
    at = waiting.index(owner)
    waiting = waiting[:at] + waiting[at + 1 :]
    inspection = Inspection(
        event=event,
        plan=plan,
        waiting=waiting,
        records=told + records,
        behind=behind,
        evidence=rested + evidence,
        named=asked,
        resolved=resolved + named,
    )
    inspections = (*inspections[:place], inspection, *inspections[place + 1 :])
    state = MonitorState(
        unprocessed=unprocessed,
        history=history,
        inspections=inspections,
        decisions=decisions,
        postponed=postponed,
        settled=settled,
        gaps=gaps,
        evidence=resting,
    )
    return state if waiting else judged(monitor, state, place, clock, effects)


def named_of(inspection: Inspection, owner: str) -> tuple[Named, ...]:
    """Return what it asks this owner about by name now."""
    named = inspection.named
    return named and tuple([each for each in named if each.reference.process == owner])


def inspection_at(
    monitor: MonitorSetup, state: MonitorState, owner: str, reference: Reference, count: int
) -> int | None:
    """Return the place of the inspection that is called `reference` at the own event number
    `count`, if there is one that still waits for `owner`."""
    own, inspections = monitor.own, state.inspections
    place = first_at(inspections, own, count) if len(inspections) > FEW else 0
    for event, plan, waiting, *_ in inspections[place:]:
        if event[own] > count:
            return None
        if event[own] == count and plan.key == reference and owner in waiting:
            return place
        place += 1
    return None


def judged(
    monitor: MonitorSetup,
    state: MonitorState,
    place: int,
    clock: VectorClock,
    effects: list[Effect],
) -> MonitorState:
    """Judge the inspection at `place`, which has all its answers: end it, or ask again."""
    inspection = state.inspections[place]
    findings = monitor.rules.findings(monitor, state, inspection)
    if not findings.named:
        return concluded(monitor, state, place, findings, effects)
    owners = tuple(dict.fromkeys(each.reference.process for each in findings.named))
    inspection = inspection._replace(waiting=owners, behind=(), named=findings.named)
    history, evidence = _recorded(monitor, state, state.inspections, inspection, findings)
    inspections = (*state.inspections[:place], inspection, *state.inspections[place + 1 :])
    state = state._replace(history=history, inspections=inspections, evidence=evidence)
    for inquiry in unanswered_inquiries(monitor, state, inspection, clock):
        if inquiry.receiver == monitor.process:
            state = state._replace(postponed=(*state.postponed, inquiry))
        else:
            effects.append(Send(inquiry))
    return state


def unanswered_inquiries(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection, clock: VectorClock
) -> Iterator[Inquiry]:
    """Yield the inquiries that still lack an answer, those to oneself included; in a second round
    they name events."""
    oldest = state.inspections[0].event
    asked_of = {owner: asked for owner, _, asked in inspection.plan.others}
    asked_of[monitor.process] = inspection.plan.own_asked
    for owner in inspection.waiting:
        yield Inquiry(
            sender=monitor.process,
            receiver=owner,
            inspected=inspection.plan.key,
            event=inspection.event,
            asked=() if inspection.named else asked_of[owner],
            clock=clock,
            settled=oldest[monitor.index_of[owner]],
            named=named_of(inspection, owner),
        )


def concluded(
    monitor: MonitorSetup,
    state: MonitorState,
    place: int,
    findings: Findings,
    effects: list[Effect],
) -> MonitorState:
    """The inspection at `place` is over."""
    unprocessed, _, inspections, decisions, postponed, settled, gaps, _ = state
    inspection = inspections[place]
    inspections = inspections[:place] + inspections[place + 1 :]
    history, evidence = _recorded(monitor, state, inspections, inspection, findings)
    if findings.unsettled:
        effects.append(Unsettled(inspection.event))
    if inspection.plan.final:
        decisions = _decided(monitor, decisions, inspection, findings, effects)
    return MonitorState(
        unprocessed=unprocessed,
        history=history,
        inspections=inspections,
        decisions=decisions,
        postponed=postponed,
        settled=settled,
        gaps=gaps,
        evidence=evidence,
    )


def _recorded(
    monitor: MonitorSetup,
    state: MonitorState,
    inspections: tuple[Inspection, ...],
    inspection: Inspection,
    findings: Findings,
) -> tuple[tuple[Chain, ...], tuple[Evidence, ...]]:
    """Return the history with the findings so far in it, and the evidence that it rests on.
    `inspections`: those that go on."""
    event, plan, *_ = inspection
    own = monitor.own
    history = state.history
    for place, judgement in zip(plan.places, findings.judgements, strict=True):
        result, found = judgement.result, None
        if result is not None:
            since = event if findings.alone and result == FRM_P else None
            found = Record(monitor.references[place], event, result, since)
        chain = _evaluated(monitor, history[place], place, found, event[own])
        if judgement.result is not None:
            chain = pruned(monitor, chain, place, inspections, state.settled)
        history = (*history[:place], chain, *history[place + 1 :])
    evidence = state.evidence
    if evidence or findings.evidence:
        count = event[own]
        others = tuple(each for each in evidence if each.number != count)
        if findings.evidence:
            others = (*others, Evidence(count, findings.evidence))
        evidence = still_needed(history, own, others)
    return history, evidence


def still_needed(
    history: tuple[Chain, ...], own: int, evidence: tuple[Evidence, ...]
) -> tuple[Evidence, ...]:
    """Return the evidence of events that still have an undecided record."""
    undecided = {
        record.clock[own]
        for chain in history
        for record in chain
        if record.result == FRM_P and record.since is None
    }
    return tuple(sorted(each for each in evidence if each.number in undecided))


def pruned(
    monitor: MonitorSetup,
    chain: Chain,
    place: int,
    inspections: tuple[Inspection, ...],
    settled: tuple[int, ...],
) -> Chain:
    """Return the chain at `place` without the records that no longer matter, now that one of its
    records became known."""
    size = len(chain)
    if len(inspections) > FEW:
        size -= len(inspections)  # of a backlog, open records are not looked through
    keep = monitor.rules.keep
    if size <= 0 or (size % SMALL and size <= MAX_CHAIN) or keep is None:
        return chain
    own, reached = monitor.own, NEVER
    if inspections and monitor.asks_itself[place]:  # what is queued happened after all of the chain
        reached = inspections[0].event[own] - 1
    for reader in monitor.readers_of[place]:
        if settled[reader] < reached:
            reached = settled[reader]
    return keep(chain, own, reached)


def _evaluated(
    monitor: MonitorSetup, chain: Chain, place: int, found: Record | None, count: int
) -> Chain:
    """EvalHist: replace the open record of the own event number `count` by its result, or remove
    it. A record that is certain stays."""
    own = monitor.own
    at = len(chain) - 1
    if at < 0 or chain[at].clock[own] != count:
        at = place_in(chain, own, count)
    if at == len(chain) or chain[at].clock[own] != count:
        return chain  # it went before
    if chain[at].result == FRM or chain[at].since is not None:
        return chain
    if found is None or not monitor.remembers[place]:
        return chain[:at] + chain[at + 1 :]
    return (*chain[:at], found, *chain[at + 1 :])


def _decided(
    monitor: MonitorSetup,
    decisions: tuple[Decision, ...],
    inspection: Inspection,
    findings: Findings,
    effects: list[Effect],
) -> tuple[Decision, ...]:
    """Final transitions of an event are judged; with the last ones of a rule, give the verdict."""
    event, plan = inspection.event, inspection.plan
    judged_now: dict[int, list[tuple[Reference, Judgement]]] = {}
    for reference, judgement in final_judgements(plan, findings):
        judged_now.setdefault(monitor.rule_of[reference], []).append((reference, judgement))
    first, last = decisions_about(decisions, monitor.own, event)
    left: list[Decision] = []
    for decision in decisions[first:last]:
        found = judged_now.get(decision.rule)
        if found is None:
            left.append(decision)
            continue
        decision = decision._replace(
            judged=(*decision.judged, *found),
            missing=decision.missing - 1,
            surely=decision.surely or decision.rule in findings.surely,
        )
        if decision.missing:
            left.append(decision)
            continue
        _, label, judged, _, told, silent, waiting_for, surely, _ = decision
        verdict = joint_verdict(
            monitor.process, event, judged, told, silent, waiting_for, surely=surely
        )
        effects.append(Declared(event, verdict, False, label, rule=decision.rule))
    return (*decisions[:first], *left, *decisions[last:])


def decisions_about(decisions: Sequence[Decision], own: int, event: VectorClock) -> tuple[int, int]:
    """Return where those about this event begin and end; there is one for each rule that is
    open."""
    first = last = first_at(decisions, own, event[own])
    while last < len(decisions) and decisions[last].event == event:
        last += 1
    return first, last


def final_judgements(plan: Plan, findings: Findings) -> tuple[tuple[Reference, Judgement], ...]:
    """Return what its final transitions came to."""
    return tuple(
        [
            (each.reference, judgement)
            for each, judgement in zip(plan.inspected, findings.judgements, strict=True)
            if each.final
        ]
    )


def first_at(things: Sequence[Inspection | Decision], own: int, count: int) -> int:
    """Return the place of the first thing whose event has this count or more; the things are
    sorted, oldest first."""
    return bisect_left(things, count, key=lambda thing: thing.event[own])
