"""Chance that is the same on every machine."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.actors.randomness import Streams, exp, exponential, log, normal

ROOT = Path(__file__).parents[2]

# Two units in the last place, with room for one more of the C library's.
CLOSE = 3 * 2.0**-52

LOGS = ["-0x1.26bb1bbb55515p+1", "0x1.193ea7aad030bp+0", "-0x1.5963447f87fb5p+9"]
EXPS = ["0x1.cf46d99d52b3ap-1", "0x1.415e5bf6fb106p+4", "0x1.719c25b8f5b4ap+433"]
DRAWS = ["0x1.09f36233f8cd5p-1", "0x1.b624040a6f921p-4", "0x1.2095fd88f423ap+0"]


@given(st.floats(min_value=0.0, exclude_min=True, allow_infinity=False))
def test_log_agrees_with_the_c_library_to_the_last_bits(x: float) -> None:
    assert log(x) == pytest.approx(math.log(x), rel=CLOSE, abs=2.0**-60)


@given(st.floats(min_value=0.5, max_value=2.0))
def test_log_is_precise_near_one_where_it_vanishes(x: float) -> None:
    assert log(x) == pytest.approx(math.log(x), rel=CLOSE, abs=0.0)


@pytest.mark.parametrize("x", [0.70711, 0.7075, 1.41, 1.4142])
def test_log_is_precise_where_its_series_is_longest(x: float) -> None:
    assert log(x) == pytest.approx(math.log(x), rel=2.0**-52, abs=0.0)


@given(st.floats(min_value=-708.0, max_value=709.78))
def test_exp_agrees_with_the_c_library_to_the_last_bits(x: float) -> None:
    assert exp(x) == pytest.approx(math.exp(x), rel=CLOSE, abs=0.0)


def test_log_and_exp_have_their_limits() -> None:
    assert log(1.0) == 0.0
    assert log(0.0) == -math.inf
    assert log(math.inf) == math.inf
    assert math.isnan(log(-1.0))
    assert exp(0.0) == 1.0
    assert exp(1e9) == math.inf
    assert exp(-1e9) == 0.0


def test_log_and_exp_are_pinned_to_the_bit() -> None:
    """Another machine, or a change of an operation's order, would show here."""
    assert [log(x).hex() for x in (0.1, 3.0, 1e-300)] == LOGS
    assert [exp(x).hex() for x in (-0.1, 3.0, 300.5)] == EXPS


def test_draws_are_pinned_to_the_bit() -> None:
    stream = Streams(42).stream("a", "b")
    assert [stream.random().hex(), exponential(stream).hex(), normal(stream).hex()] == DRAWS


def test_a_stream_depends_on_nothing_but_the_seed_and_its_name() -> None:
    streams = Streams(3)
    alone = [streams.stream("x").random() for _ in range(3)]
    assert len(set(alone)) == 1
    other, this = streams.stream("y"), streams.stream("x")
    other.random()
    assert this.random() == alone[0]


def test_seeds_and_names_that_only_look_alike_have_streams_of_their_own() -> None:
    streams = [
        Streams(seed).stream(*name)
        for seed in (0, 1, -1, 11, 10**30)
        for name in ((), ("a",), ("1",), ("a", "b"), ("a,b",), ("a', 'b",), ("ab",))
    ]
    assert len({stream.random() for stream in streams}) == len(streams)


def test_streams_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from choreomon.actors.randomness import *;print(normal(Streams(-5).stream('P1', 'P2')))"
    )
    draws = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(draws) == 1


def test_exponential_draws_have_mean_one_and_its_quantiles() -> None:
    stream = Streams(7).stream("exponential")
    draws = sorted(exponential(stream) for _ in range(20_000))
    assert min(draws) >= 0.0
    assert sum(draws) / len(draws) == pytest.approx(1.0, abs=0.03)
    for share in (0.1, 0.5, 0.9):
        assert draws[int(share * len(draws))] == pytest.approx(-math.log(1 - share), rel=0.05)


def test_normal_draws_have_the_standard_moments_and_shares() -> None:
    stream = Streams(7).stream("normal")
    draws = [normal(stream) for _ in range(20_000)]
    assert sum(draws) / len(draws) == pytest.approx(0.0, abs=0.03)
    assert sum(d * d for d in draws) / len(draws) == pytest.approx(1.0, abs=0.04)
    assert sum(abs(d) < 1 for d in draws) / len(draws) == pytest.approx(0.6827, abs=0.015)
    assert sum(abs(d) < 2 for d in draws) / len(draws) == pytest.approx(0.9545, abs=0.008)
