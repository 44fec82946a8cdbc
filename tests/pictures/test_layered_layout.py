from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.pictures.shapes.layered_layout import Extent, LabelledEdge, layered_layout, separated

SMALL = Extent(40, 20, 20)
WORD = Extent(80, 18, 4)
PLACES = st.floats(-500, 500)


def layout_of(*edges: tuple[str, str, bool]) -> dict[str, int]:
    states = {state: SMALL for edge in edges for state in edge[:2]}
    made = layered_layout(states, [edges[0][0]], [LabelledEdge(*edge, WORD) for edge in edges])
    return dict(made.layers)


def test_a_state_stands_behind_the_longest_forward_way_to_it() -> None:
    assert layout_of(("a", "b", True), ("b", "c", True), ("a", "c", True)) == {
        "a": 0,
        "b": 1,
        "c": 2,
    }


def test_a_short_way_that_is_found_later_does_not_pull_a_state_forward() -> None:
    layers = layout_of(("x", "d", True), ("a", "b", True), ("b", "c", True), ("c", "d", True))
    assert layers == {"x": 0, "d": 3, "a": 0, "b": 1, "c": 2}


def test_backward_edges_do_not_move_a_state() -> None:
    assert layout_of(("a", "b", True), ("b", "a", False)) == {"a": 0, "b": 1}


def test_forward_edges_in_a_circle_are_laid_out_as_well() -> None:
    layers = layout_of(("a", "b", True), ("b", "c", True), ("c", "b", True), ("c", "d", True))
    assert layers == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_an_edge_between_states_of_one_layer_bends_to_their_right() -> None:
    states = dict.fromkeys("abc", SMALL)
    edges = [("a", "b", True), ("a", "c", True), ("b", "c", False)]
    made = layered_layout(states, ["a"], [LabelledEdge(*edge, WORD) for edge in edges])
    assert made.layers["b"] == made.layers["c"]
    assert made.labels[2].x > max(made.states["b"].x, made.states["c"].x)


def test_a_chain_of_forward_edges_is_straight() -> None:
    states = dict.fromkeys("abcd", SMALL)
    edges = [("a", "b", True), ("b", "c", True), ("c", "d", True), ("c", "a", False)]
    made = layered_layout(states, ["a"], [LabelledEdge(*edge, WORD) for edge in edges])
    heights = [made.states[state].y for state in "abcd"]
    assert heights == pytest.approx([heights[0]] * 4, abs=1)


@given(st.lists(st.tuples(PLACES, st.floats(0.1, 100), st.floats(0, 60)), min_size=1, max_size=9))
def test_separated_positions_keep_their_order_and_their_gaps(
    items: list[tuple[float, float, float]],
) -> None:
    wanted, weights, gaps = zip(*items, strict=True)
    found = separated(wanted, weights, gaps[:-1])
    assert all(
        after - before >= gap - 1e-6
        for (before, after), gap in zip(pairwise(found), gaps, strict=False)
    )


@given(
    st.lists(st.tuples(PLACES, st.floats(0.1, 100), st.floats(0, 60)), min_size=1, max_size=7),
    st.lists(PLACES, min_size=7, max_size=7),
)
def test_no_other_separated_positions_are_closer_to_the_wanted_ones(
    items: list[tuple[float, float, float]], others: list[float]
) -> None:
    wanted, weights, gaps = zip(*items, strict=True)

    def cost(positions: list[float]) -> float:
        return sum(
            float(weight * (position - want) ** 2)
            for position, want, weight in zip(positions, wanted, weights, strict=True)
        )

    other = sorted(others)[: len(items)]
    offset = 0.0
    for place, gap in enumerate((0.0, *gaps[:-1])):
        offset += gap
        other[place] += offset
    assert cost(separated(wanted, weights, gaps[:-1])) <= cost(other) + 1e-3


def test_positions_that_are_far_enough_apart_stay_where_they_are() -> None:
    assert separated([0.0, 100.0, 130.0], [1, 1, 1], [50, 30]) == [0.0, 100.0, 130.0]
