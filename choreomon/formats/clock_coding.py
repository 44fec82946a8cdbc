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
`choreomon.formats.clock_links` sees to it, for the number of entries the id of the system in a
frame.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from operator import sub
from typing import Final, TypeAlias

import msgspec

from choreomon.core.errors import MalformedMessage
from choreomon.core.vector_clock import VectorClock

CodedClock: TypeAlias = tuple[int, ...] | bytes
"""The entries, or a byte string that `clock_of` reads."""

PLAIN: Final = 24
"""Entries of a clock that is never coded: it has little to spare, and the time is better spent."""

DENSE: Final = 0
SPARSE: Final = 1
HALVES: Final = 2
RELATIVE: Final = 4
"""On top of one of these."""

SHORT: Final = 16
"""Bytes of a relative form of which none by itself is much shorter."""

_LEAST: Final = -32
_BYTE: Final = 160
"""Numbers from `_LEAST` on that take one byte."""
_HALF: Final = 15
"""Numbers from 0 on that take four bits."""
_SAMPLE: Final = 64
"""Differences that are looked at to find what all have in common."""

_DIGITS: Final = b"0123456789abcdef"
_TO_DIGITS: Final = bytes.maketrans(bytes(range(16)), _DIGITS)
_FROM_DIGITS: Final = bytes.maketrans(_DIGITS, bytes(range(16)))

_encoded: Final = msgspec.msgpack.Encoder().encode
_decoded: Final = msgspec.msgpack.Decoder(list[int]).decode


def coded(clock: VectorClock, base: VectorClock | None = None) -> CodedClock:
    """A short form of a clock, by itself or relative to the base; no longer than the clock as it
    is. One that has not as many entries as the base stays as it is."""
    if base is not None:
        short = relative(clock, base)
        if short is None:
            return clock
        if len(short) <= SHORT:
            return short
        code = coded(clock)
        return code if size_of(code) < size_of(short) else short
    count = len(clock)
    if count <= PLAIN:
        return clock
    code = _shortest(clock, 0)
    # A third of it is taken to be less than all of it, without looking.
    return clock if 3 * len(code) > count and size_of(clock) <= size_of(code) else code


def relative(clock: VectorClock, base: VectorClock) -> bytes | None:
    """A form of a clock relative to a base; none where it has few entries, or not as many as the
    base."""
    count = len(clock)
    if count <= PLAIN or len(base) != count:
        return None
    if clock == base:
        return _NO_DIFFERENCE
    return _shortest(tuple(map(sub, clock, base)), RELATIVE)


def size_of(code: CodedClock) -> int:
    """Bytes that it takes in a frame."""
    return len(_encoded(code))


def clock_of(code: CodedClock, entries: int, base: VectorClock | None = None) -> VectorClock:
    """The clock, of so many entries where `code` is a byte string; else as many as it has. `base`
    is used where the code is relative.

    Raises `MalformedMessage`, and nothing else, for bytes that stand for no clock of so many
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


def _shortest(differences: VectorClock, relative: int) -> bytes:
    sparse = _sparse(differences)
    if sparse is not None and len(sparse) < len(differences) // 2:  # the least that others take
        form, best = SPARSE, sparse
    else:
        form, best = _dense(differences)
        if sparse is not None and len(sparse) <= len(best):
            form, best = SPARSE, sparse
    return bytes((form + relative,)) + best


def _sparse(differences: VectorClock) -> bytes | None:
    """Where most differences are one and the same."""
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


def _dense(differences: VectorClock) -> tuple[int, bytes]:
    """Dense, or in halves."""
    sample = sorted(differences[:: len(differences) // _SAMPLE + 1])
    shift = _fullest(sample, _HALF)
    left = [each - shift for each in differences]
    halves = bytes([each if 0 <= each < _HALF else _HALF for each in left])
    beyond = [shift, *[each for each in left if not 0 <= each < _HALF]]
    packed = bytes.fromhex((halves + b"\0"[: len(halves) % 2]).translate(_TO_DIGITS).decode())
    best = packed + _encoded(beyond)
    if len(best) > len(differences):  # the least that the other one takes
        shift = _fullest(sample, _BYTE) - _LEAST
        dense = _encoded([shift, *[each - shift for each in differences]])
        if len(dense) <= len(best):
            return DENSE, dense
    return HALVES, best


def _from_halves(packed: bytes, shift: int, beyond: list[int], base: VectorClock) -> VectorClock:
    halves = packed.hex().encode("ascii").translate(_FROM_DIGITS)
    if len(halves) % 2 != 0 or len(halves) - len(base) not in (0, 1) or any(halves[len(base) :]):
        raise MalformedMessage(f"{len(halves)} halves of bytes for {len(base)} entries")
    differences: Sequence[int] = halves[: len(base)]
    if differences.count(_HALF) != len(beyond):
        raise MalformedMessage(f"{len(beyond)} differences that take more than half a byte")
    if beyond:
        rest = iter(beyond)
        differences = [next(rest) if each == _HALF else each for each in differences]
    return tuple([old + shift + each for old, each in zip(base, differences, strict=True)])


def _fullest(sample: Sequence[int], width: int) -> int:
    """Where the window of this width begins that has most of a sorted sample in it."""

    def within(place: int) -> int:
        return bisect_left(sample, sample[place] + width) - place

    return sample[max(range(len(sample)), key=within)]


_NO_DIFFERENCE: Final = bytes((SPARSE + RELATIVE,)) + _encoded([0])
