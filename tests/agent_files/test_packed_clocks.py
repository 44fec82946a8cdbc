"""Packed clocks are the clocks, and what is subtracted at once is what is subtracted one by one."""

from __future__ import annotations

from collections.abc import Callable
from operator import sub
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.agent_files.clocks.packed import (
    PackedClock,
    in_message_pack,
    packed,
    small_differences,
    small_entries,
    unpacked,
)
from choreomon.agent_files.clocks.small_numbers import SmallNumbers
from choreomon.core.vector_clock import VectorClock


def drawn(seed: int) -> tuple[VectorClock, VectorClock]:
    """Two clocks with as many entries, near each other or not, about the ends of each width."""
    random = Random(seed)
    count = random.randint(1, 60)
    level = random.choice([0, 100, 127, 128, 255, 256, 1000, 32_767, 32_768, 70_000, 1 << 60])
    spread = random.choice([0, 1, 60, 200, 40_000])
    apart = random.choice([0, 1, 127, 128, 129, 255, 300, 65_408])
    base = [random.randint(max(0, level - spread), level) for _ in range(count)]
    clock = [max(0, each + random.choice((0, 1, -apart, apart))) for each in base]
    if random.random() < 0.3:
        clock[random.randrange(count)] = random.choice([0, 127, 128, 32_767, 32_768, 1 << 60])
    return tuple(clock), tuple(base)


pairs = st.integers(0, 1 << 32).map(drawn)

Differences = Callable[[PackedClock, PackedClock], SmallNumbers | None]


def numbers_of(small: SmallNumbers) -> VectorClock:
    return tuple(each - small.zero for each in small.data)


@settings(max_examples=500)
@given(pairs)
def test_what_is_packed_comes_back(pair: tuple[VectorClock, VectorClock]) -> None:
    for clock in pair:
        data = packed(clock)
        assert unpacked(data) == clock
        assert data.entries == len(clock)
        assert data.lowest == bytes(each & 255 for each in clock)
        assert in_message_pack(data) == msgspec.msgpack.encode(clock)
        most = max(clock)
        assert data.width == (1 if most < 128 else 2 if most < 32_768 else 8)
    assert (packed(pair[0]) == packed(pair[1])) == (pair[0] == pair[1])


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40).map(tuple))
def test_numbers_that_are_no_counts_come_back_too(numbers: VectorClock) -> None:
    assert unpacked(packed(numbers)) == numbers
    assert in_message_pack(packed(numbers)) == msgspec.msgpack.encode(numbers)


@pytest.mark.parametrize("number", [1 << 63, -(1 << 63) - 1, 1 << 70])
def test_longer_numbers_are_refused(number: int) -> None:
    with pytest.raises(OverflowError):
        packed((1, number))


@settings(max_examples=1000)
@given(pairs)
def test_differences_are_those_of_the_entries(pair: tuple[VectorClock, VectorClock]) -> None:
    assert agrees(*pair)


def agrees(clock: VectorClock, base: VectorClock, found: Differences = small_differences) -> bool:
    """And there are some wherever each takes a byte and no entry is large."""
    differences = tuple(map(sub, clock, base))
    small = found(packed(clock), packed(base))
    near = max(*clock, *base) < 32_768 and all(-128 <= each < 128 for each in differences)
    return not near if small is None else near and numbers_of(small) == differences


@settings(max_examples=500)
@given(pairs)
def test_entries_are_those_of_the_clock(pair: tuple[VectorClock, VectorClock]) -> None:
    clock = pair[0]
    small = small_entries(packed(clock))
    if small is None:
        assert max(clock) - min(clock) > 127 or max(clock) >= 32_768
    else:
        assert numbers_of(small) == clock


def bytes_that_are_not_looked_at(clock: PackedClock, base: PackedClock) -> SmallNumbers:
    pairs = zip(unpacked(clock), unpacked(base), strict=True)
    return SmallNumbers(bytes((one - other + 128) & 255 for one, other in pairs), 128)


def test_bytes_that_are_not_looked_at_are_noticed() -> None:
    pairs = [drawn(seed) for seed in range(1000)]
    assert not all(agrees(*pair, bytes_that_are_not_looked_at) for pair in pairs)
