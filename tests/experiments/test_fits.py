"""What shape a series has: planted ones, and least squares beside exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.experiments.monitoring.fits import Fit, evaluated, fit, polynomial

PLACES = range(3, 10)


def planted(
    model: Callable[[float], float], noise: float = 0.0, seed: int = 0, number: int = 10
) -> Fit:
    random = Random(seed)
    return fit({x: [model(x) + random.gauss(0, noise) for _ in range(number)] for x in PLACES})


def shapes(model: Callable[[float], float], noise: float) -> set[str]:
    return {planted(model, noise, seed).shape for seed in range(8)}


def test_a_planted_line_reads_as_linear() -> None:
    found = planted(lambda x: 3 * x + 2)
    assert found.grows_linearly
    assert (found.slope, found.intercept) == (pytest.approx(3), pytest.approx(2))
    assert found.r2 == found.r2_of_means == pytest.approx(1)
    assert found.residuals == pytest.approx([0] * 7, abs=1e-9)
    assert shapes(lambda x: 3 * x + 2, noise=2) == {"linear"}


def test_a_planted_parabola_does_not_though_its_r2_is_high() -> None:
    found = fit({x: [float(x * x)] for x in range(2, 7)})
    assert found.r2 == pytest.approx(0.9786, abs=1e-4)
    assert (found.shape, found.bend) == ("bent", pytest.approx(2))
    assert found.residuals == pytest.approx([2, -1, -2, -1, 2])
    assert shapes(lambda x: x * x, noise=3) == {"bent"}


def test_planted_noise_is_neither() -> None:
    assert shapes(lambda _: 50, noise=10) == {"constant"}
    assert not planted(lambda _: 50, noise=10).grows_linearly


def test_a_constant_series_is_constant() -> None:
    found = planted(lambda _: 7)
    assert (found.shape, found.slope, found.r2) == ("constant", pytest.approx(0), 1)


def test_a_zigzag_is_irregular() -> None:
    assert shapes(lambda x: 10 + 3 * (x % 2), noise=1) == {"irregular"}


def test_a_falling_line_is_linear_and_does_not_grow() -> None:
    found = planted(lambda x: 100 - 4 * x, noise=1)
    assert found.shape == "linear"
    assert not found.grows_linearly
    assert found.rises == 0


def test_the_scatter_about_the_means_is_told() -> None:
    assert planted(lambda x: 3 * x, noise=5, number=200).spread == pytest.approx(5, rel=0.05)


@pytest.mark.parametrize(
    "series", [{}, {1: [1.0], 2: [2.0], 3: [3.0]}, {key: [] for key in range(5)}]
)
def test_too_few_places_are_refused(series: dict[float, list[float]]) -> None:
    with pytest.raises(ValueError, match="at least 4 places"):
        fit(series)


def exactly(points: list[tuple[int, int]], degree: int) -> list[Fraction]:
    """The normal equations by Cramer's rule, in exact arithmetic."""
    size = degree + 1
    matrix = [
        [Fraction(sum(x ** (i + j) for x, _ in points)) for j in range(size)] for i in range(size)
    ]
    right = [Fraction(sum(y * x**i for x, y in points)) for i in range(size)]

    def determinant(rows: list[list[Fraction]]) -> Fraction:
        if not rows:
            return Fraction(1)
        return sum(
            (
                (-1) ** column
                * rows[0][column]
                * determinant([row[:column] + row[column + 1 :] for row in rows[1:]])
                for column in range(len(rows))
            ),
            Fraction(0),
        )

    def replaced(column: int) -> list[list[Fraction]]:
        return [
            [*row[:column], y, *row[column + 1 :]] for row, y in zip(matrix, right, strict=True)
        ]

    return [determinant(replaced(column)) / determinant(matrix) for column in range(size)]


@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(-999, 999)), min_size=1, max_size=30),
    st.integers(0, 2),
)
def test_polynomials_are_those_of_exact_arithmetic(
    points: list[tuple[int, int]], degree: int
) -> None:
    places = {x for x, _ in points}
    points += [(x, x) for x in range(50, 51 + degree) if x not in places]
    found = polynomial(points, degree)
    exact = exactly(points, degree)
    for x in range(-20, 55, 5):
        by_hand = float(sum(c * x**i for i, c in enumerate(exact)))
        assert evaluated(found, x) == pytest.approx(by_hand, rel=1e-6, abs=1e-4)


def test_what_was_taken_has_the_least_criterion_computed_by_hand() -> None:
    series = {x: [x + 0.3 * ((x * k) % 5) for k in (1, 2, 3)] for x in map(float, range(6))}
    found = fit(series)
    points = [(x, y) for x, values in series.items() for y in values]
    criteria = {}
    for shape, degree in (("constant", 0), ("linear", 1), ("bent", 2)):
        model = polynomial(points, degree)
        squares = sum((y - evaluated(model, x)) ** 2 for x, y in points)
        criteria[shape] = len(points) * math.log(squares / len(points))
        criteria[shape] += (degree + 1) * math.log(len(points))
    for shape, value in found.criteria:
        if shape in criteria:
            assert value == pytest.approx(criteria[shape])
    assert found.shape == min(found.criteria, key=lambda each: each[1])[0]


def test_without_repetitions_nothing_is_irregular() -> None:
    assert [shape for shape, _ in fit({x: [float(x % 2)] for x in range(6)}).criteria] == [
        "constant",
        "linear",
        "bent",
    ]


def test_both_terms_count() -> None:
    """Over a grid of slopes and bends the shape is that of what was planted."""
    for slope, bend in product((0, 5), (0, 1)):
        shape = planted(lambda x, s=slope, b=bend: s * x + b * x * x, noise=1, seed=5).shape  # type: ignore[misc]
        assert shape == ("bent" if bend else "linear" if slope else "constant")
