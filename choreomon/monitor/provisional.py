"""What a monitor says of an event while answers are missing. Pure functions of its state.

The paper has no deadlines; it waits for every answer. What a silent monitor owns is uncertain,
so neither a provisional verdict nor one that gives the silent ones up is ever `violated` unless the
transitions that were answered for say so (docs/adr/022-monitors.md, "Deadlines").
"""

from __future__ import annotations

from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.effects import Declared
from choreomon.monitor.inspection import final_judgements
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import MonitorState
from choreomon.monitor.wait_for_graph import unresponsive


def provisional_verdict(
    monitor: MonitorSetup, state: MonitorState, event: VectorClock
) -> tuple[MonitorState, Declared] | None:
    """What is to be said of the own event with this clock where the answers that are missing
    may matter, and the state that remembers that it was said.

    `None` where the event is decided, where nothing was formed whatever the answers, or where it
    was said before.
    """
    own, process = monitor.own, monitor.process
    count = event[own]
    decision = next((d for d in state.decisions if d.event[own] == count), None)
    if decision is None or decision.told is not None:
        return None
    judged = [*decision.judged]
    surely = decision.surely
    silent = dict.fromkeys(decision.silent)
    waiting_for = dict.fromkeys(decision.waiting_for)
    for inspection in state.inspections:
        if inspection.event[own] == count and inspection.plan.final:
            missing, behind = unresponsive(monitor, state, inspection)
            silent |= dict.fromkeys(missing)
            waiting_for |= dict.fromkeys(behind)
            findings = monitor.rules.findings(monitor, state, inspection)
            judged += final_judgements(inspection.plan, findings)
            surely = surely or findings.surely
    behind = tuple(name for name in waiting_for if name not in silent)
    verdict = joint_verdict(process, event, judged, None, tuple(silent), behind, surely=surely)
    if verdict is None:
        return None
    told = decision._replace(told=verdict.kind)
    decisions = tuple(told if each is decision else each for each in state.decisions)
    declared = Declared(event, verdict, True, decision.label)
    return state._replace(decisions=decisions), declared
