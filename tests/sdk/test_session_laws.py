"""Whatever happens between a service and its agent: no event is counted twice, none that was
acknowledged is lost, their order is kept, and no clock that was heard is forgotten. And an agent
that relies on the promise of the service is never deceived."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.formats.local import Policy
from tests.sdk.played import Played, play

POLICIES: tuple[Policy, ...] = ("block", "buffer", "let-go", "fire-and-forget")

Step = tuple[str, tuple[float, ...]]

often = st.sampled_from([("up", ()), ("down", ()), ("send", ()), ("handle", ()), ("hear", ())])
seldom: st.SearchStrategy[Step] = st.one_of(
    st.just(("connect", ())),
    st.just(("cut", ())),
    st.just(("up", (-2,))),
    st.just(("forget", ())),
    st.tuples(st.just("give_up"), st.tuples(st.integers(0, 3))),
    st.tuples(
        st.sampled_from(["wait", "stand_still"]), st.tuples(st.sampled_from([1.0, 4, 6, 11]))
    ),
)
courses = st.lists(often | seldom, max_size=60)


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=400, deadline=None)
@given(st.data(), st.integers(0, 4), st.integers(1, 4))
def test_nothing_is_counted_twice_lost_reordered_or_forgotten(
    policy: Policy, data: st.DataObject, buffer: int, window: int
) -> None:
    play(Played(policy, buffer=buffer, window=window), data.draw(courses))
