"""Short logs of interactions with nested loops: the answers of brute force, and of one action at a
time where loops are nested thousands deep."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from choreomon.interaction.enabled import Enabled
from choreomon.interaction.lifelines import mask
from choreomon.interaction.term import (
    EMPTY,
    Interaction,
    alt,
    loop_c,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    strict,
)
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify import nested_loops as module
from choreomon.verify.exact_search import Limits
from choreomon.verify.nested_loops import NESTED, SHORT, NestedLoops
from choreomon.verify.search.options import Options, Reason
from choreomon.verify.verdict import MODES, Answer, Mode, Verdict
from choreomon.verify.verifier import Verifier
from tests.verify.exact_cases import questions
from tests.verify.search.questions import a, logs

LEAVES = [a(text) for text in ("l1!a", "l2?b", "l1?c", "l2!d")]
LOOPS: dict[str, Callable[[Interaction], Interaction]] = {
    "loopS": loop_s,
    "loopH": loop_h,
    "loopW": loop_w,
    "loopP": loop_p,
    "loopC": lambda body: loop_c(mask(["l1"]), body),
}


def accepts(interaction: Interaction, multitrace: MultiTrace) -> Answer:
    return Verifier(interaction, "accept").decide(multitrace)


def in_left_operands(loop: Callable[[Interaction], Interaction], depth: int) -> Interaction:
    """Loops, each around a sequence of the next one and an action."""
    term = LEAVES[0]
    for number in range(depth):
        term = loop(strict(term, LEAVES[number % 4]))
    return term


def asked(seeds: range) -> tuple[int, int, int]:
    """How many questions are answered wrongly, rightly, and not at all."""
    wrong = right = unanswered = 0
    for seed in seeds:
        for interaction, multitrace, mode, verdict in questions(seed):
            answer = NestedLoops(interaction, mode, accepts).decide(multitrace, Limits())
            if answer is None:
                # Prefixes are found wherever there are some; other things are not looked for.
                wrong += mode == "prefix" and verdict is not Verdict.FAIL
                unanswered += 1
            elif answer.verdict is verdict:
                right += 1
            else:
                wrong += 1
    return wrong, right, unanswered


def test_what_is_answered_is_what_brute_force_answers() -> None:
    wrong, right, unanswered = asked(range(300))
    assert not wrong
    assert right > 1_000
    assert unanswered > 1_000


@pytest.mark.parametrize("mode", ["test", "simulate"])
def test_what_is_answered_is_what_the_search_of_the_mode_answers(mode: Mode) -> None:
    answered = 0
    for seed in range(150):
        for interaction, multitrace, _, _ in questions(seed, ("accept",)):
            answer = NestedLoops(interaction, mode, accepts).decide(multitrace, Limits())
            if answer is not None:
                answered += 1
                search = Verifier(interaction, mode, options=Options())
                assert answer.verdict is search.decide(multitrace).verdict, (
                    interaction,
                    multitrace,
                )
    assert answered > 150


class Last(Enabled):
    """An action after which nothing is left."""

    __slots__ = ()

    def follow_up(self) -> Interaction:
        return EMPTY


@pytest.mark.parametrize("bug", ["nothing follows", "an action is overlooked", "all is paid for"])
def test_wrong_answers_are_noticed(monkeypatch: pytest.MonkeyPatch, bug: str) -> None:
    enabled = module.enabled
    if bug == "nothing follows":
        monkeypatch.setattr(
            module,
            "enabled",
            lambda term: [
                Last(one._leaf, one._above, one._around, one.loops) for one in enabled(term)
            ],
        )
    elif bug == "an action is overlooked":
        monkeypatch.setattr(module, "enabled", lambda term: list(enabled(term))[1:])
    else:
        monkeypatch.setattr(module, "affordable", lambda term, actions, most: None)
    assert asked(range(60))[0]


# -- deep ------------------------------------------------------------------------------------


WHOLE = logs("l1,l2: l2!d l1?c l2?b l1!a l2!d l1?c")
FROM_WITHIN = logs("l1: l1!a; l2: l2?b")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", LOOPS)
def test_loops_in_left_operands_are_answered_without_all_follow_ups(
    name: str, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0
    whole = Enabled.follow_up

    def counted(self: Enabled) -> Interaction:
        nonlocal made
        made += 1
        return whole(self)

    monkeypatch.setattr(Enabled, "follow_up", counted)
    verifier = Verifier(in_left_operands(LOOPS[name], 2_500), mode)
    weak = Verdict.FAIL if mode == "accept" else Verdict.WEAK_PASS
    assert verifier.decide(WHOLE).verdict is weak
    assert verifier.decide(FROM_WITHIN).verdict is weak
    assert verifier.decide(logs("l1: l1?c; l2: l2!d")).verdict is Verdict.PASS
    assert made < 20


def test_who_says_how_to_search_gets_that_search() -> None:
    term = in_left_operands(loop_s, NESTED + 1)
    plain, stated = (
        Verifier(term, "prefix", options=options) for options in (None, Options(strategy="bfs"))
    )
    seen = logs("l1: l1!a; l2: l2?b")
    assert plain.decide(seen).verdict is stated.decide(seen).verdict is Verdict.WEAK_PASS
    assert plain.decide(seen).vertices < stated.decide(seen).vertices
    assert NestedLoops.are_in(term)
    assert not NestedLoops.are_in(in_left_operands(loop_s, NESTED - 1))


def test_what_is_long_or_not_found_soon_is_left_to_others() -> None:
    long = logs("l1: " + "l1!a " * (SHORT + 1))
    loop = loop_s(a("l1!a"))
    assert NestedLoops(loop, "accept", accepts).decide(long, Limits()) is None
    # Nobody ever gets to the second b.
    term = strict(loop_p(alt(a("l1!a"), a("l2!c"))), a("l2?b"))
    seen = logs("l1: l1!a l1!a l1!a; l2: l2!c l2?b l2?b")
    for steps in (10, 10_000):
        decider = NestedLoops(term, "prefix", accepts, steps=steps)
        assert decider.decide(seen, Limits()) is None
    fits = logs("l1: l1!a l1!a l1!a; l2: l2!c l2!c")
    assert NestedLoops(term, "prefix", accepts, steps=10).decide(fits, Limits()) is None
    found = NestedLoops(term, "prefix", accepts, steps=10_000).decide(fits, Limits())
    assert found is not None
    assert found.verdict is Verdict.WEAK_PASS


@pytest.mark.parametrize("mode", MODES)
def test_a_budget_ends_it_with_its_reason(mode: Mode) -> None:
    calls = 0

    def soon() -> Reason | None:
        nonlocal calls
        calls += 1
        return "TimedOut" if calls > 1 else None

    answer = Verifier(in_left_operands(loop_w, 300), mode, should_stop=soon).decide(WHOLE)
    assert answer.verdict is Verdict.INCONC
    assert answer.reason == "TimedOut"
