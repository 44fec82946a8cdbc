"""Values of parameters, and bindings: which values parameters have in one instance of a property
(`choreomon.properties.instances`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Values: TypeAlias = Mapping[str, str]
"""Of parameters, by their names."""

Binding: TypeAlias = tuple[tuple[str, str], ...]
"""Names of parameters with their values, sorted."""


def agree(one: Binding, other: Binding) -> bool:
    """Return whether two bindings give the parameters that both have the same values."""
    known = dict(one)
    return all(known.get(name, value) == value for name, value in other)


def joined(one: Binding, other: Binding) -> Binding:
    """What two bindings that agree bind together."""
    return tuple(sorted({**dict(one), **dict(other)}.items()))


def in_words(binding: Binding) -> str:
    """`order=A-17, tenant=t1`."""
    return ", ".join(f"{name}={value}" for name, value in binding)
