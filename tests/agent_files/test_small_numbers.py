"""Differences of a byte each: the shortest form of them is the one that is found entry by entry."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.agent_files.clocks import small_numbers
from choreomon.agent_files.clocks.forms import DENSE, HALF, HALVES, SPARSE, Form, shortest
from choreomon.agent_files.clocks.small_numbers import SmallNumbers, least_of, shortest_of_small


def drawn(seed: int) -> tuple[int, ...]:
    """Numbers at most a byte apart: most of them alike, or near each other, or not."""
    random = Random(seed)
    count = random.randint(1, 300)
    level = random.choice([0, 0, -90, 7, 5000])
    spread = random.choice([0, 1, 5, 13, 14, 40, 127])
    others = random.choice([0.0, 0.02, 0.3, 0.5, 0.9])
    span = random.choice([1, 20, 127])
    numbers = [level + random.randint(0, spread) for _ in range(count)]
    numbers = [level + random.randint(0, span) if random.random() < others else n for n in numbers]
    if random.random() < 0.2:  # as many of the one as of the other
        numbers = [random.choice((level, level + 1))] * (count // 2) + [level + 2] * (count // 2)
        numbers = numbers or [level]
        random.shuffle(numbers)
    return tuple(numbers)


def small(numbers: tuple[int, ...], below: int = 0) -> SmallNumbers:
    """`below`: how much is left below the least of them."""
    zero = below - min(numbers)
    return SmallNumbers(bytes(each + zero for each in numbers), zero)


@settings(max_examples=1000)
@given(st.integers(0, 1 << 32).map(drawn), st.integers(0, 128))
def test_the_form_is_the_one_that_is_found_entry_by_entry(
    numbers: tuple[int, ...], below: int
) -> None:
    form = shortest(numbers)
    assert shortest_of_small(small(numbers, below)) == form
    assert least_of(bytes(each & 255 for each in numbers)) <= len(form.data)


def test_the_law_sees_every_form() -> None:
    assert {shortest(drawn(seed)).number for seed in range(300)} == {SPARSE, HALVES, DENSE}


def disagree(found: Callable[[SmallNumbers], Form] = shortest_of_small) -> int:
    return sum(found(small(each)) != shortest(each) for each in map(drawn, range(1000)))


def test_planted_mistakes_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert disagree() == 0
    common, sparse = small_numbers.most_common, small_numbers.others_coded
    planted: dict[str, object] = {
        "most_common": lambda numbers: None if common(numbers) == numbers.zero else common(numbers),
        "others_coded": lambda numbers, most, others: sparse(numbers, most, others[::-1]),
        "_SHIFT": 6,
        "HALF": HALF - 1,
        "LEAST": -31,
    }
    for name, mistake in planted.items():
        with monkeypatch.context() as patch:
            patch.setattr(small_numbers, name, mistake)
            assert disagree() > 0, name


def test_the_first_of_two_that_are_half_of_all_is_what_they_have_in_common() -> None:
    for numbers in ((5, 9) * 20, (9, 5) * 20):
        assert shortest_of_small(small(numbers)) == shortest(numbers)
    assert shortest((0, 9) * 20) == shortest_of_small(small((0, 9) * 20))
    assert shortest((9, 0) * 20) == shortest_of_small(small((9, 0) * 20))


def test_what_is_said_to_be_the_least_is_too_much_where_like_ones_are_taken_for_others() -> None:
    """A planted mistake in it: as many bytes as there are odd ones."""
    alike = bytes([7]) * 100
    assert least_of(alike) == 0
    assert 2 * alike.translate(small_numbers._ODD).count(1) > len(shortest(tuple(alike)).data)
