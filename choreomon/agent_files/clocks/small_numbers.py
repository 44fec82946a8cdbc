"""The shortest form of differences that take a byte each.

`choreomon.agent_files.clocks.forms` finds the same, entry by entry, and is the definition. What is
counted, translated, deleted and split here are bytes: those loops are not in Python.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from choreomon.agent_files.clocks.forms import (
    BYTE,
    DENSE,
    HALF,
    HALVES,
    LEAST,
    SPARSE,
    Form,
    fullest,
    in_halves,
    sample_of,
)

_ALL: Final = bytes(range(256))
_ODD: Final = bytes((0, 1)) * 128
_SHIFT: Final = 2
"""Bytes of a sparse form of one number only, at least; every other number takes two more."""

_encoded: Final = msgspec.msgpack.Encoder().encode


class SmallNumbers(NamedTuple):
    """A byte for each number, which is `zero` less than its byte."""

    data: bytes
    zero: int


def shortest_of_small(numbers: SmallNumbers) -> Form:
    """The shortest form of these numbers, as `shortest` finds it."""
    half = len(numbers.data) // 2  # the least that others than sparse ones take
    common = most_common(numbers)
    if common is None:
        return _dense(numbers)
    others = numbers.data.translate(None, _ALL[common : common + 1])
    least = _SHIFT + 2 * len(others)
    if least < half:
        sparse = others_coded(numbers, common, others)
        if len(sparse) < half:
            return Form(SPARSE, sparse)
    best = _dense(numbers)
    if least <= len(best.data):
        sparse = others_coded(numbers, common, others)
        if len(sparse) <= len(best.data):
            return Form(SPARSE, sparse)
    return best


def least_of(lowest: bytes) -> int:
    """Bytes that no form of numbers with these lowest bytes is shorter than: where some are odd and
    others are not, a sparse form tells the ones or the others."""
    odd = lowest.translate(_ODD).count(1)
    return min(len(lowest) // 2, 2 * min(odd, len(lowest) - odd))


def most_common(numbers: SmallNumbers) -> int | None:
    """The byte of zero, where at least half of the numbers are zero; or the first one of which at
    least half are."""
    data, zero = numbers
    least = (len(data) + 1) // 2
    if 0 <= zero < 256 and data.count(zero) >= least:
        return zero
    while len(data) >= least:
        others = data.translate(None, data[:1])
        if len(data) - len(others) >= least:
            return data[0]
        data = others
    return None


def others_coded(numbers: SmallNumbers, common: int, others: bytes) -> bytes:
    data, zero = numbers
    marks = data.translate(b"\1" * common + b"\0" + b"\1" * (255 - common))
    told = [common - zero] * (1 + 2 * len(others))
    told[1::2] = map(len, marks.split(b"\1")[:-1])
    told[2::2] = [each - common for each in others]
    return _encoded(told)


def _dense(numbers: SmallNumbers) -> Form:
    data, zero = numbers
    sample = sample_of(data)
    shift = fullest(sample, HALF)
    near = _ALL[shift : shift + HALF]
    far = bytes((HALF,))
    halves = data.translate(far * shift + _ALL[: len(near)] + far * (256 - shift - len(near)))
    beyond = [shift - zero, *[each - shift for each in data.translate(None, near)]]
    best = in_halves(halves) + _encoded(beyond)
    if len(best) > len(data):
        shift = fullest(sample, BYTE) - LEAST
        dense = _encoded([shift - zero, *[each - shift for each in data]])
        if len(dense) <= len(best):
            return Form(DENSE, dense)
    return Form(HALVES, best)
