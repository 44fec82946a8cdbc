"""The file form of a sidecar's state: MessagePack of its values, field by field.

A snapshot is read by the version of choreomon that wrote it and by later ones, for the same
systems; anything else is refused, and never taken for a state. Version 1 had a promise of every
process, in the order of clock entries. Before version 3 verdicts had all of their reasons, and were
not counted: counts begin when such a one is read. Version 4 has what is being closed; it is written
only where something is. Version 5 has what agents remember of instances, and what services said of
them and of traces, and is written only by those that know of some. Version 6 has what was forgotten
of them, and is written only where something is to be. Version 7 has the traces of events that
verdicts may name, where some are known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import GenericAlias
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec
from immutables import Map

from choreomon.agent_files.told_traces import EventTrace
from choreomon.core.binding import Binding
from choreomon.core.decisive_reasons import with_decisive_reasons
from choreomon.core.errors import MalformedMessage
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER, MonitorVerdict
from choreomon.monitor.host import HostState
from choreomon.monitor.of_instances.forgetting import NOTHING_FORGOTTEN, Forgotten
from choreomon.monitor.of_instances.monitor import InstanceMonitor, resumed
from choreomon.monitor.of_instances.state import Instance, InstancesState, Shared
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import (
    MonitorState,
    as_written,
    state_as_written,
    with_written_plans,
)
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.outputs import DeclaredVerdict
from choreomon.runtime.said_of_events import SaidOfEvents
from choreomon.runtime.sessions import Sessions
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.undelivered import UndeliveredVerdicts
from choreomon.runtime.verdict_counts import VerdictCounts

VERSION: Final = 7
_WITHOUT_TRACES: Final = 6
_WITHOUT_FORGOTTEN: Final = 5
_WITHOUT_INSTANCES: Final = 4
_WITHOUT_CLOSING: Final = 3

_ENCODER: Final = msgspec.msgpack.Encoder()
_HEADER: Final = msgspec.msgpack.Decoder(tuple[int, str, list[bytes], msgspec.Raw])


class _Host(NamedTuple):
    """A `HostState` of a property that is not for each instance."""

    clock: VectorClock
    monitor: MonitorState


class _Declared(NamedTuple):
    """A `DeclaredVerdict` about no instance."""

    id: str
    system: int
    event_count: int
    label: str
    verdict: MonitorVerdict
    provisional: bool


class _Said(NamedTuple):
    """Values that services said of instances, and ids of traces: by place and count for events
    without a last verdict, and by id for verdicts not yet delivered."""

    undecided: tuple[tuple[int, int, Binding], ...] = ()
    undelivered: Mapping[str, Binding] = {}


class _Traces(NamedTuple):
    """Traces of events that verdicts may name, as in `SaidOfEvents`, and of those named by
    undelivered verdicts."""

    own: tuple[tuple[int, int, bytes], ...] = ()
    heard: tuple[tuple[int, int, tuple[EventTrace, ...]], ...] = ()
    undelivered: Mapping[str, tuple[EventTrace, ...]] = {}


class _OfInstances(NamedTuple):
    """The part of an `InstancesState` that neither a `MonitorState` nor the store has: instances in
    memory."""

    unfinished: tuple[Binding, ...]
    records: int
    created: int
    unknown: int
    instances: tuple[tuple[Binding, Instance], ...]
    emptied: int = 0


def encode_snapshot(state: SidecarState, sidecar: Sidecar) -> bytes:
    """The snapshot of a state. Of instances it has those that the state has."""
    own = tuple([host.monitor.own for host in sidecar.hosts])  # so that it can be read without
    return _encoded(
        sidecar.process,
        sidecar.systems,
        _Parts(
            hosts=tuple(map(_host, state.hosts)),
            sessions=state.sessions,
            undelivered={id: _Declared(*each[:-2]) for id, each in state.undelivered.items()},
            counts=state.counts,
            closed=state.closed,
            own=own,
            of_instances={
                place: _of_instances(host.monitor)
                for place, host in enumerate(state.hosts)
                if isinstance(host.monitor, InstancesState)
            },
            said=_said(
                state.said, {id: each.said for id, each in state.undelivered.items() if each.said}
            ),
            forgotten={
                place: host.monitor.shared.forgotten
                for place, host in enumerate(state.hosts)
                if isinstance(host.monitor, InstancesState)
                and host.monitor.shared.forgotten != NOTHING_FORGOTTEN
            },
            traces=_traces(
                state.said,
                {id: each.traces for id, each in state.undelivered.items() if each.traces},
            ),
        ),
    )


class _Parts(NamedTuple):
    """The parts of a snapshot, over all versions."""

    hosts: tuple[_Host, ...]
    sessions: Sessions
    undelivered: dict[str, _Declared]
    counts: tuple[VerdictCounts, ...] = ()
    closed: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    of_instances: Mapping[int, _OfInstances] = {}
    said: _Said = _Said()
    forgotten: Mapping[int, Forgotten] = {}
    traces: _Traces = _Traces()


_PARTS: Final = {
    1: 3,
    2: 3,
    _WITHOUT_CLOSING: 4,
    _WITHOUT_INSTANCES: 6,
    _WITHOUT_FORGOTTEN: 8,
    _WITHOUT_TRACES: 9,
    VERSION: 10,
}
"""The number of `_Parts` in a snapshot of each version."""
_KINDS: Final = tuple(get_type_hints(_Parts).values())
_DECODERS: Final[Mapping[int, msgspec.msgpack.Decoder[Any]]] = {
    version: msgspec.msgpack.Decoder(GenericAlias(tuple, _KINDS[:parts]))
    for version, parts in _PARTS.items()
}


def _encoded(process: str, systems: tuple[bytes, ...], parts: _Parts) -> bytes:
    """Encode in the oldest version that can express it, so that a state without new features is as
    before."""
    if parts.traces != _Traces():
        version = VERSION
    elif parts.forgotten:
        version = _WITHOUT_TRACES
    elif parts.of_instances or parts.said != _Said():
        version = _WITHOUT_FORGOTTEN
    elif parts.closed:
        version = _WITHOUT_INSTANCES
    else:
        version = _WITHOUT_CLOSING
    return _ENCODER.encode((version, process, systems, parts[: _PARTS[version]]))


def _host(state: HostState) -> _Host:
    monitor = state.monitor
    if isinstance(monitor, MonitorState):
        return _Host(state.clock, state_as_written(monitor))
    shared = monitor.shared
    decisions = [each for one in monitor.instances.values() for each in one.decisions]
    return _Host(
        state.clock,
        MonitorState(
            unprocessed=(),
            history=(),
            inspections=(),
            decisions=as_written(tuple(decisions)),
            postponed=(),
            settled=shared.promises,
            gaps=shared.gaps,
        ),
    )


def _of_instances(state: InstancesState) -> _OfInstances:
    shared = state.shared
    counted = (shared.records, shared.created, shared.unknown)
    instances = [
        (
            binding,
            each._replace(
                inspections=with_written_plans(each.inspections),
                decisions=as_written(each.decisions),
            ),
        )
        for binding, each in sorted(state.instances.items())
    ]
    return _OfInstances(shared.unfinished, *counted, tuple(instances), shared.emptied)


def _said(said: SaidOfEvents, undelivered: Mapping[str, Binding]) -> _Said:
    return _Said(tuple([(*at, kept) for at, kept in sorted(said.values.items())]), undelivered)


def _traces(said: SaidOfEvents, undelivered: Mapping[str, tuple[EventTrace, ...]]) -> _Traces:
    return _Traces(
        tuple([(place, *event) for (place, _), event in sorted(said.own.items())]),
        tuple([(*at, heard) for at, heard in sorted(said.heard.items())]),
        undelivered,
    )


def _said_of_events(parts: _Parts) -> SaidOfEvents:
    said = SaidOfEvents(
        values=Map({(place, count): kept for place, count, kept in parts.said.undecided}),
        heard=Map({(place, count): heard for place, count, heard in parts.traces.heard}),
    )
    for own in parts.traces.own:
        said = said.with_own(*own)
    return said


def without_drained(data: bytes, left: Collection[bytes]) -> tuple[bytes, tuple[bytes, ...]] | None:
    """The snapshot without the systems that are `left` out, and those that stay in it; `None` where
    one of them is not drained, or it is no such snapshot. Of what is left out no table is
    needed."""
    try:
        version, process, systems, body = _HEADER.decode(data)
        if not _WITHOUT_CLOSING < version <= VERSION:
            return None
        parts = _Parts(*_DECODERS[version].decode(body))
    except msgspec.MsgspecError:
        return None
    if not parts.closed:
        return None
    state = SidecarState(
        _plain_hosts(parts.hosts), parts.sessions, _undelivered(parts), parts.counts, parts.closed
    )
    places = [place for place, system in enumerate(systems) if system not in left]
    for place, own in enumerate(parts.own):
        if place not in places and not state.is_drained(place, own):
            return None
    ends = tuple([parts.closed[place] for place in places])
    kept = tuple([systems[place] for place in places])
    said = _said_of_events(parts).moved({place: n for n, place in enumerate(places)})
    values = _Parts(
        hosts=tuple([parts.hosts[place] for place in places]),
        sessions={
            name: session._replace(since=tuple([session.since[place] for place in places]))
            if session.since
            else session
            for name, session in parts.sessions.items()
        },
        undelivered={
            id: declared._replace(system=places.index(declared.system))
            for id, declared in parts.undelivered.items()
        },
        counts=tuple([parts.counts[place] for place in places]),
        closed=() if all(end == NEVER for end in ends) else ends,
        own=tuple([parts.own[place] for place in places]),
        of_instances={
            places.index(place): found
            for place, found in parts.of_instances.items()
            if place in places
        },
        said=_said(said, parts.said.undelivered),
        forgotten={
            places.index(place): found
            for place, found in parts.forgotten.items()
            if place in places
        },
        traces=_traces(said, parts.traces.undelivered),
    )
    return _encoded(process, kept, values), kept


def decode_snapshot(data: bytes, sidecar: Sidecar) -> SidecarState:
    """Raises `MalformedMessage` for what is no snapshot of this version, process and systems."""
    try:
        version, process, systems, body = _HEADER.decode(data)
    except msgspec.MsgspecError as error:
        raise MalformedMessage(f"no state of an agent: {error}") from None
    if version not in _DECODERS:
        raise MalformedMessage(f"a state of version {version}; this is version {VERSION}")
    if process != sidecar.process:
        raise MalformedMessage(f"a state of {process}, not of {sidecar.process}")
    if tuple(systems) != sidecar.systems:
        raise MalformedMessage("a state of other systems: it was made with other table files")
    try:
        found = _DECODERS[version].decode(body)
    except msgspec.MsgspecError as error:
        raise MalformedMessage(f"no state of an agent: {error}") from None
    parts = _Parts(*found)
    if version < _WITHOUT_CLOSING:
        parts = parts._replace(counts=(VerdictCounts(),) * len(sidecar.hosts))
    hosts, closed = parts.hosts, parts.closed
    if closed and len(closed) != len(hosts):
        raise MalformedMessage(f"{len(closed)} ends of {len(hosts)} properties")
    if version == 1:
        monitors = [host.monitor for host in sidecar.hosts]
        hosts = tuple(map(_of_readers, hosts, monitors))
    if version < 3:
        bounded = {id: _bounded(declared) for id, declared in parts.undelivered.items()}
        parts = parts._replace(undelivered=bounded)
    return SidecarState(
        _hosts(hosts, sidecar, parts),
        parts.sessions,
        _undelivered(parts),
        parts.counts,
        closed,
        _said_of_events(parts),
    )


def _undelivered(parts: _Parts) -> UndeliveredVerdicts:
    said, traces = parts.said.undelivered, parts.traces.undelivered
    return UndeliveredVerdicts.of(
        {
            id: DeclaredVerdict(*each, said.get(id, ()), traces.get(id, ()))
            for id, each in parts.undelivered.items()
        }
    )


def _hosts(found: Iterable[_Host], sidecar: Sidecar, parts: _Parts) -> tuple[HostState, ...]:
    """Raises `MalformedMessage` where a property is not of the kind that the snapshot has."""
    hosts = [*_plain_hosts(found)]
    for place, (state, host) in enumerate(zip(hosts, sidecar.hosts, strict=True)):
        monitor, of = host.monitor, parts.of_instances.get(place)
        if isinstance(monitor, InstanceMonitor) is (of is None):
            raise MalformedMessage("a state with other instances: it was made with other files")
        if isinstance(monitor, InstanceMonitor) and of is not None:
            plain = state.monitor
            assert isinstance(plain, MonitorState)
            shared = Shared(
                plain.settled,
                plain.gaps,
                unfinished=of.unfinished,
                records=of.records,
                created=of.created,
                unknown=of.unknown,
                forgotten=parts.forgotten.get(place, NOTHING_FORGOTTEN),
                emptied=of.emptied,
            )
            hosts[place] = HostState(state.clock, resumed(monitor, shared, of.instances))
    return tuple(hosts)


def _plain_hosts(found: Iterable[_Host]) -> tuple[HostState, ...]:
    return tuple([HostState(clock, monitor) for clock, monitor in found])


def _bounded(declared: _Declared) -> _Declared:
    return declared._replace(verdict=with_decisive_reasons(declared.verdict))


def _of_readers(state: _Host, monitor: MonitorSetup) -> _Host:
    """Keep only the promises of processes that may ask."""
    promises = state.monitor.settled
    if len(promises) != len(monitor.processes):
        raise MalformedMessage(f"{len(promises)} promises of {len(monitor.processes)} processes")
    settled = tuple([promises[monitor.index_of[reader]] for reader in monitor.readers])
    return state._replace(monitor=state.monitor._replace(settled=settled))
