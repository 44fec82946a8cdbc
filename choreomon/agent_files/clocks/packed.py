"""A clock as bytes, of one width for all its entries: a fourth or less of the memory of its tuple,
compared at once, and subtracted at once.

The entries of a clock are read as one number, and the difference of two clocks is the difference of
two numbers. `_ZERO` is added to each entry, so that none borrows from the one beside it as long as
all differences are near zero; where they are not, something is left in bytes that would be empty.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from choreomon.agent_files.clocks.small_numbers import SmallNumbers
from choreomon.core.vector_clock import VectorClock

_ZERO: Final = 128
_MOST: Final = 255
"""The largest distance of two numbers of one byte."""
_SAMPLE: Final = 64
"""Entries examined to find where most are."""

_encoded: Final = msgspec.msgpack.Encoder().encode


class PackedClock(NamedTuple):
    """`width`: the least that all entries have room in. 1: below 2^7; 2: below 2^15; 8: any numbers
    from -2^63 to below 2^63. `data`: that many bytes an entry, the least significant one first."""

    width: int
    data: bytes

    @property
    def entries(self) -> int:
        """The number of entries."""
        return len(self.data) // self.width

    @property
    def lowest(self) -> bytes:
        """The least significant byte of every entry."""
        return self.data[:: self.width]


def packed(clock: VectorClock) -> PackedClock:
    """Raises `OverflowError` for numbers of more than 64 bits."""
    try:
        data = bytes(bytearray(clock))
        if data.isascii():
            return PackedClock(1, data)
    except ValueError:
        pass
    try:
        data = _array(len(clock), 2).pack(*clock)
        if data[1::2].isascii():
            return PackedClock(2, data)
    except struct.error:
        pass
    try:
        return PackedClock(8, _array(len(clock), 8).pack(*clock))
    except struct.error as error:
        raise OverflowError(str(error)) from None


def unpacked(clock: PackedClock) -> VectorClock:
    """The clock that was packed."""
    if clock.width == 1:
        return tuple(clock.data)
    return _array(clock.entries, clock.width).unpack(clock.data)


def in_message_pack(clock: PackedClock) -> bytes:
    """The clock as an array of MessagePack, in which a number below 128 is its byte."""
    if clock.width == 1:
        return _head(clock.entries) + clock.data
    return _encoded(unpacked(clock))


def small_differences(clock: PackedClock, base: PackedClock) -> SmallNumbers | None:
    """Differences of two clocks with as many entries, where each is from -128 to 127 and no entry
    is large."""
    width = max(clock.width, base.width)
    if width > 2:
        return None
    data = _near(_as_number(clock, width), _as_number(base, width), clock.entries, width)
    return None if data is None else SmallNumbers(data, _ZERO)


def small_entries(clock: PackedClock) -> SmallNumbers | None:
    """The entries, where they are small or near each other."""
    if clock.width == 1:
        return SmallNumbers(clock.data, 0)
    if clock.width > 2:
        return None
    count = clock.entries
    some = memoryview(clock.data).cast("H")[:: count // _SAMPLE + 1].tolist()
    least, most = min(some), max(some)
    if most - least > _MOST:
        return None
    level = (least + most) // 2
    data = _near(_as_number(clock, 2), level * _ones(count, 2), count, 2)
    return None if data is None else SmallNumbers(data, _ZERO - level)


def _as_number(clock: PackedClock, width: int) -> int:
    data = clock.data
    if clock.width < width:
        wide = bytearray(len(data) * width)
        wide[::width] = data
        data = bytes(wide)
    return int.from_bytes(data, "little")


def _near(clock: int, base: int, count: int, width: int) -> bytes | None:
    """The differences of entries and `_ZERO`, where each takes a byte."""
    try:
        data = (clock + _ZERO * _ones(count, width) - base).to_bytes(count * width, "little")
    except OverflowError:  # the last one is negative
        return None
    if width == 2 and data[1::2] != bytes(count):
        return None
    return data[::width]


@lru_cache(maxsize=4)
def _array(count: int, width: int) -> struct.Struct:
    return struct.Struct(f"<{count}{'H' if width == 2 else 'q'}")


@lru_cache(maxsize=4)
def _ones(count: int, width: int) -> int:
    return int.from_bytes((1).to_bytes(width, "little") * count, "little")


@lru_cache(maxsize=4)
def _head(count: int) -> bytes:
    """The first bytes of an array of this many entries."""
    array = _encoded((0,) * count)
    return array[: len(array) - count]
