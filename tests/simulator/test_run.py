"""Whole runs: what monitors may not change, and that words, reasons and indices are right."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest

from choreomon.actors.delays import Exponential
from choreomon.core.errors import DocumentError
from choreomon.core.run import RunEvent, RunFormation, RunVerdict
from choreomon.core.strategy_names import STRATEGIES, StrategyName
from choreomon.core.vector_clock import happened_before
from choreomon.documents.read import parse_document
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.relations import pre_transitions, vio_transitions
from choreomon.properties.tables import RulesName
from simulator import run as run_module
from simulator.run import simulation
from tests.simulator.monitored import Judged, draw_simulation, judged

RULES: tuple[RulesName, ...] = ("sound", "paper")


def without_clock(event: RunEvent) -> RunEvent:
    return replace(event, clock=())


def test_events_with_their_order_and_times_do_not_depend_on_monitors() -> None:
    """Clocks may; where monitors talk they do."""
    clocks_differ = 0
    for seed in range(40):
        drawn = draw_simulation(Random(seed), seed)
        alone = replace(drawn, automaton=None).run(seed, keep_events=True).kept_events
        plain = [*map(without_clock, alone)]
        slow = replace(
            drawn, monitoring_service=Exponential(9), in_order=not drawn.in_order, deadline=1000
        )
        for strategy, rules, monitored in product(STRATEGIES, RULES, (drawn, slow)):
            found = judged(monitored, seed, strategy=strategy, rules=rules)
            assert [*map(without_clock, found.events)] == plain
            assert found.run.events == len(plain)
            clocks_differ += found.events != alone
    assert clocks_differ > 40


def test_monitoring_that_goes_on_after_the_last_event_is_waited_for() -> None:
    drawn = (draw_simulation(Random(seed), seed, max_events=10) for seed in range(60))
    runs = [judged(s, seed).run for seed, s in enumerate(drawn)]
    stopped = [run for run in runs if run.reached_max_events]
    assert len(stopped) > 10
    assert all(run.events == 10 for run in stopped)
    assert any(verdict for run in stopped for verdict in run.verdicts)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_run_has_one_entry_an_event_which_is_the_last_word_about_it(
    strategy: StrategyName,
) -> None:
    seen: Counter[str] = Counter()
    for seed in range(150):
        found = judged(draw_simulation(Random(seed), seed), seed, strategy=strategy)
        indices = [verdict.event_index for verdict in found.run.verdicts]
        assert indices == sorted(set(indices))
        last = {word.event_index: word for word in found.words}
        for verdict in found.run.verdicts:
            said = [w.verdict for w in found.words if w.event_index == verdict.event_index]
            given = last[verdict.event_index]
            # Monitors that push or gather may have better reasons by the end.
            because = given.because if strategy == "pull" else verdict.because
            assert verdict == replace(given, because=because)
            if verdict.verdict == "withdrawn":
                assert "possibly-violated" in said
            seen[verdict.verdict] += 1
            seen["revised"] += len({*said}) > 1
        # Left out is only what was never spoken of, or hastily called violated by a monitor
        # that pushes or gathers: only a word that something is possible can be withdrawn.
        left_out = last.keys() - {*indices}
        assert {word.verdict for word in found.words if word.event_index in left_out} <= {
            "violated"
        }
        assert not left_out or strategy != "pull"
    assert seen["violated"] > 100
    assert seen["possibly-violated"] > 20
    assert seen["revised"] > 5
    # Those that push or gather seldom have to withdraw; they have tests of their own for it.
    assert seen["withdrawn"] > 0 or strategy != "pull"


Transitions: TypeAlias = dict[tuple[str, str], list[Transition]]


def by_states(transitions: Iterable[Transition]) -> Transitions:
    found: Transitions = {}
    for transition in transitions:
        found.setdefault((transition.source, transition.target), []).append(transition)
    return found


def check_reasons(automaton: SequenceAutomaton, found: Judged, verdict: RunVerdict) -> list[str]:
    """Compares the reasons of a verdict with the trace and the automaton; what they are."""
    seen: list[str] = []
    forward, backward = by_states(automaton.forward), by_states(automaton.backward)
    clocks = [event.clock for event in found.events]
    label = found.events[verdict.event_index].label
    judging = [t for t in automaton.forward if t.label == label and t.target in automaton.final]
    pres = [r for r in verdict.because if r.role == "pre"]
    assert len({*verdict.because}) == len(verdict.because)
    # Nothing is among the reasons of what fired that concerns what did not.
    assert {pre.transition[1] for pre in pres} <= {source for source, _ in verdict.transitions}
    for reason in verdict.because:
        fitting = (forward if reason.role == "pre" else backward)[reason.transition]
        assert found.events[reason.event_index].label in {t.label for t in fitting}
        before = happened_before(clocks[reason.event_index], clocks[verdict.event_index])
        assert reason.relation == ("before" if before else "concurrent")
        assert reason.since is None or reason.since < reason.event_index
        if reason.role == "pre":
            assert (reason.of, reason.of_transition) == (None, None)
            assert any(t in pre_transitions(automaton, j) for t in fitting for j in judging)
        else:
            concerned = [
                t
                for p in pres
                if (p.event_index, p.transition) == (reason.of, reason.of_transition)
                for t in forward[p.transition]
            ]
            assert any(t in vio_transitions(automaton, c) for t in fitting for c in concerned)
        if reason.certain:
            assert before
            assert reason.of is None or happened_before(
                clocks[reason.of], clocks[reason.event_index]
            )
        seen.append(f"{reason.role} {reason.relation} {reason.certain}")
    certain = any(pre.certain for pre in pres)
    starts = any(source in automaton.initial for source, _ in verdict.transitions)
    if verdict.verdict == "violated":
        assert certain or starts
    else:
        assert not certain
        assert pres or verdict.verdict == "withdrawn"
    return seen


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_reasons_point_to_events_that_fit_and_relate_as_they_say(strategy: StrategyName) -> None:
    """Indices, relations and what a vio concerns are computed anew from the trace."""
    seen: Counter[str] = Counter()
    for seed in range(250):
        drawn = draw_simulation(Random(seed), seed)
        assert drawn.automaton is not None
        found = judged(drawn, seed, strategy=strategy)
        for verdict in found.run.verdicts:
            seen.update(check_reasons(drawn.automaton, found, verdict))
    every = {f"pre before {c}" for c in (True, False)} | {"pre concurrent False"}
    every |= {f"vio before {c}" for c in (True, False)} | {"vio concurrent False"}
    assert every == seen.keys()


def test_formations_and_events_are_kept_where_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    simulations = (draw_simulation(Random(number), 1) for number in range(50))
    drawn = next(drawn for drawn in simulations if judged(drawn, 1).formed)
    found = judged(drawn, 1)
    run = drawn.run(1, keep_events=True)
    assert run.kept_events == found.events
    assert {index for index, *_ in run.formed or ()} == found.formed
    assert all(sequence[-1] == index for index, sequence, _ in run.formed or ())
    monkeypatch.setattr(run_module, "KEPT_EVENTS", len(found.events) - 1)
    short = drawn.run(1, keep_events=True)
    assert short.kept_events == found.events[1:]
    assert short.formed == tuple(RunFormation(index) for index in sorted(found.formed))
    assert drawn.run(1).kept_events == ()


@pytest.mark.parametrize("collecting", [True, False])
def test_the_cycle_collector_rests_during_a_run_and_is_then_as_it_was(collecting: bool) -> None:
    seen: list[bool] = []
    was_on = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        draw_simulation(Random(0), 0).run(0, recorder=lambda _: seen.append(gc.isenabled()))
        after = gc.isenabled()
    finally:
        (gc.enable if was_on else gc.disable)()
    assert set(seen) == {False}
    assert after == collecting


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("rules", ["sound", "paper"])
def test_formations_are_noted_though_no_event_is_kept(
    strategy: StrategyName, rules: RulesName
) -> None:
    formed = 0
    for seed in range(60):
        drawn = draw_simulation(Random(seed), seed, max_events=80)
        run = drawn.run(seed, strategy=strategy, rules=rules)
        expected = judged(drawn, seed).formed
        assert run.formed == tuple(RunFormation(index) for index in sorted(expected))
        formed += len(expected)
    assert formed > 50


def test_a_document_without_an_application_cannot_be_simulated() -> None:
    document = parse_document(
        'property: {sequences: [{steps: ["A -> B : m", "B -> A : n"]}]}', "no-application.yaml"
    )
    with pytest.raises(DocumentError, match=r"no-application\.yaml: application: is missing"):
        simulation(document)


def test_a_deadline_of_the_document_is_in_milliseconds() -> None:
    document = parse_document(
        """
application:
  processes: [{id: P, handlers: {go: []}}]
  start: [{to: P, message: go}]
network: {monitoring: {deadline: 2.5}, service: {constant: 1}}
""",
        "deadline.yaml",
    )
    assert simulation(document).deadline == 2500


def test_of_several_sequences_that_end_at_an_event_the_certain_one_is_shown() -> None:
    """Event 36 completes two sequences in the real order; the monitor is certain of the one
    that began with the stock's release, event 21, and not of the refund, event 23."""
    text = Path("scenarios/payment-saga-violating.yaml").read_text(encoding="utf-8")
    sequences = """
property:
  sequences:
    - steps: ["payment -> orders : refunded", "shipping -> customer : parcel"]
    - steps: ["stock -> orders : released", "shipping -> customer : parcel"]
"""
    document = parse_document(text.partition("rules:")[0] + sequences, "saga.yaml")
    run = simulation(document).run(0, keep_events=True)
    assert run.formed == (RunFormation(36, (21, 36)),)
    (verdict,) = run.verdicts
    assert {r.event_index for r in verdict.because if r.role == "pre" and r.certain} == {21}


def test_words_at_a_deadline_are_early_also_where_nobody_else_is_waited_for() -> None:
    early = alone = 0
    for seed in range(120):
        drawn = replace(draw_simulation(Random(seed), seed, max_events=80), deadline=0)
        found = judged(drawn, seed)
        assert all(word.early for word in found.words if word.silent)
        assert not any(verdict.early for verdict in found.run.verdicts)
        for index in {word.event_index for word in found.words if word.early}:
            told = [word.early for word in found.words if word.event_index == index]
            assert told == [True, False]
        early += sum(word.early for word in found.words)
        alone += sum(word.early and not word.silent for word in found.words)
    assert early > 300
    assert alone > 10


def test_words_without_a_deadline_and_of_other_strategies_are_not_early() -> None:
    words = 0
    for seed, strategy in product(range(40), STRATEGIES):
        drawn = draw_simulation(Random(seed), seed)
        if strategy == "pull":
            drawn = replace(drawn, deadline=None)
        found = judged(drawn, seed, strategy=strategy)
        assert not any(word.early for word in found.words)
        words += len(found.words)
    assert words > 100
