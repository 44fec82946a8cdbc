"""Sets of lifelines as bit masks.

Every name gets one bit, once and for all, when it is first heard of. Whether two sets
of lifelines meet is tested millions of times; with masks that is one `&`. `ALL` has every bit set,
those of names that are not known yet, too, so it is the co-region of `par`.

Which bit a name has depends on the order in which names came up: nothing that a user sees may
depend on it. `names` sorts for that reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

Mask: TypeAlias = int
"""A set of lifelines."""

NONE: Final[Mask] = 0
ALL: Final[Mask] = -1

_bits: dict[str, Mask] = {}
_names: list[str] = []
_sorted: dict[Mask, tuple[str, ...]] = {}


def bit(lifeline: str) -> Mask:
    """The mask of one lifeline."""
    known = _bits.get(lifeline)
    if known is None:
        known = _bits[lifeline] = 1 << len(_names)
        _names.append(lifeline)
    return known


def mask(lifelines: Iterable[str]) -> Mask:
    """The mask of several lifelines."""
    whole = NONE
    for lifeline in lifelines:
        whole |= bit(lifeline)
    return whole


def names(lifelines: Mask) -> tuple[str, ...]:
    """The lifelines of a mask, sorted by name. Of `ALL`, every name heard of so far."""
    if lifelines < 0:
        return tuple(sorted(name for name, one in _bits.items() if one & lifelines))
    known = _sorted.get(lifelines)
    if known is None:
        found = [name for number, name in enumerate(_names) if lifelines >> number & 1]
        known = _sorted[lifelines] = tuple(sorted(found))
    return known


def is_single(lifelines: Mask) -> bool:
    """Whether the mask is of exactly one lifeline."""
    return lifelines > 0 and not lifelines & (lifelines - 1)


def each(lifelines: Mask) -> Iterator[Mask]:
    """The lifelines of a mask (not of `ALL`), one at a time, as masks."""
    while lifelines:
        lowest = lifelines & -lifelines
        lifelines ^= lowest
        yield lowest
