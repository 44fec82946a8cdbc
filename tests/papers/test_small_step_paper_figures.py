"""The figures of the small-step paper, as far as its text carries them.

The README beside this file lists where each figure is tested. Not in the text, and so not here:
the drawings of Fig. 1, 2 and 11 to 13 themselves (the terms are known from positions and actions
that the text names); Fig. 12 shows the principle on no interaction in particular.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.lifelines import mask
from choreomon.interaction.step import prune, subterm
from choreomon.interaction.term import EMPTY, Interaction, alt, loop_h, par, seq
from choreomon.multitrace.projection import discrete, project_trace
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.options import Options
from choreomon.verify.verdict import Verdict
from choreomon.verify.verifier import Verifier
from tests.papers.figures import EXAMPLE, SMALL, executable, follow_up, leaves, positions
from tests.papers.formulas import is_one_in_three, one_each, one_in_three, read_formula
from tests.verify.papers.questions import a, logs, passing

SAT = Path(__file__).parents[1] / "data" / "offline" / "sat"


def test_section_2_1_a_projected_trace() -> None:
    trace = map(parse_action, ["a!m1", "c?m1", "c!m2", "d?m2"])
    seen = project_trace(trace, discrete("abcd"))
    assert str(seen) == "{[a] a!m1; [b]; [c] c?m1.c!m2; [d] d?m2}"


def test_figure_4_positions() -> None:
    assert positions(SMALL) == ["", "1", "11", "111", "112", "12", "2"]
    assert leaves(SMALL) == {"111": "b!m2", "112": "c?m2", "2": "b!m3"}


def test_figure_5_what_expresses_the_empty_trace() -> None:
    """The text goes through all positions, from the leaves to the root."""
    assert {at: subterm(SMALL, at).terminates for at in positions(SMALL)} == {
        "": False, "1": True, "11": False, "111": False, "112": False, "12": True, "2": False,
    }  # fmt: skip


def test_figure_6_what_avoids_c() -> None:
    """Only the leaf c?m2 and, as its parent schedules it, the parent do not."""
    c = mask(["c"])
    assert [at for at in positions(SMALL) if prune(subterm(SMALL, at), c) is None] == ["11", "112"]


def test_figure_7_three_of_eight_actions_are_in_the_frontier() -> None:
    assert leaves(EXAMPLE) == {
        "1111": "a!m1", "1112": "b?m1", "112111": "b!m2", "112112": "c?m2", "1122": "b!m3",
        "21": "a!m1", "221": "c!m4", "222": "a?m4",
    }  # fmt: skip
    assert executable(EXAMPLE) == {"1111": "a!m1", "21": "a!m1", "221": "c!m4"}


LOOP = subterm(EXAMPLE, "1")
"""Fig. 8 and 9 prune "an interaction defined over a, b and c" with a loop at its root, whose only
action on c is c?m2 and on a is a!m1: the left side of Fig. 1."""


def test_figure_8_pruning_c_cuts_a_branch_out_and_keeps_the_loop() -> None:
    assert prune(LOOP, mask(["c"])) is loop_h(seq(passing("a", "m1", "b"), a("b!m3")))


def test_figure_9_pruning_a_forbids_the_repetition() -> None:
    assert prune(LOOP, mask(["a"])) is EMPTY


def test_figure_10_execution_prunes_what_comes_before() -> None:
    rest = follow_up(EXAMPLE, "221")
    pruned = loop_h(seq(passing("a", "m1", "b"), a("b!m3")))
    assert rest is seq(pruned, par(a("a!m1"), a("a?m4")))


def test_figure_11_a_path_to_the_empty_interaction() -> None:
    """The trace a!m1 c!m4 a?m4; the loop is pruned away when a!m1 at 21 is executed."""
    after_m1 = follow_up(EXAMPLE, "21")
    assert after_m1 is passing("c", "m4", "a")
    after_m4 = follow_up(after_m1, "1")
    assert follow_up(after_m4, "") is EMPTY


def test_figure_13_depth_first_search_does_not_get_to_the_paths_that_begin_with_c() -> None:
    """The first a!m1 leads nowhere, the second one to `Cov` in three steps."""
    seen = logs("a: a!m1 a?m4; b:; c: c!m4")
    options = Options(reduction="none", local=None, record=True)
    result = search(EXAMPLE, seen, "accept", options)
    assert result.verdict is Verdict.PASS
    assert [str(step.action) for step in result.path] == ["a!m1", "c!m4", "a?m4"]
    assert result.graph is not None
    assert {str(edge.action) for edge in result.graph.edges if edge.source == 0} == {"a!m1"}
    whole = search(EXAMPLE, seen, "accept", Options(goal=None, reduction="none", record=True))
    assert whole.graph is not None
    first = [str(edge.action) for edge in whole.graph.edges if edge.source == 0]
    assert sorted(first) == ["a!m1", "a!m1", "c!m4"]


# -- section 4.4 and Appendix A: reduction of 1-in-3-SAT -------------------------------------------


def test_figure_14_the_reduction_of_two_clauses() -> None:
    """(v1 or not v2 or v4) and (v1 or v3 or not v4); not v1, v2, v3, v4 is a solution."""
    formula = ((1, -2, 4), (1, 3, -4))
    one, two = a("l1!m"), a("l2!m")
    term = one_in_three(formula)
    assert term is par(alt(seq(one, two), EMPTY), alt(EMPTY, one), alt(two, EMPTY), alt(one, two))
    assert is_one_in_three(formula)
    assert Verifier(term, "accept").decide(one_each(formula, "!")).verdict is Verdict.PASS
    chosen = par(EMPTY, EMPTY, two, one)
    assert Verifier(chosen, "accept").decide(one_each(formula, "!")).verdict is Verdict.PASS


def test_figure_15_the_general_reduction() -> None:
    """With p = q = 3, the three clauses of the text."""
    formula = ((1, 2, -3), (-1, 2, 3), (1, -2, -3))
    term = one_in_three(formula)
    assert subterm(term, "1") is alt(seq(a("l1!m"), a("l3!m")), a("l2!m"))
    assert subterm(term, "21") is alt(seq(a("l1!m"), a("l2!m")), a("l3!m"))
    assert subterm(term, "22") is alt(a("l2!m"), seq(a("l1!m"), a("l3!m")))


def agrees(formula: tuple[tuple[int, ...], ...], term: Interaction) -> bool:
    passed = Verifier(term, "accept").decide(one_each(formula, "!")).verdict is Verdict.PASS
    return passed is is_one_in_three(formula)


def test_one_literal_of_each_clause_can_be_true_if_and_only_if_one_message_each_is_accepted() -> (
    None
):
    rng = Random(12)
    found = set()
    for _ in range(60):
        formula = tuple(
            tuple(name * rng.choice((1, -1)) for name in rng.sample(range(1, 6), 3))
            for _ in range(rng.choice((2, 4, 6)))
        )
        assert agrees(formula, one_in_three(formula)), formula
        found.add(is_one_in_three(formula))
    assert found == {True, False}


def test_the_reduction_notices_a_choice_that_is_lost() -> None:
    """Planted bug: the first variable is always true, which solves nothing."""
    formula = ((1, -2, 4), (1, 3, -4))
    right = one_in_three(formula)
    assert agrees(formula, right)
    assert right.right is not None
    assert not agrees(formula, par(subterm(right, "11"), right.right))


@pytest.mark.parametrize(
    ("name", "solvable"), [("onein3-06", True), ("onein3-02", True), ("unsat-04", False)]
)
def test_published_sizes_of_formulas(name: str, solvable: bool) -> None:
    formula = read_formula((SAT / f"{name}.cnf").read_text(encoding="utf-8"))
    answer = Verifier(one_in_three(formula), "accept").decide(one_each(formula, "!"))
    assert answer.verdict.passes is solvable
