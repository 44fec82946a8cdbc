"""Readings of the state of a sidecar, for metrics and for `/status`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from choreomon.agent_files.table_file import SplitTable
from choreomon.agent_files.verdict_json import rfc3339
from choreomon.core.live import (
    AgentStatus,
    InstancesStatus,
    LabelStatus,
    LiveVerdict,
    PropertyStatus,
)
from choreomon.core.stated_rule import NOT_TOLD
from choreomon.core.verdict import NEVER, VerdictKind
from choreomon.monitor.host import Host, HostState
from choreomon.monitor.of_instances.state import InstancesState
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.verdict_counts import PROVISIONAL, VerdictCounts


class PropertyReadings(NamedTuple):
    """Readings of one property: inspections of transitions that wait for answers, whose answers,
    events without a last verdict, how many of them have which provisional verdict, gaps that are
    remembered, whether one is open, how many verdicts were declared since the store was made,
    whether it is being closed, how many verdicts were not delivered, and the instances of a
    property for each instance."""

    inspections: int
    waiting_for: tuple[str, ...]
    undecided: int
    provisional: Mapping[VerdictKind, int]
    gaps: int
    gap_open: bool
    counts: VerdictCounts
    closing: bool = False
    untold: int = 0
    instances: InstancesStatus | None = None


class Readings(NamedTuple):
    """Readings of one sidecar. `leases`: sessions whose services let nothing leave unanswered
    now."""

    properties: tuple[PropertyReadings, ...]
    sessions: int
    leases: int
    untold: int

    @property
    def words(self) -> Mapping[str, int]:
        """Counts of last verdicts by verdict, and of provisional ones, over all properties."""
        words: Counter[str] = Counter()
        for each in self.properties:
            words.update(each.counts.last)
            words[PROVISIONAL] += each.counts.provisional
        return words


def readings(
    sidecar: Sidecar, state: SidecarState, counts: Sequence[VerdictCounts] | None = None
) -> Readings:
    """Look them up. `counts`: those of verdicts, where other ones than those of the state are to be
    told. Takes as long as there are open inspections, and sessions."""
    untold = Counter(each.system for each in state.undelivered.values())
    return Readings(
        tuple(
            _property(host, state, place, each, untold[place])
            for place, (host, each) in enumerate(
                zip(sidecar.hosts, counts or state.counts, strict=True)
            )
        ),
        len(state.sessions),
        sum(session.promised for session in state.sessions.values()),
        len(state.undelivered),
    )


def _property(
    host: Host, state: SidecarState, place: int, counts: VerdictCounts, untold: int
) -> PropertyReadings:
    monitor, own = state.hosts[place].monitor, host.monitor
    last = state.last_judged(place)
    decisions = [each for each in monitor.decisions if each.event[own.own] <= last]
    waiting = {name for each in monitor.inspections for name in each.waiting}
    return PropertyReadings(
        inspections=len(monitor.inspections),
        waiting_for=tuple(p for p in own.processes if p in waiting and p != own.process),
        undecided=len(decisions),
        provisional=Counter(each.told for each in decisions if each.told is not None),
        gaps=len(monitor.gaps),
        gap_open=bool(monitor.gaps) and monitor.gaps[-1].until[own.own] == NEVER,
        counts=counts,
        closing=last != NEVER,
        untold=untold,
        instances=_instances(host, state.hosts[place]),
    )


def _instances(host: Host, state: HostState) -> InstancesStatus | None:
    monitor = state.monitor
    if not isinstance(monitor, InstancesState):
        return None
    shared, own = monitor.shared, state.clock[host.monitor.own]
    remembered = sum([each.has_records for each in monitor.instances.values()])
    return InstancesStatus(
        created=shared.created,
        in_memory=len(monitor.instances),
        unknown=shared.unknown,
        promise_lag=own - min(shared.promises, default=own),
        forgotten=shared.forgotten.instances,
        in_store=shared.remembered - remembered,
        finished=shared.emptied,
    )


def _property_status(
    table: SplitTable, found: PropertyReadings, events: int, labels: tuple[LabelStatus, ...]
) -> PropertyStatus:
    told = [rule.id for rule, _ in table.table.rules if rule != NOT_TOLD]
    return PropertyStatus(
        title=table.title,
        system=table.system_id,
        events=events,
        undecided=found.undecided,
        provisional=found.provisional,
        inspections=found.inspections,
        waiting_for=found.waiting_for,
        gaps=found.gaps,
        gap_open=found.gap_open,
        closing=found.closing,
        untold=found.untold,
        labels=labels,
        instances=found.instances,
        rules=tuple(dict.fromkeys(told)),
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
    labels: Sequence[Sequence[LabelStatus]] = (),
    sinks: Mapping[str, str] | None = None,
    refused: Mapping[str, int] | None = None,
    verdicts: Iterable[LiveVerdict] = (),
    doubled: Sequence[str] = (),
    opening: Sequence[str] = (),
) -> AgentStatus:
    """The status of an agent whose properties have these `tables`. `time` is wall time in seconds;
    `ticks` are the events that happened, and `labels` those of each label, for each property."""
    properties = [
        _property_status(
            table,
            each,
            ticks[place] if place < len(ticks) else 0,
            tuple(labels[place]) if place < len(labels) else (),
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
        words=dict(found.words),
        refused=dict(refused or {}),
        verdicts=tuple(verdicts),
        doubled=tuple(doubled),
        opening=tuple(opening),
    )
