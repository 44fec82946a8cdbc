"""Where the papers' shortcuts are wrong, by name; and what cuts a search short."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from choreomon.interaction.term import alt, coreg, loop_h, loop_s, loop_w, par, seq, strict
from choreomon.verify.papers.engine import Searcher, search
from choreomon.verify.papers.heuristics import Filters, Priorities
from choreomon.verify.papers.options import LocalAnalyses, Options, Reason
from choreomon.verify.papers.portfolio import Portfolio, advised
from choreomon.verify.verdict import Verdict
from tests.verify.papers.questions import a, logs, mask_of, passing


def test_one_unambiguous_actions_discard_a_loop() -> None:
    term = strict(loop_s(a("l1!b")), a("l2!a"))
    seen = logs("l1: l1!b; l2: l2!a")
    first_a = Priorities(loop=-1)
    for reduction, verdict in (
        ("none", Verdict.PASS),
        ("sound", Verdict.PASS),
        ("paper", Verdict.FAIL),
    ):
        options = Options(reduction=reduction, local=None, priorities=first_a)
        assert search(term, seen, "accept", options).verdict is verdict


REMOVAL_PASSES = (
    (
        par(
            seq(strict(a("l1!m1"), a("l3!m1")), strict(a("l3!m1"), a("l2!m1"))),
            strict(a("l2!m2"), a("l1!m2")),
        ),
        logs("l1: l1!m2 l1!m1; l2: l2!m1 l2!m2; l3:"),
    ),
    (
        coreg(
            mask_of("l1"),
            seq(strict(a("l1!a"), a("l3!x")), strict(a("l3?x"), a("l2!c"))),
            strict(a("l2!d"), a("l1!b")),
        ),
        logs("l1: l1!b l1!a; l2: l2!c l2!d; l3:"),
    ),
)
REMOVAL_FAILS = (
    par(
        loop_h(alt(seq(a("l3!p"), a("l1!a")), seq(a("l1!b"), a("l2!c")))),
        strict(a("l2!d"), a("l1!e")),
    ),
    logs("l1: l1!e l1!a l1!b; l2: l2!c l2!d; l3:"),
)


@pytest.mark.parametrize("case", range(2))
def test_removal_passes_what_no_accepted_trace_extends(case: int) -> None:
    term, seen = REMOVAL_PASSES[case]
    removal = Options(method="removal")
    assert search(term, seen, "multiprefix", removal).verdict is Verdict.WEAK_PASS
    assert search(term, seen, "multiprefix").verdict is Verdict.FAIL


def test_removal_fails_what_an_accepted_trace_extends() -> None:
    term, seen = REMOVAL_FAILS
    assert search(term, seen, "multiprefix", Options(method="removal")).verdict is Verdict.FAIL
    assert search(term, seen, "multiprefix").verdict is Verdict.WEAK_PASS


def test_removal_needs_the_discrete_partition() -> None:
    term = passing("l1", "m", "l2")
    seen = logs("l1,l2: l1!m")
    with pytest.raises(ValueError, match="discrete partition"):
        search(term, seen, "multiprefix", Options(method="removal"))
    assert search(term, seen, "multiprefix").verdict is Verdict.WEAK_PASS


def test_loop_h_is_not_projected_onto_two_lifelines(monkeypatch: pytest.MonkeyPatch) -> None:
    term = loop_h(alt(seq(a("l3!p"), a("l1!a")), seq(a("l1!b"), a("l2!c"))))
    seen = logs("l1,l2: l2!c l1!a l1!b; l3: l3!p")
    assert search(term, seen, "accept").verdict is Verdict.PASS
    monkeypatch.setattr("choreomon.verify.lazy_automaton.without_heads", lambda term: term)
    assert search(term, seen, "accept").verdict is Verdict.FAIL


def test_one_action_serves_every_iteration_around_it() -> None:
    term = loop_s(strict(a("l1!a"), loop_s(strict(a("l1!b"), a("l2?c")))))
    assert search(term, logs("l1:; l2: l2?c"), "slice").verdict is Verdict.WEAK_PASS


def test_strict_operators_are_told_from_weak_ones_in_prefixes() -> None:
    term = strict(a("l1!a"), a("l2!b"))
    seen = logs("l1:; l2: l2!b")
    assert search(term, seen, "prefix").verdict is Verdict.FAIL
    assert search(term, seen, "multiprefix").verdict is Verdict.WEAK_PASS


def test_local_analyses_give_up_on_large_states(monkeypatch: pytest.MonkeyPatch) -> None:
    term = par(passing("l1", "m", "l2"), a("l1!n"))
    seen = logs("l1: l1!n l1!n; l2:")
    found = search(term, seen, "multiprefix", Options(reduction="none"))
    monkeypatch.setattr("choreomon.verify.papers.local.MANY", 0)
    without = search(term, seen, "multiprefix", Options(reduction="none"))
    assert found.verdict is without.verdict is Verdict.FAIL
    assert found.vertices < without.vertices


LONG = loop_w(passing("l1", "m", "l2"))
LONG_SEEN = logs("l1: " + "l1!m " * 5 + "; l2: " + "l2?m " * 5)


@pytest.mark.parametrize(
    "filters", [Filters(max_depth=9), Filters(max_loop_depth=4), Filters(max_node_number=10)]
)
def test_what_a_filter_cuts_is_not_known(filters: Filters) -> None:
    result = search(LONG, LONG_SEEN, "accept", Options(filters=filters, record=True))
    assert (result.verdict, result.reason) == (Verdict.INCONC, "FilteredNodes")
    assert result.graph is not None
    assert result.graph.cut


@pytest.mark.parametrize(
    "filters", [Filters(max_depth=10), Filters(max_loop_depth=5), Filters(max_node_number=11)]
)
def test_filters_that_cut_nothing_change_nothing(filters: Filters) -> None:
    assert search(LONG, LONG_SEEN, "accept", Options(filters=filters)).verdict is Verdict.PASS


def test_a_shorter_way_to_a_visited_vertex_is_taken_again_under_a_filter() -> None:
    term = strict(alt(strict(a("l1!a"), a("l2!x"), a("l2!x")), a("l1!a")), a("l3!c"), a("l3!d"))
    seen = logs("l1: l1!a; l2:; l3: l3!c l3!d")
    for strategy, record in product(("dfs", "bfs", "hcs"), (False, True)):
        filters = Filters(max_depth=3)
        options = Options(strategy=strategy, filters=filters, reduction="none", record=record)
        assert search(term, seen, "slice", options).verdict is Verdict.PASS


def test_time_and_memory_are_the_callers_business() -> None:
    reasons: list[Reason] = ["TimedOut", "OutOfMemory"]
    # Where steps are known the budget is checked before each vertex only.
    assert search(LONG, LONG_SEEN, "accept", Options(local=None)).verdict is Verdict.PASS
    for reason in reasons:
        calls = 0

        def stop(reason: Reason = reason) -> Reason | None:
            nonlocal calls
            calls += 1
            return reason if calls > 3 else None

        result = search(LONG, LONG_SEEN, "accept", Options(local=None, should_stop=stop))
        assert (result.verdict, result.reason, result.vertices) == (Verdict.INCONC, reason, 3)


def test_a_weak_pass_whose_check_is_cut_says_so() -> None:
    seen = logs("l1: l1!m l1!m; l2: l2?m l2?m")
    weak = search(LONG, seen, "multiprefix", Options(goal=Verdict.WEAK_PASS))
    options = Options(filters=Filters(max_node_number=weak.vertices + 1))
    result = search(LONG, seen, "multiprefix", options)
    assert (result.verdict, result.reason) == (Verdict.WEAK_PASS, "FilteredNodes")
    assert search(LONG, seen, "multiprefix").verdict is Verdict.PASS


def test_the_goal_decides_how_long_the_search_goes_on() -> None:
    seen = logs("l1: l1!m l1!m; l2: l2?m l2?m")
    some = search(LONG, seen, "prefix", Options(reduction="none", local=None))
    whole = search(LONG, seen, "prefix", Options(reduction="none", local=None, goal=None))
    assert some.verdict is whole.verdict is Verdict.PASS
    assert some.vertices < whole.vertices
    with pytest.raises(ValueError, match="is no goal"):
        Options(goal=Verdict.FAIL)


def test_test_takes_no_filters_and_no_reduction() -> None:
    with pytest.raises(ValueError, match="take the filters out"):
        search(LONG, LONG_SEEN, "test", Options(filters=Filters(max_depth=3)))
    with pytest.raises(ValueError, match="no reduction"):
        search(LONG, LONG_SEEN, "test", Options(reduction="paper"))


def test_the_first_definite_verdict_of_a_portfolio_counts() -> None:
    stopped = Options(filters=Filters(max_node_number=2))
    alone = Searcher(LONG, "accept", Options(reduction="none", local=None)).search(LONG_SEEN)
    for choices in ((stopped, Options()), (Options(), stopped), advised(Options(local=None))):
        result = Portfolio(LONG, "accept", choices).search(LONG_SEEN)
        assert result.verdict is Verdict.PASS
        assert result.vertices <= alone.vertices
    assert Portfolio(LONG, "accept", [stopped]).search(LONG_SEEN).verdict is Verdict.INCONC
    with pytest.raises(ValueError, match="at least one"):
        Portfolio(LONG, "accept", [])


def test_priorities_order_the_steps_of_a_vertex() -> None:
    term = par(a("l1!a"), a("l2?b"))
    seen = logs("l1: l1!a; l2: l2?b")
    for priorities, first in ((Priorities(), "l1!a"), (Priorities(reception=1), "l2?b")):
        for record in (False, True):
            options = Options(priorities=priorities, reduction="none", record=record)
            assert str(search(term, seen, "accept", options).path[0].action) == first


def test_the_path_of_an_accepted_multi_trace_consumes_all_of_it() -> None:
    result = search(LONG, LONG_SEEN, "accept", Options(record=True))
    assert [step.rule for step in result.path] == ["execute"] * 10
    assert result.graph is not None
    last = result.graph.vertices[-1]
    assert last.end == "Cov"
    left = zip(last.positions, result.graph.multitrace.components, strict=True)
    assert all(place == len(part.actions) for place, part in left)
    assert last.started == (True, True)


def test_local_analyses_of_dirty_components_find_what_those_of_all_find() -> None:
    term = seq(alt(passing("l1", "a", "l2"), passing("l1", "a", "l3")), a("l3!z"))
    seen = logs("l1: l1!a; l2: l2?a; l3: l3?a")
    sizes = {
        select: search(
            term, seen, "accept", Options(reduction="none", local=LocalAnalyses(select))
        ).vertices
        for select in ("all", "dirty")
    }
    assert sizes["all"] == sizes["dirty"]


def test_a_removal_is_a_step_of_its_own() -> None:
    term = seq(passing("l1", "m", "l2"), passing("l2", "n", "l3"))
    seen = logs("l1: l1!m; l2: l2?m l2!n; l3:")
    rules = ["remove", "execute", "remove", "execute", "execute"]
    for strategy in ("dfs", "bfs", "hcs"):
        plain = Options(strategy=strategy, reduction="none", local=None, goal=Verdict.WEAK_PASS)
        found = search(term, seen, "multiprefix", plain)
        assert [step.rule for step in found.path] == rules
        recorded = search(term, seen, "multiprefix", replace(plain, record=True))
        assert [step.rule for step in recorded.path] == rules
        assert found.vertices == recorded.vertices


def test_filters_count_removals() -> None:
    term = seq(a("l1!a"), a("l2!b"), a("l2!c"))
    seen = logs("l1: l1!a; l2: l2!b")
    for record in (False, True):
        for depth, verdict in ((3, Verdict.WEAK_PASS), (2, Verdict.INCONC)):
            options = Options(
                filters=Filters(max_depth=depth), reduction="none", local=None, record=record,
                goal=Verdict.WEAK_PASS,
            )  # fmt: skip
            assert search(term, seen, "multiprefix", options).verdict is verdict
