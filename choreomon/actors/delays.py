"""Delays: distributions of times, and samplers of them.

Distributions are in milliseconds, as in documents; draws are whole microseconds, rounded
to the nearest, halves up. A `Constant` takes nothing from its stream; every other
distribution takes something at every draw, also where its parameters leave no choice, so
that changing a parameter leaves later draws comparable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from choreomon.actors.randomness import exp, exponential, normal

if TYPE_CHECKING:
    from random import Random

LONGEST: Final = 2**53
"""The longest draw in microseconds, about 285 years; longer ones are cut to it. Doubles represent
all integers up to it."""

Sampler: TypeAlias = Callable[[], int]
"""Draws a time in whole microseconds, from 0 to `LONGEST`."""


@dataclass(frozen=True, slots=True)
class Uniform:
    """Uniform distribution between the bounds, in milliseconds."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Exponential:
    """Exponentially distributed, with the mean in milliseconds."""

    mean: float


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Log-normal distribution: the median in milliseconds, the deviation `sigma` of the
    logarithm."""

    median: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Constant:
    """Always the same, in milliseconds."""

    value: float


Delay: TypeAlias = Uniform | Exponential | LogNormal | Constant

NO_TIME: Final = Constant(0)


def microseconds(milliseconds: float) -> int:
    """Whole microseconds, rounded to the nearest, halves up; cut to `LONGEST`."""
    return int(min(milliseconds * 1000.0, float(LONGEST)) + 0.5)


def sampler(delay: Delay, random: Random) -> Sampler:
    """Draws times of this distribution from this stream. Parameters are trusted, as
    the reader of documents has seen to them: finite, not negative, and a median above 0."""
    longest = float(LONGEST)
    match delay:
        case Uniform(least, most):
            low = min(least * 1000.0, longest)
            span = min(most * 1000.0, longest) - low
            draw = random.random
            return lambda: int(low + span * draw() + 0.5)
        case Exponential(mean):
            scale = min(mean * 1000.0, longest)
            return lambda: int(min(scale * exponential(random), longest) + 0.5)
        case LogNormal(median, sigma):
            middle = min(median * 1000.0, longest)
            return lambda: int(min(middle * exp(sigma * normal(random)), longest) + 0.5)
        case Constant(value):
            always = microseconds(value)
            return lambda: always
    assert_never(delay)


@dataclass(frozen=True, slots=True)
class LinkDelays:
    """The delay of messages between any two processes. Links are `(sender, receiver)`: the
    two directions are two links."""

    default: Delay
    links: Mapping[tuple[str, str], Delay] = field(default_factory=dict)

    def between(self, sender: str, receiver: str) -> Delay:
        return self.links.get((sender, receiver), self.default)
