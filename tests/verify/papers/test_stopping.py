"""A search may be stopped within a visit; what it keeps for the next multi-trace stays right."""

from __future__ import annotations

from choreomon.interaction.term import loop_p, loop_s, par, strict
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.papers.engine import Searcher
from choreomon.verify.papers.options import LocalAnalyses, Options, Reason
from choreomon.verify.verdict import Mode, Verdict
from tests.verify.papers.questions import a, logs, passing

ENDLESS = loop_p(par(passing("a", "m", "b"), passing("b", "m", "a"), passing("c", "m", "a")))
SEEN = logs("a: a?m a!m a?m; b: b!m b?m; c: c!m c!m")


class Calls:
    """Says to stop when it is called more often than `most`."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.number = 0

    def __call__(self) -> Reason | None:
        self.number += 1
        return "TimedOut" if self.number > self.most else None


def test_local_analyses_check_the_budget_within_a_visit() -> None:
    calls = Calls(3)
    options = Options(strategy="bfs", local=LocalAnalyses("all"), should_stop=calls)
    found = Searcher(ENDLESS, "slice", options).search(SEEN)
    assert (found.verdict, found.reason) == (Verdict.INCONC, "TimedOut")
    assert calls.number == 4  # and not once more
    assert found.vertices == 0  # the visit of the start is not over


def test_the_budget_is_checked_for_every_step_within_a_visit() -> None:
    cases: list[tuple[Mode, MultiTrace]] = [
        ("slice", SEEN),
        ("multiprefix", SEEN),
        ("simulate", logs("a: a?m a!m")),
    ]
    for mode, seen in cases:
        calls = Calls(1_000_000)
        options = Options(reduction="none", local=None, should_stop=calls)
        found = Searcher(ENDLESS, mode, options).search(seen)
        assert found.verdict is Verdict.WEAK_PASS
        assert calls.number > 1.5 * (found.vertices + found.checked), mode
        stopped = 0
        for most in range(0, calls.number, 1 + calls.number // 20):
            # For what is known of terms already the budget is not checked again.
            calls.most, calls.number = most, 0
            cut = Searcher(ENDLESS, mode, options).search(seen)
            assert calls.number == most + 1 or not cut.reason
            stopped += bool(cut.reason)
        assert stopped


def test_stopped_anywhere_a_search_keeps_what_is_right() -> None:
    calls = Calls(1_000_000)
    options = Options(reduction="none", local=LocalAnalyses("all"), should_stop=calls)
    seen = logs("a: a?m a!m; b: b?m; c:")
    whole = Searcher(ENDLESS, "slice", options).search(seen)
    assert whole.verdict is Verdict.WEAK_PASS
    searcher = Searcher(ENDLESS, "slice", options)
    for most in range(0, 60, 3):
        calls.most, calls.number = most, 0
        assert searcher.search(seen).verdict in (Verdict.INCONC, Verdict.WEAK_PASS)
    calls.most = 1_000_000
    again = searcher.search(seen)
    assert (again.verdict, again.vertices) == (whole.verdict, whole.vertices)


def test_a_graph_has_only_vertices_whose_visit_is_over() -> None:
    cut_within_a_visit = 0
    for most in range(40):
        calls = Calls(most)
        options = Options(local=LocalAnalyses("all"), record=True, should_stop=calls)
        found = Searcher(ENDLESS, "slice", options).search(SEEN)
        assert found.graph is not None
        assert len(found.graph.vertices) == found.vertices
        assert all(edge.target < found.vertices for edge in found.graph.edges)
        if found.verdict is Verdict.INCONC:
            cut_within_a_visit += calls.number > found.vertices + 1
    assert cut_within_a_visit


def test_a_test_that_is_stopped_before_it_knows_whether_what_fits_is_accepted_says_so() -> None:
    calls = Calls(1_000_000)
    searcher = Searcher(strict(loop_s(a("l2!m")), a("l2!m")), "test", Options(should_stop=calls))
    seen = logs("l2: l2!m")
    assert searcher.search(seen).verdict is Verdict.PASS
    results = set()
    for most in range(calls.number + 1):
        calls.most, calls.number = most, 0
        found = searcher.search(seen)
        results.add((found.verdict, found.reason))
    assert results == {
        (Verdict.INCONC, "TimedOut"),
        (Verdict.WEAK_PASS, "TimedOut"),
        (Verdict.PASS, ""),
    }
