"""Bindings in few bytes: which parameters, and the digest of each value, 16 bytes.

Parameters are told by their places among those of the property, sorted by name: whoever has a table
file of the split knows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from choreomon.agent_files.digests import DIGEST_BYTES
from choreomon.core.binding import Binding
from choreomon.core.errors import MalformedMessage


class CodedBinding(NamedTuple):
    """Bit i of `parameters` is set where the parameter number i is bound; `digests` are those of
    the values, one after the other."""

    parameters: int
    digests: bytes


def coded_binding(binding: Binding, parameters: Sequence[str]) -> CodedBinding:
    """The few bytes of a binding, whose values are digests of 32 hex digits. `parameters`: those of
    the property, sorted."""
    return CodedBinding(mask_of([name for name, _ in binding], parameters), digests_of(binding))


def mask_of(names: Iterable[str], parameters: Sequence[str]) -> int:
    """The parameters that are bound, as in `CodedBinding`."""
    mask = 0
    for name in names:
        mask |= 1 << parameters.index(name)
    return mask


def digests_of(binding: Binding) -> bytes:
    """The digests of the values, one after the other."""
    return bytes.fromhex("".join([value for _, value in binding]))


def binding_of(coded: CodedBinding, parameters: Sequence[str]) -> Binding:
    """The binding of these bytes. Raises `MalformedMessage` for what are none."""
    mask, digests = coded
    if not 0 <= mask < 1 << len(parameters):
        raise MalformedMessage(f"{mask:b} are no parameters of {len(parameters)}")
    names = [name for place, name in enumerate(parameters) if mask >> place & 1]
    if len(digests) != DIGEST_BYTES * len(names):
        raise MalformedMessage(f"{len(digests)} bytes are no values of {len(names)} parameters")
    starts = range(0, len(digests), DIGEST_BYTES)
    values = [digests[start : start + DIGEST_BYTES].hex() for start in starts]
    return tuple(zip(names, values, strict=True))
