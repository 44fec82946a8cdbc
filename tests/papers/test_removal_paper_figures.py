"""The figures of the removal paper, as far as its text carries them.

The README beside this file lists where each figure is tested. Not in the text, and so not here:
the drawings of Fig. 1 to 3, 7 and 8; the other three clauses of Fig. 9; the interactions of Fig.
11 to 13, of which the text tells which actions are one-unambiguous and what can be reached.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.denotation import traces
from choreomon.interaction.lifelines import mask
from choreomon.interaction.removal import project, remove
from choreomon.interaction.term import EMPTY, Interaction, alt, loop_w, par, seq, strict
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.graph import Graph
from choreomon.verify.papers.options import Options
from choreomon.verify.papers.reduction import one_unambiguous
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.verifier import Verifier
from tests.papers.figures import PUBLISH, executable, leaves
from tests.papers.formulas import (
    is_satisfiable,
    one_each,
    read_formula,
    satisfiability,
)
from tests.verify.papers.questions import a, logs, passing

SAT = Path(__file__).parents[1] / "data" / "offline" / "sat"
WHOLE = Options(goal=None, reduction="none", local=None, record=True)


def verdict(term: Interaction, seen: str, mode: Mode) -> Verdict:
    return Verifier(term, mode).decide(logs(seen)).verdict


def whole_graph(term: Interaction, seen: str, mode: Mode) -> Graph:
    graph = search(term, logs(seen), mode, WHOLE).graph
    assert graph is not None
    return graph


def test_figure_1_positions_and_the_first_actions() -> None:
    assert {at for at, action in leaves(PUBLISH).items() if action == "lp!pub"} == {"1111", "2111"}
    assert executable(PUBLISH) == {"1111": "lp!pub", "121": "ls!sub", "2111": "lp!pub"}


def test_figure_1_none_of_the_prefixes_of_the_accepted_trace_is_accepted() -> None:
    """Section 3.1 gives the trace; here it is one component, and one for every lifeline."""
    trace = ["ls!sub", "lp!pub", "lb?sub", "lb?pub", "lb!pub", "ls?pub"]
    for length in range(len(trace)):
        begun = " ".join(trace[:length])
        assert verdict(PUBLISH, f"lp,lb,ls: {begun}", "accept") is Verdict.FAIL
        assert verdict(PUBLISH, f"lp,lb,ls: {begun}", "prefix") is Verdict.WEAK_PASS
    assert verdict(PUBLISH, f"lp,lb,ls: {' '.join(trace)}", "accept") is Verdict.PASS
    apart = "ls: ls!sub ls?pub; lp: lp!pub; lb: lb?sub lb?pub lb!pub"
    assert verdict(PUBLISH, apart, "accept") is Verdict.PASS


def test_figure_1_what_the_broker_sees() -> None:
    """Section 3.1: words of (lb?pub)* lb?sub (lb?pub lb!pub)*."""
    words = {
        ("lb?pub",) * before + ("lb?sub",) + ("lb?pub", "lb!pub") * after
        for before, after in product(range(7), range(4))
    }
    found = {tuple(map(str, trace)) for trace in traces(project(PUBLISH, mask(["lb"])), 7)}
    assert found == {word for word in words if len(word) <= 7}


def test_figure_2_removing_publisher_and_subscriber_leaves_the_broker() -> None:
    lb = seq(seq(loop_w(a("lb?pub")), a("lb?sub")), loop_w(strict(a("lb?pub"), a("lb!pub"))))
    assert remove(PUBLISH, mask(["lp", "ls"])) is lb


def test_figure_3_lifelines_are_removed_in_either_order_or_at_once() -> None:
    """Property 1, on Fig. 1; which lifelines the figure takes is not in the text, so all pairs."""
    for one, other in product(["lp", "lb", "ls"], repeat=2):
        at_once = remove(PUBLISH, mask([one, other]))
        assert remove(remove(PUBLISH, mask([one])), mask([other])) is at_once
        assert remove(remove(PUBLISH, mask([other])), mask([one])) is at_once


def test_figures_4_and_5_the_multi_trace_as_it_is_printed_is_not_one_of_figure_1() -> None:
    """The text of section 3.3 has lb send `pub` before it received one, twice in all; by section
    3.1 it never does. The observation that fits the pictures' story is accepted."""
    printed = "lp: lp!pub; lb: lb?sub lb!pub lb?pub lb!pub; ls: ls!sub ls?pub"
    for mode in ("accept", "prefix", "multiprefix", "slice"):
        assert verdict(PUBLISH, printed, mode) is Verdict.FAIL
    meant = "lp: lp!pub; lb: lb?sub lb?pub lb!pub; ls: ls!sub ls?pub"
    assert verdict(PUBLISH, meant, "accept") is Verdict.PASS


def test_figure_6_the_partial_observation_is_a_multi_prefix_and_no_projected_prefix() -> None:
    """Section 4.1: ls is not observed, and lb only until it received `sub`."""
    partial = "lp: lp!pub; lb: lb?sub; ls:"
    assert verdict(PUBLISH, partial, "multiprefix") is Verdict.WEAK_PASS
    assert verdict(PUBLISH, partial, "prefix") is Verdict.FAIL
    assert verdict(PUBLISH, partial, "test") is Verdict.INCONC


def test_figures_7_and_8_have_three_vertices_where_they_find_and_one_where_they_do_not() -> None:
    """Fig. 7 (a): "the three annotated squares"; (b): the algorithm cannot progress; Fig. 8: from
    1 to 2 the removal of l1, from 2 to 3 the execution."""
    term = seq(passing("l1", "m", "l2"), alt(passing("l2", "m", "l1"), EMPTY))
    found = whole_graph(term, "l1: l1!m; l2: l2?m", "accept")
    assert [vertex.end for vertex in found.vertices] == [None, None, "Cov"]
    assert [vertex.end for vertex in whole_graph(term, "l1:; l2: l2?m", "prefix").vertices] == [
        "Out"
    ]
    removed = whole_graph(term, "l1:; l2: l2?m", "multiprefix")
    assert [vertex.end for vertex in removed.vertices] == [None, None, "MultiPref"]


# -- Fig. 9: reduction of 3SAT (Property 11) -------------------------------------------------------


def test_figure_9_a_clause_is_a_lifeline_and_a_literal_a_branch() -> None:
    """Three variables, four clauses; of the first clause the text says that it has the three
    negated literals, in the right branches. The other clauses are inferred to be any."""
    formula = ((-1, -2, -3), (1, 2, 3), (1, -2, 3), (-1, 2, -3))
    term = satisfiability(formula)
    branches = {at for at, action in leaves(term).items() if action == "l1?m"}
    assert all(at.rstrip("1").endswith("2") for at in branches)
    assert len(branches) == 3
    assert Verifier(term, "multiprefix").decide(one_each(formula)).verdict.passes


def random_formula(rng: Random, names: int, clauses: int) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(name * rng.choice((1, -1)) for name in rng.sample(range(1, names + 1), 3))
        for _ in range(clauses)
    )


def test_a_formula_is_satisfiable_if_and_only_if_one_message_each_is_a_multi_prefix() -> None:
    rng = Random(11)
    found = set()
    for _ in range(40):
        formula = random_formula(rng, 3, rng.choice((3, 10, 14)))
        expected = is_satisfiable(formula)
        answer = Verifier(satisfiability(formula), "multiprefix").decide(one_each(formula))
        assert answer.verdict.passes is expected, formula
        found.add(expected)
    assert found == {True, False}


@pytest.mark.parametrize(
    ("name", "satisfiable"),
    [("onein3-06", True), ("onein3-02", True), ("unsat-01", False), ("uf20-01", True)],
)
def test_published_sizes_of_formulas(name: str, satisfiable: bool) -> None:
    formula = read_formula((SAT / f"{name}.cnf").read_text(encoding="utf-8"))
    answer = Verifier(satisfiability(formula), "multiprefix").decide(one_each(formula))
    assert answer.verdict.passes is satisfiable


def test_the_reduction_notices_a_literal_that_is_lost() -> None:
    """Planted bug: the branches of the last variable are taken for empty."""
    formula = ((1, 2, 3), (-1, 2, 3), (1, -2, 3), (-1, -2, 3))
    assert is_satisfiable(formula)
    lost = satisfiability(tuple(tuple(x for x in c if abs(x) != 3) for c in formula))
    assert not Verifier(lost, "multiprefix").decide(one_each(formula)).verdict.passes


# -- Fig. 10 to 14: search spaces ------------------------------------------------------------------


def test_figure_10_has_two_branches_of_three_vertices_that_find_and_one_of_two_that_does_not() -> (
    None
):
    """The text names the vertices where branches begin, the last one of them 8, and those that
    lead to `Ok`, 4 and 7. With the start as 0, the removal of ls as 1 and branches from 2, 5 and 8
    (the text has 3, 5 and 8, and calls the first two 1 and 2) that is two branches of three
    vertices that find and one that does not. In each the second vertex is a removal's."""
    graph = whole_graph(PUBLISH, "lp: lp!pub; lb: lb?sub; ls:", "multiprefix")
    branches = []
    for edge in graph.edges:
        if edge.source == 1:
            below = [edge.target]
            rules = []
            for later in graph.edges:
                if later.source == below[-1]:
                    below.append(later.target)
                    rules.append(later.rule)
            branches.append((str(edge.action), rules, graph.vertices[below[-1]].end))
    assert sorted(branches) == [
        ("lb?sub", ["remove", "execute"], "MultiPref"),
        ("lp!pub", ["remove"], "Out"),
        ("lp!pub", ["remove", "execute"], "MultiPref"),
    ]


FIGURE_11 = par(
    a("l1?m2"),
    alt(
        strict(a("l2?m1"), alt(a("l1?m2"), EMPTY)),
        strict(a("l1!x"), a("l2?m1")),
    ),
)
"""One of the interactions of which all that the text says of Fig. 11 holds."""


def ambiguity(term: Interaction, *actions: str) -> list[bool]:
    """Which of the actions are one-unambiguous."""
    values = [parse_action(action) for action in actions]
    return [one_unambiguous(term, value, mask([value.lifeline])) for value in values]


def test_figure_11_the_order_of_independent_actions_matters() -> None:
    """Both first actions are one-ambiguous; the vertices that are reached by l1?m2 and then l2?m1
    are all reached the other way round, yet only l1?m2 first leads to `Ok`. The interaction is
    inferred; the reduction of Definition 11 must not, and does not, choose here."""
    assert ambiguity(FIGURE_11, "l1?m2", "l2?m1") == [False, False]
    seen = "l1: l1?m2 l1!x; l2: l2?m1"
    graph = whole_graph(FIGURE_11, seen, "accept")

    def after(*actions: str) -> set[int]:
        at = {0}
        for action in actions:
            at = {e.target for e in graph.edges if e.source in at and str(e.action) == action}
        return at

    assert len(after("l2?m1")) == len(after("l1?m2")) == 1
    assert len(after("l2?m1", "l1?m2")) == 2
    assert len(after("l1?m2", "l2?m1")) == 1
    assert after("l1?m2", "l2?m1") < after("l2?m1", "l1?m2")
    ends = {number: graph.vertices[number].end for number in after("l2?m1", "l1?m2")}
    assert set(ends.values()) == {"Out"}
    (end,) = after("l1?m2", "l1!x", "l2?m1")
    assert graph.vertices[end].end == "Cov"
    for reduction in ("none", "paper", "sound"):
        options = Options(reduction=reduction)
        for mode in ("accept", "multiprefix"):
            assert search(FIGURE_11, logs(seen), mode, options).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("figure", "chosen", "other"), [(12, "l2!m1", "l1?m1"), (13, "l1?m2", "l2?m1")]
)
def test_figures_12_and_13_one_linearization_is_enough(
    figure: int, chosen: str, other: str
) -> None:
    """The text says which of two first actions is one-unambiguous and that the vertex after the
    other one is not needed. The interaction is inferred: a loop that receives what follows it."""
    term = seq(loop_w(strict(a(chosen), a(other))), a(other))
    assert executable(term) == {"111": chosen, "2": other}
    assert ambiguity(term, chosen, other) == [True, False]
    parts = (f"{chosen[:2]}: {chosen}", f"{other[:2]}: {other} {other}")
    seen = logs("; ".join(parts))
    for reduction, successors in (("none", 2), ("paper", 1)):
        options = Options(goal=None, reduction=reduction, local=None, record=True)
        result = search(term, seen, "accept", options)
        assert result.graph is not None
        first = [str(edge.action) for edge in result.graph.edges if edge.source == 0]
        assert len(first) == successors, figure
        assert chosen in first
        assert result.verdict is Verdict.PASS


def test_the_reduction_keeps_the_verdicts_of_the_example_of_regular_expressions() -> None:
    """Section 5.1: in (a + b)* a the first a may be two different ones, in b* a (v* a)* not."""
    ambiguous = seq(loop_w(alt(a("l!a"), a("l!b"))), a("l!a"))
    clear = seq(loop_w(a("l!b")), seq(a("l!a"), loop_w(seq(loop_w(a("l!v")), a("l!a")))))
    assert ambiguity(ambiguous, "l!a") == [False]
    assert ambiguity(clear, "l!a") == [True]
    for term in (ambiguous, clear):
        found = search(term, logs("l: l!a l!a l!a"), "accept", Options(reduction="paper"))
        assert found.verdict is Verdict.PASS
