"""What can be looked up in the state of a sidecar, for metrics and for `/status`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from choreomon.core.live import AgentStatus, LiveVerdict, PropertyStatus
from choreomon.core.verdict import NEVER, VerdictKind
from choreomon.formats.table_file import SplitTable
from choreomon.formats.verdict_json import rfc3339
from choreomon.monitor.host import Host, HostState
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.sidecar import Sidecar


class PropertyReadings(NamedTuple):
    """Of one property: inspections of transitions that wait for answers, whose answers, events of
    which the last verdict is not said, how many of them have which provisional verdict, gaps that
    are remembered, and whether one is open."""

    inspections: int
    waiting_for: tuple[str, ...]
    undecided: int
    provisional: Mapping[VerdictKind, int]
    gaps: int
    gap_open: bool


class Readings(NamedTuple):
    """Of one sidecar. `leases`: sessions whose services let nothing leave unanswered now."""

    properties: tuple[PropertyReadings, ...]
    sessions: int
    leases: int
    untold: int


def readings(sidecar: Sidecar, state: SidecarState) -> Readings:
    """Look them up. Takes as long as there are open inspections, and sessions."""
    return Readings(
        tuple(map(_property, sidecar.hosts, state.hosts)),
        len(state.sessions),
        sum(session.promised for session in state.sessions.values()),
        len(state.undelivered),
    )


def _property(host: Host, state: HostState) -> PropertyReadings:
    monitor, own = state.monitor, host.monitor
    waiting = {name for each in monitor.inspections for name in each.waiting}
    return PropertyReadings(
        inspections=len(monitor.inspections),
        waiting_for=tuple(p for p in own.processes if p in waiting and p != own.process),
        undecided=len(monitor.decisions),
        provisional=Counter(each.told for each in monitor.decisions if each.told is not None),
        gaps=len(monitor.gaps),
        gap_open=bool(monitor.gaps) and monitor.gaps[-1].until[own.own] == NEVER,
    )


def agent_status(
    found: Readings,
    tables: Sequence[SplitTable],
    *,
    process: str,
    version: str,
    time: float,
    uptime: float,
    durability: str,
    not_ready: Sequence[str] = (),
    failing: str = "",
    connected: int = 0,
    ticks: Sequence[int] = (),
    sinks: Mapping[str, str] | None = None,
    words: Mapping[str, int] | None = None,
    refused: Mapping[str, int] | None = None,
    verdicts: Iterable[LiveVerdict] = (),
) -> AgentStatus:
    """The status of an agent whose properties have these `tables`. `time` is wall time in seconds;
    `ticks` are the events that happened, for each property."""
    properties = [
        PropertyStatus(
            title=table.title,
            system=table.system_id,
            events=ticks[place] if place < len(ticks) else 0,
            undecided=each.undecided,
            provisional=each.provisional,
            inspections=each.inspections,
            waiting_for=each.waiting_for,
            gaps=each.gaps,
            gap_open=each.gap_open,
        )
        for place, (table, each) in enumerate(zip(tables, found.properties, strict=True))
    ]
    return AgentStatus(
        process=process,
        version=version,
        time=rfc3339(time),
        uptime=uptime,
        durability=durability,
        not_ready=tuple(not_ready),
        failing=failing,
        properties=tuple(properties),
        sessions=found.sessions,
        connected=connected,
        leases=found.leases,
        untold=found.untold,
        sinks=dict(sinks or {}),
        words=dict(words or {}),
        refused=dict(refused or {}),
        verdicts=tuple(verdicts),
    )
