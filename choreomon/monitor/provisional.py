"""The word that a monitor gives at its deadline, while answers are missing. Pure functions of
its state.

The paper has no deadlines; it waits for every answer. What a silent monitor owns is uncertain,
so a provisional word is never `violated` unless the transitions that were answered for say so
(docs/monitors.md).
"""

from __future__ import annotations

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM_P, Judgement, Verdict
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Inspection, MonitorState


def provisional_word(
    monitor: MonitorSetup, state: MonitorState, event: VectorClock
) -> tuple[MonitorState, Verdict] | None:
    """What is to be said of the own event with this clock where the answers that are missing
    may matter, and the state that remembers that it was said.

    `None` where the event is decided, or where nothing was formed whatever the answers.
    """
    own, process = monitor.own, monitor.process
    count = event[own]
    decision = next((d for d in state.decisions if d.event[own] == count), None)
    if decision is None:
        return None
    judged = [*decision.judged]
    silent: dict[str, None] = {}
    for inspection in state.inspections:
        if inspection.event[own] == count and inspection.inspected.final:
            silent |= dict.fromkeys(name for name in inspection.waiting if name != process)
            judged.append((inspection.inspected.reference, early_judgement(monitor, inspection)))
    verdict = joint_verdict(process, event, judged, None, tuple(silent))
    if verdict is None:
        return None
    told = decision._replace(told=verdict.word)
    decisions = tuple(told if each is decision else each for each in state.decisions)
    return state._replace(decisions=decisions), verdict


def early_judgement(monitor: MonitorSetup, inspection: Inspection) -> Judgement:
    """What is known while answers are missing: what a silent monitor owns is uncertain."""
    inspected = inspection.inspected
    judgement = monitor.judge(inspected, inspection.event, inspection.records)
    missing = any(need.pre.process in inspection.waiting for need in inspected.needs)
    if judgement.result is None and not missing:
        return judgement
    return judgement._replace(result=FRM_P)
