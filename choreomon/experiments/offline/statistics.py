"""Statistics that papers print of many measurements."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple


class Summary(NamedTuple):
    """The least, the quartiles, the mean, the greatest, and the standard deviation of a sample
    (0 for a single value), all in the unit of the values."""

    minimum: float
    first_quartile: float
    median: float
    mean: float
    third_quartile: float
    maximum: float
    deviation: float


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile of values (at least one) in ascending order: a share of them lies below it;
    interpolated between neighbours."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def summary(values: Sequence[float]) -> Summary:
    """The summary of at least one value. Raises ValueError if there is none."""
    if not values:
        raise ValueError("nothing was measured")
    ordered = sorted(values)
    mean = sum(ordered) / len(ordered)
    spread = sum((value - mean) ** 2 for value in ordered)
    return Summary(
        minimum=ordered[0],
        first_quartile=quantile(ordered, 0.25),
        median=quantile(ordered, 0.5),
        mean=mean,
        third_quartile=quantile(ordered, 0.75),
        maximum=ordered[-1],
        deviation=sqrt(spread / (len(ordered) - 1)) if len(ordered) > 1 else 0.0,
    )
