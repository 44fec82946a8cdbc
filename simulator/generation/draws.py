"""Picks and orders that are the same on every machine and under every version of Python.

Of all that a generator has, only `random()` is promised to stay as it is; so everything here is
made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def below(random: Random, bound: int) -> int:
    """A whole number from 0 to `bound` - 1; takes one number from the stream."""
    return int(random.random() * bound)


def pick(random: Random, items: Sequence[T]) -> T:
    """One of them; takes one number from the stream. `items` is not empty."""
    return items[below(random, len(items))]


def shuffled(random: Random, items: Iterable[T]) -> list[T]:
    """All of them, in an order that is drawn; takes a number for each from the stream."""
    left = [*items]
    for last in range(len(left) - 1, -1, -1):
        other = below(random, last + 1)
        left[last], left[other] = left[other], left[last]
    return left


def some(random: Random, items: Iterable[T], number: int) -> list[T]:
    """`number` of them, at most all, in an order that is drawn."""
    return shuffled(random, items)[:number]


def rounded_share(share: float, number: int) -> int:
    """So much of `number`, rounded to the nearest, halves up."""
    return int(share * number + 0.5)
