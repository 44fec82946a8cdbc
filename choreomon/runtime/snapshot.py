"""The file form of a sidecar's state: MessagePack of its values, field by field.

A snapshot is read by the version of choreomon that wrote it and by later ones, for the same
systems; anything else is refused, and never taken for a state. Version 1 had a promise of every
process, in the order of clock entries. Before version 3 verdicts had all of their reasons, and were
not counted: counts begin when such a one is read. Version 4 has what is being closed; it is written
only where something is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

import msgspec

from choreomon.core.decisive_reasons import with_decisive_reasons
from choreomon.core.errors import MalformedMessage
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER
from choreomon.monitor.host import HostState
from choreomon.monitor.setup import MonitorSetup
from choreomon.monitor.state import MonitorState
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.outputs import DeclaredVerdict
from choreomon.runtime.sessions import Sessions
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.undelivered import UndeliveredVerdicts
from choreomon.runtime.verdict_counts import VerdictCounts

VERSION: Final = 4
_WITHOUT_CLOSING: Final = 3

_ENCODER: Final = msgspec.msgpack.Encoder()
_HEADER: Final = msgspec.msgpack.Decoder(tuple[int, str, list[bytes], msgspec.Raw])


class _Host(NamedTuple):
    """A `HostState` of a property that is not for each instance."""

    clock: VectorClock
    monitor: MonitorState


_STATE: Final = msgspec.msgpack.Decoder(
    tuple[
        tuple[_Host, ...],
        Sessions,
        dict[str, DeclaredVerdict],
        tuple[VerdictCounts, ...],
        tuple[int, ...],
        tuple[int, ...],
    ]
)
_STATE_WITHOUT_CLOSING: Final = msgspec.msgpack.Decoder(
    tuple[tuple[_Host, ...], Sessions, dict[str, DeclaredVerdict], tuple[VerdictCounts, ...]]
)
_STATE_WITHOUT_COUNTS: Final = msgspec.msgpack.Decoder(
    tuple[tuple[_Host, ...], Sessions, dict[str, DeclaredVerdict]]
)


def encode_snapshot(state: SidecarState, sidecar: Sidecar) -> bytes:
    values = (state.hosts, state.sessions, dict(state.undelivered.items()), state.counts)
    if not state.closed:
        return _ENCODER.encode((_WITHOUT_CLOSING, sidecar.process, sidecar.systems, values))
    own = tuple([host.monitor.own for host in sidecar.hosts])  # so that it can be read without
    values_and_ends = (*values, state.closed, own)
    return _ENCODER.encode((VERSION, sidecar.process, sidecar.systems, values_and_ends))


def without_drained(data: bytes, left: Collection[bytes]) -> tuple[bytes, tuple[bytes, ...]] | None:
    """The snapshot without the systems that are `left` out, and those that stay in it; `None` where
    one of them is not drained, or it is no such snapshot. Of what is left out no table is
    needed."""
    try:
        version, process, systems, body = _HEADER.decode(data)
        if version != VERSION:
            return None
        hosts, sessions, undelivered, counts, closed, owns = _STATE.decode(body)
    except msgspec.MsgspecError:
        return None
    state = SidecarState(
        _hosts(hosts), sessions, UndeliveredVerdicts.of(undelivered), counts, closed
    )
    places = [place for place, system in enumerate(systems) if system not in left]
    for place, own in enumerate(owns):
        if place not in places and not state.is_drained(place, own):
            return None
    ends = tuple([closed[place] for place in places])
    values = (
        tuple([hosts[place] for place in places]),
        {
            name: session._replace(since=tuple([session.since[place] for place in places]))
            if session.since
            else session
            for name, session in sessions.items()
        },
        {
            id: declared._replace(system=places.index(declared.system))
            for id, declared in undelivered.items()
        },
        tuple([counts[place] for place in places]),
    )
    kept = tuple([systems[place] for place in places])
    if all(end == NEVER for end in ends):
        return _ENCODER.encode((_WITHOUT_CLOSING, process, kept, values)), kept
    values_and_ends = (*values, ends, tuple([owns[place] for place in places]))
    return _ENCODER.encode((VERSION, process, kept, values_and_ends)), kept


def decode_snapshot(data: bytes, sidecar: Sidecar) -> SidecarState:
    """Raises `MalformedMessage` for what is no snapshot of this version, process and systems."""
    try:
        version, process, systems, body = _HEADER.decode(data)
    except msgspec.MsgspecError as error:
        raise MalformedMessage(f"no state of an agent: {error}") from None
    if version not in (1, 2, _WITHOUT_CLOSING, VERSION):
        raise MalformedMessage(f"a state of version {version}; this is version {VERSION}")
    if process != sidecar.process:
        raise MalformedMessage(f"a state of {process}, not of {sidecar.process}")
    if tuple(systems) != sidecar.systems:
        raise MalformedMessage("a state of other systems: it was made with other table files")
    counts = (VerdictCounts(),) * len(sidecar.hosts)
    closed: tuple[int, ...] = ()
    try:
        if version < 3:
            hosts, sessions, undelivered = _STATE_WITHOUT_COUNTS.decode(body)
        elif version == _WITHOUT_CLOSING:
            hosts, sessions, undelivered, counts = _STATE_WITHOUT_CLOSING.decode(body)
        else:
            hosts, sessions, undelivered, counts, closed, _ = _STATE.decode(body)
    except msgspec.MsgspecError as error:
        raise MalformedMessage(f"no state of an agent: {error}") from None
    if closed and len(closed) != len(hosts):
        raise MalformedMessage(f"{len(closed)} ends of {len(hosts)} properties")
    if version == 1:
        monitors = [host.monitor for host in sidecar.hosts]
        hosts = tuple(map(_of_readers, hosts, monitors))
    if version < 3:
        undelivered = {id: _bounded(declared) for id, declared in undelivered.items()}
    undelivered_verdicts = UndeliveredVerdicts.of(undelivered)
    return SidecarState(_hosts(hosts), sessions, undelivered_verdicts, counts, closed)


def _hosts(found: Iterable[_Host]) -> tuple[HostState, ...]:
    return tuple([HostState(clock, monitor) for clock, monitor in found])


def _bounded(declared: DeclaredVerdict) -> DeclaredVerdict:
    return declared._replace(verdict=with_decisive_reasons(declared.verdict))


def _of_readers(state: _Host, monitor: MonitorSetup) -> _Host:
    """With the promises of those only that may ask."""
    promises = state.monitor.settled
    if len(promises) != len(monitor.processes):
        raise MalformedMessage(f"{len(promises)} promises of {len(monitor.processes)} processes")
    settled = tuple([promises[monitor.index_of[reader]] for reader in monitor.readers])
    return state._replace(monitor=state.monitor._replace(settled=settled))
