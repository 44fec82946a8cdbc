"""Distributions of times as documents write them, in milliseconds."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from choreomon.files.fields import (
    BRANCH,
    Milliseconds,
    Part,
    PositiveMilliseconds,
    branch_by_key,
    one_key,
    refused,
    shown,
)

MAX_SIGMA: Final = 10.0
"""Beyond it a log-normal draw is longer than anything a run could wait for."""


def _two_numbers(value: object) -> object:
    if not isinstance(value, list) or len(value) != 2:
        raise refused(f"should be two numbers in a list, not {shown(value)}")
    return value


def _ordered(bounds: tuple[float, float]) -> tuple[float, float]:
    if bounds[0] > bounds[1]:
        raise refused(f"should be [least, most] with least <= most, not {list(bounds)}")
    return bounds


class UniformDuration(Part):
    """A duration of which all values between the two bounds are equally likely."""

    uniform: Annotated[
        tuple[Milliseconds, Milliseconds],
        Field(strict=False, description="[least, most], in milliseconds"),
        AfterValidator(_ordered),
        BeforeValidator(_two_numbers),
    ]


class ExponentialDuration(Part):
    """Exponentially distributed."""

    exponential: PositiveMilliseconds = Field(description="the mean, in milliseconds")


class LognormalDuration(Part):
    """A duration whose logarithm is normally distributed with the deviation sigma."""

    lognormal: Annotated[
        tuple[PositiveMilliseconds, Annotated[float, Field(ge=0, le=MAX_SIGMA)]],
        Field(strict=False, description="[median in milliseconds, sigma]"),
        BeforeValidator(_two_numbers),
    ]


class ConstantDuration(Part):
    """A duration that is always the same."""

    constant: Milliseconds = Field(description="milliseconds")


Duration: TypeAlias = Annotated[
    Annotated[UniformDuration, Tag(f"{BRANCH}uniform")]
    | Annotated[ExponentialDuration, Tag(f"{BRANCH}exponential")]
    | Annotated[LognormalDuration, Tag(f"{BRANCH}lognormal")]
    | Annotated[ConstantDuration, Tag(f"{BRANCH}constant")],
    Discriminator(branch_by_key),
    BeforeValidator(
        one_key(
            ("uniform", "exponential", "lognormal", "constant"),
            "{uniform: [least, most]}, {exponential: mean}, {lognormal: [median, sigma]} or "
            "{constant: x}, in milliseconds",
        )
    ),
]
"""A distribution of times, in milliseconds."""

NO_TIME = ConstantDuration(constant=0)
