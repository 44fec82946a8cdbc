"""Explanations: witnesses replay step by step, failures say exactly where it breaks."""

from __future__ import annotations

from typing import get_args

import pytest

from choreomon.core.action import Action, parse_action
from choreomon.interaction.normal import normal
from choreomon.interaction.step import after
from choreomon.interaction.term import Interaction, act, alt, loop_h, loop_p, par, strict, subterms
from choreomon.multitrace.multitrace import Component, MultiTrace
from choreomon.multitrace.projection import partition_of, project_trace
from choreomon.verify import beam_search, explanation
from choreomon.verify.beam_search import ExactMode
from choreomon.verify.exact import ExactDecider
from choreomon.verify.explanation import Explanation, explain
from choreomon.verify.furthest import Furthest
from choreomon.verify.verdict import Mode, Verdict
from choreomon.verify.witness import WitnessStep
from tests.interaction.drawn import a as do
from tests.verify.exact_cases import EXACT_MODES, ORDERED, Question, multi, questions
from tests.verify.named_cases import CASES, GAPS
from tests.verify.papers.questions import logs


def shown(found: Explanation) -> str:
    """The witness, unobserved actions in parentheses."""
    assert found.witness is not None
    return " ".join(
        str(action) if observed else f"({action})" for action, observed in found.witness
    )


def replays(interaction: Interaction, witness: tuple[WitnessStep, ...]) -> bool:
    """Whether the witness is accepted: all follow-ups of its actions, one after the other."""
    now = {interaction}
    for action, _ in witness:
        now = {normal(rest) for term in now for rest in after(term, act(action))}
    return any(term.terminates for term in now)


def faults(interaction: Interaction, seen: MultiTrace, mode: ExactMode) -> list[str]:
    """What is wrong with the explanation of a positive verdict."""
    found_out = explain(interaction, seen, mode)
    witness = found_out.witness
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
    if found_out.verdict is Verdict.PASS and "." in whole:
        found.append("is not all that was observed")
    return found


def _on(action: Action, part: Component) -> bool:
    return action.lifeline in part.lifelines


HEADS = ("strict", "seq", "par", "coreg", "alt", "loopH", "loopH", "loopW")
"""Operators of random interactions with many `loopH`."""


def asked(first: int) -> list[Question]:
    """Questions over all operators, without loops, and with `loopH` over several lifelines."""
    return [
        *[one for seed in range(first, first + 10) for one in questions(seed)],
        *[
            one
            for seed in range(first, first + 8)
            for one in questions(seed, EXACT_MODES, ORDERED, 16)
        ],
        *[one for seed in range(first, first + 30) for one in questions(seed, operators=HEADS)][
            :400
        ],
    ]


def unexplained(of: list[Question]) -> list[str]:
    """What is wrong with the witnesses of those of these questions that pass."""
    return [
        f"{one.interaction} {one.multitrace} {one.mode} {fault}"
        for one in of
        if one.verdict.passes
        for fault in faults(one.interaction, one.multitrace, one.mode)
    ]


def test_witnesses_replay_on_the_original_interaction_and_fit_the_multi_trace() -> None:
    of = asked(0)
    assert sum(one.verdict.passes for one in of) > 300
    assert not unexplained(of)


def test_witnesses_of_what_is_known_by_name_replay() -> None:
    for interaction, text, expected in CASES.values():
        for mode, letter in zip(EXACT_MODES, expected, strict=True):
            assert letter == "F" or not faults(interaction, logs(text), mode), text
    for interaction, seen, fits in GAPS:
        assert not fits or not faults(interaction, seen, "slice")


def test_witnesses_replay_where_all_is_forgotten_on_the_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(beam_search, "REMEMBERED", 2)
    of = asked(100)[::3]
    assert not unexplained(of)
    assert not misplaced(of[::5])


def test_witnesses_that_forget_what_was_simulated_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = explanation.witness

    def forgetful(*found: object) -> tuple[WitnessStep, ...]:
        return tuple(step for step in whole(*found) if step.observed)  # type: ignore[arg-type]

    monkeypatch.setattr(explanation, "witness", forgetful)
    assert unexplained(asked(0)[:300])


def test_witnesses_that_claim_that_all_was_seen_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = explanation.witness

    def boasting(*found: object) -> tuple[WitnessStep, ...]:
        return tuple(step._replace(observed=True) for step in whole(*found))  # type: ignore[arg-type]

    monkeypatch.setattr(explanation, "witness", boasting)
    assert unexplained(asked(0)[:300])


# -- the furthest places -----------------------------------------------------------------------


def alphabet_of(interaction: Interaction) -> list[Action]:
    return sorted({part.action for part in subterms(interaction) if part.action is not None})


def slips(question: Question) -> list[str]:
    """What is wrong with the explanation of a negative verdict."""
    interaction, seen, mode, _ = question
    failure = explain(interaction, seen, mode).failure
    assert failure is not None
    decider = ExactDecider(interaction, "prefix" if mode == "accept" else mode)

    def explained(longer: int | None = None, action: Action | None = None) -> bool:
        cut = [
            Component(
                one.component.lifelines,
                (
                    *one.component.actions[: one.position],
                    *([action] if number == longer and action is not None else []),
                ),
            )
            for number, one in enumerate(failure)
        ]
        return decider.decide(MultiTrace(tuple(cut))).verdict.passes

    if not explained():
        return ["the cut is not explained"]
    found = []
    for number, one in enumerate(failure):
        if one.next_action is not None and explained(number, one.next_action):
            found.append("one more could be explained")
        own = [x for x in alphabet_of(interaction) if x.lifeline in one.component.lifelines]
        if one.allowed != tuple(x for x in own if explained(number, x)):
            found.append("something else is allowed")
    return found


def misplaced(of: list[Question]) -> list[str]:
    """What is wrong with the failures of those of these questions that do not pass."""
    return [
        f"{one.interaction} {one.multitrace} {one.mode} {slip}"
        for one in of
        if not one.verdict.passes
        for slip in slips(one)
    ]


def test_cuts_are_explained_and_nothing_more_is_and_what_is_allowed_could_be_appended() -> None:
    of = asked(200)
    assert sum(not one.verdict.passes for one in of) > 600
    assert not misplaced(of)


def of_heads() -> list[Question]:
    """Where `loopW` would allow more than `loopH` does."""
    late = do("l1?m")
    term = loop_h(par(alt(do("l2!n"), do("l3!m")), do("l2!m")))
    other = alt(loop_h(strict(alt(do("l3?n"), do("l2!n")), do("l2?n"))), late)
    return [
        Question(term, multi(l1="l1?m", l2_l3="l3!m l2!n"), "multiprefix", Verdict.FAIL),
        Question(other, multi(l1_l2_l3="l3?n l1!n l2?n"), "multiprefix", Verdict.FAIL),
        Question(other, multi(l1_l2_l3="l3?n l1!n l2?n"), "slice", Verdict.FAIL),
    ]


def test_later_iterations_of_loop_h_do_not_begin_too_early_in_cuts() -> None:
    assert not misplaced(of_heads())


def test_cuts_that_take_loop_w_for_loop_h_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Furthest, "is_explained", lambda self, parts: True)
    assert len(misplaced(of_heads())) == 3


# -- by name -----------------------------------------------------------------------------------


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
        failure = explain(REQUEST, seen, mode).failure
        assert failure is not None
        asker, answerer = failure
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
    failure = explain(REQUEST, multi(l1="l1!ask", l2="l2?ask l2!no"), "accept").failure
    assert failure is not None
    asker, answerer = failure
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
        "others": [],
    }
    assert explain(REQUEST, seen, "prefix").as_json() == {
        "witness": None,
        "failure": [
            {
                "lifelines": ["l1"],
                "position": 0,
                "next": None,
                "allowed": ["l1!ask"],
                "rank": None,
                "sent": None,
            },
            {
                "lifelines": ["l2"],
                "position": 0,
                "next": "l2?ask",
                "allowed": [],
                "rank": 1,
                "sent": None,
            },
        ],
        "others": [],
    }


def test_what_stops_a_search_stops_its_explanation() -> None:
    stopped = explain(REQUEST, multi(l1="l1!ask"), "prefix", should_stop=lambda: "TimedOut")
    assert stopped == Explanation(Verdict.INCONC, None, None, "TimedOut")


@pytest.mark.parametrize("mode", ["prefix", "multiprefix", "slice"])
def test_a_search_is_asked_within_a_vertex_whether_to_stop(mode: Mode) -> None:
    """One vertex of a broad interaction is much work."""

    def asked(name: str, patience: int) -> tuple[Explanation, int]:
        # Another interaction each time: what is known of one is not asked for again.
        broad = par(*(strict(do("l1!a"), do(f"l2!{name}{number}")) for number in range(40)))
        times = 0

        def should_stop() -> str | None:
            nonlocal times
            times += 1
            return "TimedOut" if times > patience else None

        return explain(broad, multi(l1="l1!a", l2=""), mode, should_stop=should_stop), times

    whole, most = asked("whole", 1_000_000)
    assert whole.witness is not None
    assert most > 80
    for patience in (0, most // 3, most // 2):
        found, _ = asked(f"b{patience}x", patience)
        assert (found.witness, found.failure, found.reason) == (None, None, "TimedOut")
