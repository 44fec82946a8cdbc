"""Verdicts by automata against those of interactions, by brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from choreomon.automata.automaton import Automaton, automaton
from choreomon.automata.minimization import minimal
from choreomon.core.action import emission
from choreomon.multitrace.multitrace import component, multi_trace
from choreomon.verify.automaton_verifier import (
    AUTOMATON_MODES,
    AutomatonVerifier,
    automaton_mode,
    explain_by_automaton,
)
from choreomon.verify.explanation import Explanation, Reached, explain
from choreomon.verify.synthesis import TooLarge, synthesize
from choreomon.verify.verdict import Mode, Procedure, Verdict
from tests.verify.exact_cases import multi, questions


def disagreements(
    seeds: range,
    made: Callable[[Automaton], Automaton] = lambda one: one,
    procedure: Procedure = "reduced",
) -> tuple[int, Counter[tuple[str, Verdict]]]:
    """How many verdicts are not those of brute force, and which verdicts those are."""
    wrong = 0
    met: Counter[tuple[str, Verdict]] = Counter()
    for seed in seeds:
        asked = [*questions(seed, AUTOMATON_MODES)]
        if not asked:
            continue
        try:
            one = made(synthesize(asked[0].interaction, max_states=300, max_symbols=80).automaton)
        except TooLarge:
            continue
        for question in asked:
            verifier = AutomatonVerifier(one, question.mode, procedure=procedure)
            answer = verifier.decide(question.multitrace)
            assert answer.method == procedure
            wrong += answer.verdict is not question.verdict
            met[question.mode, question.verdict] += 1
    return wrong, met


def test_verdicts_are_those_of_brute_force() -> None:
    wrong, met = disagreements(range(1_000))
    assert wrong == 0
    for mode in AUTOMATON_MODES:
        asked = sum(met[mode, verdict] for verdict in Verdict)
        assert asked > 2_000, met
    assert met["slice", Verdict.WEAK_PASS] > met["multiprefix", Verdict.WEAK_PASS] > 250


@pytest.mark.parametrize("procedure", ["centralized", "semi-centralized"])
def test_verdicts_of_the_papers_procedures_are_those_of_brute_force(procedure: Procedure) -> None:
    assert disagreements(range(300), procedure=procedure)[0] == 0


@pytest.mark.parametrize("procedure", ["centralized", "semi-centralized"])
def test_too_many_states_are_a_reason(procedure: Procedure) -> None:
    verifier = AutomatonVerifier(TURNS, "accept", procedure=procedure, max_states=2)
    answer = verifier.decide(multi(a="a!m", b="b!n"))
    assert (answer.verdict, answer.reason) == (Verdict.INCONC, "TooManyStates")
    enough = AutomatonVerifier(TURNS, "accept", procedure=procedure, max_states=3)
    assert enough.decide(multi(a="a!m", b="b!n")).verdict is Verdict.PASS


def test_minimal_automata_give_the_same_verdicts() -> None:
    assert disagreements(range(300), minimal)[0] == 0


def without_an_edge(one: Automaton) -> Automaton:
    return replace(one, edges=one.edges[1:])


def ending_anywhere(one: Automaton) -> Automaton:
    return replace(one, final=(1 << one.states) - 1)


@pytest.mark.parametrize("planted", [without_an_edge, ending_anywhere])
def test_wrong_automata_are_noticed(planted: Callable[[Automaton], Automaton]) -> None:
    assert any(disagreements(range(seed, seed + 1), planted)[0] for seed in range(200))


TURNS = automaton([(0, emission("a", "m"), 1), (1, emission("b", "n"), 0)], initial=[0], final=[0])


@pytest.mark.parametrize("mode", ["test", "prefix", "simulate"])
def test_other_modes_are_refused(mode: Mode) -> None:
    with pytest.raises(
        ValueError, match=f"automata answer accept, multiprefix, slice, and not {mode}"
    ):
        AutomatonVerifier(TURNS, mode)
    assert automaton_mode("slice") == "slice"


def test_lifelines_without_a_log_are_silent_and_unknown_ones_may_be_so() -> None:
    decide = AutomatonVerifier(TURNS, "slice").decide
    assert decide(multi_trace([component(["a"], [emission("a", "m")])])).verdict is Verdict.FAIL
    silent = [component(["b"], []), component(["z"], [])]
    seen = multi_trace([component(["a"], [emission("a", "m")]), *silent])
    assert decide(seen).verdict is Verdict.WEAK_PASS
    assert decide(multi(a="a!m", b="", z="z!z")).verdict is Verdict.FAIL


def test_a_reason_to_stop_is_the_reason_of_inconc() -> None:
    verifier = AutomatonVerifier(TURNS, "multiprefix", should_stop=lambda: "TimedOut")
    answer = verifier.decide(multi(a="a!m", b="b!n"))
    assert (answer.verdict, answer.reason) == (Verdict.INCONC, "TimedOut")
    stopped = explain_by_automaton(
        TURNS, multi(a="a!m"), "accept", should_stop=lambda: "OutOfMemory"
    )
    assert stopped == Explanation(Verdict.INCONC, None, None, "OutOfMemory")


def test_explanations_are_witnesses_or_places_with_what_is_in_the_way() -> None:
    passed = explain_by_automaton(TURNS, multi(a="a!m", b="b!n"), "slice")
    assert passed.verdict is Verdict.PASS
    assert passed.as_json()["witness"] == [
        {"action": "a!m", "observed": True},
        {"action": "b!n", "observed": True},
    ]
    weak = explain_by_automaton(TURNS, multi(a="", b="b!n"), "slice")
    assert (weak.verdict, [step.observed for step in weak.witness or ()]) == (
        Verdict.WEAK_PASS,
        [False, True],
    )
    seen = multi(a="a!m a!m a!mm", b="b!n b!n", aa="aa!m", c="")
    failed = explain_by_automaton(TURNS, seen, "multiprefix")
    parts = seen.components
    sent = emission("a", "m")
    assert failed.failure == (
        Reached(parts[0], 2, emission("a", "mm"), (sent,), "action", "a!m", 1),
        # There a!m may be what the log of a lacks behind its second action.
        Reached(parts[1], 2, None, (emission("b", "n"),)),
        Reached(parts[2], 0, emission("aa", "m"), (), "lifeline", "a", 2),
        Reached(parts[3], 0, None, ()),
    )
    waiting = explain_by_automaton(TURNS, multi(a="", b="b!n"), "accept").failure
    assert waiting is not None
    assert [one.obstacle for one in waiting] == [None, "others"]


def test_as_much_is_explained_as_by_the_interaction() -> None:
    compared: Counter[str] = Counter()
    for seed in range(40):
        asked = [each for each in questions(seed, AUTOMATON_MODES) if not each.verdict.passes]
        if not asked:
            continue
        try:
            one = synthesize(asked[0].interaction, max_states=300, max_symbols=80).automaton
        except TooLarge:
            continue
        for _, question in zip(range(12), asked, strict=False):
            found = explain_by_automaton(one, question.multitrace, question.mode).failure
            expected = explain(question.interaction, question.multitrace, question.mode).failure
            assert _places(found) == _places(expected)
            compared[question.mode] += 1
    assert min(compared[mode] for mode in AUTOMATON_MODES) > 20


def _places(failure: tuple[Reached, ...] | None) -> list[tuple[object, ...]]:
    """By component, as their order hangs on how grave they are."""
    assert failure is not None
    places = [(each.component, each.position, each.allowed) for each in failure]
    return sorted(places, key=lambda place: place[0].lifelines)
