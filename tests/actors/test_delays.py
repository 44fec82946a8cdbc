"""Distributions of times, drawn in whole microseconds."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.actors.delays import (
    LONGEST,
    NO_TIME,
    Constant,
    Delay,
    Exponential,
    LinkDelays,
    LogNormal,
    Uniform,
    microseconds,
    sampler,
)

milliseconds = st.floats(min_value=0.0, allow_infinity=False)
delays = st.one_of(
    st.builds(lambda a, b: Uniform(min(a, b), max(a, b)), milliseconds, milliseconds),
    st.builds(Exponential, milliseconds),
    st.builds(LogNormal, milliseconds.filter(bool), st.floats(min_value=0.0, max_value=1e6)),
    st.builds(Constant, milliseconds),
)


def drawn(delay: Delay, draws: int = 20_000) -> list[int]:
    draw = sampler(delay, Random(1))
    return [draw() for _ in range(draws)]


@given(delays, st.integers())
def test_a_draw_is_a_whole_time_that_is_neither_negative_nor_endless(
    delay: Delay, seed: int
) -> None:
    draw = sampler(delay, Random(seed))
    for _ in range(20):
        time = draw()
        assert type(time) is int
        assert 0 <= time <= LONGEST


def test_milliseconds_become_the_nearest_microsecond_halves_up() -> None:
    assert [microseconds(x) for x in (0, 1, 0.0004, 0.0005, 0.0015, 12.3456)] == [
        0,
        1000,
        0,
        1,
        2,
        12346,
    ]


def test_uniform_draws_fill_their_range_and_nothing_else() -> None:
    draws = drawn(Uniform(0.001, 0.004))
    assert set(draws) == {1, 2, 3, 4}
    assert draws.count(2) / len(draws) == pytest.approx(1 / 3, abs=0.02)
    assert draws.count(1) / len(draws) == pytest.approx(1 / 6, abs=0.02)


def test_exponential_draws_have_their_mean() -> None:
    draws = drawn(Exponential(5))
    assert sum(draws) / len(draws) == pytest.approx(5000, rel=0.03)


def test_lognormal_draws_have_their_median_and_spread() -> None:
    draws = sorted(drawn(LogNormal(10, 0.5)))
    assert draws[len(draws) // 2] == pytest.approx(10_000, rel=0.03)
    assert draws[int(0.8413 * len(draws))] == pytest.approx(16_487, rel=0.05)


def test_a_lognormal_that_does_not_spread_is_its_median() -> None:
    assert set(drawn(LogNormal(10, 0), 100)) == {10_000}


def test_a_constant_draws_nothing_from_its_stream() -> None:
    stream = Random(1)
    assert {sampler(Constant(2.5), stream)() for _ in range(10)} == {2500}
    assert stream.random() == Random(1).random()


@pytest.mark.parametrize("delay", [Uniform(3, 3), Exponential(1), LogNormal(1, 0)])
def test_every_other_distribution_takes_something_at_each_draw(delay: Delay) -> None:
    stream = Random(1)
    draw = sampler(delay, stream)
    states = [stream.getstate(), *((draw(), stream.getstate())[1] for _ in range(5))]
    assert all(earlier != later for earlier, later in pairwise(states))


def test_the_two_directions_between_processes_are_two_links() -> None:
    delays = LinkDelays(NO_TIME, {("P1", "P2"): Constant(5)})
    assert delays.between("P1", "P2") == Constant(5)
    assert delays.between("P2", "P1") == NO_TIME
