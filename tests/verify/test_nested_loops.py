"""Short logs of interactions with nested loops: the answers of brute force, and of one action at a
time where loops are nested thousands deep."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from itertools import count, pairwise

import pytest

from choreomon.interaction.enabled import Enabled
from choreomon.interaction.lifelines import mask
from choreomon.interaction.term import (
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
from choreomon.verify import verifier as verifier_module
from choreomon.verify.exact_search import Limits
from choreomon.verify.nested_loops import NESTED, SHORT, NestedLoops
from choreomon.verify.papers.options import Options, Reason
from choreomon.verify.verdict import MODES, Answer, Mode, Verdict
from choreomon.verify.verifier import Verifier
from tests.verify.exact_cases import questions
from tests.verify.papers.questions import a, logs
from tests.verify.steps import counted, without_what_follows

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
    assert unanswered > 500


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


@pytest.mark.parametrize("bug", ["nothing follows", "an action is overlooked", "all is paid for"])
def test_wrong_answers_are_noticed(monkeypatch: pytest.MonkeyPatch, bug: str) -> None:
    enabled = module.enabled
    if bug == "nothing follows":
        monkeypatch.setattr(module, "enabled", lambda term: without_what_follows(enabled(term)))
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
    made = counted(monkeypatch, Enabled, "follow_up")
    verifier = Verifier(in_left_operands(LOOPS[name], 2_500), mode)
    weak = Verdict.FAIL if mode == "accept" else Verdict.WEAK_PASS
    assert verifier.decide(WHOLE).verdict is weak
    assert verifier.decide(FROM_WITHIN).verdict is weak
    assert verifier.decide(logs("l1: l1?c; l2: l2!d")).verdict is Verdict.PASS
    assert made.calls < 20


@pytest.mark.parametrize("mode", ["accept", "prefix", "multiprefix", "slice"])
@pytest.mark.parametrize("name", LOOPS)
def test_what_nobody_may_ever_do_is_wrong_at_once(
    name: str, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "affordable", None)
    monkeypatch.setattr(module, "enabled", None)
    term = in_left_operands(LOOPS[name], 1_000)
    for seen in ("l1: l1!zz", "l1: l1!a l1?c; l2: l2!d l2!zz", "l3: l3!a"):
        assert Verifier(term, mode).decide(logs(seen)).verdict is Verdict.FAIL


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


def test_it_gives_up_after_so_many_symbols() -> None:
    """Also of what nobody may do now, which is looked at, too."""
    waiting = strict(*[a("l4!y")] * 400)
    term = alt(strict(a("l1!a"), a("l2?b"), a("l1!c")), waiting)
    seen = logs("l1: l1!a; l2: l2?b")
    for steps, found in ((1_000, True), (700, False)):
        decider = NestedLoops(term, "prefix", accepts, steps=steps)
        assert (decider.decide(seen, Limits()) is not None) == found


# -- budgets ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_budget_ends_it_with_its_reason(mode: Mode) -> None:
    term = in_left_operands(loop_w, 300)

    def stopped_after(asks: int) -> tuple[Answer, int]:
        """The answer, and how often it was asked whether to stop."""
        asked = count(1)
        answer = Verifier(
            term, mode, should_stop=lambda: "TimedOut" if next(asked) > asks else None
        ).decide(WHOLE)
        return answer, next(asked) - 1

    # The next one need not find out again what is known of terms, and asks less.
    _, asks = (stopped_after(1 << 30), stopped_after(1 << 30))[1]
    assert asks > 2
    for before in range(3):
        answer, _ = stopped_after(before)
        assert (answer.verdict, answer.reason) == (Verdict.INCONC, "TimedOut")


def test_it_asks_before_each_follow_up(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    whole = Enabled.follow_up

    def followed(self: Enabled) -> Interaction:
        done.append("follow-up")
        return whole(self)

    def asked_to_stop() -> bool:
        done.append("asked")
        return False

    monkeypatch.setattr(Enabled, "follow_up", followed)
    term = strict(loop_p(alt(a("l1!a"), a("l2!c"), a("l3!d"))), a("l4?b"))
    seen = logs("l1: l1!a l1!a; l2: l2!c l2!c; l3: l3!d l3!d; l4: l4?b l4?b")
    decider = NestedLoops(term, "prefix", accepts)
    assert decider.decide(seen, Limits(should_stop=asked_to_stop)) is None
    assert done.count("follow-up") > 50
    assert ("follow-up", "follow-up") not in set(pairwise(done))


def test_a_reason_to_stop_is_that_of_the_multi_trace_at_hand() -> None:
    left = 0

    def should_stop() -> Reason | None:
        nonlocal left
        left -= 1
        return None if left else "TimedOut"

    # Too many actions for nested loops; the search that decides has a reason of its own.
    ends_early = logs("l1: " + "l1?c l1!a " * SHORT + "; l2: ")
    for asks in count(1):
        verifier = Verifier(in_left_operands(loop_s, NESTED), "test", should_stop=should_stop)
        left = asks
        stopped = verifier.decide(WHOLE)
        if stopped.verdict is not Verdict.INCONC:
            break
        assert stopped.reason == "TimedOut"
        answer = verifier.decide(ends_early)
        assert (answer.verdict, answer.reason) == (Verdict.INCONC, "LackObs")
    assert asks > 3


# -- memory ----------------------------------------------------------------------------------


@pytest.fixture
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_no_collector")
def test_verifiers_go_without_a_collector() -> None:
    verifier = Verifier(in_left_operands(loop_w, NESTED), "prefix", should_stop=lambda: None)
    verifier.decide(WHOLE)
    gone = weakref.ref(verifier)
    del verifier
    assert gone() is None


def test_verifiers_of_what_is_left_are_kept_for_the_next_multi_trace() -> None:
    acceptance = verifier_module._Acceptance(None)
    terms = [strict(a("l1!a"), a(f"l2?b{number}")) for number in range(2 * verifier_module.KEPT)]
    for term in terms:
        for _ in range(2):
            assert acceptance(term, logs("l1: l1!a")).verdict is Verdict.FAIL
        assert len(acceptance._verifiers) <= verifier_module.KEPT
    kept = dict(acceptance._verifiers)
    acceptance(terms[-1], logs("l1: "))
    assert acceptance._verifiers == kept
