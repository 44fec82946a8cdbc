"""Vector clocks: an order with least upper bounds, and what they say of events."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.vector_clock import (
    JUMP,
    MANY,
    VectorClock,
    by_name,
    concurrent,
    happened_before,
    indices,
    is_far_beyond,
    knows,
    merge,
    merge_at_once,
    tick,
    zero,
)
from tests.strategies import PROCESSES, Execution, automata, executions


def clocks(count: int) -> st.SearchStrategy[tuple[VectorClock, ...]]:
    """`count` clocks of equally many processes."""
    return st.integers(1, 4).flatmap(
        lambda size: st.tuples(*[st.tuples(*[st.integers(0, 3)] * size)] * count)
    )


def at_most(left: VectorClock, right: VectorClock) -> bool:
    return left == right or happened_before(left, right)


@given(clocks(3))
def test_happened_before_is_a_strict_order(three: tuple[VectorClock, ...]) -> None:
    a, b, c = three
    assert not happened_before(a, a)
    assert not (happened_before(a, b) and happened_before(b, a))
    if happened_before(a, b) and happened_before(b, c):
        assert happened_before(a, c)


@given(clocks(3))
def test_merging_gives_the_least_clock_that_is_at_least_both(
    three: tuple[VectorClock, ...],
) -> None:
    a, b, other = three
    merged = merge(a, b)
    assert at_most(a, merged)
    assert at_most(b, merged)
    if at_most(a, other) and at_most(b, other):
        assert at_most(merged, other)


def drawn(seed: int, most: int) -> tuple[VectorClock, VectorClock]:
    """From a seed each: hundreds of numbers would take long to draw one by one."""
    random = Random(seed)
    count = random.randint(1, 3 * MANY)
    left = tuple(random.randint(0, most) for _ in range(count))
    later = random.choice([0, 0.1, 1])
    return left, tuple(
        random.randint(0, most) if random.random() < later else random.choice((each, 0))
        for each in left
    )


def entry_by_entry(left: VectorClock, right: VectorClock) -> VectorClock:
    return tuple(map(max, left, right))


@given(st.integers(0, 1 << 32), st.sampled_from([1, 100, 127, 128, 256, 1 << 60]))
def test_merging_at_once_is_merging_entry_by_entry(seed: int, most: int) -> None:
    left, right = drawn(seed, most)
    merged = entry_by_entry(left, right)
    assert merge(left, right) == merge(right, left) == merged
    at_once = merge_at_once(left, right)
    assert at_once == (merged if max(merged) < 128 else None)
    if at_once is not None:
        assert (at_once is left or at_once is right) == (merged in (left, right))


@given(clocks(1), st.data())
def test_a_tick_moves_one_entry_by_one(one: tuple[VectorClock, ...], data: st.DataObject) -> None:
    (clock,) = one
    index = data.draw(st.integers(0, len(clock) - 1))
    ticked = tick(clock, index)
    assert [b - a for a, b in zip(clock, ticked, strict=True)] == [
        int(entry == index) for entry in range(len(clock))
    ]
    assert happened_before(clock, ticked)


@given(clocks(2))
def test_two_clocks_are_ordered_one_way_or_the_other_or_concurrent(
    two: tuple[VectorClock, ...],
) -> None:
    a, b = two
    assert [happened_before(a, b), happened_before(b, a), concurrent(a, b)].count(True) == 1


def test_equal_clocks_count_as_concurrent() -> None:
    """Definition 3 to the letter; two events never have equal clocks, so it speaks of one."""
    assert concurrent((1, 2), (1, 2))


@pytest.mark.parametrize(
    ("left", "right", "before", "after"),
    [
        ((0, 0), (0, 1), True, False),
        ((1, 0), (0, 1), False, False),
        ((1, 1), (2, 2), True, False),
        ((3, 2, 4), (2, 2, 3), False, True),
        ((3, 2, 4), (1, 1, 2), False, True),
    ],
)
def test_one_clock_is_before_another_when_no_entry_is_greater_and_one_is_smaller(
    left: VectorClock, right: VectorClock, before: bool, after: bool
) -> None:
    assert happened_before(left, right) == before
    assert happened_before(right, left) == after
    assert concurrent(left, right) == (not before and not after)


def test_people_read_clocks_by_process_without_zero_entries() -> None:
    assert by_name((0, 2, 1), ("P1", "P2", "P3")) == {"P2": 2, "P3": 1}
    assert by_name(zero(2), ("P1", "P2")) == {}


@st.composite
def runs(draw: st.DrawFn) -> Execution:
    processes = PROCESSES[: draw(st.integers(2, 4))]
    automaton = draw(automata(processes=processes))
    return draw(executions(automaton, processes=processes, max_labelled=30, max_steps=40))


@settings(max_examples=300)
@given(runs())
def test_clocks_of_events_say_what_following_messages_says(run: Execution) -> None:
    """`past` is found by following messages of processes and monitors, without clocks."""
    index_of = {process: index for index, process in enumerate(run.processes)}
    for number, event in enumerate(run.events):
        own = index_of[event.process]
        for other, later in enumerate(run.events):
            before = number in run.past[other]
            assert happened_before(event.clock, later.clock) == before
            assert knows(later.clock, own, event.clock[own]) == (before or number == other)


@settings(max_examples=100)
@given(runs())
def test_the_own_entry_of_an_event_counts_the_events_of_its_process(run: Execution) -> None:
    """So a process and this count identify an event; merging by a monitor counts nothing."""
    seen = dict.fromkeys(run.processes, 0)
    for event in run.events:
        seen[event.process] += 1
        assert event.clock[run.processes.index(event.process)] == seen[event.process]


def test_a_clock_that_tells_of_more_than_can_have_happened_is_far_beyond() -> None:
    known = (5, 7, JUMP)
    assert not is_far_beyond((5, 7 + JUMP, 2 * JUMP), known)
    assert is_far_beyond((6 + JUMP, 7, 0), known)
    assert is_far_beyond((0, 0, 2 * JUMP + 1), known)
    assert not is_far_beyond((0, 0, 0), known)


def test_the_indices_of_one_system_are_made_once() -> None:
    assert dict(indices(("P2", "P1"))) == {"P2": 0, "P1": 1}
    assert indices(("P2", "P1")) is indices(("P2", "P1"))
    assert dict(indices(("P1", "P2"))) == {"P1": 0, "P2": 1}
