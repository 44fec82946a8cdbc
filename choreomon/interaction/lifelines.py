"""Sets of lifelines as bit masks.

Every name of an interaction gets one bit, for as long as its session lasts
(`choreomon.interaction.session`). Whether two sets of lifelines meet is tested millions of times;
with masks that is one `&`. `ALL` has every bit set, those of names that are not known yet, too, so
it is the co-region of `par`.

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


class Numbering:
    """Bits of names in one session."""

    __slots__ = ("bits", "sorted")

    def __init__(self) -> None:
        self.bits: dict[str, Mask] = {}
        """The bits by name, in ascending order."""
        self.sorted: dict[Mask, tuple[str, ...]] = {}
        """The names of a mask."""

    def swap(self, other: Numbering) -> None:
        """Exchange contents with another one."""
        self.bits, other.bits = other.bits, self.bits
        self.sorted, other.sorted = other.sorted, self.sorted


NUMBERING: Final = Numbering()
"""The numbering of the session at hand."""


def bit(lifeline: str) -> Mask:
    """The mask of one lifeline."""
    bits = NUMBERING.bits
    known = bits.get(lifeline)
    if known is None:
        known = bits[lifeline] = 1 << len(bits)
    return known


def mask(lifelines: Iterable[str]) -> Mask:
    """The mask of several lifelines of interactions."""
    whole = NONE
    for lifeline in lifelines:
        whole |= bit(lifeline)
    return whole


def known_mask(lifelines: Iterable[str]) -> Mask:
    """The mask of those lifelines of a log that any interaction has. The others get no bit: there
    is no end of names in logs."""
    bits = NUMBERING.bits
    whole = NONE
    for lifeline in lifelines:
        whole |= bits.get(lifeline, NONE)
    return whole


def names(lifelines: Mask) -> tuple[str, ...]:
    """The lifelines of a mask, sorted by name. Of `ALL`, every name heard of so far."""
    bits = NUMBERING.bits
    if lifelines < 0:
        return tuple(sorted(name for name, one in bits.items() if one & lifelines))
    known = NUMBERING.sorted.get(lifelines)
    if known is None:
        found = sorted(name for name, one in bits.items() if one & lifelines)
        known = NUMBERING.sorted[lifelines] = tuple(found)
    return known


def is_single(lifelines: Mask) -> bool:
    """Return whether the mask is of exactly one lifeline."""
    return lifelines > 0 and not lifelines & (lifelines - 1)


def each(lifelines: Mask) -> Iterator[Mask]:
    """The lifelines of a mask (not of `ALL`), one at a time, as masks."""
    while lifelines:
        lowest = lifelines & -lifelines
        lifelines ^= lowest
        yield lowest
