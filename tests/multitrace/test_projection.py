"""Partitions of lifelines and projections between them (the slices paper, section 2.1)."""

from __future__ import annotations

import pytest
from hypothesis import given

from choreomon.core.action import Action, parse_action
from choreomon.multitrace import projection
from choreomon.multitrace.multitrace import Component, MultiTrace, component, multi_trace
from choreomon.multitrace.projection import (
    Partition,
    discrete,
    is_finer,
    partition,
    partition_of,
    project,
    project_trace,
    trivial,
)
from tests.multitrace.drawn import LIFELINES, partitions, traces


def trace(text: str) -> tuple[Action, ...]:
    return tuple(parse_action(word) for word in text.split())


FIGURE_1A = trace("l1!m1 l3?m1 l2?m1 l3!m4 l2?m4")


def test_one_execution_is_recorded_by_one_two_and_three_clocks_as_in_figure_1() -> None:
    """The slices paper, Fig. 1 (a), (b), (c)."""
    assert str(project_trace(FIGURE_1A, trivial(["l1", "l2", "l3"]))) == (
        "{[l1,l2,l3] l1!m1.l3?m1.l2?m1.l3!m4.l2?m4}"
    )
    assert str(project_trace(FIGURE_1A, discrete(["l3", "l2", "l1"]))) == (
        "{[l1] l1!m1; [l2] l2?m1.l2?m4; [l3] l3?m1.l3!m4}"
    )
    assert str(project_trace(FIGURE_1A, partition([["l2", "l1"], ["l3"]]))) == (
        "{[l1,l2] l1!m1.l2?m1.l2?m4; [l3] l3?m1.l3!m4}"
    )


def test_figures_1b_and_1c_are_projections_of_figure_1a() -> None:
    """The slices paper, section 2.1: both partitions refine the trivial one, and 1b that of 1c."""
    a = project_trace(FIGURE_1A, trivial(["l1", "l2", "l3"]))
    c = project_trace(FIGURE_1A, partition([["l1", "l2"], ["l3"]]))
    b = project_trace(FIGURE_1A, discrete(["l1", "l2", "l3"]))
    assert project(a, partition_of(c)) == c
    assert project(a, partition_of(b)) == b
    assert project(c, partition_of(b)) == b
    with pytest.raises(ValueError, match=r"\[l1,l2\], \[l3\]\} is no refinement of"):
        project(b, partition_of(c))


def test_two_executions_may_look_the_same_without_a_global_clock() -> None:
    """The removal paper, Fig. 4 and 5, and the second trace that the text gives for them."""
    lifelines = ["lp", "lb", "ls"]
    seen = project_trace(
        trace("lp!pub ls!sub lb?sub lb!pub lb?pub ls?pub lb!pub"), discrete(lifelines)
    )
    again = project_trace(
        trace("ls!sub lb?sub lb!pub lp!pub ls?pub lb?pub lb!pub"), discrete(lifelines)
    )
    assert seen == again
    assert str(seen) == ("{[lb] lb?sub.lb!pub.lb?pub.lb!pub; [lp] lp!pub; [ls] ls!sub.ls?pub}")


def test_a_lifeline_has_one_clock() -> None:
    with pytest.raises(ValueError, match="l1 is in two co-localizations"):
        partition([["l1"], ["l2", "l1"]])
    with pytest.raises(ValueError, match="at least one lifeline"):
        partition([[]])


def test_an_action_of_an_unknown_lifeline_cannot_be_projected() -> None:
    with pytest.raises(ValueError, match="l9!m is on l9, which is in no co-localization"):
        project_trace(trace("l9!m"), discrete(["l1"]))


def test_no_lifelines_have_no_clock() -> None:
    assert trivial([]) == discrete([]) == ()
    assert project_trace((), ()) == MultiTrace(())


def test_partitions_of_different_lifelines_are_not_comparable() -> None:
    assert not is_finer(discrete(["l1"]), discrete(["l1", "l2"]))
    assert not is_finer(discrete(["l1", "l2"]), discrete(["l1"]))


@given(partitions(), partitions())
def test_a_refinement_has_each_of_its_blocks_within_one(
    finer: Partition, coarser: Partition
) -> None:
    slowly = all(any(set(inner) <= set(outer) for outer in coarser) for inner in finer)
    assert is_finer(finer, coarser) is slowly


@given(partitions())
def test_every_partition_lies_between_the_discrete_and_the_trivial_one(given_: Partition) -> None:
    assert is_finer(discrete(LIFELINES), given_)
    assert is_finer(given_, trivial(LIFELINES))
    assert is_finer(given_, given_)


def projecting_in_steps_is_projecting_at_once(
    coarser: Partition, finer: Partition, actions: tuple[Action, ...]
) -> bool:
    return project(project_trace(actions, coarser), finer) == project_trace(actions, finer)


@given(partitions(), partitions(), traces())
def test_projections_compose(
    coarser: Partition, other: Partition, actions: tuple[Action, ...]
) -> None:
    common = [sorted(set(block) & set(its)) for block in coarser for its in other]
    finer = partition([block for block in common if block])
    assert is_finer(finer, coarser)
    assert projecting_in_steps_is_projecting_at_once(coarser, finer, actions)


def test_the_law_of_composition_notices_a_projection_that_forgets_the_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: what one clock recorded is sorted."""
    right = projection.project_trace

    def sorted_components(actions: tuple[Action, ...], onto: Partition) -> MultiTrace:
        made = right(actions, onto)
        return MultiTrace(
            tuple(Component(p.lifelines, tuple(sorted(p.actions))) for p in made.components)
        )

    monkeypatch.setattr(projection, "project_trace", sorted_components)
    law = projecting_in_steps_is_projecting_at_once
    assert not law(trivial(LIFELINES), trivial(LIFELINES), FIGURE_1A)


@given(partitions(), traces())
def test_projecting_loses_no_action_and_no_order_within_a_component(
    onto: Partition, actions: tuple[Action, ...]
) -> None:
    made = project_trace(actions, onto)
    assert partition_of(made) == onto
    assert made.length == len(actions)
    for part in made.components:
        assert part.actions == tuple(a for a in actions if a.lifeline in part.lifelines)
        assert component(part.lifelines, part.actions) == part
    assert multi_trace(made.components) == made
