"""Words against brute force; and planted bugs."""

from __future__ import annotations

from array import array
from collections import Counter
from random import Random
from typing import Any

import pytest

from choreomon.core.action import Action
from choreomon.interaction.term import alt, loop_p, loop_s, loop_w, par, seq, strict
from choreomon.multitrace.coded import CodedTrace, TraceBuilder
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.quick import words
from choreomon.verify.quick.single_clock import QuickMode, WordDecider
from choreomon.verify.quick.words import Stopped, SubsetState, TooManyTerms, Words
from choreomon.verify.verdict import Verdict
from tests.verify.papers.questions import Question, a, logs, questions

MODES: tuple[QuickMode, ...] = ("accept", "prefix", "multiprefix")


def asked(number: int, seed: int) -> list[tuple[Question, QuickMode]]:
    """Random questions about words, over the whole language."""
    return [
        (question, mode)
        for question in questions(Random(seed), number)
        for mode in MODES
        if WordDecider(question.interaction, mode).applies(question.multitrace)
    ]


def disagrees(question: Question, mode: QuickMode) -> bool:
    answer = WordDecider(question.interaction, mode).decide(question.multitrace)
    return answer is None or answer.verdict is not question.oracle.judge(question.multitrace, mode)


def test_every_mode_answers_as_brute_force_does() -> None:
    met: Counter[tuple[QuickMode, Verdict]] = Counter()
    for question, mode in asked(600, 1):
        assert not disagrees(question, mode), (question[:2], mode)
        met[mode, question.oracle.judge(question.multitrace, mode)] += 1
    for mode in MODES:
        assert met[mode, Verdict.PASS] > 10
        assert met[mode, Verdict.FAIL] > 10
        assert mode == "accept" or met[mode, Verdict.WEAK_PASS] > 10


@pytest.mark.parametrize(
    ("text", "modes"),
    [
        ("l1,l2: l1!m", MODES),
        ("l1,l2,x: l1!m", MODES),
        ("l1,l2: l1!m; x:", MODES),
        ("l1: l1!m; l2:", ("accept", "prefix")),
        ("l1: l1!m", ("accept", "prefix")),
        ("l1: l1!m; l2: l2?m", ()),
        ("l1,l2:", ()),
    ],
)
def test_what_is_a_word(text: str, modes: tuple[QuickMode, ...]) -> None:
    term = seq(a("l1!m"), a("l2?m"))
    assert [mode for mode in MODES if WordDecider(term, mode).applies(logs(text))] == list(modes)


def test_a_long_word_meets_few_states() -> None:
    term = loop_s(seq(a("l1!m"), alt(a("l2?m"), par(a("l2?m"), a("l3?m")))))
    decider = WordDecider(term, "accept")
    word = "l1!m l2?m l1!m l3?m l2?m " * 400
    answer = decider.decide(logs(f"l1,l2,l3: {word}"))
    assert answer is not None
    assert answer.verdict is Verdict.PASS
    assert len(decider.words) < 10


def test_an_action_that_cannot_be_is_the_end_of_it() -> None:
    decider = WordDecider(loop_w(a("l1!m")), "prefix")
    answer = decider.decide(logs("l1: l1!m l1!other l1!m l1!m"))
    assert answer is not None
    assert answer.verdict is Verdict.FAIL


def test_states_are_bounded_and_answers_stay() -> None:
    term = loop_p(strict(a("l1!m"), a("l2?m")))
    small, large = WordDecider(term, "prefix", limit=20), WordDecider(term, "prefix")
    for length in (1, 3, 2, 12, 5, 20, 4, 25, 7):
        for seen in (
            logs("l1,l2: " + "l1!m " * length + "l2?m " * length),
            logs("l1,l2: " + "l1!m " * length + "l2?m " * (length + 1)),
        ):
            assert small.decide(seen) == large.decide(seen)
    assert small.forgotten > 2
    assert large.forgotten == 0


def test_sets_that_grow_too_large_are_not_made() -> None:
    choices = [strict(a("l1!m"), a(f"l2?m{number}")) for number in range(100)]
    decider = WordDecider(alt(*choices), "accept")
    assert decider.decide(logs("l1,l2: l1!m l2?m3")) is None
    assert decider.decide(logs("l1,l2: l2?m3")) is not None


def test_a_decision_can_be_stopped() -> None:
    decider = WordDecider(loop_p(strict(a("l1!m"), a("l2?m"))), "accept")
    seen: MultiTrace = logs("l1,l2: l1!m l2?m")
    stopped = decider.decide(seen, lambda: True)
    assert stopped is not None
    assert stopped.verdict is Verdict.INCONC
    answer = decider.decide(seen, lambda: False)
    assert answer is not None
    assert answer.verdict is Verdict.PASS


def differences(number: int, seed: int) -> int:
    """How many words of random terms are read differently by their codes than action by action."""
    rng = Random(seed)
    found = 0
    for question in questions(rng, number):
        actions = [action for part in question.multitrace.components for action in part.actions]
        actions = rng.choices(actions, k=8) if actions and rng.random() < 0.3 else actions
        builder = TraceBuilder()
        codes = array("B", [builder.code(action) for action in actions])
        coded = CodedTrace(tuple(dict.fromkeys(actions)), codes)
        start = Words().of(question.interaction)
        slow = start
        for action in actions:
            slow = slow[action]
        found += start.after(coded) is not slow
        found += Words().of(question.interaction).after(coded).terms != slow.terms
    return found


@pytest.mark.parametrize("rows", [0, 2, words.ROWS])
def test_codes_of_actions_are_read_as_actions_are(
    monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(words, "ROWS", rows)
    assert not differences(200, 3)


def test_a_long_trace_has_one_row_for_a_state(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[SubsetState] = []
    original = words._Row.__init__

    def counted(self: words._Row, word: SubsetState, *rest: Any) -> None:
        made.append(word)
        original(self, word, *rest)

    monkeypatch.setattr(words._Row, "__init__", counted)
    action = Action("l1", "!", "m")
    trace = CodedTrace((action,), array("B", [0] * 5000))
    assert Words().of(loop_w(a("l1!m"))).after(trace).is_accepted
    assert len(made) == 1


def test_the_law_notices_codes_that_are_taken_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CodedTrace, "alphabet", property(lambda self: self._actions[::-1]))
    assert differences(200, 3)


def test_reading_codes_gives_up_and_stops_as_reading_actions_does() -> None:
    builder = TraceBuilder()
    code = builder.code(Action("l1", "!", "m"))
    trace = CodedTrace((Action("l1", "!", "m"),), array("B", [code] * 3))
    choices = [strict(a("l1!m"), a(f"l2?m{number}")) for number in range(100)]
    with pytest.raises(TooManyTerms):
        Words().of(alt(*choices)).after(trace)
    stopped = Words()
    stopped.should_stop = lambda: True
    with pytest.raises(Stopped):
        stopped.of(loop_p(a("l1!m"))).after(trace)


def test_the_law_notices_terms_that_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Words._word
    monkeypatch.setattr(
        Words,
        "_word",
        lambda self, terms: original(self, frozenset(sorted(terms, key=str)[:1])),
    )
    assert any(disagrees(question, mode) for question, mode in asked(600, 1))


def test_the_law_notices_acceptance_for_all_instead_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = SubsetState.__init__

    def wrong(self: SubsetState, states: Words, terms: frozenset) -> None:  # type: ignore[type-arg]
        original(self, states, terms)
        self.is_accepted = all(term.terminates for term in terms)

    monkeypatch.setattr(SubsetState, "__init__", wrong)
    assert any(disagrees(question, mode) for question, mode in asked(600, 1))
