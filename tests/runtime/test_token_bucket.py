"""`choreomon.runtime.network.token_bucket`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from choreomon.runtime.network.token_bucket import TokenBucket


def test_a_burst_is_let_through_and_then_the_rate() -> None:
    bucket = TokenBucket(rate=2, burst=3, now=10)
    assert [bucket.take(10) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(10.25), bucket.take(10.5), bucket.take(10.5)] == [False, True, False]
    assert [bucket.take(1000) for _ in range(4)] == [True, True, True, False]


@given(
    st.integers(1, 20),
    st.integers(1, 20),
    st.lists(st.integers(0, 3), min_size=1, max_size=60),
)
def test_it_is_what_a_counter_of_tokens_says(rate: int, burst: int, pauses: list[int]) -> None:
    """In quarters of a token, so that no rounding is in it."""
    bucket = TokenBucket(rate, burst, 0)
    quarters, now = 4 * burst, 0.0
    for pause in pauses:
        now += pause / 4
        quarters = min(4 * burst, quarters + pause * rate)
        assert bucket.take(now) is (quarters >= 4)
        if quarters >= 4:
            quarters -= 4
