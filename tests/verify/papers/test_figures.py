"""The graphs of the papers' figures, as far as their text carries them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.lifelines import mask
from choreomon.interaction.measures import actions_outside_loops, loop_depth, metrics
from choreomon.interaction.term import EMPTY, Interaction, alt, coreg, loop_p, loop_w, seq, strict
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.graph import Edge, Graph, Measure
from choreomon.verify.papers.measure import Measures
from choreomon.verify.papers.options import LocalAnalyses, Options, SimulationCriteria
from choreomon.verify.papers.reduction import one_unambiguous
from choreomon.verify.verdict import Mode, Verdict
from tests.verify.papers.questions import a, logs, passing, questions

WHOLE = Options(goal=None, reduction="none", local=None, record=True)
WITH_LOCAL = replace(WHOLE, local=LocalAnalyses(select="all"))


def graph_of(term: Interaction, seen: MultiTrace, mode: Mode, options: Options = WHOLE) -> Graph:
    graph = search(term, seen, mode, options).graph
    assert graph is not None
    return graph


def edges_from(graph: Graph, number: int) -> list[Edge]:
    return [edge for edge in graph.edges if edge.source == number]


def measures_along(graph: Graph, *steps: str) -> list[Measure | None]:
    """The measures on a path from the start, a step written as in `simulate l1!m`."""
    at = 0
    found = [graph.vertices[0].measure]
    for step in steps:
        (at,) = {
            edge.target for edge in edges_from(graph, at) if f"{edge.rule} {edge.action}" == step
        }
        found.append(graph.vertices[at].measure)
    return found


PUBLISH = seq(
    seq(loop_w(passing("lp", "pub", "lb")), passing("ls", "sub", "lb")),
    loop_w(strict(passing("lp", "pub", "lb"), passing("lb", "pub", "ls"))),
)


def test_000_figure_7_acceptance_cannot_go_on_where_removal_can() -> None:
    term = seq(passing("l1", "m", "l2"), alt(passing("l2", "m", "l1"), EMPTY))
    assert search(term, logs("l1: l1!m; l2: l2?m"), "accept", WHOLE).verdict is Verdict.PASS
    cut = logs("l1:; l2: l2?m")
    assert search(term, cut, "prefix", WHOLE).verdict is Verdict.FAIL
    graph = graph_of(term, cut, "multiprefix")
    assert [edge.rule for edge in graph.edges] == ["remove", "execute"]
    assert graph.vertices[-1].end == "MultiPref"


def test_000_figure_10_the_subscriber_is_removed_and_then_three_actions_can_be_executed() -> None:
    graph = graph_of(PUBLISH, logs("lp: lp!pub; lb: lb?sub; ls:"), "multiprefix")
    assert [edge.rule for edge in edges_from(graph, 0)] == ["remove"]
    assert sorted(str(edge.action) for edge in edges_from(graph, 1)) == [
        "lb?sub",
        "lp!pub",
        "lp!pub",
    ]
    assert len(graph.vertices) == 10
    assert [vertex.end for vertex in graph.vertices if vertex.end] == [
        "Out",
        "MultiPref",
        "MultiPref",
    ]


def test_000_figures_11_to_13_say_which_actions_are_one_unambiguous() -> None:
    loop = seq(loop_w(passing("l1", "m", "l2")), a("l1!m"), a("l2?n"))
    for action, unambiguous in (("l1!m", False), ("l2?m", True), ("l2?n", True)):
        value = parse_action(action)
        assert one_unambiguous(loop, value, mask([value.lifeline])) is unambiguous


@pytest.mark.parametrize("n", [2, 3, 6])
def test_000_figure_14_local_analyses_leave_three_vertices_whatever_the_length(n: int) -> None:
    term = seq(
        loop_w(passing("l1", "m1", "l2")),
        alt(seq(a("l1!m1"), a("l1!m2")), EMPTY),
        *[a(f"l2!m{k}") for k in range(2, n + 1)],
    )
    rest = " ".join(f"l2!m{k}" for k in range(2, n + 1))
    seen = logs(f"l1: l1!m1 l1!m2; l2: l2?m1 {rest}")
    plain = graph_of(term, seen, "multiprefix")
    removed = {edge.target for edge in plain.edges if edge.rule == "remove"}
    # The paper counts n + 4, without what its rule of removal still reaches.
    assert len(plain.vertices) - len(removed) == n + 4
    for select in ("all", "dirty"):
        options = replace(WITH_LOCAL, local=LocalAnalyses(select))
        local = graph_of(term, seen, "multiprefix", options)
        assert len(local.vertices) == 3
        assert [vertex.by_local_analysis for vertex in local.vertices] == [False, True, True]


def test_000_local_analyses_do_not_replace_the_global_one() -> None:
    term = alt(passing("l1", "m", "l2"), passing("l1", "m", "l3"))
    seen = logs("l1: l1!m; l2: l2?m; l3: l3?m")
    result = search(term, seen, "multiprefix", WITH_LOCAL)
    assert result.verdict is Verdict.FAIL
    assert result.vertices > 1


FIGURE_2 = seq(
    coreg(
        mask(["l2"]),
        alt(passing("l1", "m1", "l2", "l3"), EMPTY),
        loop_w(alt(passing("l1", "m2", "l2"), passing("l2", "m3", "l3"))),
    ),
    loop_p(seq(passing("l3", "m4", "l2"), passing("l2", "m5", "l3"))),
)


def test_001_figure_5_the_observed_multi_trace_is_accepted() -> None:
    seen = logs("l1,l2: l1!m1 l2?m1 l2?m4; l3: l3?m1 l3!m4")
    assert search(FIGURE_2, seen, "prefix").verdict is Verdict.WEAK_PASS
    whole = seq(
        coreg(mask(["l2"]), alt(passing("l1", "m1", "l2", "l3"), EMPTY)),
        loop_p(passing("l3", "m4", "l2")),
    )
    assert search(whole, seen, "accept").verdict is Verdict.PASS


def test_001_figure_7_measures() -> None:
    seen = logs("l1,l2: l2?m4; l3: l3?m1")
    graph = graph_of(FIGURE_2, seen, "simulate")
    found = {
        str(edge.action): (edge.rule, graph.vertices[edge.target].measure)
        for edge in edges_from(graph, 0)
    }
    assert found == {
        "l3!m4": ("simulate", (0, 3)),
        "l2!m3": ("simulate", (0, 4)),
        "l1!m2": ("simulate", (0, 1)),
        "l1!m1": ("simulate", (1, 2)),
    }
    assert measures_along(graph, "simulate l1!m2", "simulate l2?m2")[-1] == (0, 0)
    assert measures_along(graph, "simulate l2!m3", "simulate l3?m3")[-1] == (0, 0)
    assert measures_along(
        graph,
        "simulate l1!m1",
        "execute l3?m1",
        "simulate l3!m4",
        "simulate l2?m1",
        "execute l2?m4",
    ) == [(1, 3), (1, 2), (1, 1), (0, 4), (0, 3), (1, 2)]
    assert search(FIGURE_2, seen, "simulate").verdict is Verdict.WEAK_PASS


def test_001_figure_8_measures() -> None:
    term = seq(loop_w(passing("l1", "m1", "l2")), passing("l1", "m2", "l2"))
    graph = graph_of(term, logs("l1: l1!m1; l2: l2?m2"), "simulate")
    assert measures_along(
        graph, "execute l1!m1", "simulate l1!m2", "simulate l2?m1", "execute l2?m2"
    ) == [(1, 2), (1, 3), (0, 2), (0, 1), (0, 0)]


def test_001_figure_9_what_can_be_consumed_may_have_to_be_simulated() -> None:
    term = seq(loop_w(passing("l1", "m1", "l2")), passing("l2", "m2", "l1"))
    seen = logs("l1: l1!m1 l1?m2; l2: l2?m1 l2?m1 l2!m2")
    graph = graph_of(term, seen, "simulate")
    assert measures_along(graph, "execute l1!m1", "execute l2?m1") == [(1, 2), (1, 3), (1, 2)]
    assert measures_along(graph, "simulate l2!m2", "simulate l1?m2")[1:] == [(0, 1), (0, 0)]
    assert measures_along(graph, "simulate l1!m1", "execute l1!m1")[1:] == [(0, 3), (1, 4)]
    for mode in ("simulate", "slice"):
        assert search(term, seen, mode).verdict is Verdict.WEAK_PASS
        assert search(term, seen, mode, Options(reduction="paper")).verdict is Verdict.WEAK_PASS


def test_001_figure_10a_every_observed_action_allows_a_loop_again() -> None:
    term = loop_w(passing("l1", "m1", "l2"))
    graph = graph_of(term, logs("l1:; l2: l2?m1 l2?m1"), "simulate")
    assert measures_along(
        graph, "simulate l1!m1", "execute l2?m1", "simulate l1!m1", "execute l2?m1"
    ) == [(1, 0), (0, 1), (1, 0), (0, 1), (1, 0)]
    without_reset = Options(criteria=SimulationCriteria(reset=False))
    assert search(term, graph.multitrace, "simulate", without_reset).verdict is Verdict.WEAK_FAIL


FIGURE_11 = {
    "a": (loop_p(strict(a("l!m1"), a("l?m2"))), logs("l: l?m2 l?m2 l?m2")),
    "b": (loop_w(passing("l1", "m", "l2")), logs("l1,l2: l2?m l2?m")),
    "c": (
        coreg(mask(["l2"]), loop_w(passing("l1", "m1", "l2")), loop_w(passing("l1", "m2", "l2"))),
        logs("l1:; l2: l2?m2 l2?m1"),
    ),
}


@pytest.mark.parametrize("name", FIGURE_11)
def test_001_figure_11_is_beyond_the_measure_but_not_beyond_an_exact_bound(name: str) -> None:
    term, seen = FIGURE_11[name]
    assert search(term, seen, "simulate").verdict is Verdict.WEAK_FAIL
    assert search(term, seen, "slice").verdict is Verdict.WEAK_PASS
    liberal = Options(criteria=SimulationCriteria(multiply=True, reset=False))
    assert search(term, seen, "simulate", liberal).verdict is Verdict.WEAK_PASS


def test_001_figure_11_graphs() -> None:
    measures = {
        name: [vertex.measure for vertex in graph_of(*FIGURE_11[name], "simulate").vertices]
        for name in FIGURE_11
    }
    assert sorted(measures["a"]) == [(0, 0), (0, 1), (1, 0), (1, 0)]
    assert sorted(measures["b"]) == [(0, 0), (0, 1), (1, 0), (1, 0)]


def test_001_figure_11c_two_loops_help_and_for_a_longer_one_three() -> None:
    term, seen = FIGURE_11["c"]
    by_number = Options(criteria=SimulationCriteria(loops="max_num"))
    assert search(term, seen, "simulate", by_number).verdict is Verdict.WEAK_PASS
    longer = logs("l1:; l2: l2?m2 l2?m2 l2?m1")
    for loops, verdict in ((2, Verdict.WEAK_FAIL), (3, Verdict.WEAK_PASS)):
        at_once = Options(criteria=SimulationCriteria(loops=loops, reset=False))
        assert search(term, longer, "simulate", at_once).verdict is verdict


def test_001_figure_18_a_number_of_actions_bounds_simulation() -> None:
    term = strict(*[a(f"l1!m{k}") for k in range(10)], a("l2?x"))
    seen = logs("l1:; l2: l2?x")
    for number, verdict in ((10, Verdict.WEAK_PASS), (9, Verdict.WEAK_FAIL)):
        options = Options(criteria=SimulationCriteria(actions=number))
        assert search(term, seen, "simulate", options).verdict is verdict


def test_003_section_4_5_verdicts_of_test() -> None:
    term = passing("a", "m", "b")
    expected = {
        "a: a!m; b: b?m": Verdict.PASS,
        "a: a!m; b:": Verdict.WEAK_PASS,
        "a:; b: b?m": Verdict.INCONC,
        "a:; b: b?x": Verdict.INCONC,
        "a: a!x; b: b?m": Verdict.FAIL,
        "a: a!x": Verdict.INCONC,
    }
    for text, verdict in expected.items():
        for options in (Options(), WHOLE):
            assert search(term, logs(text), "test", options).verdict is verdict, text
    lacking = search(term, logs("a:; b: b?x"), "test")
    assert lacking.reason == "LackObs"
    assert search(term, logs("a: a!x; b: b?m; z:"), "test").verdict is Verdict.FAIL


def test_sizes_are_those_of_the_interaction() -> None:
    for question in questions(Random(3), 12):
        term = question.interaction
        numbers = metrics(term)
        for criteria, expected in (
            (SimulationCriteria(), (loop_depth(term), actions_outside_loops(term))),
            (SimulationCriteria(loops="max_num", actions=7), (numbers.loops, 7)),
            (SimulationCriteria(loops=2, multiply=True), (6, 3 * actions_outside_loops(term))),
        ):
            assert Measures(criteria).initial(term, 3) == expected
