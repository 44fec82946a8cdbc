"""Clocks in few bytes: what is coded comes back, is never longer, and nothing else gets in."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.agent_files.clocks import coding as clock_coding
from choreomon.agent_files.clocks.coding import PLAIN, RELATIVE, CodedClock, clock_of, least_size_of
from choreomon.agent_files.clocks.forms import DENSE, HALVES, SPARSE
from choreomon.agent_files.clocks.packed import packed
from choreomon.core.errors import MalformedMessage
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import NEVER

size = msgspec.msgpack.encode


def coded(clock: VectorClock, base: VectorClock | None = None) -> CodedClock:
    return clock_coding.coded(packed(clock), None if base is None else packed(base))


def relative(clock: VectorClock, base: VectorClock) -> bytes | None:
    return clock_coding.relative(packed(clock), packed(base))


def slow_clock_of(code: bytes, base: VectorClock) -> VectorClock:
    """The definition of the three forms, entry by entry, as the module's docstring has it."""
    entries = len(base)
    form, rest = code[0], code[1:]
    if form >= RELATIVE:
        form -= RELATIVE
    else:
        base = (0,) * entries
    differences: list[int] = [0] * entries
    if form == HALVES:
        packed, rest = rest[: (entries + 1) // 2], rest[(entries + 1) // 2 :]
    shift, *numbers = msgspec.msgpack.decode(rest)
    for entry in range(entries):
        if form == DENSE:
            differences[entry] = numbers[entry]
        elif form == HALVES:
            half = packed[entry // 2] >> 4 if entry % 2 == 0 else packed[entry // 2] & 15
            differences[entry] = numbers.pop(0) if half == 15 else half
    if form == SPARSE:
        place = -1
        while numbers:
            skip, difference, *numbers = numbers
            place += skip + 1
            differences[place] = difference
    return tuple(old + shift + each for old, each in zip(base, differences, strict=True))


def pairs() -> st.SearchStrategy[tuple[VectorClock, VectorClock]]:
    """A clock and a base, near each other or not at all; from a seed each, since so many numbers
    would take long to draw one by one."""

    def drawn(seed: int) -> tuple[VectorClock, VectorClock]:
        random = Random(seed)
        count = random.randint(PLAIN + 1, 90)
        level = random.choice([0, 5, 200, 70_000, 2**40])
        spread = random.choice([0, 2, 20, 300, 2**33])
        ahead = random.choice([0, 3, 1000])
        among = random.choice([0, 1, 9, 2000])
        share = random.choice([0.05, 0.5, 1.0])
        base = [random.randint(max(0, level - spread), level + spread) for _ in range(count)]
        clock = [
            each + ahead + random.randint(-min(each, among), among)
            if random.random() < share
            else each
            for each in base
        ]
        for _ in range(random.randint(0, 3)):
            clock[random.randrange(count)] = random.choice([0, 1, 127, 128, NEVER])
        return tuple(clock), tuple(base)

    return st.integers(0, 1 << 32).map(drawn)


@settings(max_examples=400)
@given(pairs())
def test_what_is_coded_comes_back(pair: tuple[VectorClock, VectorClock]) -> None:
    clock, base = pair
    for against in (None, base):
        code = coded(clock, against)
        assert clock_of(code, len(clock), against) == clock
        assert len(size(code)) <= len(size(clock))
        assert least_size_of(packed(clock)) <= len(size(coded(clock)))
        if isinstance(code, bytes):
            assert slow_clock_of(code, base) == clock
    short = relative(clock, base)
    assert short is not None
    assert clock_of(short, len(clock), base) == slow_clock_of(short, base) == clock
    assert len(size(coded(clock, base))) <= max(len(size(short)), 18)


@given(st.lists(st.integers(-(2**62), 2**62), max_size=60).map(tuple), st.data())
def test_what_is_no_clock_comes_back_too(numbers: VectorClock, data: st.DataObject) -> None:
    """Whoever reads says what it is; and relative to one of another length is nothing."""
    other = data.draw(st.lists(st.integers(0, 9), max_size=60).map(tuple))
    code = coded(numbers, other)
    assert clock_of(code, len(numbers), other) == numbers
    assert len(numbers) == len(other) or relative(numbers, other) is None


def forms(count: int) -> dict[str, tuple[VectorClock, VectorClock | None, int]]:
    return {
        "few of many": (tuple(300 * (n % 50 == 0) for n in range(count)), None, SPARSE),
        "few changed": (
            tuple(n + (n % 50 == 0) for n in range(count)),
            (*range(count),),
            SPARSE + RELATIVE,
        ),
        "all ahead alike": (
            tuple(n + 1000 for n in range(count)),
            (*range(count),),
            SPARSE + RELATIVE,
        ),
        "not near at all": ((0,) * count, tuple(n * n for n in range(count)), SPARSE),
        "near each other": (tuple(5000 + n % 15 for n in range(count)), None, HALVES),
        "one is far": ((*(5000 + n % 15 for n in range(count - 1)), 0), None, HALVES),
        "around a level": (tuple(5000 + 7 * n % 150 for n in range(count)), None, DENSE),
    }


@pytest.mark.parametrize("count", [100, 101])
@pytest.mark.parametrize("case", forms(100))
def test_the_form_fits_the_clock(case: str, count: int) -> None:
    clock, base, form = forms(count)[case]
    code = coded(clock, base)
    assert isinstance(code, bytes)
    assert code[0] == form
    assert clock_of(code, count, base) == clock


def test_bytes_exact() -> None:
    sizes = {
        case: (len(size(clock)), len(size(coded(clock, base))))
        for case, (clock, base, _) in forms(100).items()
    }
    assert sizes == {
        "few of many": (107, 13),
        "few changed": (103, 9),
        "all ahead alike": (303, 7),
        "not near at all": (103, 5),
        "near each other": (303, 57),
        "one is far": (301, 60),
        "around a level": (303, 109),
    }


def test_small_clocks_stay_as_they_are() -> None:
    for count in (0, 1, PLAIN):
        clock = (1000,) * count
        assert coded(clock) == clock
        assert coded(clock, clock) == clock


def test_one_that_nothing_makes_shorter_stays_as_it_is() -> None:
    clock = tuple(n * n * 2 % 101 for n in range(100))
    assert coded(clock) == clock


def test_the_wrong_base_is_not_noticed_here() -> None:
    """So that it never happens is to be seen to elsewhere."""
    old, clock = (*range(100),), (*range(99), 100)
    assert clock_of(coded(clock, old), 100, (5,) * 100) == (*[5] * 99, 6)


def body(*numbers: object) -> bytes:
    return msgspec.msgpack.encode(numbers)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (b"", "an unknown form"),
        (b"\x03" + body(0), "an unknown form"),
        (b"\x07" + body(0), "there is no base"),
        (bytes([SPARSE + RELATIVE]) + body(0), "there is no base"),
        (bytes([DENSE]), "no coded clock"),
        (bytes([DENSE]) + body(), "without a shift"),
        (bytes([DENSE]) + body(0, 1, 2), "2 differences of 30 entries"),
        (bytes([DENSE]) + body(0, *["a"] * 30), "no coded clock"),
        (bytes([DENSE]) + body(0, *range(30)) + b"\0", "no coded clock"),
        (bytes([SPARSE]) + body(0, 1), "within a difference"),
        (bytes([SPARSE]) + body(0, 30, 1), "beyond its 30"),
        (bytes([SPARSE]) + body(0, 29, 1, 0, 1), "beyond its 30"),
        (bytes([SPARSE]) + body(0, 3, 1, -2, 1), "beyond its 30"),
        (bytes([SPARSE]) + body(0, 2**64 - 1, 1), "beyond its 30"),
        (bytes([HALVES]) + bytes(15), "no coded clock"),
        (bytes([HALVES]) + bytes(9), "no coded clock"),
        (bytes([HALVES]) + bytes(15) + body(0, 7), "1 differences that take more"),
        (bytes([HALVES]) + b"\xff" * 15 + body(0, 7), "1 differences that take more"),
    ],
)
def test_what_stands_for_no_clock_is_refused_with_the_reason(code: bytes, said: str) -> None:
    with pytest.raises(MalformedMessage, match=said):
        clock_of(code, 30)


def test_an_odd_half_that_nobody_needs_is_zero() -> None:
    clock = tuple(5000 + n % 15 for n in range(101))
    code = coded(clock)
    assert isinstance(code, bytes)
    damaged = bytearray(code)
    damaged[51] |= 1
    with pytest.raises(MalformedMessage, match="102 halves"):
        clock_of(bytes(damaged), 101)


def test_a_base_of_another_length_is_refused() -> None:
    with pytest.raises(MalformedMessage, match="relative to one of 29"):
        clock_of(coded((*range(30),), (*range(30),)), 30, (0,) * 29)


@settings(max_examples=500)
@given(st.integers(0, 7), st.binary(max_size=80), st.integers(0, 60))
def test_bytes_raise_nothing_but_malformed_message(form: int, rest: bytes, entries: int) -> None:
    try:
        clock = clock_of(bytes([form]) + rest, entries, (1,) * entries)
    except MalformedMessage:
        return
    assert len(clock) == entries


@settings(max_examples=500)
@given(pairs(), st.data())
def test_damaged_codes_raise_nothing_but_malformed_message(
    pair: tuple[VectorClock, VectorClock], data: st.DataObject
) -> None:
    clock, base = pair
    code = coded(clock, base)
    if not isinstance(code, bytes):
        return
    damaged = bytearray(code)
    for _ in range(data.draw(st.integers(0, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(damaged)))
    try:
        read = clock_of(bytes(damaged[:end]), len(clock), base)
    except MalformedMessage:
        return
    assert len(read) == len(clock)
