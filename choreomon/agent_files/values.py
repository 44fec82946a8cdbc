"""Values that messages carry, of a property for each instance: which ones an event needs, and the
digests that take their place wherever another agent sees them.

A digest is keyed by the split, so that agents of one split agree, and nobody else can find a value
by trying; who has the key can. It is of one parameter by itself, its name in it, so that a binding
can be restricted, and equal values of two parameters do not look alike.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import Final, TypeAlias

from choreomon.core.binding import Values, checked_value

Value: TypeAlias = str | int
Given: TypeAlias = Mapping[str, Value]
"""What a service says, by the names of parameters; an integer stands for its decimal text."""

DIGEST_BYTES: Final = 16
KEY_BYTES: Final = 16

NO_VALUES: Final[Values] = {}


def checked_values(given: Given, carried: Collection[str], event: str) -> Values:
    """The values of the parameters that an event carries, in the order of `carried`. `event` is
    what errors call it.

    Raises `ValueError` where one is missing, or is none, or where there are others.
    """
    if not given and not carried:
        return NO_VALUES
    unknown = [name for name in given if name not in carried]
    if unknown:
        takes = f"only of {_listed(carried)}" if carried else "of none"
        raise ValueError(f"{event} takes values {takes}, not of {_listed(unknown)}")
    missing = [name for name in carried if name not in given]
    if missing:
        how = ", ".join(f"{name}=..." for name in missing)
        raise ValueError(f"{event} carries {_listed(carried)}: give it {how}")
    return {name: checked_value(given[name], name) for name in carried}


def digest(key: bytes, name: str, value: str) -> str:
    """That of the value of a parameter, 32 hex digits. `key`: of the split, `KEY_BYTES` bytes."""
    told = f"{name}\0{value}".encode()
    return blake2b(told, digest_size=DIGEST_BYTES, key=key).hexdigest()


def _listed(names: Collection[str]) -> str:
    return ", ".join(names)
