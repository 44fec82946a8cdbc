"""Loop depth and actions outside loops: the slices paper, Definitions 12 and 13."""

from __future__ import annotations

from choreomon.interaction.measures import (
    actions_outside_loops,
    loop_depth,
    metrics,
    nesting,
)
from choreomon.interaction.term import (
    EMPTY,
    LOOPS,
    Interaction,
    Operator,
    alt,
    loop_h,
    loop_s,
    loop_w,
    seq,
)
from tests.interaction.drawn import a, interactions

EXAMPLE = loop_s(seq(alt(a("l1!a1"), EMPTY), loop_s(a("l1!a2"))))
"""The term of the slices paper, Appendix B.1."""


def positions(term: Interaction) -> list[str]:
    found = [""]
    for digit, side in (("1", term.left), ("2", term.right)):
        if side is not None:
            found += [digit + rest for rest in positions(side)]
    return found


def depth_by_definition(term: Interaction, position: str) -> int:
    if not position:
        return 0
    side = term.left if position[0] == "1" else term.right
    assert side is not None
    return depth_by_definition(side, position[1:]) + (term.operator in LOOPS)


def outside_by_definition(term: Interaction) -> int:
    if term.left is None:
        return 0 if term.action is None else 1
    if term.right is None:
        return 0
    sides = outside_by_definition(term.left), outside_by_definition(term.right)
    return max(sides) if term.operator is Operator.ALT else sum(sides)


def test_the_loop_depth_of_the_papers_example() -> None:
    assert loop_depth(EXAMPLE) == 2


def test_the_measures_are_those_of_the_definitions() -> None:
    for term in interactions(31, 500, max_size=30):
        everywhere = positions(term)
        assert loop_depth(term) == max(depth_by_definition(term, each) for each in everywhere)
        assert actions_outside_loops(term) == outside_by_definition(term)
        assert metrics(term).symbols == len(everywhere) == term.size


def test_metrics_count_the_tree_and_not_the_shared_terms() -> None:
    twice = seq(loop_w(a("l1!m")), loop_h(seq(loop_w(a("l1!m")), a("l2?n"))))
    assert metrics(twice) == (8, 5, 3, 3, 2, ("l1", "l2"), ("m", "n"))


def test_chains_are_not_nested_however_long() -> None:
    leaf = a("l1!a")
    assert nesting(leaf) == nesting(EMPTY) == 0
    assert nesting(seq(*[leaf] * 50)) == 1
    assert nesting(seq(seq(leaf, leaf), leaf)) == 2
    assert nesting(alt(leaf, seq(leaf, leaf))) == 2
    assert nesting(loop_s(loop_w(seq(leaf, loop_h(leaf), leaf)))) == 4
