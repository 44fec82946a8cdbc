"""Long global traces, followed: against brute force, and against the searches for all others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from choreomon.automata.automaton import Automaton, members
from choreomon.core.action import Action
from choreomon.documents.interactions import load_interaction
from choreomon.hibou.multitrace import read_multi_trace
from choreomon.multitrace.coded import LONG
from choreomon.multitrace.multitrace import component, multi_trace
from choreomon.verify import global_traces
from choreomon.verify.automaton_verifier import AutomatonVerifier
from choreomon.verify.exact import ExactDecider
from choreomon.verify.global_traces import GlobalTraces, of_automaton, of_interaction
from choreomon.verify.synthesis import TooLarge, synthesize
from choreomon.verify.verdict import Mode, Verdict
from tests.verify.exact_cases import EXACT_MODES, questions

MODELS = Path(__file__).parents[1] / "data" / "offline" / "models"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every trace counts as a long one."""
    monkeypatch.setattr(global_traces, "LONG", 1)


def disagreements(seeds: range) -> tuple[int, Counter[tuple[str, Verdict]]]:
    """Of questions that are answered here, how many answers are not those of brute force, and
    which they are."""
    wrong = 0
    met: Counter[tuple[str, Verdict]] = Counter()
    for seed in seeds:
        made: dict[Mode, list[GlobalTraces]] = {}
        for question in questions(seed, EXACT_MODES):
            if question.mode not in made:
                made[question.mode] = [of_interaction(question.interaction, question.mode)]
                try:
                    one = synthesize(question.interaction, max_states=300, max_symbols=80).automaton
                    made[question.mode].append(of_automaton(one, question.mode))
                except TooLarge:
                    pass
            for follower in made[question.mode]:
                answer = follower.answer(question.multitrace)
                if answer is not None:
                    wrong += answer.verdict is not question.verdict
                    met[question.mode, answer.verdict] += 1
    return wrong, met


@pytest.mark.usefixtures("short")
def test_what_is_answered_is_what_brute_force_says() -> None:
    wrong, met = disagreements(range(700))
    assert wrong == 0
    assert not any(mode == "slice" for mode, _ in met)
    for mode in ("accept", "prefix", "multiprefix"):
        assert met[mode, Verdict.FAIL] > 100
        assert met[mode, Verdict.PASS] > 100
    assert met["accept", Verdict.WEAK_PASS] == 0
    assert met["prefix", Verdict.WEAK_PASS] > met["multiprefix", Verdict.WEAK_PASS] > 30


@pytest.mark.usefixtures("short")
def test_a_planted_bug_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """`multiprefix` is taken for `prefix`, also where other lifelines have logs of their own."""
    monkeypatch.setattr(global_traces, "frozenset", lambda _: frozenset(), raising=False)
    assert any(disagreements(range(seed, seed + 1))[0] for seed in range(200))


def walk(one: Automaton, length: int, seed: int) -> list[Action]:
    rng = Random(seed)
    (state,) = members(one.initial)
    word: list[Action] = []
    while len(word) < length:
        going_on = [edge for edge in one.outgoing[state] if one.outgoing[one.edges[edge].target]]
        _, letter, state = one.edges[rng.choice(going_on)]
        word.append(one.letters[letter])
    return word


@pytest.mark.parametrize("model", ["abp", "hr", "rover"])
@pytest.mark.parametrize("mode", ["accept", "multiprefix"])
def test_long_traces_of_the_models_are_decided_as_by_the_search(model: str, mode: Mode) -> None:
    interaction = load_interaction(MODELS / f"{model}.hif")
    one = synthesize(interaction).automaton
    word = walk(one, LONG + 500, 0)
    wrong = [*word[:700], *word[701:]]
    followed = ExactDecider(interaction, mode)
    by_automaton = AutomatonVerifier(one, mode)
    for actions in (word, word[:LONG], wrong):
        logs = multi_trace([component(one.lifelines, actions)])
        coded = read_multi_trace(str(logs).replace(".", " . "))  # as codes, once that is long
        searched = ExactDecider(interaction, mode).decision(logs, None).verdict
        for trace in (logs, coded):
            assert followed.decide(trace).verdict is searched
            assert by_automaton.decide(trace).verdict is searched


def test_short_traces_and_other_questions_are_left_to_others() -> None:
    interaction = load_interaction(MODELS / "abp.hif")
    one = synthesize(interaction).automaton
    word = walk(one, LONG, 0)
    whole = multi_trace([component(one.lifelines, word)])
    lifelines = sorted({action.lifeline for action in word})
    assert of_automaton(one, "multiprefix").answer(whole) is not None
    assert of_automaton(one, "slice").answer(whole) is None
    assert of_automaton(one, "accept").answer(multi_trace([])) is None
    assert (
        of_automaton(one, "accept").answer(whole._replace(components=whole.components * 2)) is None
    )
    short_one = multi_trace([component(one.lifelines, word[:-1])])
    assert of_automaton(one, "accept").answer(short_one) is None
    fewer = [name for name in lifelines if name != lifelines[0]]
    part = [action for action in word * 2 if action.lifeline in fewer]
    apart = multi_trace([component(fewer, part)], one.lifelines)
    assert of_automaton(one, "multiprefix").answer(apart) is None
    assert of_automaton(one, "accept").answer(apart) is not None


def test_who_needs_too_many_residuals_is_left_to_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interaction = load_interaction(MODELS / "hr.hif")
    one = synthesize(interaction).automaton
    logs = multi_trace([component(one.lifelines, walk(one, LONG, 0))])
    monkeypatch.setattr(global_traces, "REMEMBERED", 20)
    assert of_interaction(interaction, "accept").answer(logs) is None
    assert ExactDecider(interaction, "multiprefix").decide(logs).verdict is Verdict.WEAK_PASS


def test_a_budget_stops_what_is_not_known_yet() -> None:
    interaction = load_interaction(MODELS / "hr.hif")
    one = synthesize(interaction).automaton
    logs = multi_trace([component(one.lifelines, walk(one, LONG, 0))])
    decider = ExactDecider(interaction, "accept")
    stopped = decider.decide(logs, lambda: "TimedOut")
    assert (stopped.verdict, stopped.reason) == (Verdict.INCONC, "TimedOut")
    assert decider.decide(logs).verdict is Verdict.FAIL
    assert decider.decide(logs, lambda: "TimedOut").verdict is Verdict.FAIL  # it is known
