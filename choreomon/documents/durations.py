"""Distributions of times as documents write them, in milliseconds."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from choreomon.files.fields import Milliseconds, PositiveMilliseconds, one_key
from choreomon.files.shape_words import shown
from choreomon.files.shapes import After, Before, Bounds, Choice, Part, Refused, field

MAX_SIGMA: Final = 10.0
"""Beyond it a log-normal draw is longer than anything a run could wait for."""


def _two_numbers(value: object) -> object:
    if not isinstance(value, list) or len(value) != 2:
        raise Refused(f"should be two numbers in a list, not {shown(value)}")
    return value


def _ordered(bounds: tuple[float, float]) -> tuple[float, float]:
    if bounds[0] > bounds[1]:
        raise Refused(f"should be [least, most] with least <= most, not {list(bounds)}")
    return bounds


class UniformDuration(Part):
    """A duration of which all values between the two bounds are equally likely."""

    uniform: Annotated[tuple[Milliseconds, Milliseconds], After(_ordered), Before(_two_numbers)] = (
        field(description="[least, most], in milliseconds")
    )


class ExponentialDuration(Part):
    """Exponentially distributed."""

    exponential: PositiveMilliseconds = field(description="the mean, in milliseconds")


class LognormalDuration(Part):
    """A duration whose logarithm is normally distributed with the deviation sigma."""

    lognormal: Annotated[
        tuple[PositiveMilliseconds, Annotated[float, Bounds(least=0, most=MAX_SIGMA)]],
        Before(_two_numbers),
    ] = field(description="[median in milliseconds, sigma]")


class ConstantDuration(Part):
    """A duration that is always the same."""

    constant: Milliseconds = field(description="milliseconds")


Duration: TypeAlias = Annotated[
    UniformDuration | ExponentialDuration | LognormalDuration | ConstantDuration,
    Choice(
        one_key(
            ("uniform", "exponential", "lognormal", "constant"),
            "{uniform: [least, most]}, {exponential: mean}, {lognormal: [median, sigma]} or "
            "{constant: x}, in milliseconds",
        )
    ),
]
"""A distribution of times, in milliseconds."""

NO_TIME = ConstantDuration(constant=0.0)
