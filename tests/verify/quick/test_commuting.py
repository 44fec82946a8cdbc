"""The quick deciders against brute force and against the searches; and planted bugs."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple
from weakref import ref

import pytest

from choreomon.core.action import Action
from choreomon.interaction.step import after
from choreomon.interaction.term import (
    Interaction,
    alt,
    coreg,
    loop_h,
    loop_p,
    loop_s,
    loop_w,
    par,
    seq,
    strict,
)
from choreomon.interaction.weakening import has_strict_like, weakened
from choreomon.multitrace.multitrace import Component, MultiTrace, multi_trace
from choreomon.multitrace.mutation import alphabet, insert_action, swap_actions
from choreomon.multitrace.projection import discrete, project_trace
from choreomon.multitrace.slices import random_multi_prefix
from choreomon.verify.oracle import Oracle, sufficient_length
from choreomon.verify.papers.engine import search
from choreomon.verify.papers.options import LocalAnalyses, Options
from choreomon.verify.quick import at_once, commuting, words
from choreomon.verify.quick import decider as decider_module
from choreomon.verify.quick.commuting import CommutingDecider
from choreomon.verify.quick.decider import Quick, QuickMode
from choreomon.verify.quick.situations import Situation, Situations
from choreomon.verify.quick.words import Stopped, SubsetState
from choreomon.verify.verdict import Verdict
from tests.verify.papers.questions import (
    LIFELINES,
    Question,
    a,
    logs,
    mask_of,
    questions,
    random_term,
)

MODES: tuple[QuickMode, ...] = ("accept", "prefix", "multiprefix")

WEAK = ("seq", "par", "coreg", "alt", "loopW", "loopP", "loopC")


def weak_questions(rng: Random, number: int) -> Iterator[Question]:
    """Random questions about terms that order nothing across lifelines."""
    for question in questions(rng, number):
        term = weakened(question.interaction)
        seen = question.multitrace
        if rng.random() < 0.7:
            seen = random_multi_prefix(rng, seen)
        length = sufficient_length(term, seen.length)
        yield Question(term, seen, Oracle(term, length))


def disagreements(number: int, seed: int) -> int:
    """How many answers are not those of brute force."""
    found = 0
    for question in weak_questions(Random(seed), number):
        for mode in MODES:
            quick = Quick(question.interaction, mode).decider(question.multitrace)
            assert quick is not None
            expected = question.oracle.judge(question.multitrace, mode)
            found += quick.decide(question.multitrace).verdict is not expected
    return found


@pytest.mark.parametrize("seed", range(3))
def test_every_mode_over_every_partition_answers_as_brute_force_does(seed: int) -> None:
    met: Counter[tuple[QuickMode, Verdict]] = Counter()
    for question in weak_questions(Random(seed), 120):
        for mode in MODES:
            quick = Quick(question.interaction, mode).decider(question.multitrace)
            assert quick is not None
            expected = question.oracle.judge(question.multitrace, mode)
            met[mode, expected] += 1
            assert quick.decide(question.multitrace).verdict is expected, (question[:2], mode)
    for mode in MODES:
        assert met[mode, Verdict.PASS]
        assert met[mode, Verdict.FAIL]
        assert mode == "accept" or met[mode, Verdict.WEAK_PASS]


def test_strict_operators_are_decided_where_the_rule_allows_and_as_brute_force_does() -> None:
    decided = left = 0
    for question in questions(Random(7), 200):
        for mode in MODES:
            quick = Quick(question.interaction, mode).decider(question.multitrace)
            if quick is None:
                left += 1
                continue
            decided += has_strict_like(question.interaction)
            expected = question.oracle.judge(question.multitrace, mode)
            assert quick.decide(question.multitrace).verdict is expected, (question[:2], mode)
    assert decided > 40
    assert left > 40


def longer(rng: Random, number: int) -> Iterator[tuple[Interaction, MultiTrace]]:
    """Longer multi-traces of larger terms, in the discrete partition: too long for brute force."""
    for _ in range(number):
        term = random_term(rng, WEAK, min_depth=4, sizes=(12, 20))
        seen = project_trace(walked(rng, term, 7), discrete(LIFELINES))
        if rng.random() < 0.4:
            seen = insert_action(rng, seen, alphabet(LIFELINES, ("a", "b"))) or seen
        if rng.random() < 0.3:
            seen = swap_actions(rng, seen) or seen
        yield term, seen


def by_search(term: Interaction, seen: MultiTrace, mode: QuickMode) -> Verdict:
    """The verdict of the search that tries all components."""
    options = Options(reduction="none", local=LocalAnalyses())
    return search(term, seen, mode, options).verdict


@pytest.mark.parametrize("easy", [0, commuting.EASY])
def test_longer_multi_traces_are_answered_as_by_a_search_that_tries_all_components(
    monkeypatch: pytest.MonkeyPatch, easy: int
) -> None:
    monkeypatch.setattr(commuting, "EASY", easy)
    met: Counter[Verdict] = Counter()
    for term, seen in longer(Random(11), 120):
        for mode in MODES:
            quick = Quick(term, mode).decider(seen)
            assert quick is not None
            found = quick.decide(seen).verdict
            assert found is by_search(term, seen, mode), (term, seen, mode)
            met[found] += 1
    assert min(met[verdict] for verdict in (Verdict.PASS, Verdict.WEAK_PASS, Verdict.FAIL)) > 10


def walked(rng: Random, term: Interaction, steps: int) -> list[Action]:
    """A prefix of an accepted global trace."""
    trace: list[Action] = []
    for _ in range(steps):
        possible = [
            (action, rest)
            for action in alphabet(LIFELINES, ("a", "b"))
            for rest in after(term, a(str(action)))
        ]
        if not possible:
            break
        action, term = rng.choice(possible)
        trace.append(action)
    return trace


def test_one_decider_answers_many_multi_traces_as_new_ones_do() -> None:
    term = loop_w(alt(seq(a("l1!m"), alt(a("l2?m"), a("l3?m"))), par(a("l3!n"), loop_p(a("l1?n")))))
    kept = {mode: Quick(term, mode) for mode in MODES}
    rng = Random(3)
    actions = alphabet(LIFELINES, ("m", "n"))
    for _ in range(120):
        seen = multi_trace((), LIFELINES)
        for _ in range(rng.randint(0, 7)):
            seen = insert_action(rng, seen, actions) or seen
        for mode in MODES:
            old, new = kept[mode].decider(seen), Quick(term, mode).decider(seen)
            assert old is not None
            assert new is not None
            assert old.decide(seen).verdict is new.decide(seen).verdict


COUNTEREXAMPLES = {
    "strict in both operands of par": (
        par(strict(a("l1!m1"), a("l2!m1")), strict(a("l2!m2"), a("l1!m2"))),
        logs("l1: l1!m2 l1!m1; l2: l2!m1 l2!m2"),
    ),
    "order through a removed lifeline": (
        par(
            seq(strict(a("l1!m1"), a("l3!m1")), strict(a("l3!m1"), a("l2!m1"))),
            strict(a("l2!m2"), a("l1!m2")),
        ),
        logs("l1: l1!m2 l1!m1; l2: l2!m1 l2!m2; l3:"),
    ),
    "one lifeline in the region of coreg": (
        coreg(
            mask_of("l1"),
            seq(strict(a("l1!a"), a("l3!x")), strict(a("l3?x"), a("l2!c"))),
            strict(a("l2!d"), a("l1!b")),
        ),
        logs("l1: l1!b l1!a; l2: l2!c l2!d; l3:"),
    ),
    "loopH beside strict": (
        par(
            loop_h(alt(seq(a("l3!p"), a("l1!a")), seq(a("l1!b"), a("l2!c")))),
            strict(a("l2!d"), a("l1!e")),
        ),
        logs("l1: l1!e l1!a l1!b; l2: l2!c l2!d; l3:"),
    ),
    "two orders under loopP": (
        loop_p(alt(strict(a("l1!a"), a("l2!b")), strict(a("l2!c"), a("l1!d")))),
        logs("l1: l1!d l1!a; l2: l2!b l2!c"),
    ),
}


class KeptAnswers(NamedTuple):
    """`wrong`: answers that are not those of new deciders; `most`: how many were kept at a time;
    `longest`: the most actions of a multi-trace whose answer was kept."""

    wrong: int
    most: int
    longest: int


def kept_answers(monkeypatch: pytest.MonkeyPatch) -> KeptAnswers:
    monkeypatch.setattr(decider_module, "SHORT", 4)
    term = loop_w(alt(seq(a("l1!m"), a("l2?m")), par(a("l2!m"), a("l3!m"))))
    kept = {mode: Quick(term, mode) for mode in MODES}
    rng = Random(5)
    wrong = most = longest = 0
    for _ in range(200):
        seen = multi_trace((), LIFELINES)
        for _ in range(rng.randint(0, 6)):
            seen = insert_action(rng, seen, alphabet(LIFELINES, ("m",))) or seen
        for mode in MODES:
            answer = Quick(term, mode).decide(seen)
            assert answer is not None
            for _ in range(2):
                again = kept[mode].decide(seen)
                assert again is not None
                wrong += again.verdict is not answer.verdict
            most = max(most, len(kept[mode]._answers))
            longest = max(longest, *(known.length for known in kept[mode]._answers), 0)
    return KeptAnswers(wrong, most, longest)


def test_answers_are_kept_for_short_multi_traces_and_are_those_of_new_deciders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(decider_module, "ANSWERS", 20)
    assert kept_answers(monkeypatch) == (0, 20, 4)


def test_the_law_notices_answers_that_are_kept_without_end_and_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert kept_answers(monkeypatch).most > 20
    # Planted: multi-traces with as many actions are one.
    monkeypatch.setattr(MultiTrace, "__hash__", lambda self: self.length)
    monkeypatch.setattr(MultiTrace, "__eq__", lambda self, other: self.length == other.length)
    assert kept_answers(monkeypatch).wrong


def test_what_was_stopped_is_asked_again() -> None:
    quick = Quick(loop_w(seq(a("l1!m"), a("l2?m"))), "accept")
    seen = logs("l1: l1!m; l2: l2?m")
    stopped, answer = quick.decide(seen, lambda: True), quick.decide(seen)
    assert stopped is not None
    assert answer is not None
    assert (stopped.verdict, answer.verdict) == (Verdict.INCONC, Verdict.PASS)


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_what_the_rule_forbids_is_left_to_a_search(name: str) -> None:
    term, seen = COUNTEREXAMPLES[name]
    for mode in MODES:
        assert Quick(term, mode).decider(seen) is None


def test_prefixes_of_strict_terms_and_shared_clocks_are_left_to_a_search() -> None:
    term = strict(a("l1!a"), a("l2!b"))
    assert Quick(term, "prefix").decider(logs("l1: ; l2: l2!b")) is None
    assert Quick(term, "accept").decider(logs("l1: l1!a; l2: l2!b")) is not None
    assert Quick(term, "accept").decider(logs("l1,l2: l2!b l1!a")) is None
    # Of the lifelines that share this clock the interaction knows one.
    assert Quick(term, "accept").decider(logs("l1,x: l1!a; l2: l2!b")) is not None


def test_strict_terms_are_refused_below() -> None:
    with pytest.raises(ValueError, match="orders actions across lifelines"):
        CommutingDecider(loop_s(strict(a("l1!a"), a("l2!b"))), "prune")


def test_silent_and_unknown_lifelines() -> None:
    term = seq(a("l1!m"), a("l2?m"))
    expected = {
        "l1: l1!m; l2: l2?m": ("Pass", "Pass"),
        "l1: l1!m; l2: l2?m; x: ": ("Pass", "Pass"),
        "l1: l1!m; x: ": ("Fail", "WeakPass"),
        "l2: l2?m; x: ": ("Fail", "WeakPass"),
        "l1: l1!m; l2: l2?m; x: x!m": ("Fail", "Fail"),
        "l1: l1!other; l2: l2?m": ("Fail", "Fail"),
        "x: ; y: ": ("Fail", "WeakPass"),
    }
    for text, verdicts in expected.items():
        for mode, verdict in zip(("accept", "multiprefix"), verdicts, strict=True):
            quick = Quick(term, mode).decider(logs(text))  # type: ignore[arg-type]
            assert quick is not None
            assert quick.decide(logs(text)).verdict.value == verdict, (text, mode)


def test_tables_are_bounded_and_answers_stay() -> None:
    term = loop_w(
        alt(par(a("l1!a"), seq(a("l2?a"), a("l3!b"))), seq(a("l3?b"), alt(a("l1!b"), a("l2!a"))))
    )
    limit = 25
    small = CommutingDecider(term, "remove", limit)
    large = CommutingDecider(term, "remove")
    rng = Random(5)
    for _ in range(200):
        seen = random_multi_prefix(
            rng, project_trace(walked(rng, term, rng.randint(0, 8)), discrete(LIFELINES))
        )
        if rng.random() < 0.5:
            seen = swap_actions(rng, seen) or seen
        before, views, forgotten = len(small), len(small.words), small.forgotten
        assert small.decide(seen) is large.decide(seen)
        if before > limit or views > limit:
            assert small.forgotten > forgotten
        # Only what the last step added may be above the limit.
        assert len(small) <= limit + 12
    assert small.forgotten > 3
    assert large.forgotten == 0
    assert len(large) > 2 * limit


def test_a_decision_can_be_stopped() -> None:
    term = loop_p(par(a("l1!m"), a("l2?m")))
    decider = CommutingDecider(term, "prune")
    seen = logs("l1: " + "l1!m " * 20 + "; l2: " + "l2?m " * 20)
    with pytest.raises(Stopped):
        decider.decide(seen, lambda: True)
    assert decider.decide(seen, lambda: False)
    assert decider.decide(seen)


def test_what_was_worked_out_for_one_multi_trace_is_kept_for_the_next() -> None:
    term = loop_w(seq(a("l1!m"), a("l2?m"), alt(a("l2!n"), a("l3!n"))))
    decider = CommutingDecider(term, "remove")
    seen = logs("l1: l1!m l1!m; l2: l2?m l2!n; l3: ")
    assert decider.decide(seen)
    size, visited = len(decider), decider.visited
    assert decider.decide(seen)
    assert len(decider) == size
    assert decider.visited == 2 * visited


@pytest.mark.parametrize("seed", range(2))
def test_all_that_may_remain_at_once_gives_the_same_answers(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    met: Counter[bool | None] = Counter()
    whole = commuting.fits_at_once

    def counted(*given: Any) -> bool | None:
        answer = whole(*given)
        met[answer] += 1
        return answer

    monkeypatch.setattr(commuting, "BRANCHES", 1)
    monkeypatch.setattr(commuting, "fits_at_once", counted)
    # Nearly everything is found out before.
    monkeypatch.setattr(CommutingDecider, "_ends", lambda *_: None)
    monkeypatch.setattr(CommutingDecider, "_fits", lambda *_: True)
    monkeypatch.setattr(CommutingDecider, "_counts_fit", lambda *_: True)
    assert not disagreements(150, seed)
    assert met[True]
    assert met[False]
    monkeypatch.setattr(at_once, "MOST_TERMS", 1)
    assert not disagreements(60, seed)
    assert met[None]


def test_the_comparison_notices_when_what_may_remain_at_once_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(commuting, "BRANCHES", 1)
    monkeypatch.setattr(CommutingDecider, "_ends", lambda *_: None)
    monkeypatch.setattr(Situations, "distinct", lambda self, found: tuple(found[:1]))
    assert disagreements(150, 0)


@pytest.mark.parametrize("most", [1, 2])
def test_views_that_would_be_too_large_are_left_out(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(words, "MOST_TERMS", most)
    assert not disagreements(60, 0)


def test_components_that_interleave_with_themselves_are_decided_in_few_steps() -> None:
    letters = "abcdefgh"
    term = par(*[loop_w(seq(a(f"l1!{one}"), a("l1!z"), a(f"l2?{one}"))) for one in letters])
    word = "".join(f"l1!{one} l1!z " for one in letters)
    heard = "".join(f"l2?{one} " for one in letters)
    decider = CommutingDecider(term, "prune")
    assert decider.decide(logs(f"l1: {word * 2}; l2: {heard * 2}"))
    assert decider.visited < 200


def test_the_order_of_components_makes_no_difference() -> None:
    for question in weak_questions(Random(21), 60):
        components = question.multitrace.components
        for mode in MODES:
            quick = Quick(question.interaction, mode)
            verdicts = set()
            for order in (components, components[::-1], components[1:] + components[:1]):
                decider = quick.decider(MultiTrace(order))
                assert decider is not None
                verdicts.add(decider.decide(MultiTrace(order)).verdict)
            assert len(verdicts) == 1


def test_the_law_notices_a_follow_up_that_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Situation.__missing__

    def shortened(self: Situation, action: Action) -> tuple[Situation, ...]:
        self[action] = original(self, action)[:1]
        return self[action]

    monkeypatch.setattr(Situation, "__missing__", shortened)
    lost = 0
    for term, seen in longer(Random(11), 120):
        quick = Quick(term, "multiprefix").decider(seen)
        assert quick is not None
        lost += quick.decide(seen).verdict is not by_search(term, seen, "multiprefix")
    assert lost


def test_all_actions_are_counted_and_a_search_that_counts_what_is_left_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(commuting, "EASY", 0)
    first = seq(a("l2!x"), a("l2!y"), a("l3!p"), a("l3!r"))
    second = seq(a("l2!x"), a("l2!z"), a("l3!p"), a("l3!s"))
    decider = CommutingDecider(par(a("l1!m"), alt(first, second)), "prune")
    seen = logs("l1: l1!m; l2: l2!x l2!z; l3: l3!p l3!s")
    assert decider.decide(seen)
    search = CommutingDecider._search

    def planted(
        self: CommutingDecider, place: commuting._Place, components: Sequence[Component]
    ) -> bool:
        closed = [Component(part.lifelines, ()) for part in components[: place.number]]
        return search(self, place, [*closed, *components[place.number :]])

    monkeypatch.setattr(CommutingDecider, "_search", planted)
    assert not decider.decide(seen)


def test_the_law_notices_a_last_component_that_is_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CommutingDecider, "_ends", lambda *_: True)
    assert disagreements(60, 0)


def dropped_at_once(term: Interaction) -> bool:
    """Whether a decider that is dropped takes its tables with it, without the garbage collector."""
    decider = CommutingDecider(term, "remove")
    assert decider.decide(logs("l1: l1!m l1!m; l2: l2?m l2?n; l3: l3!m"))
    tables = ref(decider._situations)
    gc.disable()
    try:
        del decider
        return tables() is None
    finally:
        gc.enable()


def test_tables_are_dropped_with_their_decider(monkeypatch: pytest.MonkeyPatch) -> None:
    term = loop_w(seq(a("l1!m"), alt(a("l2?m"), a("l2?n")), a("l3!m")))
    assert dropped_at_once(term)
    monkeypatch.delattr(CommutingDecider, "__del__")
    assert not dropped_at_once(term)


def test_the_law_notices_components_that_are_not_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Situations, "close", lambda self, term, lifelines: term)
    assert disagreements(60, 0)


def test_the_law_notices_strict_operators_that_are_taken_for_weak(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(commuting, "has_strict_like", lambda term: False)
    term, seen = COUNTEREXAMPLES["strict in both operands of par"]
    wrong = CommutingDecider(weakened(term), "prune").decide(seen)
    assert wrong is not Oracle(term, 4).judge(seen, "accept").passes


def test_the_law_notices_views_that_are_too_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    original = SubsetState.after

    def narrow(self: SubsetState, actions: Sequence[Action]) -> SubsetState:
        return original(self, [*actions, *actions[:1]])

    monkeypatch.setattr(SubsetState, "after", narrow)
    assert disagreements(60, 0)
