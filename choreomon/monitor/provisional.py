"""What a monitor says of an event while answers are missing. Pure functions of its state.

The paper has no deadlines; it waits for every answer. What a silent monitor owns is uncertain,
so neither a provisional verdict nor one that gives the silent ones up is ever `violated` unless the
transitions that were answered for say so (docs/adr/022-monitors.md, "Deadlines").
"""

from __future__ import annotations

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import MonitorVerdict
from choreomon.monitor.effects import Declared
from choreomon.monitor.inspection import final_judgements
from choreomon.monitor.joint import joint_verdict
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Decision, MonitorState
from choreomon.monitor.wait_for_graph import unresponsive


def provisional_verdicts(
    monitor: MonitorSetup, state: MonitorState, event: VectorClock
) -> tuple[MonitorState, list[Declared]]:
    """Return what is to be said of the own event with this clock, of each rule, where the answers
    that are missing may matter, and the state that remembers that it was said.

    Nothing is said of a rule where the event is decided, where nothing was formed whatever the
    answers, or where it was said before.
    """
    count = event[monitor.own]
    said: list[Declared] = []
    for decision in state.decisions:
        if decision.event[monitor.own] == count and decision.told is None:
            verdict = _early(monitor, state, decision)
            if verdict is None:
                continue
            told = decision._replace(told=verdict.kind)
            decisions = tuple(told if each is decision else each for each in state.decisions)
            state = state._replace(decisions=decisions)
            declared = Declared(decision.event, verdict, True, decision.label, rule=decision.rule)
            said.append(declared)
    return state, said


def _early(monitor: MonitorSetup, state: MonitorState, decision: Decision) -> MonitorVerdict | None:
    own = monitor.own
    judged = [*decision.judged]
    surely = decision.surely
    silent = dict.fromkeys(decision.silent)
    waiting_for = dict.fromkeys(decision.waiting_for)
    for inspection in state.inspections:
        if inspection.event[own] != decision.event[own]:
            continue
        if decision.rule in monitor.final_rules(inspection.plan):
            missing, behind = unresponsive(monitor, state, inspection)
            silent |= dict.fromkeys(missing)
            waiting_for |= dict.fromkeys(behind)
            findings = monitor.rules.findings(monitor, state, inspection)
            judged += [
                each
                for each in final_judgements(inspection.plan, findings)
                if monitor.rule_of[each[0]] == decision.rule
            ]
            surely = surely or decision.rule in findings.surely
    behind = tuple(name for name in waiting_for if name not in silent)
    return joint_verdict(
        monitor.process, decision.event, judged, None, tuple(silent), behind, surely=surely
    )
