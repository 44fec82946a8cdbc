"""Exact verdicts: examples by name, brute force on random ones, and bugs that this notices."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from choreomon.core.action import parse_action
from choreomon.interaction.lifelines import mask
from choreomon.interaction.order import is_exact_to_weaken
from choreomon.interaction.step import frontier
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    act,
    alt,
    coreg,
    loop_c,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.multitrace.multitrace import MultiTrace, component, multi_trace
from choreomon.verify import exact, exact_search
from choreomon.verify.exact import ExactDecider, SliceDecider, decide_exact, observed_parts
from choreomon.verify.exact_search import STOPPED, TOO_MANY_VERTICES, ExactMode, Limits, Search
from choreomon.verify.late import LateTerms
from choreomon.verify.verdict import Verdict
from choreomon.verify.views import Views
from tests.verify.exact_cases import Question, questions

PASS, WEAK_PASS, FAIL = Verdict.PASS, Verdict.WEAK_PASS, Verdict.FAIL

Holds = Callable[[Question], bool]


def do(text: str) -> Interaction:
    return act(parse_action(text))


def passing(sender: str, message: str, receiver: str) -> Interaction:
    return strict(do(f"{sender}!{message}"), do(f"{receiver}?{message}"))


def multi(**local: str) -> MultiTrace:
    """Components by co-localization, as in `l1_l2="l1!a l2?a"`."""
    return multi_trace(
        component(names.split("_"), [parse_action(word) for word in text.split()])
        for names, text in local.items()
    )


def by_search(interaction: Interaction, seen: MultiTrace, mode: ExactMode) -> bool:
    """The search alone, where a decider might know a shorter way."""
    parts = observed_parts(interaction, seen)
    return (
        parts is not None
        and Search(Views(), parts, mode, Limits(vertices=20_000)).run(interaction)[0]
    )


def judged(interaction: Interaction, seen: MultiTrace, mode: ExactMode) -> Verdict:
    """The decider's verdict; the search must agree."""
    verdict = decide_exact(interaction, seen, mode).verdict
    assert by_search(interaction, seen, mode) is verdict.passes
    return verdict


# -- by name ---------------------------------------------------------------------------------

NESTED = loop_s(strict(do("l1!a"), loop_s(strict(do("l1!b"), do("l2?c")))))


def test_one_observed_action_serves_an_iteration_and_those_around_it() -> None:
    assert judged(NESTED, multi(l1="", l2="l2?c"), "slice") is WEAK_PASS
    assert judged(NESTED, multi(l1="", l2="l2?c l2?c"), "slice") is WEAK_PASS
    assert judged(NESTED, multi(l1="", l2="l2?d"), "slice") is FAIL


FIGURE_11A = loop_p(seq(do("l!m1"), do("l?m2")))
FIGURE_11B = loop_w(passing("l1", "m", "l2"))
FIGURE_11C = coreg(
    mask(["l2"]), loop_w(passing("l1", "m1", "l2")), loop_w(passing("l1", "m2", "l2"))
)


@pytest.mark.parametrize(
    ("interaction", "seen"),
    [
        (FIGURE_11A, multi(l="l?m2 l?m2 l?m2")),
        (FIGURE_11B, multi(l1_l2="l2?m l2?m")),
        (FIGURE_11C, multi(l1="", l2="l2?m2 l2?m1")),
        (FIGURE_11C, multi(l1="", l2="l2?m2 l2?m2 l2?m1")),
    ],
    ids=["11a", "11b", "11c", "11c with three loops"],
)
def test_what_bounded_simulation_missed_in_figure_11_is_a_slice(
    interaction: Interaction, seen: MultiTrace
) -> None:
    """The slices paper, Fig. 11 and section 5.4."""
    assert judged(interaction, seen, "slice") is WEAK_PASS
    assert judged(interaction, seen, "multiprefix") is FAIL or not seen.components[0].actions


def test_removal_is_not_believed_where_order_shows() -> None:
    """The counterexamples to the removal paper, Theorem 1."""
    three = par(
        seq(strict(do("l1!m1"), do("l3!m1")), strict(do("l3!m1"), do("l2!m1"))),
        strict(do("l2!m2"), do("l1!m2")),
    )
    seen = multi(l1="l1!m2 l1!m1", l2="l2!m1 l2!m2", l3="")
    assert judged(three, seen, "multiprefix") is FAIL
    region = coreg(
        mask(["l1"]),
        seq(strict(do("l1!a"), do("l3!x")), strict(do("l3?x"), do("l2!c"))),
        strict(do("l2!d"), do("l1!b")),
    )
    assert judged(region, multi(l1="l1!b l1!a", l2="l2!c l2!d", l3=""), "multiprefix") is FAIL
    rejected = par(
        loop_h(alt(seq(do("l3!p"), do("l1!a")), seq(do("l1!b"), do("l2!c")))),
        strict(do("l2!d"), do("l1!e")),
    )
    seen = multi(l1="l1!e l1!a l1!b", l2="l2!c l2!d", l3="")
    assert judged(rejected, seen, "multiprefix") is WEAK_PASS


def test_a_projection_of_loop_h_onto_a_common_clock_is_no_necessary_condition() -> None:
    interaction = loop_h(alt(seq(do("l3!p"), do("l1!a")), seq(do("l1!b"), do("l2!c"))))
    seen = multi(l1_l2="l2!c l1!a l1!b", l3="l3!p")
    assert judged(interaction, seen, "accept") is PASS
    assert judged(interaction, multi(l1_l2="l2!c l1!a l1!b", l3=""), "accept") is FAIL


def test_what_begins_an_iteration_of_loop_h_is_kept_though_nobody_saw_it() -> None:
    """The iteration of the inner loop contributes no observed action. Without it, the outer
    iteration would begin with `l2!m`, before which the later one could not begin."""
    inner = loop_c(mask(["l2"]), seq(do("l3!n"), do("l3?n")))
    interaction = loop_h(strict(inner, do("l2!m")))
    assert judged(interaction, multi(l1="", l2_l3="l3!n l2!m"), "slice") is WEAK_PASS


def test_the_prefix_of_a_strict_sequence_is_not_its_parts() -> None:
    """Semantics of `prefix`: rewriting `strict` as `seq` would change it."""
    interaction = strict(do("l1!a"), do("l2!b"))
    assert judged(interaction, multi(l1="", l2="l2!b"), "prefix") is FAIL
    assert judged(interaction, multi(l1="", l2="l2!b"), "multiprefix") is WEAK_PASS
    assert judged(interaction, multi(l1="l1!a", l2="l2!b"), "accept") is PASS


def test_a_one_unambiguous_action_must_not_discard_a_loop() -> None:
    interaction = strict(loop_s(do("l1!b")), do("l2!a"))
    assert judged(interaction, multi(l1="l1!b", l2="l2!a"), "accept") is PASS


def test_lifelines_that_no_component_is_about_are_silent_not_unknown() -> None:
    interaction = passing("l1", "m", "l2")
    assert judged(interaction, multi(l2="l2?m"), "slice") is WEAK_PASS
    assert judged(interaction, multi(l2="l2?m"), "accept") is FAIL


def test_what_the_interaction_does_not_know_fails() -> None:
    assert decide_exact(do("l1!a"), multi(l1="l1!a", l9="l9!a"), "slice").verdict is FAIL
    assert decide_exact(do("l1!a"), multi(l1="l1!a", l9=""), "slice").verdict is PASS
    assert decide_exact(EMPTY, multi(l1=""), "accept").verdict is PASS


def test_limits_end_a_search_with_their_reason() -> None:
    interaction = par(NESTED, strict(do("l3!x"), do("l1!x")))
    seen = multi(l1_l3="l1!b l3!x", l2="l2?c")
    answer = decide_exact(interaction, seen, "slice", Limits(vertices=1))
    assert answer[:2] == (Verdict.INCONC, TOO_MANY_VERTICES)
    answer = decide_exact(interaction, seen, "slice", Limits(should_stop=lambda: True))
    assert answer[:2] == (Verdict.INCONC, STOPPED)
    global_trace = multi(l1_l2_l3="l1!b l3!x l2?c")
    answer = decide_exact(interaction, global_trace, "slice", Limits(should_stop=lambda: True))
    assert answer[:2] == (Verdict.INCONC, STOPPED)
    assert decide_exact(interaction, seen, "slice").verdict is WEAK_PASS


def test_acceptance_is_refused_by_counting_before_anything_is_tried() -> None:
    interaction = loop_p(alt(strict(do("l1!m"), do("l2?m")), strict(do("l2?m"), do("l1!m"))))
    more = multi(l1=" ".join(["l1!m"] * 40), l2=" ".join(["l2?m"] * 41))
    assert decide_exact(interaction, more, "accept") == (FAIL, "", 0)
    assert decide_exact(interaction, multi(l1="l1!m", l2="l2?m"), "accept").verdict is PASS


def test_views_with_many_possibilities_are_searched_not_listed() -> None:
    """The loops in the loops leave many ways to say what remains; one of them will do."""
    everywhere = mask(["l1", "l2", "l3"])
    inner = coreg(everywhere, loop_c(mask(["l2"]), do("l3!b")), do("l2?b"))
    interaction = loop_c(mask(["l1", "l2"]), strict(do("l1?b"), loop_w(inner)))
    seen = multi(l1="l1?b l1?b l1?b l1?b", l2_l3="l2?b l3!b l3!b l3!b l2?b l3!b l2?b")
    parts = observed_parts(interaction, seen)
    assert parts is not None
    views = Views()
    assert Search(views, parts, "accept", Limits()).run(interaction)[0]
    assert len(views.late_terms) < 2_000
    assert decide_exact(interaction, seen, "slice").verdict is PASS


def test_a_decider_answers_the_same_when_asked_again() -> None:
    decider = SliceDecider(FIGURE_11C)
    seen = [multi(l1="", l2="l2?m2 l2?m1"), multi(l1="l1!m2 l1!m1", l2="")]
    first = [decider.decide(one).verdict for one in seen]
    assert [decider.decide(one).verdict for one in seen] == first == [WEAK_PASS, FAIL]


@pytest.mark.parametrize("mode", ["accept", "prefix", "multiprefix", "slice"])
@pytest.mark.parametrize("operator", [strict, seq, par, alt])
def test_interactions_may_nest_five_thousand_deep(
    operator: Callable[..., Interaction], mode: ExactMode
) -> None:
    deep = do("l1!a")
    for number in range(5_000):
        deep = operator(do(f"l{number % 2 + 1}!b"), deep)
    rounds = iter(range(200))
    limits = Limits(should_stop=lambda: next(rounds, None) is None)
    answer = decide_exact(deep, multi(l1_l2="l2!b"), mode, limits)
    assert answer.verdict.passes or answer.reason == STOPPED or mode == "accept"


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


# -- brute force -----------------------------------------------------------------------------


def wrong(holds: Holds, seeds: range, modes: tuple[ExactMode, ...]) -> Iterator[Question]:
    for seed in seeds:
        for question in questions(seed, modes):
            if holds(question) is not question.verdict.passes:
                yield question


def decided(question: Question) -> bool:
    verdict = decide_exact(question.interaction, question.multitrace, question.mode).verdict
    assert (verdict is PASS) is (question.verdict is PASS)
    return verdict.passes


def searched(question: Question) -> bool:
    return by_search(question.interaction, question.multitrace, question.mode)


ALL_MODES: tuple[ExactMode, ...] = ("accept", "prefix", "multiprefix", "slice")


def test_the_decider_agrees_with_brute_force() -> None:
    assert next(wrong(decided, range(100), ALL_MODES), None) is None


def test_the_search_alone_agrees_with_brute_force() -> None:
    assert next(wrong(searched, range(120, 220), ("multiprefix", "slice")), None) is None


def test_orders_that_do_not_meet_do_not_show() -> None:
    """Model `slices_i2`: two operands share a lifeline of the region, but both only receive."""
    one = strict(do("l1!m1"), do("l2?m1"))
    other = loop_w(alt(passing("l1", "m2", "l2"), passing("l2", "m3", "l3")))
    assert is_exact_to_weaken(coreg(mask(["l2"]), one, other))
    assert not is_exact_to_weaken(par(one, strict(do("l2!x"), do("l1?x"))))
    assert not is_exact_to_weaken(loop_p(alt(one, strict(do("l2!x"), do("l1?x")))))


# -- planted bugs ----------------------------------------------------------------------------


def test_a_bound_on_all_open_iterations_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(self: Search, term: Interaction, places: tuple[int, ...]) -> bool:
        left = sum(
            len(part.actions) - place for part, place in zip(self._parts, places, strict=True)
        )
        return str(term).count("open(") <= left

    seen = multi(l1="", l2="l2?c")
    monkeypatch.setattr(exact_search, "normal", lambda term: term)  # it drops needless marks
    assert by_search(NESTED, seen, "slice")
    monkeypatch.setattr(Search, "_can_be_served", count)
    assert not by_search(NESTED, seen, "slice")


def test_loops_that_cannot_be_entered_unobserved_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def outside_of_loops(term: Interaction, ask: object) -> list[tuple[object, Interaction]]:
        return [
            (action, rest)
            for _, action, rest in frontier(term)
            if str(rest).count("loop") <= str(term).count("loop") and rest.size < term.size
        ]

    monkeypatch.setattr(exact_search, "simulated", outside_of_loops)
    assert next(wrong(searched, range(120, 220), ("slice",)), None) is not None


NO_GAP = seq(
    strict(do("l2!x"), do("l1!a")),
    alt(seq(do("l1!c"), do("l2!z")), seq(do("l1!b"), do("l1!c"), do("l2!y"))),
)
"""Each lifeline for itself may have `a c` and `x y`, but not both."""


def test_windows_have_no_gaps() -> None:
    assert judged(NO_GAP, multi(l1_l2="l2!x l1!a l1!c l2!y"), "slice") is FAIL
    assert judged(NO_GAP, multi(l1_l2="l1!c l2!y"), "slice") is WEAK_PASS


def test_pasts_that_do_not_restrict_each_other_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(LateTerms, "restricted", lambda self, node, forbidden: node)
    seen = multi(l1_l2="l2!x l1!a l1!c l2!y")
    assert decide_exact(NO_GAP, seen, "slice").verdict is not FAIL


def test_weakening_everywhere_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "is_exact_to_weaken", lambda term: True)
    crossed = par(strict(do("l1!m1"), do("l2!m1")), strict(do("l2!m2"), do("l1!m2")))
    seen = multi(l1="l1!m2 l1!m1", l2="l2!m1 l2!m2")
    assert ExactDecider(crossed, "multiprefix").decide(seen).verdict is not FAIL


def test_views_that_cut_too_much_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing could have happened before a component's first observed action."""
    whole = Views.local
    monkeypatch.setattr(
        Views, "local", lambda self, term, lifelines, begun: whole(self, term, lifelines, False)
    )
    assert next(wrong(decided, range(120), ("slice",)), None) is not None
