"""The time of a world."""

from __future__ import annotations

from math import ceil
from typing import Final

TICK: Final = 1 / (1 << 20)
"""Seconds. Times of a world are multiples of it, so that clocks with another start show the same
times exactly."""


def rounded_up(seconds: float) -> float:
    """The next time of a world."""
    return ceil(seconds / TICK) * TICK
