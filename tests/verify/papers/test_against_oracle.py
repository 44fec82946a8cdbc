"""Every mode, with all combinations of options, against brute force; and planted bugs."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from choreomon.interaction.term import Operator, alt, loop_h, par, seq, strict
from choreomon.verify.lazy_automaton import LazyAutomaton
from choreomon.verify.papers import engine, reduction
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.graph import State
from choreomon.verify.papers.options import LocalAnalyses, Options, SimulationCriteria
from choreomon.verify.verdict import Mode, Verdict
from tests.verify.papers.questions import a, every_way, logs, questions

REMOVAL_PASSES = (
    par(
        seq(strict(a("l1!m1"), a("l3!m1")), strict(a("l3!m1"), a("l2!m1"))),
        strict(a("l2!m2"), a("l1!m2")),
    ),
    logs("l1: l1!m2 l1!m1; l2: l2!m1 l2!m2; l3:"),
)

DECIDED: tuple[Mode, ...] = ("accept", "test", "prefix", "multiprefix", "slice")


@pytest.mark.parametrize("seed", range(4))
def test_every_mode_has_the_verdicts_of_brute_force_with_all_options(seed: int) -> None:
    rng = Random(seed)
    ways = every_way()
    met: Counter[tuple[Mode, Verdict]] = Counter()
    for question in questions(rng, 80):
        for mode in DECIDED:
            expected = question.oracle.judge(question.multitrace, mode)
            met[mode, expected] += 1
            for options in rng.sample(ways, 3):
                found = search(question.interaction, question.multitrace, mode, options)
                assert found.verdict is expected, (question[:2], mode, options, found)
    for mode in DECIDED:
        assert met[mode, Verdict.PASS]
        assert met[mode, Verdict.FAIL]
        assert mode == "accept" or met[mode, Verdict.WEAK_PASS]


def test_forgetting_which_vertices_were_visited_changes_no_verdict() -> None:
    options = Options(memoize=False)
    for question in questions(Random(4), 60):
        for mode in DECIDED[:3]:
            found = search(question.interaction, question.multitrace, mode, options)
            assert found.verdict is question.oracle.judge(question.multitrace, mode)


def test_multiprefix_by_search_agrees_with_brute_force() -> None:
    for question in questions(Random(5), 100):
        expected = question.oracle.judge(question.multitrace, "multiprefix")
        found = search(
            question.interaction, question.multitrace, "multiprefix", Options(method="search")
        )
        assert found.verdict is expected, (question[:2], found)


def test_simulate_never_passes_what_is_no_slice_and_never_fails_what_is_accepted() -> None:
    for question in questions(Random(6), 80):
        truth = question.oracle.judge(question.multitrace, "slice")
        found = search(question.interaction, question.multitrace, "simulate").verdict
        if truth is Verdict.PASS or found.passes:
            assert found is truth
        else:
            assert found is Verdict.WEAK_FAIL


def test_simulate_with_the_depth_of_loops_multiplied_and_reset_finds_every_slice() -> None:
    # Each observed action left may need one innermost iteration of its own that unobserved actions
    # open, and that lies within at most as many loops as are nested.
    criteria = SimulationCriteria(loops="max_depth", before=True, multiply=True, reset=True)
    for question in questions(Random(7), 120):
        truth = question.oracle.judge(question.multitrace, "slice")
        options = Options(criteria=criteria)
        found = search(question.interaction, question.multitrace, "simulate", options).verdict
        assert found is (truth if truth.passes else Verdict.WEAK_FAIL), question[:2]


def _law_notices(options: Options, number: int = 60, modes: tuple[Mode, ...] = DECIDED) -> bool:
    """Whether some verdict is not that of brute force."""
    return any(
        search(question.interaction, question.multitrace, mode, options).verdict
        is not question.oracle.judge(question.multitrace, mode)
        for question in questions(Random(0), number)
        for mode in modes
    )


def test_the_law_notices_a_reduction_that_does_not_look_for_strict_operators(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "reducible", lambda term: term)
    assert _law_notices(Options())


def test_the_law_notices_local_analyses_that_want_prefixes_of_slices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = LazyAutomaton.start

    def wrong(self, term, lifelines, begun):  # type: ignore[no-untyped-def]
        return right(self, term, lifelines, begun=False)

    monkeypatch.setattr(LazyAutomaton, "start", wrong)
    assert _law_notices(Options(), modes=("slice",))


def test_the_law_notices_vertices_that_forget_what_was_consumed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(State, "__hash__", lambda state: hash(state.positions), raising=False)
    monkeypatch.setattr(
        State, "__eq__", lambda one, other: one.positions == other.positions, raising=False
    )
    assert _law_notices(Options(reduction="none", local=None))


def test_the_law_notices_removal_where_it_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    term, seen = REMOVAL_PASSES
    assert search(term, seen, "multiprefix").verdict is Verdict.FAIL
    monkeypatch.setattr(engine, "is_exact_by_removal", lambda term: True)
    assert search(term, seen, "multiprefix", Options(reduction="none")).verdict.passes


def test_a_local_view_onto_two_lifelines_has_no_loop_h() -> None:
    body = strict(a("l1!a"), a("l2!a"))
    view = LazyAutomaton().start(loop_h(body), body.lifelines, begun=False)
    assert [one.term.operator for one in view.residuals] == [Operator.LOOP_C]


def test_blanked_terms_keep_positions_that_simplifying_would_merge() -> None:
    choice = alt(seq(a("l1!a"), a("l2!b")), seq(a("l1!a"), a("l2!c")))
    first = a("l1!a")
    assert first.action is not None
    assert not reduction.one_unambiguous(choice, first.action, first.lifelines)
    second = a("l2!b")
    assert second.action is not None
    assert reduction.one_unambiguous(choice, second.action, second.lifelines)


def test_local_analyses_may_be_of_any_depth() -> None:
    for depth in (0, 1, 2, None):
        for question in questions(Random(8), 40):
            options = Options(local=LocalAnalyses("all", depth), reduction="none")
            for mode in DECIDED:
                found = search(question.interaction, question.multitrace, mode, options)
                assert found.verdict is question.oracle.judge(question.multitrace, mode)
