"""Picks and orders made of `random()` alone."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from simulator.generation.draws import below, pick, rounded_share, shuffled, some


class OnlyRandom(Random):
    """Whose other methods nobody may use: they may give something else in another Python."""

    def getrandbits(self, k: int) -> int:
        raise AssertionError(k)


def test_every_number_below_the_bound_comes_up_and_no_other() -> None:
    random = OnlyRandom(1)
    assert {below(random, 5) for _ in range(200)} == {0, 1, 2, 3, 4}
    assert {pick(random, "abc") for _ in range(100)} == {"a", "b", "c"}


def test_all_orders_come_up_about_as_often() -> None:
    random = OnlyRandom(2)
    orders = Counter(tuple(shuffled(random, "abc")) for _ in range(6_000))
    assert len(orders) == 6
    assert all(900 < times < 1_100 for times in orders.values())


def test_some_are_different_ones_and_at_most_all() -> None:
    random = OnlyRandom(3)
    assert len({*some(random, range(9), 4)}) == 4
    assert sorted(some(random, range(3), 8)) == [0, 1, 2]
    assert some(random, range(3), 0) == []


@pytest.mark.parametrize(
    ("share", "number", "rounded"),
    [(0, 7, 0), (1, 7, 7), (0.5, 7, 4), (0.3, 18, 5), (0.1, 4, 0), (0.9, 0, 0)],
)
def test_shares_are_rounded_to_the_nearest(share: float, number: int, rounded: int) -> None:
    assert rounded_share(share, number) == rounded


def test_the_same_is_drawn_in_every_python() -> None:
    assert shuffled(Random(0), range(8)) == [0, 3, 4, 7, 1, 2, 5, 6]
