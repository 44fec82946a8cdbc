"""The file form of a sidecar's state: MessagePack of its values, field by field.

A snapshot is read by the version of choreomon that wrote it and by later ones, for the same
systems; anything else is refused, and never taken for a state. Version 1 had a promise of every
process, in the order of clock entries.
"""

from __future__ import annotations

from typing import Final

import msgspec

from choreomon.core.errors import MalformedMessage
from choreomon.monitor.host import HostState
from choreomon.monitor.pull import Monitor
from choreomon.runtime.hosted import SidecarState
from choreomon.runtime.outputs import DeclaredVerdict
from choreomon.runtime.sessions import Sessions
from choreomon.runtime.sidecar import Sidecar
from choreomon.runtime.undelivered import UndeliveredVerdicts

VERSION: Final = 2

_ENCODER: Final = msgspec.msgpack.Encoder()
_HEADER: Final = msgspec.msgpack.Decoder(tuple[int, str, list[bytes], msgspec.Raw])
_STATE: Final = msgspec.msgpack.Decoder(
    tuple[tuple[HostState, ...], Sessions, dict[str, DeclaredVerdict]]
)


def encode_snapshot(state: SidecarState, sidecar: Sidecar) -> bytes:
    values = (state.hosts, state.sessions, dict(state.undelivered.items()))
    return _ENCODER.encode((VERSION, sidecar.process, sidecar.systems, values))


def decode_snapshot(data: bytes, sidecar: Sidecar) -> SidecarState:
    """Raises `MalformedMessage` for what is no snapshot of this version, process and systems."""
    try:
        version, process, systems, body = _HEADER.decode(data)
    except msgspec.MsgspecError as error:
        raise MalformedMessage(f"no state of an agent: {error}") from None
    if version not in (1, VERSION):
        raise MalformedMessage(f"a state of version {version}; this is version {VERSION}")
    if process != sidecar.process:
        raise MalformedMessage(f"a state of {process}, not of {sidecar.process}")
    if tuple(systems) != sidecar.systems:
        raise MalformedMessage("a state of other systems: it was made with other table files")
    try:
        hosts, sessions, undelivered = _STATE.decode(body)
    except msgspec.MsgspecError as error:
        raise MalformedMessage(f"no state of an agent: {error}") from None
    if version == 1:
        monitors = [host.monitor for host in sidecar.hosts]
        hosts = tuple(map(_of_readers, hosts, monitors))
    return SidecarState(hosts, sessions, UndeliveredVerdicts.of(undelivered))


def _of_readers(state: HostState, monitor: Monitor) -> HostState:
    """With the promises of those only that may ask."""
    promises = state.monitor.settled
    if len(promises) != len(monitor.processes):
        raise MalformedMessage(f"{len(promises)} promises of {len(monitor.processes)} processes")
    settled = tuple([promises[monitor.index_of[reader]] for reader in monitor.readers])
    return state._replace(monitor=state.monitor._replace(settled=settled))
