"""Agendas, priorities and filters (the slices paper, section 7.3)."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.action import EMISSION, RECEPTION
from choreomon.verify.papers.heuristics import (
    STRATEGIES,
    Cut,
    Filters,
    Priorities,
    Strategy,
    Worklist,
    worklist_of,
)

Steps = tuple[int, ...]


def visit(strategy: Strategy, width: int, depth: int) -> list[Steps]:
    """The order in which a complete tree is visited; a vertex is the numbers on the way to it."""
    worklist: Worklist[Steps] = worklist_of(strategy)

    def children(vertex: Steps) -> list[Steps]:
        return [(*vertex, number) for number in range(width)] if len(vertex) < depth else []

    order: list[Steps] = [()]
    worklist.add(children(()), 0)
    while len(worklist):
        order.append(worklist.take())
        worklist.add(children(order[-1]), len(order[-1]))
    return order


def test_depth_first_goes_down_before_aside() -> None:
    assert visit("dfs", 2, 2) == [(), (0,), (0, 0), (0, 1), (1,), (1, 0), (1, 1)]


def test_breadth_first_goes_aside_before_down() -> None:
    assert visit("bfs", 2, 2) == [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]


def test_high_coverage_goes_down_then_on_from_the_top() -> None:
    assert visit("hcs", 2, 2) == [(), (0,), (0, 0), (1,), (1, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("width", "depth"), [(0, 3), (1, 5), (3, 3), (2, 4)])
def test_every_step_is_taken_once_after_the_one_it_was_found_by(
    strategy: Strategy, width: int, depth: int
) -> None:
    order = visit(strategy, width, depth)
    assert sorted(order) == sorted(visit("dfs", width, depth))
    assert len(order) == len(set(order))
    assert all(order.index(vertex[:-1]) < order.index(vertex) for vertex in order if vertex)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_agenda_knows_how_many_steps_are_left(strategy: Strategy) -> None:
    worklist: Worklist[str] = worklist_of(strategy)
    assert len(worklist) == 0
    worklist.add(["a", "b"], 0)
    worklist.add([], 1)
    worklist.add(["c"], 1)
    assert len(worklist) == 3
    assert {worklist.take() for _ in range(3)} == {"a", "b", "c"}
    with pytest.raises(IndexError):
        worklist.take()


def test_high_coverage_goes_on_from_the_top_where_the_path_was_cut() -> None:
    """A step that is taken but not visited (a filter forbids it) adds nothing."""
    worklist: Worklist[str] = worklist_of("hcs")
    worklist.add(["a", "b"], 0)
    assert worklist.take() == "a"
    worklist.add(["aa", "ab"], 1)
    assert worklist.take() == "aa"
    assert worklist.take() == "b"
    assert worklist.take() == "ab"


def test_the_priorities_of_an_action_add_up() -> None:
    ours = Priorities(emission=1, reception=10, loop=100, elimination=7, simulation=-1000)
    assert ours.of_action(EMISSION) == 1
    assert ours.of_action(RECEPTION) == 10
    assert ours.of_action(RECEPTION, in_loop=True) == 110
    assert ours.of_action(EMISSION, in_loop=True, simulated=True) == -899


def test_the_highest_comes_first_and_equals_keep_their_order() -> None:
    assert Priorities().ordered("abcd", [0, 1, 0, 1], 0) == ("b", "d", "a", "c")


@given(st.lists(st.integers(-2, 2), max_size=8), st.integers(0, 99), st.integers(0, 99))
def test_random_orders_keep_priorities_and_depend_on_the_seed_and_the_vertex_alone(
    ranks: list[int], seed: int, vertex: int
) -> None:
    steps = range(len(ranks))
    ours = Priorities(random_seed=seed)
    order = ours.ordered(steps, ranks, vertex)
    assert sorted(order) == list(steps)
    assert [ranks[step] for step in order] == sorted(ranks, reverse=True)
    assert order == ours.ordered(steps, ranks, vertex)


def test_random_orders_differ_between_seeds_and_between_vertices() -> None:
    steps, ranks = range(6), [0] * 6
    assert len({Priorities(random_seed=seed).ordered(steps, ranks, 0) for seed in range(9)}) == 9
    ours = Priorities(random_seed=1)
    assert len({ours.ordered(steps, ranks, vertex) for vertex in range(9)}) == 9


def test_a_random_order_is_the_same_in_every_process() -> None:
    assert Priorities(random_seed=1).ordered("abcdef", [0] * 6, 3) == tuple("cadefb")


def test_a_filter_cuts_what_is_beyond_its_limit() -> None:
    ours = Filters(max_depth=3, max_loop_depth=2, max_node_number=10)
    assert ours.cut(depth=3, loop_depth=2, nodes=9) is None
    assert ours.cut(depth=4, loop_depth=2, nodes=9) == "max_depth"
    assert ours.cut(depth=3, loop_depth=3, nodes=9) == "max_loop_depth"
    assert ours.cut(depth=3, loop_depth=2, nodes=10) == "max_node_number"
    assert Filters().cut(depth=10**9, loop_depth=10**9, nodes=10**9) is None


def test_cuts_are_called_what_the_filters_are() -> None:
    assert get_args(Cut) == Filters._fields
