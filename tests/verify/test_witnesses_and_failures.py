"""Explanations: witnesses replay on the original interaction, failures say where it breaks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import get_args

import pytest

from choreomon.core.action import Action, parse_action
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after, frontier
from choreomon.interaction.term import Interaction, act, alt, coreg, loop_p, par, seq, strict
from choreomon.multitrace.multitrace import Component, MultiTrace, component, multi_trace
from choreomon.multitrace.projection import partition_of, project_trace
from choreomon.verify import explanation as module
from choreomon.verify.exact_search import STOPPED, ExactMode, Limits
from choreomon.verify.explanation import Explanation, WitnessStep, explain
from choreomon.verify.verdict import Mode, Verdict
from tests.verify.exact_cases import questions


def do(text: str) -> Interaction:
    return act(parse_action(text))


def multi(**local: str) -> MultiTrace:
    """Components by co-localization, as in `l1_l2="l1!a l2?a"`."""
    return multi_trace(
        component(names.split("_"), [parse_action(word) for word in text.split()])
        for names, text in local.items()
    )


def shown(explanation: Explanation) -> str:
    """The witness, unobserved actions in parentheses."""
    assert explanation.witness is not None
    return " ".join(
        str(action) if observed else f"({action})" for action, observed in explanation.witness
    )


def replays(interaction: Interaction, witness: tuple[WitnessStep, ...]) -> bool:
    """Whether the witness is accepted: all follow-ups of its actions, one after the other."""
    now = {interaction}
    for action, _ in witness:
        now = {normal(rest) for term in now for rest in after(term, act(action))}
    return any(term.terminates for term in now)


def faults(interaction: Interaction, seen: MultiTrace, mode: ExactMode) -> list[str]:
    """What is wrong with the explanation of a positive verdict."""
    explanation = explain(interaction, seen, mode)
    witness = explanation.witness
    assert witness is not None
    found = []
    if not replays(interaction, witness):
        found.append("does not replay")
    observed = project_trace([step.action for step in witness if step.observed], partition_of(seen))
    if observed != seen:
        found.append("is not about this multi-trace")
    for part in seen.components:
        window = "".join("x" if s.observed else "." for s in witness if _on(s.action, part))
        if "." in window.strip("."):
            found.append("has a gap")
        if mode != "slice" and window.startswith(".") and "x" in window:
            found.append("begins too late")
    whole = "".join("x" if step.observed else "." for step in witness)
    if mode in ("accept", "prefix") and "." in whole.rstrip("."):
        found.append("is no prefix")
    if explanation.verdict is Verdict.PASS and "." in whole:
        found.append("is not all that was observed")
    return found


def _on(action: Action, part: Component) -> bool:
    return action.lifeline in part.lifelines


def test_witnesses_replay_on_the_original_interaction_and_fit_the_multi_trace() -> None:
    asked = 0
    for seed in range(60):
        for question in questions(seed):
            if question.verdict.passes:
                asked += 1
                assert not faults(question.interaction, question.multitrace, question.mode)
    assert asked > 500


def test_witnesses_that_forget_what_was_simulated_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "WitnessStep", lambda action, observed: WitnessStep(action, True))
    assert faults(strict(do("l1!a"), do("l2?a")), multi(l1="", l2="l2?a"), "slice")


def test_where_one_explanation_ends_no_component_can_be_explained_further() -> None:
    for seed in range(60):
        for question in questions(seed, ("multiprefix", "slice")):
            if question.verdict.passes:
                continue
            explanation = explain(question.interaction, question.multitrace, question.mode)
            assert explanation.witness is None
            assert explanation.failure is not None
            assert any(one.next_action is not None for one in explanation.failure)
            for one in explanation.failure:
                assert one.next_action not in one.allowed


REQUEST = strict(do("l1!ask"), do("l2?ask"), alt(do("l2!yes"), do("l2!no")), do("l1?answer"))


def test_a_witness_says_what_nobody_saw() -> None:
    seen = multi(l1="", l2="l2?ask l2!no")
    assert shown(explain(REQUEST, seen, "slice")) == "(l1!ask) l2?ask l2!no (l1?answer)"
    seen = multi(l1="l1!ask", l2="l2?ask l2!no")
    assert shown(explain(REQUEST, seen, "prefix")) == "l1!ask l2?ask l2!no (l1?answer)"
    seen = multi(l1="l1!ask l1?answer", l2="l2?ask l2!no")
    assert shown(explain(REQUEST, seen, "accept")) == "l1!ask l2?ask l2!no l1?answer"


def test_as_little_as_possible_is_assumed() -> None:
    pairs = loop_p(strict(do("l1!m1"), do("l2?m2")))
    assert shown(explain(pairs, multi(l1_l2="l2?m2 l2?m2"), "slice")) == (
        "(l1!m1) (l1!m1) l2?m2 l2?m2"
    )


def test_a_failure_says_how_far_it_goes_what_comes_and_what_might_have() -> None:
    seen = multi(l1="l1!ask", l2="l2?ask l2!maybe")
    for mode in get_args(Mode):
        explanation = explain(REQUEST, seen, mode)
        assert explanation.failure is not None
        asker, answerer = explanation.failure
        assert (asker.position, asker.next_action) == (1, None)
        assert answerer.position == 1
        assert answerer.next_action == parse_action("l2!maybe")
        assert list(map(str, answerer.allowed)) == ["l2!no", "l2!yes"]


def in_the_way(seen: MultiTrace, mode: Mode) -> list[tuple[str | None, str]]:
    failure = explain(REQUEST, seen, mode).failure
    assert failure is not None
    return [(one.obstacle, one.meant) for one in failure]


def test_what_the_interaction_does_not_have_is_told_apart_from_what_comes_at_a_wrong_place() -> (
    None
):
    unknown = multi(l11="l11!ask", l2="l2?ask l2!now", l4="")
    for mode in ("slice", "multiprefix"):
        assert in_the_way(unknown, mode) == [("lifeline", "l1"), ("action", "l2!no"), (None, "")]
    unknown = multi(l1="l1!question", l2="l2!zzz", nobody="nobody!ask")
    assert in_the_way(unknown, "accept") == [("action", ""), ("action", ""), ("lifeline", "")]
    out_of_place = multi(l1="l1?answer", l2="l2!no")
    assert in_the_way(out_of_place, "accept") == [(None, ""), ("others", "")]
    assert in_the_way(multi(l1="l1!ask l1!ask", l2=""), "prefix")[0] == ("others", "")
    late = multi(l1="l1!ask l1?answer l1!ask", l2="l2?ask l2!no")
    assert in_the_way(late, "prefix") == [(None, ""), (None, "")], "nothing is left there"


def test_what_is_only_a_prefix_is_not_accepted_because_of_what_has_to_follow() -> None:
    explanation = explain(REQUEST, multi(l1="l1!ask", l2="l2?ask l2!no"), "accept")
    assert explanation.failure is not None
    asker, answerer = explanation.failure
    assert (asker.position, asker.next_action) == (1, None)
    assert list(map(str, asker.allowed)) == ["l1?answer"]
    assert (answerer.position, answerer.next_action, answerer.allowed) == (2, None, ())


def test_components_that_the_interaction_does_not_know_are_not_explained_at_all() -> None:
    seen = multi(l9="l9!a", l1="l1!ask")
    for mode in get_args(Mode):
        failure = explain(REQUEST, seen, mode).failure
        assert failure is not None
        unknown, known = failure
        assert (unknown.position, unknown.allowed) == (0, ())
        assert known.position == 1


def test_an_explanation_is_json() -> None:
    seen = multi(l1="", l2="l2?ask l2!yes")
    assert explain(REQUEST, seen, "slice").as_json() == {
        "witness": [
            {"action": "l1!ask", "observed": False},
            {"action": "l2?ask", "observed": True},
            {"action": "l2!yes", "observed": True},
            {"action": "l1?answer", "observed": False},
        ],
        "failure": None,
    }
    assert explain(REQUEST, seen, "prefix").as_json() == {
        "witness": None,
        "failure": [
            {"lifelines": ["l1"], "position": 0, "next": None, "allowed": ["l1!ask"]},
            {"lifelines": ["l2"], "position": 0, "next": "l2?ask", "allowed": []},
        ],
    }


def test_what_stops_a_search_stops_its_explanation() -> None:
    explanation = explain(REQUEST, multi(l1="l1!ask"), "prefix", should_stop=lambda: True)
    assert explanation == Explanation(Verdict.INCONC, None, None, STOPPED)


def test_what_may_come_first_is_what_the_frontier_says() -> None:
    compared = 0
    for seed in range(60):
        for question in questions(seed, ("accept",)):
            for term in (question.interaction, normal(question.interaction)):
                compared += 1
                assert module._first(term, Limits()) == {one.action for one in frontier(term)}
    assert compared > 100


def test_what_comes_first_without_regard_to_what_is_before_it_is_noticed() -> None:
    """The law above sees more than the actions of a term."""
    term = seq(do("l1!a"), do("l1!b"))
    assert module._first(term, Limits()) == {one.action for one in frontier(term)}
    assert module._first(term, Limits()) < set(module._alphabet(term))


@pytest.mark.parametrize("operator", [seq, par, strict, partial(coreg, 1)])
@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
def test_what_may_come_first_is_told_of_deep_interactions_without_stepping_through_them(
    operator: Callable[..., Interaction], left: bool
) -> None:
    whole = do("l1!a0")
    for number in range(1, 5_000):
        one = do(f"l{number % 3}!a{number}")
        whole = operator(whole, one) if left else operator(one, whole)
    module._first(whole, Limits())
    assert whole._steps is None


@pytest.mark.parametrize("mode", ["prefix", "multiprefix", "slice"])
def test_a_search_is_asked_within_a_vertex_whether_to_stop(mode: Mode) -> None:
    """One vertex of a broad interaction is much work."""

    def asked(name: str, patience: int) -> tuple[Explanation, int]:
        # Another interaction each time: what is known of one is not asked for again.
        broad = par(*(strict(do("l1!a"), do(f"l2!{name}{number}")) for number in range(40)))
        times = 0

        def should_stop() -> bool:
            nonlocal times
            times += 1
            return times > patience

        return explain(broad, multi(l1="l1!a", l2=""), mode, should_stop=should_stop), times

    whole, most = asked("whole", 1_000_000)
    assert whole.witness is not None
    assert most > 80
    for patience in (0, most // 3, most // 2):
        found, _ = asked(f"b{patience}x", patience)
        assert (found.witness, found.failure, found.reason) == (None, None, STOPPED)
