"""The wait-for graph of monitors: who waits for whom. Pure functions of states. The term is that of
distributed deadlock detection (K. M. Chandy, J. Misra, L. M. Haas, 1983); here there is no cycle.

Along a chain of inquiries the monitor that is asked may be alive, and wait for one that is dead; so
that this one can be named, monitors tell it.

What somebody waits for happened earlier, so along a chain of waiting there is always one that
waits for nobody: it is silent itself, or a message is under way.
"""

from __future__ import annotations

from collections.abc import Iterable

from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Reference
from choreomon.monitor.inspection import inspection_at
from choreomon.monitor.messages import Inquiry, Waiting
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import Inspection, MonitorState


def notice_of_waiting(
    monitor: MonitorSetup, state: MonitorState, clock: VectorClock, inquiry: Inquiry
) -> Waiting:
    """Return what the asker of an inquiry that waits here is told."""
    count = inquiry.event[monitor.index_of[inquiry.sender]]
    if inquiry.named:
        asked = tuple(each.reference for each in inquiry.named)
        names = waited_for(monitor, state, asked, max(each.number for each in inquiry.named))
    else:
        names = waited_for(monitor, state, inquiry.asked, inquiry.event[monitor.own])
    behind = tuple(name for name in names if name != inquiry.sender)
    return Waiting(monitor.process, inquiry.sender, inquiry.inspected, count, behind, clock)


def told_of_waiting(monitor: MonitorSetup, state: MonitorState, told: Waiting) -> MonitorState:
    """Note whom a monitor that was asked is waiting for. Ignored if no inquiry to it is open."""
    place = inspection_at(monitor, state, told.sender, told.inspected, told.event_count)
    if place is None:
        return state
    inspection = state.inspections[place]
    behind = tuple(each for each in inspection.behind if each[0] != told.sender)
    inspection = inspection._replace(behind=(*behind, (told.sender, told.waiting_for)))
    inspections = (
        *state.inspections[:place],
        inspection,
        *state.inspections[place + 1 :],
    )
    return state._replace(inspections=inspections)


def unresponsive(
    monitor: MonitorSetup, state: MonitorState, inspection: Inspection
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the other monitors that have not answered, and those that they wait for in turn; or
    this one itself, if it waits for its own undecided events."""
    process = monitor.process
    silent = tuple(name for name in inspection.waiting if name != process)
    behind = roots(silent, inspection.behind)
    if process in inspection.waiting:
        asked, known = own_asked(monitor, inspection)
        behind |= dict.fromkeys(waited_for(monitor, state, asked, known))
    return silent, tuple(name for name in behind if name not in (*silent, process))


def waited_for(
    monitor: MonitorSetup, state: MonitorState, asked: Iterable[Reference], known: int
) -> tuple[str, ...]:
    """Return those for whom the own references `asked` are undecided at events up to the own count
    `known`: the other monitors that have not answered about them, or those whom these said that
    they wait for; where this one waits for itself, those for whom it does so in turn."""
    own, process = monitor.own, monitor.process
    names: dict[str, None] = {}
    latest = dict.fromkeys(asked, known)
    for inspection in reversed(state.inspections):
        inspected = [each.reference for each in inspection.plan.inspected]
        if inspection.named or inspection.event[own] > max(latest.get(r, 0) for r in inspected):
            continue
        names |= roots(inspection.waiting, inspection.behind)
        if process in inspection.waiting:  # for older events, which come later in this loop
            mine, before = own_asked(monitor, inspection)
            for reference in mine:
                latest[reference] = max(latest.get(reference, 0), before)
    names.pop(process, None)
    return tuple(names)


def own_asked(monitor: MonitorSetup, inspection: Inspection) -> tuple[tuple[Reference, ...], int]:
    """Return the transitions that a monitor asks itself about, and the number of the last own event
    that it waits for."""
    named = [each for each in inspection.named if each.reference.process == monitor.process]
    if named:
        return tuple(each.reference for each in named), max(each.number for each in named)
    return inspection.plan.own_asked, inspection.event[monitor.own] - 1


def roots(waiting: Iterable[str], behind: Iterable[tuple[str, tuple[str, ...]]]) -> dict[str, None]:
    """Return those in `waiting`, in order; instead of one that waits for others, these."""
    further = dict(behind)
    names: dict[str, None] = {}
    for name in waiting:
        names |= dict.fromkeys(further.get(name) or (name,))
    return names
