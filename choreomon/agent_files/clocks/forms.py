"""The shortest form of the differences between a clock and its base, as `clock_coding` has them:
how it is chosen, entry by entry."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from typing import Final, NamedTuple

import msgspec

from choreomon.core.vector_clock import VectorClock

DENSE: Final = 0
SPARSE: Final = 1
HALVES: Final = 2

LEAST: Final = -32
BYTE: Final = 160
"""Numbers from `LEAST` on that take one byte."""
HALF: Final = 15
"""Numbers from 0 on that take four bits."""
_SAMPLE: Final = 64
"""Differences examined to find what all have in common."""

_TO_DIGITS: Final = bytes.maketrans(bytes(range(16)), b"0123456789abcdef")

_encoded: Final = msgspec.msgpack.Encoder().encode


class Form(NamedTuple):
    """A form: one of the numbers above, and what it says."""

    number: int
    data: bytes


def shortest(differences: VectorClock) -> Form:
    """The shortest form of differences, at least one, that are any whole numbers of up to 64
    bits."""
    sparse = _sparse(differences)
    if sparse is not None and len(sparse) < len(differences) // 2:  # the least that others take
        return Form(SPARSE, sparse)
    best = _dense(differences)
    if sparse is not None and len(sparse) <= len(best.data):
        return Form(SPARSE, sparse)
    return best


def _sparse(differences: VectorClock) -> bytes | None:
    """The form that lists exceptions, if most differences are the same."""
    count = len(differences)
    shift, left = 0, differences
    places = list(compress(range(count), differences))
    if 2 * len(places) > count:
        shift, same = Counter(differences).most_common(1)[0]
        if 2 * same < count:
            return None
        left = tuple([each - shift for each in differences])
        places = list(compress(range(count), left))
    numbers = [shift]
    following = 0
    for place in places:
        numbers += (place - following, left[place])
        following = place + 1
    return _encoded(numbers)


def _dense(differences: VectorClock) -> Form:
    """Dense, or in halves."""
    sample = sample_of(differences)
    shift = fullest(sample, HALF)
    left = [each - shift for each in differences]
    halves = bytes([each if 0 <= each < HALF else HALF for each in left])
    beyond = [shift, *[each for each in left if not 0 <= each < HALF]]
    best = in_halves(halves) + _encoded(beyond)
    if len(best) > len(differences):  # the least that the other one takes
        shift = fullest(sample, BYTE) - LEAST
        dense = _encoded([shift, *[each - shift for each in differences]])
        if len(dense) <= len(best):
            return Form(DENSE, dense)
    return Form(HALVES, best)


def sample_of(numbers: Sequence[int]) -> list[int]:
    """A sample of them, sorted."""
    return sorted(numbers[:: len(numbers) // _SAMPLE + 1])


def fullest(sample: Sequence[int], width: int) -> int:
    """Find the start of the window of this width that holds most of a sorted sample."""

    within = [bisect_left(sample, each + width) - place for place, each in enumerate(sample)]
    return sample[within.index(max(within))]


def in_halves(numbers: bytes) -> bytes:
    """Numbers below 16, two in a byte, the first one in its upper half."""
    padded = numbers + b"\0"[: len(numbers) % 2]
    return bytes.fromhex(padded.translate(_TO_DIGITS).decode())
