"""Reloading: the step from the state of one sidecar to that of the next one, which has other
properties. Those that stay go on, new ones are opened, others are being closed, and drained ones
are left out. The functions are pure: the caller commits the new state as a whole
(`choreomon.runtime.driver`). docs/adr/030-systems-that-follow.md says why the new state keeps G1
and G2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from choreomon.core.errors import ChoreomonError
from choreomon.core.vector_clock import VectorClock, tick, zero
from choreomon.core.verdict import NEVER
from choreomon.monitor.host import HostState
from choreomon.monitor.opening import Predecessor, opened
from choreomon.monitor.state import MonitorState
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.sessions import Session
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.undelivered import UndeliveredVerdicts
from choreomon.runtime.verdict_counts import VerdictCounts

_NOTHING: Final = Predecessor("", "", {})


class CannotReload(ChoreomonError):
    """The next sidecar cannot go on from this state. The message says what to change."""


def why_not(before: Sidecar, state: SidecarState, after: Sidecar) -> Iterator[str]:
    """Yields the reasons why `after` cannot go on from the state of `before`."""
    for place, system in enumerate(before.systems):
        own = before.hosts[place].monitor.own
        if system in after.systems or state.is_drained(place, own):
            continue
        name = system.hex()
        if state.last_judged(place) == NEVER:
            yield (
                f"the system {name} is in the store, and no table of it is named: name it in "
                "`closing` until it is drained, or in `tables`"
            )
        else:
            yield (
                f"the system {name} is not drained ({state.undecided(place, own)} undecided, "
                f"{state.untold(place)} untold): leave its table in `closing` until it is"
            )
    for system in after.systems:
        predecessor = after.after.get(system)
        if predecessor is None or system in before.systems:
            continue
        if bytes.fromhex(predecessor.system) not in before.systems:
            yield (
                f"the system {system.hex()} follows {predecessor.system}, which is not in the "
                "store: open that one first, or split without --after"
            )


def differ(before: Sidecar, state: SidecarState, after: Sidecar) -> bool:
    """Tell whether anything has to change for `after` to go on from the state of `before`."""
    closing = {
        system for place, system in enumerate(before.systems) if state.last_judged(place) != NEVER
    }
    return before.systems != after.systems or closing != after.closing


def reloaded(before: Sidecar, state: SidecarState, after: Sidecar) -> SidecarState:
    """The state in which `after` goes on. All its properties that `before` has not are opened now:
    what happened until now is a past to them. Raises `CannotReload`."""
    wrong = [*why_not(before, state, after)]
    if wrong:
        raise CannotReload("; ".join(wrong))
    place_of = {system: place for place, system in enumerate(before.systems)}
    new = [system for system in after.systems if system not in place_of]
    clocks = _clocks(before, state, after, new)
    hosts: list[HostState] = []
    for place, system in enumerate(after.systems):
        clock = clocks[after.clock_of(system)]
        known = place_of.get(system)
        if known is not None:
            monitor = state.hosts[known].monitor
        else:
            setup = after.hosts[place].monitor
            followed = after.after.get(system, _NOTHING)
            fresh, old = setup.initial(), None
            if followed.system:
                there = place_of[bytes.fromhex(followed.system)]
                before_it = state.hosts[there].monitor
                if isinstance(before_it, MonitorState):
                    old = (before.hosts[there].monitor, before_it)
            if isinstance(fresh, MonitorState):
                monitor = opened(setup, fresh, clock, followed.alike, old)
            else:
                monitor = fresh.opened(clock)
        hosts.append(HostState(clock, monitor))
    places = {place_of[system]: n for n, system in enumerate(after.systems) if system in place_of}
    counts = [
        state.counts[place_of[system]] if system in place_of else VerdictCounts()
        for system in after.systems
    ]
    state = SidecarState(
        tuple(hosts),
        {
            name: session._replace(since=_since(session, before, after, hosts))
            for name, session in state.sessions.items()
        },
        UndeliveredVerdicts.of(
            {
                id: declared._replace(system=places[declared.system])
                for id, declared in state.undelivered.items()
            }
        ),
        tuple(counts),
        closed_from(before, state, after, hosts),
        state.said.moved(places),
    )
    return after.watched(state)


def _clocks(
    before: Sidecar, state: SidecarState, after: Sidecar, new: list[bytes]
) -> dict[bytes, VectorClock]:
    """The present clocks, by the system that each is called by. If something is opened, its clock
    ticks: the end of a gap has a count of its own."""
    clocks = {
        before.clock_of(system): host.clock
        for system, host in zip(before.systems, state.hosts, strict=True)
    }
    opening = {after.clock_of(system) for system in new}
    for system, host in zip(after.systems, after.hosts, strict=True):
        name, monitor = after.clock_of(system), host.monitor
        if name in opening:
            opening.discard(name)
            clocks[name] = tick(clocks.get(name, zero(len(monitor.processes))), monitor.own)
    return clocks


def _since(
    session: Session, before: Sidecar, after: Sidecar, hosts: list[HostState]
) -> tuple[VectorClock, ...]:
    """The clocks since which events of this session may not have been told. A property that follows
    another one knows no more than that."""
    if not session.since:
        return ()
    known: Mapping[bytes, VectorClock] = dict(zip(before.systems, session.since, strict=True))
    found: list[VectorClock] = []
    for system, host in zip(after.systems, hosts, strict=True):
        followed = after.after.get(system, _NOTHING).system
        since = known.get(system) or known.get(bytes.fromhex(followed)) or host.clock
        found.append(since)
    return tuple(found)


def closed_from(
    before: Sidecar, state: SidecarState, after: Sidecar, hosts: list[HostState]
) -> tuple[int, ...]:
    """See `SidecarState.closed`. What is being closed already stays as it is."""
    if not after.closing:
        return ()
    closed: list[int] = []
    for place, system in enumerate(after.systems):
        own = after.hosts[place].monitor.own
        if system not in after.closing:
            closed.append(NEVER)
        else:
            known = before.systems.index(system) if system in before.systems else None
            last = NEVER if known is None else state.last_judged(known)
            closed.append(hosts[place].clock[own] if last == NEVER else last)
    return tuple(closed)
