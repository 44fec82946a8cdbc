"""Fits of series: constant, linear or bent, decided by least squares, not by eye.

A series has several measurements at each of some places. Four models are fitted to all of them: a
constant, a line, a parabola, and a mean of its own for every place, which has any shape. The model
with the least Bayesian information criterion is taken (Schwarz 1978): of `n` measurements and `k`
coefficients it is `n ln(rss / n) + k ln n`, so another coefficient must lower the sum of the
squared residuals (`rss`) by a factor of about `n ** (1 / n)` to be worth having. A series counts as
linear when that is the line, and not when a line merely has a high R^2: that of `x ** 2` over 2 to
6 is 0.98.

Assumed, and not tested: that residuals are alike at all places and independent. With few or
scattered measurements a real bend or growth may go unnoticed; `spread` says how far they scatter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, TypeAlias

Shape: TypeAlias = Literal["constant", "linear", "bent", "irregular"]
"""The model chosen: a constant, a line, a parabola, or none of these."""

LEAST_PLACES: Final = 4
"""The least number of places for a fit: three always lie on a parabola."""
_EXACT: Final = 1e-9
"""Share of the sum of squares about the mean; less than this is rounding."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The fit of one series.

    - `places`, and the `means` there;
    - `shape`: the model chosen;
    - `slope`, `intercept`: of the line; `r2`: the share of the squares about the mean of all
      measurements that it explains, and `r2_of_means` that of the means, as a plot of them shows. 1
      if there is nothing to explain;
    - `residuals`: the means without the line;
    - `bend`: twice the coefficient of the square: how much the slope of the parabola changes from
      one place to the next, one further;
    - `spread`: the standard deviation of measurements about the means of their places;
    - `criteria`: the criterion of each model, where it could be fitted.
    """

    places: tuple[float, ...]
    means: tuple[float, ...]
    shape: Shape
    slope: float
    intercept: float
    r2: float
    r2_of_means: float
    residuals: tuple[float, ...]
    bend: float
    spread: float
    criteria: tuple[tuple[Shape, float], ...]

    @property
    def grows_linearly(self) -> bool:
        return self.shape == "linear" and self.slope > 0

    @property
    def rises(self) -> int:
        """The number of steps from one place to the next at which the mean rises."""
        return sum(later > before for before, later in pairwise(self.means))


def fit(series: Mapping[float, Sequence[float]]) -> Fit:
    """The fit of measurements by place. Raises `ValueError` if there are fewer than `LEAST_PLACES`
    places, or a place has no measurements."""
    if len(series) < LEAST_PLACES or not all(series.values()):
        raise ValueError(f"at least {LEAST_PLACES} places with measurements are needed")
    places = tuple(sorted(series))
    points = [(place, value) for place in places for value in series[place]]
    means = tuple(_mean(series[place]) for place in places)
    mean_of = dict(zip(places, means, strict=True))
    overall = _mean([value for _, value in points])
    a_line, parabola = polynomial(points, 1), polynomial(points, 2)
    total = _squares(points, lambda _: overall)
    models: list[tuple[Shape, Callable[[float], float], int]] = [
        ("constant", lambda _: overall, 1),
        ("linear", lambda x: evaluated(a_line, x), 2),
        ("bent", lambda x: evaluated(parabola, x), 3),
    ]
    if len(points) > len(places):
        models.append(("irregular", mean_of.__getitem__, len(places)))
    criteria = tuple(
        (shape, _criterion(_squares(points, model), total, len(points), coefficients))
        for shape, model, coefficients in models
    )
    within = _squares(points, mean_of.__getitem__)
    freedom = len(points) - len(places)
    line_of = {x: evaluated(a_line, x) for x in places}
    return Fit(
        places=places,
        means=means,
        shape=min(criteria, key=lambda each: each[1])[0] if total else "constant",
        slope=a_line[1],
        intercept=a_line[0],
        r2=_explained(_squares(points, line_of.__getitem__), total),
        r2_of_means=_r2_of_means(places, means),
        residuals=tuple(mean_of[x] - line_of[x] for x in places),
        bend=2 * parabola[2],
        spread=math.sqrt(within / freedom) if freedom else 0.0,
        criteria=criteria,
    )


def polynomial(points: Sequence[tuple[float, float]], degree: int) -> tuple[float, ...]:
    """The coefficients of the polynomial with the least sum of squared residuals, that of the
    lowest power first: the normal equations, about the mean place, solved by elimination. There
    must be more different places than `degree`."""
    centre = _mean([x for x, _ in points])
    size = degree + 1
    rows = [
        [sum((x - centre) ** (i + j) for x, _ in points) for j in range(size)]
        + [sum(y * (x - centre) ** i for x, y in points)]
        for i in range(size)
    ]
    for pivot in range(size):
        best = max(range(pivot, size), key=lambda row: abs(rows[row][pivot]))
        rows[pivot], rows[best] = rows[best], rows[pivot]
        for row in range(size):
            if row != pivot:
                factor = rows[row][pivot] / rows[pivot][pivot]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[pivot], strict=True)]
    about = [rows[i][size] / rows[i][i] for i in range(size)]
    return tuple(
        sum(
            about[j] * math.comb(j, i) * (-centre) ** (j - i)  # (x - centre) ** j, multiplied out
            for j in range(i, size)
        )
        for i in range(size)
    )


def evaluated(coefficients: Sequence[float], x: float) -> float:
    return sum(c * x**power for power, c in enumerate(coefficients))


def _squares(points: Iterable[tuple[float, float]], model: Callable[[float], float]) -> float:
    return sum((y - model(x)) ** 2 for x, y in points)


def _criterion(squares: float, total: float, number: int, coefficients: int) -> float:
    least = _EXACT * total
    if not total:
        return coefficients * math.log(number)
    return number * math.log(max(squares, least) / number) + coefficients * math.log(number)


def _explained(squares: float, total: float) -> float:
    return 1 - squares / total if total else 1.0


def _r2_of_means(places: Sequence[float], means: Sequence[float]) -> float:
    points = list(zip(places, means, strict=True))
    overall = _mean(means)
    a_line = polynomial(points, 1)
    return _explained(
        _squares(points, lambda x: evaluated(a_line, x)), _squares(points, lambda _: overall)
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
