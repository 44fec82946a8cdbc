"""Exact verdicts: brute force on random questions, bugs that this notices, and what bounds a
decision. Verdicts by name are in `tests/verify/test_named_cases.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from choreomon.core.action import Action
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    alt,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.verify import beam_search, exact, lazy_automaton
from choreomon.verify.beam_search import ExactMode, Search
from choreomon.verify.exact import ExactDecider, decide_exact
from choreomon.verify.lazy_automaton import LazyAutomaton, State
from choreomon.verify.parikh import Counts
from choreomon.verify.residual import Residuals
from choreomon.verify.verdict import Answer, Verdict
from tests.interaction.drawn import a as do
from tests.verify.exact_cases import EXACT_MODES, ORDERED, beams, multi, passing, questions, wrong
from tests.verify.named_cases import wrong_by_name

pytestmark = pytest.mark.usefixtures("by_search")

PASS, WEAK_PASS, FAIL = Verdict.PASS, Verdict.WEAK_PASS, Verdict.FAIL

NARROW: tuple[tuple[int | None, ...], ...] = ((1, None), (2, None))
"""Beams that are tried one after the other, in place of the usual ones."""

# -- brute force -----------------------------------------------------------------------------


def test_every_mode_answers_as_brute_force_does() -> None:
    met: Counter[tuple[ExactMode, Verdict]] = Counter()
    assert not wrong(range(90), met=met)
    assert not wrong(range(400, 470), EXACT_MODES, ORDERED, 16, met)
    assert met.total() > 6_000
    assert len(met) == 11
    assert min(met.values()) > 150


@pytest.mark.parametrize("widths", NARROW, ids=str)
def test_narrow_beams_answer_as_brute_force_does(
    widths: tuple[int | None, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "BEAMS", beams(*widths))
    assert not wrong(range(1_000, 1_025))
    assert not wrong(range(1_040, 1_065), EXACT_MODES, ORDERED, 16)
    assert not wrong_by_name()


@pytest.mark.parametrize("remembered", [0, 12])
def test_what_is_forgotten_in_the_middle_of_a_search_changes_no_answer(
    remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten: list[int] = []
    whole = LazyAutomaton.forget

    def noted(self: LazyAutomaton, states: list[State]) -> list[State]:
        forgotten.append(self.remembered)
        return whole(self, states)

    monkeypatch.setattr(LazyAutomaton, "forget", noted)
    monkeypatch.setattr(beam_search, "REMEMBERED", remembered)
    monkeypatch.setattr(beam_search, "STRETCH", 1)
    assert not wrong(range(2_000, 2_010))
    monkeypatch.setattr(exact, "BEAMS", beams(1, None))
    assert not wrong(range(2_030, 2_040), EXACT_MODES, ORDERED, 16)
    assert not wrong_by_name()
    assert len(forgotten) > 250


def test_a_decider_that_has_answered_much_answers_the_rest_as_a_new_one_does() -> None:
    for seed in range(20):
        kept: dict[ExactMode, ExactDecider] = {}
        for one in questions(seed):
            decider = kept.setdefault(one.mode, ExactDecider(one.interaction, one.mode))
            for _ in range(2):
                found = decider.decide(one.multitrace).verdict
                assert found is decide_exact(one.interaction, one.multitrace, one.mode).verdict


# -- planted bugs ----------------------------------------------------------------------------


def test_a_beam_that_takes_what_it_dropped_for_impossible_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact, "BEAMS", beams(1, None))
    monkeypatch.setattr(beam_search, "NARROW", 1)
    whole = Search.run

    def sure(self: Search, layer: beam_search.Layer) -> bool:
        return bool(whole(self, layer))

    monkeypatch.setattr(Search, "run", sure)
    assert wrong(range(1_000, 1_040))


def test_an_automaton_that_forgets_a_state_it_was_to_keep_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = LazyAutomaton.forget

    def smaller(self: LazyAutomaton, states: list[State]) -> list[State]:
        return [self.state(one.residuals[:1]) for one in whole(self, states)]

    monkeypatch.setattr(LazyAutomaton, "forget", smaller)
    monkeypatch.setattr(beam_search, "REMEMBERED", 3)
    assert wrong_by_name()


def test_pasts_that_do_not_restrict_each_other_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Residuals, "restricted", lambda self, node, lost: node)
    assert wrong_by_name()


def test_automata_of_components_that_cut_too_much_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if nothing could have happened before a component's first observed action."""
    whole = LazyAutomaton.start
    monkeypatch.setattr(
        LazyAutomaton,
        "start",
        lambda self, term, lifelines, begun: whole(self, term, lifelines, False),
    )
    assert wrong(range(400, 430), ("slice",), ORDERED, 16)


def test_derivatives_that_are_lost_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = LazyAutomaton.rests
    monkeypatch.setattr(LazyAutomaton, "rests", lambda *question: iter([*whole(*question)][:1]))
    assert wrong(range(60))


def test_silent_components_that_are_left_out_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted bug: whoever recorded nothing does nothing, and nobody asks whether that may be."""
    whole = exact.Observed
    monkeypatch.setattr(
        exact, "Observed", lambda own, actions: whole(own if len(actions) else 0, actions)
    )
    assert wrong(range(20))


def test_iterations_of_loop_h_that_begin_too_early_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ExactDecider, "has_wide_loop_heads", False)
    assert wrong_by_name()


def test_counts_that_refuse_too_much_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counts, "allow", lambda self, components: False)
    assert not wrong(range(1_000, 1_010))  # nobody asks where the narrowest beam tells
    monkeypatch.setattr(exact, "BEAMS", beams(0, None))
    monkeypatch.setattr(beam_search, "NARROW", 0)
    assert wrong(range(1_000, 1_010))


def test_prefixes_that_are_taken_for_multi_prefixes_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact, "has_strict_like", lambda term: False)
    assert wrong(range(60), ("prefix",))


# -- what bounds a decision --------------------------------------------------------------------


def test_what_the_interaction_does_not_know_fails() -> None:
    assert decide_exact(do("l1!a"), multi(l1="l1!a", l9="l9!a"), "slice").verdict is FAIL
    assert decide_exact(do("l1!a"), multi(l1="l1!a", l9=""), "slice").verdict is PASS
    assert decide_exact(EMPTY, multi(l1=""), "accept").verdict is PASS


NESTED = loop_s(strict(do("l1!a"), loop_s(strict(do("l1!b"), do("l2?c")))))


class Patience:
    """A reason to stop, after so many checks."""

    def __init__(self, checks: float) -> None:
        self.checks = 0
        self._patience = checks

    def __call__(self) -> str | None:
        self.checks += 1
        return "TimedOut" if self.checks > self._patience else None


@pytest.mark.parametrize("mode", EXACT_MODES)
def test_a_budget_ends_a_decision_with_its_reason_and_leaves_the_decider_right(
    mode: ExactMode,
) -> None:
    stopped = 0
    for seed in range(12):
        for one in questions(seed, (mode,)):
            patient = Patience(float("inf"))
            decide_exact(one.interaction, one.multitrace, mode, patient)
            decider = ExactDecider(one.interaction, mode)
            for checks in sorted({*range(4), patient.checks // 2, patient.checks - 1}):
                answer = decider.decide(one.multitrace, Patience(checks))
                if answer.verdict is Verdict.INCONC:
                    stopped += 1
                    assert answer == Answer(Verdict.INCONC, "TimedOut", method="exact")
                else:  # what is known of terms is not found out again
                    assert answer.verdict is one.verdict
            assert decider.decide(one.multitrace).verdict is one.verdict
    assert stopped > 100


def test_a_decider_is_asked_to_stop_while_it_looks_at_one_component_alone() -> None:
    interaction = par(NESTED, strict(do("l3!x"), do("l1!x")))
    for seen in (multi(l1_l3="l1!b l3!x", l2="l2?c"), multi(l1_l2_l3="l1!b l3!x l2?c")):
        answer = decide_exact(interaction, seen, "slice", Patience(0))
        assert answer == Answer(Verdict.INCONC, "TimedOut", method="exact")
        assert decide_exact(interaction, seen, "slice").verdict is WEAK_PASS


def test_the_law_of_budgets_notices_half_of_an_answer_that_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planted bug: what a state leads to is noted before it is found out."""
    whole = LazyAutomaton.move

    def noted(
        self: LazyAutomaton, state: State, action: Action, how: lazy_automaton.Observation
    ) -> lazy_automaton.Move:
        known = state.moves.setdefault(how, {})
        if action in known:
            return known[action]
        known[action] = lazy_automaton.Move(None, True)
        if self._check_budget is not None:
            self._check_budget()
        del known[action]
        return whole(self, state, action, how)

    monkeypatch.setattr(LazyAutomaton, "move", noted)
    with pytest.raises(AssertionError):
        test_a_budget_ends_a_decision_with_its_reason_and_leaves_the_decider_right("slice")


def test_acceptance_is_refused_by_counting_before_a_wider_beam_is_tried() -> None:
    """Every message may belong to either loop, and the loops tell nobody which."""
    both_ways = par(loop_p(seq(do("l1!m"), do("l2?m"))), loop_p(seq(do("l2?m"), do("l1!m"))))
    for number in (25, 400):
        seen = multi(l1="l1!m " * number, l2="l2?m " * (number + 1))
        answer = decide_exact(both_ways, seen, "accept")
        assert answer.verdict is FAIL
        assert answer.vertices <= seen.length


def test_multi_prefixes_are_not_counted() -> None:
    both_ways = par(loop_w(seq(do("l1!m"), do("l2?m"))), loop_w(seq(do("l2?m"), do("l1!m"))))
    seen = multi(l1="l1!m l1!m", l2="l2?m l2?m l2?m")
    assert decide_exact(both_ways, seen, "accept").verdict is FAIL
    for mode in ("prefix", "multiprefix"):
        assert decide_exact(both_ways, seen, mode).verdict is WEAK_PASS


@pytest.mark.parametrize("mode", EXACT_MODES)
@pytest.mark.parametrize("operator", [strict, seq, par, alt])
def test_interactions_may_nest_five_thousand_deep(
    operator: Callable[..., Interaction], mode: ExactMode
) -> None:
    deep = do("l1!a")
    for number in range(5_000):
        deep = operator(do(f"l{number % 2 + 1}!b"), deep)
    answer = decide_exact(deep, multi(l1_l2="l2!b"), mode, Patience(200))
    assert answer.verdict.passes or answer.reason == "TimedOut" or mode == "accept"


@pytest.mark.parametrize(
    ("mode", "depth"),
    [("accept", 5_000), ("prefix", 5_000), ("multiprefix", 5_000), ("slice", 200)],
)
def test_loops_may_nest_deep(mode: ExactMode, depth: int) -> None:
    deep = passing("l1", "a", "l2")
    for number in range(depth // 2):
        deep = (loop_s, loop_w)[number % 2](alt(deep, do("l1!b")))
    seen = multi(l1_l2="l1!a l2?a")
    assert decide_exact(deep, seen, mode).verdict is PASS
