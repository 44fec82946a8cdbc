"""Answering an inquiry: when. Pure functions of a monitor's state; with what, the rules say.

A response waits while a transition that it is asked about is unprocessed or under
inspection at an event that happened before the inquired one. It waits for nothing else,
so waiting goes strictly back in happened-before order and nobody waits in a circle. What
is concurrent to the inquired event and not decided yet is answered conservatively.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER, Reference
from choreomon.monitor.history import OPEN
from choreomon.monitor.messages import Inquiry
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import MonitorState

FEW: Final = 16
"""Open inspections that are quicker looked through than the chains of the history."""


def undecided(monitor: MonitorSetup, state: MonitorState) -> dict[Reference, int]:
    """Return the count of the oldest queued event, or event with an open inspection, of each own
    reference that has one."""
    own = monitor.own
    oldest: dict[Reference, int] = {}
    if len(state.inspections) <= FEW:
        for inspection in state.inspections:
            if not inspection.named:  # else its transitions have been judged once
                for each in inspection.plan.inspected:
                    oldest.setdefault(each.reference, inspection.event[own])
    else:
        # Each has an open record in a chain, and before the first of a chain there are few,
        # where the rules drop records; where they do not, this is as slow as they are.
        for chain in state.history:
            for record in chain:
                if record.result == OPEN:
                    oldest[record.reference] = record.clock[own]
                    break
    for queued in state.unprocessed:
        for plan in monitor.plans[queued.label]:
            for each in plan.inspected:
                oldest.setdefault(each.reference, queued.clock[own])
    return oldest


def has_to_wait(monitor: MonitorSetup, state: MonitorState, inquiry: Inquiry) -> bool:
    """Tell whether `must_wait` holds of the state as it is."""
    if state.inspections:
        oldest = state.inspections[0].event
    elif state.unprocessed:
        oldest = state.unprocessed[0].clock
    else:
        return False
    # Most inquiries know of nothing that is undecided, and need no list of that.
    if not inquiry.named and oldest[monitor.own] > inquiry.event[monitor.own]:
        return False
    return must_wait(monitor, undecided(monitor, state), inquiry)


def must_wait(monitor: MonitorSetup, undecided: Mapping[Reference, int], inquiry: Inquiry) -> bool:
    """Tell whether something that is asked about happened before the inquired event and is not
    decided yet (the paper's UnknownRsult and UnhandleMsg)."""
    if not undecided:
        return False
    known = inquiry.event[monitor.own]
    if inquiry.sender == monitor.process:
        known -= 1  # the inquired event itself is no reason to wait for it
    for reference in inquiry.asked:
        if undecided.get(reference, NEVER) <= known:
            return True
    return any(undecided.get(reference, NEVER) <= number for number, reference in inquiry.named)


def promise(state: MonitorState, clock: VectorClock, reader: int) -> int:
    """Return the count of events of the process at `reader` that is known to every event about
    which this monitor may still ask, or has asked without an answer."""
    if state.inspections:
        return state.inspections[0].event[reader]
    if state.unprocessed:
        return state.unprocessed[0].clock[reader]
    return clock[reader]
