"""A vector clock as few bytes, by itself or relative to a base that its reader has.

A clock of at most `PLAIN` entries is written as it is, an array of its entries; so is any clock
that nothing makes shorter. Every other one is a byte string: the number of a form, and what it
says.

    0  dense    [shift, d, d, ...]              a difference for every entry
    1  sparse   [shift, skip, d, skip, d, ...]  `skip` entries without a difference, then one with d
    2  halves   four bits for every entry, the first one in the upper half of its byte, then
                [shift, d, d, ...]              a difference for every entry whose bits are 15

An entry is `shift` and its difference, and that of the base where the number of the form is greater
by `RELATIVE`. `shift` is what entries have in common: where all processes talk to each other all
counts grow alike, and what is left is small. Arrays and numbers are MessagePack's, a number from
one byte (-32 to 127) to nine, so that the loops over entries are those of libraries.

Whoever reads with another base than was written with, or with another number of entries in mind,
may get another clock, and no error: that both have the same ones is the caller's to know. For bases
`choreomon.agent_files.clocks.links` sees to it, for the number of entries the id of the system in a
frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import sub
from typing import Final, TypeAlias

import msgspec

from choreomon.agent_files.clocks.forms import DENSE, HALF, HALVES, SPARSE, shortest
from choreomon.agent_files.clocks.packed import (
    PackedClock,
    small_differences,
    small_entries,
    unpacked,
)
from choreomon.agent_files.clocks.small_numbers import least_of, shortest_of_small
from choreomon.core.errors import MalformedMessage
from choreomon.core.vector_clock import VectorClock

CodedClock: TypeAlias = tuple[int, ...] | bytes
"""The entries, or a byte string that `clock_of` reads."""

PLAIN: Final = 24
"""Entries of a clock that is never coded: it has little to spare, and the time is better spent."""

RELATIVE: Final = 4
"""A flag, added to the number of a form."""

SHORT: Final = 16
"""Bytes of a relative form of which none by itself is much shorter."""

_FROM_DIGITS: Final = bytes.maketrans(b"0123456789abcdef", bytes(range(16)))

_encoded: Final = msgspec.msgpack.Encoder().encode
_decoded: Final = msgspec.msgpack.Decoder(list[int]).decode


def coded(clock: PackedClock, base: PackedClock | None = None) -> CodedClock:
    """A short form of a clock, by itself or relative to the base; no longer than the clock as it
    is. One that has not as many entries as the base stays as it is."""
    if base is not None:
        short = relative(clock, base)
        if short is None:
            return unpacked(clock)
        if len(short) <= SHORT or size_of(short) <= least_size_of(clock):
            return short
        code = coded(clock)
        return code if size_of(code) < size_of(short) else short
    count = clock.entries
    if count <= PLAIN:
        return unpacked(clock)
    small = small_entries(clock)
    form = shortest(unpacked(clock)) if small is None else shortest_of_small(small)
    code = bytes((form.number,)) + form.data
    # A third of its size is surely less: no need to compare.
    if 3 * len(code) > count and size_of(plain := unpacked(clock)) <= size_of(code):
        return plain
    return code


def relative(clock: PackedClock, base: PackedClock) -> bytes | None:
    """A form of a clock relative to a base; none where it has few entries, or not as many as the
    base."""
    count = clock.entries
    if count <= PLAIN or base.entries != count:
        return None
    if clock == base:
        return _NO_DIFFERENCE
    small = small_differences(clock, base)
    if small is None:
        form = shortest(tuple(map(sub, unpacked(clock), unpacked(base))))
    else:
        form = shortest_of_small(small)
    return bytes((form.number + RELATIVE,)) + form.data


def size_of(code: CodedClock) -> int:
    """Bytes that it takes in a frame."""
    return len(_encoded(code))


def least_size_of(clock: PackedClock) -> int:
    """Bytes that it takes in a frame at least, by itself: found without coding it."""
    return least_of(clock.lowest)


def clock_of(code: CodedClock, entries: int, base: VectorClock | None = None) -> VectorClock:
    """The clock, of this many entries where `code` is a byte string; else as many as it has. `base`
    is used where the code is relative.

    Raises `MalformedMessage`, and nothing else, for bytes that stand for no clock of this many
    entries. That entries are counts is not checked. Memory: a few words for an entry, and for a
    byte of `code`.
    """
    if not isinstance(code, bytes):
        return code
    form = code[0] if code else -1
    if form >= RELATIVE:
        form -= RELATIVE
        if base is None:
            raise MalformedMessage("a clock that is relative, and there is no base")
        if len(base) != entries:
            raise MalformedMessage(f"a clock of {entries} entries relative to one of {len(base)}")
    else:
        base = (0,) * entries
    if form == DENSE:
        shift, numbers = _numbers(code[1:])
        if len(numbers) != entries:
            raise MalformedMessage(f"{len(numbers)} differences of {entries} entries")
        return tuple([old + shift + each for old, each in zip(base, numbers, strict=True)])
    if form == SPARSE:
        return _from_sparse(*_numbers(code[1:]), base)
    if form == HALVES:
        end = 1 + (entries + 1) // 2
        return _from_halves(code[1:end], *_numbers(code[end:]), base)
    raise MalformedMessage("a clock in an unknown form")


def _numbers(data: bytes) -> tuple[int, list[int]]:
    """The shift, and the numbers after it."""
    try:
        numbers = _decoded(data)
    except msgspec.MsgspecError as error:
        raise MalformedMessage(f"no coded clock: {error}") from None
    if not numbers:
        raise MalformedMessage("a coded clock without a shift")
    return numbers[0], numbers[1:]


def _from_sparse(shift: int, numbers: list[int], base: VectorClock) -> VectorClock:
    if len(numbers) % 2:
        raise MalformedMessage("a coded clock ends within a difference")
    entries = [each + shift for each in base] if shift else list(base)
    place, end = 0, len(entries)
    for skip, difference in zip(numbers[::2], numbers[1::2], strict=True):
        place += skip
        if skip < 0 or place >= end:
            raise MalformedMessage(f"a coded clock with an entry beyond its {end}")
        entries[place] += difference
        place += 1
    return tuple(entries)


def _from_halves(packed: bytes, shift: int, beyond: list[int], base: VectorClock) -> VectorClock:
    halves = packed.hex().encode("ascii").translate(_FROM_DIGITS)
    if len(halves) % 2 != 0 or len(halves) - len(base) not in (0, 1) or any(halves[len(base) :]):
        raise MalformedMessage(f"{len(halves)} halves of bytes for {len(base)} entries")
    differences: Sequence[int] = halves[: len(base)]
    if differences.count(HALF) != len(beyond):
        raise MalformedMessage(f"{len(beyond)} differences that take more than half a byte")
    if beyond:
        rest = iter(beyond)
        differences = [next(rest) if each == HALF else each for each in differences]
    return tuple([old + shift + each for old, each in zip(base, differences, strict=True)])


_NO_DIFFERENCE: Final = bytes((SPARSE + RELATIVE,)) + _encoded([0])
