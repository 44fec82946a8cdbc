"""Giving up: what is said of an event, for good, of which not all is known. Pure functions of a
monitor's state.

Without it an event that a dead monitor must answer about is under inspection for ever, and
whatever others ask about it waits as long (docs/adr/022-monitors.md, "Giving up").
"""

from __future__ import annotations

from choreomon.core.vector_clock import VectorClock
from choreomon.monitor.effects import Effect
from choreomon.monitor.inspection import concluded, decisions_about, first_at
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Inspection, MonitorState
from choreomon.monitor.wait_for_graph import unresponsive


def given_up(
    monitor: MonitorSetup, state: MonitorState, event: VectorClock, effects: list[Effect]
) -> MonitorState:
    """Return the state that waits for no more answers about the own event with this clock; verdicts
    go to `effects`. The caller tries again what waited for the event."""
    own, count = monitor.own, event[monitor.own]
    while True:
        inspections = state.inspections
        place = first_at(inspections, own, count)
        if place == len(inspections) or inspections[place].event[own] != count:
            break
        inspection = inspections[place]
        if inspection.plan.final:
            state = _noted_silent(monitor, state, inspection)
        findings = monitor.rules.findings(monitor, state, inspection)
        state = concluded(monitor, state, place, findings, effects)
    if state.postponed:
        mine = monitor.process
        postponed = tuple(
            each for each in state.postponed if each.sender != mine or each.event[own] != count
        )
        state = state._replace(postponed=postponed)
    return state


def _noted_silent(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection
) -> MonitorState:
    rules = monitor.final_rules(inspection.plan)
    missing, behind = unresponsive(monitor, state, inspection)
    decisions = [*state.decisions]
    for place in range(*decisions_about(decisions, monitor.own, inspection.event)):
        decision = decisions[place]
        if decision.rule not in rules:
            continue
        silent = dict.fromkeys((*decision.silent, *missing))
        waiting_for = dict.fromkeys((*decision.waiting_for, *behind))
        decisions[place] = decision._replace(
            silent=tuple(silent),
            waiting_for=tuple(name for name in waiting_for if name not in silent),
        )
    return state._replace(decisions=tuple(decisions))
