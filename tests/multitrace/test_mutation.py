"""Mutants (the removal paper, section 6.1; the slices paper, section 5.5)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.action import EMISSION, RECEPTION, Action, parse_action
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.multitrace.mutation import (
    alphabet,
    insert_action,
    remove_actions,
    swap_actions,
    swap_components,
)
from choreomon.multitrace.projection import Partition, partition_of, project_trace
from tests.multitrace.drawn import LIFELINES, MESSAGES, multi_traces, partitions, traces

SEEDS = st.integers(0, 2**16)


def multi(**local: str) -> MultiTrace:
    return multi_trace(
        component((name,), [parse_action(word) for word in text.split()])
        for name, text in local.items()
    )


def counts(multitrace: MultiTrace) -> Counter[Action]:
    return Counter(action for part in multitrace.components for action in part.actions)


def test_an_alphabet_has_both_kinds_of_action_for_every_lifeline_and_message() -> None:
    assert [str(action) for action in alphabet(["b", "a"], ["n", "m"])] == [
        "a!m", "a!n", "a?m", "a?n", "b!m", "b!n", "b?m", "b?n",
    ]  # fmt: skip


def test_an_alphabet_does_not_depend_on_the_order_of_what_is_given() -> None:
    """What is drawn from it by a seed is the same in every process."""
    names = [f"{number:02}" for number in range(30)]
    found = alphabet(reversed(names), [*names[::2], *names, *names[::-3]])
    assert found == tuple(
        Action(lifeline, kind, message)
        for lifeline in names
        for kind in (EMISSION, RECEPTION)
        for message in names
    )


def test_the_examples_of_the_slices_paper_may_be_drawn() -> None:
    """The slices paper, section 5.5: one mutant of each kind is given there."""
    rng = Random(3)
    swapped = multi(l1="l1!m2 l1!m1", l2="l2?m1 l2?m2")
    whole = multi(l1="l1!m1 l1!m2", l2="l2?m1 l2?m2")
    assert swapped in {swap_actions(rng, whole) for _ in range(50)}
    short = multi(l1="l1!m1", l2="l2?m1")
    noise = [parse_action("l1!m3"), parse_action("l2!m3")]
    assert multi(l1="l1!m1 l1!m3", l2="l2?m1") in {
        insert_action(rng, short, noise) for _ in range(50)
    }
    exchanged = {swap_components(rng, short, multi(l1="l1!m2", l2="l2?m2")) for _ in range(50)}
    assert (multi(l1="l1!m1", l2="l2?m2"), multi(l1="l1!m2", l2="l2?m1")) in exchanged


@given(multi_traces(), SEEDS)
def test_an_inserted_action_is_one_more_and_in_its_place(whole: MultiTrace, seed: int) -> None:
    noise = alphabet(LIFELINES, [*MESSAGES, "noise"])
    made = insert_action(Random(seed), whole, noise)
    assert made is not None
    assert made == insert_action(Random(seed), whole, noise)
    assert multi_trace(component(*part) for part in made.components) == made
    more = counts(made) - counts(whole)
    assert sum(more.values()) == 1
    assert counts(whole) <= counts(made)


def test_noise_of_foreign_lifelines_is_not_inserted() -> None:
    assert insert_action(Random(0), multi(l1="l1!a"), [parse_action("l2!a")]) is None
    assert insert_action(Random(0), multi(l1="l1!a"), []) is None


@given(multi_traces(), SEEDS)
def test_swapped_actions_are_the_same_ones_in_another_order(whole: MultiTrace, seed: int) -> None:
    made = swap_actions(Random(seed), whole)
    if made is None:
        assert all(len(set(part.actions)) < 2 for part in whole.components)
        return
    assert made == swap_actions(Random(seed), whole)
    assert made != whole
    assert counts(made) == counts(whole)
    different = [
        (a, b)
        for old, new in zip(whole.components, made.components, strict=True)
        for a, b in zip(old.actions, new.actions, strict=True)
        if a != b
    ]
    assert len(different) == 2
    assert different[0] == different[1][::-1]


@given(partitions(), traces(), traces(), SEEDS)
def test_swapped_components_are_the_same_ones_in_another_company(
    onto: Partition, one: tuple[Action, ...], other: tuple[Action, ...], seed: int
) -> None:
    first, second = project_trace(one, onto), project_trace(other, onto)
    made = swap_components(Random(seed), first, second)
    differences = [
        number
        for number in range(len(onto))
        if first.components[number] != second.components[number]
    ]
    if made is None:
        assert len(differences) < 2
        return
    left, right = made
    assert partition_of(left) == partition_of(right) == onto
    assert left not in (first, second)
    assert right not in (first, second)
    for number in range(len(onto)):
        before = {first.components[number], second.components[number]}
        assert {left.components[number], right.components[number]} == before


def test_components_are_found_by_lifelines_not_by_place() -> None:
    made = swap_components(Random(0), multi(l1="l1!a", l2="l2!a"), multi(l2="l2!b", l1="l1!b"))
    assert made in (
        (multi(l1="l1!b", l2="l2!a"), multi(l2="l2!b", l1="l1!a")),
        (multi(l1="l1!a", l2="l2!b"), multi(l2="l2!a", l1="l1!b")),
    )


def test_components_over_different_partitions_are_not_swapped() -> None:
    with pytest.raises(ValueError, match="different partitions"):
        swap_components(Random(0), multi(l1="l1!a"), multi(l2="l2!a"))


@given(multi_traces(), SEEDS, st.integers(1, 7))
def test_removed_actions_are_gone_and_the_others_keep_their_order(
    whole: MultiTrace, seed: int, count: int
) -> None:
    made = remove_actions(Random(seed), whole, count)
    if made is None:
        assert whole.length < count
        return
    assert made == remove_actions(Random(seed), whole, count)
    assert made.length == whole.length - count
    for old, new in zip(whole.components, made.components, strict=True):
        rest = iter(old.actions)
        assert all(action in rest for action in new.actions)


def test_at_least_one_action_is_removed() -> None:
    with pytest.raises(ValueError, match="at least one"):
        remove_actions(Random(0), multi(l1="l1!a"), 0)
