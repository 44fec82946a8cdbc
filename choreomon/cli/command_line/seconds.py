"""Durations and other real numbers that options give."""

from __future__ import annotations

import math
from typing import Any

import click


class Real(click.FloatRange):
    """A number within bounds; `nan`, which is within all of them for click, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no number", param, ctx)
        return number


class Seconds(Real):
    """A number of seconds above 0, `inf` among them."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)
