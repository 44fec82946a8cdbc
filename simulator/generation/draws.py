"""Picks and orders that are the same on every machine and under every version of Python.

Python promises to keep only `random()` of a generator as it is; so everything here is made of it.
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
    """Pick one of the items, of which there is at least one; takes one number from the stream."""
    return items[below(random, len(items))]


def shuffled(random: Random, items: Iterable[T]) -> list[T]:
    """Shuffle the items; takes one number from the stream for each."""
    left = [*items]
    for last in range(len(left) - 1, -1, -1):
        other = below(random, last + 1)
        left[last], left[other] = left[other], left[last]
    return left


def some(random: Random, items: Iterable[T], number: int) -> list[T]:
    """Draw `number` of the items, at most all, in a random order."""
    return shuffled(random, items)[:number]


def rounded_share(share: float, number: int) -> int:
    """Compute a share of `number`, rounded to the nearest, halves up."""
    return int(share * number + 0.5)
