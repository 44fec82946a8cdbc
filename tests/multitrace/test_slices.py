"""Multi-prefixes (the removal paper, Definition 9) and slices (the slices paper, Definition 2)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import ceil, prod
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.action import Action, parse_action
from choreomon.multitrace import slices as module
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.multitrace.projection import discrete, partition, partition_of, project_trace
from choreomon.multitrace.slices import (
    is_multi_prefix,
    is_slice,
    multi_prefixes,
    random_multi_prefix,
    random_slice,
    slices,
)
from tests.multitrace.drawn import multi_traces, traces


def trace(text: str) -> tuple[Action, ...]:
    return tuple(parse_action(word) for word in text.split())


def multi(**local: str) -> MultiTrace:
    """A multi-trace over the discrete partition."""
    return multi_trace(component((name,), trace(text)) for name, text in local.items())


FIGURE_1C = multi_trace(
    (component(("l1", "l2"), trace("l1!m1 l2?m1 l2?m4")), component(("l3",), trace("l3?m1 l3!m4")))
)


def test_the_partial_observation_of_figure_1d_is_a_slice_of_figure_1c() -> None:
    """The slices paper, Fig. 1 (d) and Definition 2: observed too late on l1 and l2, too short on
    l3."""
    late_and_short = multi_trace(
        (component(("l1", "l2"), trace("l2?m4")), component(("l3",), trace("l3?m1")))
    )
    assert is_slice(late_and_short, FIGURE_1C)
    assert not is_multi_prefix(late_and_short, FIGURE_1C)
    assert late_and_short in set(slices(FIGURE_1C))


def test_a_slice_has_no_gaps() -> None:
    gap = multi_trace(
        (component(("l1", "l2"), trace("l1!m1 l2?m4")), component(("l3",), trace("l3?m1")))
    )
    assert not is_slice(gap, FIGURE_1C)


def test_the_observation_of_figure_6b_is_a_multi_prefix_of_that_of_figure_6a() -> None:
    """The removal paper, section 4.1: ls is not observed, and lb not for long enough."""
    complete = multi(lp="lp!pub", lb="lb?sub lb!pub lb?pub lb!pub", ls="ls!sub ls?pub")
    partial = multi(lp="lp!pub", lb="lb?sub", ls="")
    assert is_multi_prefix(partial, complete)
    assert partial in set(multi_prefixes(complete))
    assert not is_multi_prefix(multi(lp="", lb="lb!pub", ls=""), complete)


def test_multi_prefixes_are_more_than_projected_prefixes() -> None:
    """The removal paper, Property 8, with the counterexample of its proof."""
    seen = trace("l1!m l2?m")
    projected = {
        project_trace(seen[:length], discrete(["l1", "l2"])) for length in range(len(seen) + 1)
    }
    found = list(multi_prefixes(multi(l1="l1!m", l2="l2?m")))
    assert set(found) - projected == {multi(l1="", l2="l2?m")}
    assert projected < set(found)


def test_multi_prefixes_come_shortest_first_in_each_component() -> None:
    found = [str(one) for one in multi_prefixes(multi(l1="l1!a l1!b", l2="l2?a"))]
    assert found == [
        "{[l1]; [l2]}",
        "{[l1]; [l2] l2?a}",
        "{[l1] l1!a; [l2]}",
        "{[l1] l1!a; [l2] l2?a}",
        "{[l1] l1!a.l1!b; [l2]}",
        "{[l1] l1!a.l1!b; [l2] l2?a}",
    ]


def test_slices_come_shorter_first_then_earlier_first_and_without_repetitions() -> None:
    found = [str(one) for one in slices(multi(l1="l1!a l1!b l1!a"))]
    assert found == [
        "{[l1]}",
        "{[l1] l1!a}",
        "{[l1] l1!b}",
        "{[l1] l1!a.l1!b}",
        "{[l1] l1!b.l1!a}",
        "{[l1] l1!a.l1!b.l1!a}",
    ]


def test_enumerations_are_lazy() -> None:
    whole = project_trace(
        trace("l1!a l2!a l3!a l4!a l5!a l6!a l7!a l8!a") * 30,
        discrete(f"l{number}" for number in range(1, 9)),
    )
    assert next(multi_prefixes(whole)).length == 0  # of 31**8
    assert next(slices(whole)).length == 0


@given(multi_traces(length=5), multi_traces(length=5))
def test_membership_is_being_enumerated(whole: MultiTrace, other: MultiTrace) -> None:
    prefixes, factors = list(multi_prefixes(whole)), list(slices(whole))
    assert len(prefixes) == len(set(prefixes))
    assert len(prefixes) == prod(len(part.actions) + 1 for part in whole.components)
    assert len(factors) == len(set(factors))
    assert all(is_multi_prefix(one, whole) for one in prefixes)
    assert all(is_slice(one, whole) for one in factors)
    assert set(prefixes) <= set(factors)
    if partition_of(other) == partition_of(whole):
        assert is_multi_prefix(other, whole) is (other in prefixes)
        assert is_slice(other, whole) is (other in factors)


def every_slice_is_found_the_slow_way(whole: MultiTrace) -> bool:
    """As Definition 2 says it: t' for every t = t-.t'.t+, of every component."""
    choices = [
        {part.actions[i:j] for i, j in product(range(len(part.actions) + 1), repeat=2) if i <= j}
        for part in whole.components
    ]
    slow = {
        multi_trace(
            component(part.lifelines, actions)
            for part, actions in zip(whole.components, chosen, strict=True)
        )
        for chosen in product(*choices)
    }
    return slow == set(module.slices(whole))


@given(multi_traces(length=5))
def test_slices_are_those_of_the_definition(whole: MultiTrace) -> None:
    assert every_slice_is_found_the_slow_way(whole)


@given(traces(length=5))
def test_projected_prefixes_are_multi_prefixes(actions: tuple[Action, ...]) -> None:
    """The removal paper, Property 8, first half."""
    onto = discrete(["l1", "l2", "l3", "l4"])
    whole = project_trace(actions, onto)
    for length in range(len(actions) + 1):
        assert is_multi_prefix(project_trace(actions[:length], onto), whole)


@pytest.mark.parametrize("member", [is_multi_prefix, is_slice])
def test_multi_traces_over_different_partitions_are_not_compared(
    member: Callable[[MultiTrace, MultiTrace], bool],
) -> None:
    with pytest.raises(ValueError, match="different partitions"):
        member(multi(l1="", l2="", l3=""), FIGURE_1C)


def test_the_order_of_components_does_not_matter() -> None:
    turned = MultiTrace(FIGURE_1C.components[::-1])
    assert is_slice(turned, FIGURE_1C)
    assert is_multi_prefix(turned, FIGURE_1C)


@given(multi_traces(), st.integers(0), st.sampled_from([0, 0.2, 1 / 3, 1]))
def test_random_slices_are_slices_and_as_wide_as_asked_for(
    whole: MultiTrace, seed: int, wide: float
) -> None:
    made = random_slice(Random(seed), whole, wide=wide)
    assert is_slice(made, whole)
    assert made == random_slice(Random(seed), whole, wide=wide)
    cut = random_multi_prefix(Random(seed), whole, wide=wide)
    assert is_multi_prefix(cut, whole)
    for one in (made, cut):
        for part, full in zip(one.components, whole.components, strict=True):
            assert len(part.actions) >= ceil(wide * len(full.actions))


def test_every_slice_may_be_drawn() -> None:
    whole = multi(l1="l1!a l1!b", l2="l2?a")
    rng = Random(1)
    assert {random_slice(rng, whole) for _ in range(300)} == set(slices(whole))
    assert {random_multi_prefix(rng, whole) for _ in range(300)} == set(multi_prefixes(whole))


def test_nothing_is_wider_than_the_whole() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        random_slice(Random(0), multi(l1="l1!a"), wide=1.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        random_multi_prefix(Random(0), multi(l1="l1!a"), wide=-0.1)


def test_a_partition_of_co_localized_lifelines_is_sliced_by_clock() -> None:
    whole = project_trace(trace("l1!a l2!b"), partition([["l1", "l2"]]))
    assert len(list(slices(whole))) == 4
    assert len(list(slices(project_trace(trace("l1!a l2!b"), discrete(["l1", "l2"]))))) == 4
    assert len(list(multi_prefixes(whole))) == 3
