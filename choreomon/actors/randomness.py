"""Chance that is the same on every machine: named streams of one seed, and the functions
that turn their draws into distributions.

`random.Random` gives the same `random()` everywhere; the logarithms behind its
distributions come from the C library, and their last bit differs between machines. So
`log` and `exp` are computed here with operations that IEEE 754 rounds correctly (`+`, `-`,
`*`, `/`) or that are exact (`frexp`, `ldexp`), and the rest with these and `sqrt`, which
IEEE 754 rounds correctly too. Python evaluates one operation at a time, so nothing is
contracted into a fused operation.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, inf, ldexp, nan, sqrt
from random import Random
from typing import Final

LN2_HIGH: Final = float.fromhex("0x1.62e42feep-1")
"""The leading bits of ln 2, so few that a whole multiple of it below 2**11 is exact."""

LN2_LOW: Final = float.fromhex("0x1.a39ef35793c76p-33")
"""The difference of ln 2 and `LN2_HIGH`."""

LOG2_E: Final = float.fromhex("0x1.71547652b82fep+0")
SQRT_HALF: Final = float.fromhex("0x1.6a09e667f3bcdp-1")

_LOG_SERIES: Final = tuple(2.0 / (2 * k + 1) for k in range(12, 0, -1))
_EXP_SERIES: Final = (
    1 / 87178291200,
    1 / 6227020800,
    1 / 479001600,
    1 / 39916800,
    1 / 3628800,
    1 / 362880,
    1 / 40320,
    1 / 5040,
    1 / 720,
    1 / 120,
    1 / 24,
    1 / 6,
    1 / 2,
    1.0,
)


@dataclass(frozen=True, slots=True)
class Streams:
    """Independent streams of random numbers, by name, all from one seed.

    A stream depends on the seed and its own name alone: drawing from one, or having one
    more, changes nothing in the others. Every integer is a seed of its own.
    """

    seed: int

    def stream(self, *name: str) -> Random:
        """The stream of this name, from its beginning."""
        return Random(repr((self.seed, *name)))


def log(x: float) -> float:
    """The natural logarithm, within two units in the last place; `-inf` at 0 and `nan`
    below."""
    if x <= 0.0:
        return -inf if x == 0.0 else nan
    if x == inf:
        return inf
    mantissa, exponent = frexp(x)
    if mantissa < SQRT_HALF:
        mantissa, exponent = mantissa * 2.0, exponent - 1
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    series = 0.0
    for coefficient in _LOG_SERIES:
        series = (series + coefficient) * square
    fraction = 2.0 * ratio + ratio * series
    return exponent * LN2_HIGH + (fraction + exponent * LN2_LOW)


def exp(x: float) -> float:
    """The exponential, within two units in the last place; `inf` from about 709.8 on, and
    0 below -708, where a result would not have full precision."""
    if x > 709.78:
        return inf
    if x < -708.0:
        return 0.0
    exponent = int(x * LOG2_E + (0.5 if x >= 0.0 else -0.5))
    rest = (x - exponent * LN2_HIGH) - exponent * LN2_LOW
    series = 0.0
    for coefficient in _EXP_SERIES:
        series = (series + coefficient) * rest
    # In two steps, since 2**1024 itself is no double.
    return ldexp(2.0 * (1.0 + series), exponent - 1)


def exponential(random: Random) -> float:
    """A draw with mean 1, by inversion; takes one number from the stream."""
    return -log(1.0 - random.random())


def normal(random: Random) -> float:
    """A draw with mean 0 and deviation 1, by Marsaglia's polar method.

    Takes an even number of numbers from the stream. The second draw that the method
    yields is thrown away, so that nothing is remembered between draws.
    """
    while True:
        u = 2.0 * random.random() - 1.0
        v = 2.0 * random.random() - 1.0
        square = u * u + v * v
        if 0.0 < square < 1.0:
            return u * sqrt(-2.0 * log(square) / square)
