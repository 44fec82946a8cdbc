"""One instance as a row of a store: its key and its state in few bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from choreomon.agent_files.bindings import digests_of, mask_of
from choreomon.core.binding import Binding
from choreomon.core.errors import InternalError
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import Reference
from choreomon.monitor.history import Chain, Record, RecordResult
from choreomon.monitor.of_instances.state import Instance
from choreomon.monitor.state import Evidence


class InstanceRow(NamedTuple):
    """A row to put into a store. `system` is the id of the property, 16 bytes; `state` is `None`
    where the row is to be removed."""

    system: bytes
    key: bytes
    state: bytes | None


class _Told(NamedTuple):
    """A record without its reference, which its place tells."""

    clock: VectorClock
    result: RecordResult
    since: VectorClock | None


class _State(NamedTuple):
    chains: tuple[tuple[_Told, ...], ...]
    evidence: tuple[Evidence, ...]


_ENCODE: Final = msgspec.msgpack.Encoder().encode
_DECODE: Final = msgspec.msgpack.Decoder(_State).decode


def row_key(binding: Binding, parameters: Sequence[str]) -> bytes:
    """The key of an instance. `parameters` as in `choreomon.agent_files.bindings`."""
    return row_mask([name for name, _ in binding], parameters) + digests_of(binding)


def row_mask(names: Iterable[str], parameters: Sequence[str]) -> bytes:
    """The beginning of the keys of all instances that have values for just these parameters."""
    return mask_of(names, parameters).to_bytes(mask_bytes(parameters), "big")


def mask_bytes(parameters: Sequence[str]) -> int:
    """Count the bytes of a key that say which parameters are bound."""
    return (len(parameters) + 7) // 8 or 1


def encode_row(instance: Instance) -> bytes:
    """Encode the state of an idle instance. Raises `InternalError` for one that is not idle."""
    if not instance.is_idle:
        raise InternalError("an instance of which something goes on is no row")
    chains = tuple([tuple([_Told(*each[1:]) for each in chain]) for chain in instance.chains])
    return _ENCODE(_State(chains, instance.evidence))


def decode_row(data: bytes, references: Sequence[Reference]) -> Instance:
    """Decode the instance of a row with chains of these references. Raises `msgspec.MsgspecError`
    for anything else."""
    chains, evidence = _DECODE(data)
    if not chains:
        return Instance((), evidence=evidence)
    read: list[Chain] = [
        tuple([Record(reference, clock, result, since) for clock, result, since in chain])
        for reference, chain in zip(references, chains, strict=True)
    ]
    return Instance(tuple(read), (), (), (), evidence)
