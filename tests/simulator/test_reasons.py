"""The reasons of last verdicts are true in the order in which events really happened, and the
words follow from them; with every strategy, once the network is quiet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choreomon.core.run import RunReason, RunVerdict
from choreomon.core.strategy_names import STRATEGIES, StrategyName
from choreomon.core.verdict import (
    FRM,
    FRM_P,
    POSSIBLY_VIOLATED,
    VIOLATED,
    WITHDRAWN,
    Judgement,
    MonitorVerdict,
)
from choreomon.documents.read import parse_document
from choreomon.monitor import precise
from choreomon.monitor.record_by_record import Sound
from choreomon.monitor.reevaluation import MAX_REVISIONS, Reevaluation
from choreomon.monitor.rule_sets import RULES, WITHOUT_INQUIRIES
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.sentences.explanation import explanation
from simulator.run import simulation
from tests.laws import reasons as reasons_of
from tests.laws.planted import TrustsUncertainRecords
from tests.simulator.counting_rules import Counting
from tests.simulator.monitored import Judged, draw_simulation, judged

SEEDS = range(400)
LEARNING: tuple[StrategyName, ...] = ("push", "central")
"""The strategies whose monitors judge anew."""

# b starts a sequence as a does; v takes a back, and that is known at C last.
CANCELLED_AND_REPLACED = """
application:
  processes:
    - id: A
      handlers: {go: [{send: {to: V, message: a}}], c: []}
    - id: V
      handlers: {a: [{send: {to: D, message: v}}], b: []}
    - id: D
      handlers: {v: [{send: {to: V, message: b}}]}
    - id: C
      handlers: {go: [{send: {to: A, message: c}}]}
  start: [{to: A, message: go}, {to: C, message: go, at: 200}]
network: {delay: {constant: 10}, links: [{from: V, to: C, delay: {constant: 500}}]}
property:
  automaton:
    initial: [q0]
    final: [q2]
    transitions:
      - {from: q0, to: q1, on: "A -> V : a"}
      - {from: q0, to: q1, on: "D -> V : b"}
      - {from: q1, to: q0, on: "V -> D : v"}
      - {from: q1, to: q2, on: "C -> A : c"}
"""

# Every x ends the sequence of the x before, takes that one back, and starts the next.
EACH_REPLACES_THE_LAST = """
application:
  processes:
    - {id: P, handlers: {x: []}}
    - {id: Q, handlers: {y: []}}
  start: [{to: P, message: x}, {to: P, message: x, at: 30}, {to: P, message: x, at: 43}]
network: {delay: {uniform: [1, 100]}, monitoring: {in_order: false}}
property:
  automaton:
    initial: [q0]
    final: [q2]
    transitions:
      - {from: q0, to: q1, on: "handle env -> P : x"}
      - {from: q1, to: q2, on: "handle env -> P : x"}
      - {from: q1, to: q0, on: "handle env -> P : x"}
"""

# v takes a back before B handles it, but B hears of v after it has pushed what it judged.
SURE_FOR_A_MOMENT = """
application:
  processes:
    - id: A
      handlers:
        go:
          - send: {to: B, message: a}
          - send: {to: C, message: v}
          - send: {to: C, message: c}
    - {id: B, handlers: {a: []}}
    - {id: C, handlers: {v: [], c: []}}
  start: [{to: A, message: go}]
network: {delay: {constant: 10}}
property:
  automaton:
    initial: [q0]
    final: [q3]
    transitions:
      - {from: q0, to: q1, on: "A -> B : a"}
      - {from: q1, to: q2, on: "handle A -> B : a"}
      - {from: q2, to: q3, on: "A -> C : c"}
      - {from: q1, to: q0, on: "A -> C : v"}
"""

# The second v certainly takes the second b back. That b is still known when the third is handled,
# since the first v, which is not certain, rests on what was handled beside it.
CANCELLED_AND_KNOWN_FOR_ANOTHER = """
application:
  processes:
    - {id: A, handlers: {a: [], go: [{send: {to: B, message: b}}], v: []}}
    - {id: B, handlers: {b: [], d: []}}
  start:
    - {to: A, message: a}
    - {to: A, message: go, at: 1}
    - {to: A, message: v, at: 2}
    - {to: B, message: d, at: 5}
    - {to: A, message: go, at: 3}
    - {to: A, message: v, at: 200}
    - {to: A, message: go, at: 201}
network: {delay: {constant: 10}}
property:
  automaton:
    initial: [q0]
    final: [q3]
    transitions:
      - {from: q0, to: q1, on: "handle env -> A : a"}
      - {from: q1, to: q2, on: "A -> B : b"}
      - {from: q2, to: q3, on: "handle A -> B : b"}
      - {from: q1, to: q3, on: "handle env -> B : d"}
      - {from: q3, to: q1, on: "handle env -> A : v"}
"""

# More events of P are open than an answer tells of, so that older ones are put together. Each is a
# step, and takes the one before back.
MORE_OPEN_THAN_TOLD = """
application:
  processes:
    - {id: P, handlers: {n: [], go: [{send: {to: Q, message: m}}]}}
    - {id: Q, handlers: {m: [], go: [{send: {to: P, message: n}}]}}
  start: [STARTS]
network: {delay: {constant: 50}}
property:
  sequences:
    - {steps: ["P -> Q : m", "P -> Q : m"],
       cancel: [{on: "P -> Q : m", after: [1, 1], back_to: 0}]}
    - {steps: ["Q -> P : n", "P -> Q : m"],
       cancel: [{on: "P -> Q : m", after: [1, 1], back_to: 0}]}
""".replace("STARTS", ", ".join(f"{{to: P, message: go, at: {at}}}" for at in range(28)))


def reasons(document: str, index: int, strategy: StrategyName, seed: int = 0) -> list[RunReason]:
    """Those of the last verdict about the event with this index."""
    run = simulation(parse_document(document, "reasons.yaml")).run(seed, strategy=strategy)
    (verdict,) = (verdict for verdict in run.verdicts if verdict.event_index == index)
    return [*verdict.because]


def test_a_record_that_was_cancelled_is_not_certain_once_that_is_known() -> None:
    start, back = ("q0", "q1"), ("q1", "q0")
    assert reasons(CANCELLED_AND_REPLACED, 8, "push") == [
        RunReason(1, start, "pre", "Frm", "before", False),
        RunReason(3, back, "vio", "Frm", "before", True, of=1, of_transition=start),
        RunReason(5, start, "pre", "Frm", "before", True),
    ]


def test_what_took_the_place_of_a_cancelled_record_is_the_reason() -> None:
    """With seed 6 the notice of event 1 is the last."""
    for seed in range(10):
        (reason,) = reasons(EACH_REPLACES_THE_LAST, 2, "central", seed)
        assert reason == RunReason(1, ("q0", "q1"), "pre", "Frm", "before", True)


def test_what_was_cancelled_is_no_reason_because_another_event_rests_on_it() -> None:
    only = RunReason(11, ("q1", "q2"), "pre", "Frm", "before", True)
    assert reasons(CANCELLED_AND_KNOWN_FOR_ANOTHER, 12, "pull") == [only]
    open_at_7 = [
        RunReason(2, ("q1", "q2"), "pre", "Frm", "before", False),
        RunReason(3, ("q3", "q1"), "vio", "Frm_p", "concurrent", False, 2, ("q1", "q2")),
        RunReason(5, ("q1", "q2"), "pre", "Frm", "concurrent", False),
    ]
    assert reasons(CANCELLED_AND_KNOWN_FOR_ANOTHER, 7, "pull") == open_at_7


def test_a_certain_reason_of_a_verdict_that_is_not_is_true_and_the_verdict_is_unsettled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each m is the second one of a sequence but the first. In a backlog records would be weighed
    one by one, which here is enough."""
    monkeypatch.setattr(precise, "UNHURRIED", 1_000)
    drawn = simulation(parse_document(MORE_OPEN_THAN_TOLD, "open.yaml"))
    run = drawn.run(0, keep_events=True)
    assert [verdict.event_index for verdict in run.verdicts] == [*range(3, 56, 2)]
    possible = [verdict for verdict in run.verdicts if verdict.verdict == POSSIBLY_VIOLATED]
    assert [verdict.event_index for verdict in possible] == [11] == [*run.unsettled]
    before = RunReason(9, ("q0", "q1"), "pre", "Frm", "before", True)
    assert possible[0].because == (before,)
    assert explanation(possible[0], run.kept_events, drawn.automaton).sentences[-5:-1] == (
        "The step before it happened at event 9 (send P -> Q : m), before event 11.",
        "Nothing cancelled this step.",
        "That alone would make it certain, but its monitor has reached the limit of what it "
        "compares.",
        "So sequence 1 may have been formed: what the monitors know leaves that open.",
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_turned_out_unsure_is_a_reason_that_is_not_sure(strategy: StrategyName) -> None:
    (reason,) = reasons(SURE_FOR_A_MOMENT, 3, strategy)
    assert reason == RunReason(4, ("q1", "q2"), "pre", "Frm_p", "concurrent", False)


def untrue(automaton: SequenceAutomaton, found: Judged) -> list[str]:
    """What reasons say and the real order of events belies."""
    words = [(verdict.event_index, verdict.because) for verdict in found.run.verdicts]
    return reasons_of.untrue(automaton, [event.label for event in found.events], words)


def following(automaton: SequenceAutomaton, verdict: RunVerdict) -> str | None:
    """The word that follows from the reasons alone; `None` where a transition is named that did
    not fire by them."""
    gone = {reasons_of.cancelled_by(r) for r in verdict.because if r.role == "vio" and r.certain}
    results = set()
    for source, _ in verdict.transitions:
        pres = [r for r in verdict.because if r.role == "pre" and r.transition[1] == source]
        if source in automaton.initial or any(pre.certain for pre in pres):
            results.add(FRM)
        elif any((pre.event_index, pre.transition) not in gone for pre in pres):
            results.add(FRM_P)
        else:
            results.add("not fired")
    if results == {"not fired"}:
        return WITHDRAWN
    if "not fired" in results:
        return None
    return VIOLATED if FRM in results else POSSIBLY_VIOLATED


@pytest.fixture
def gatherings(monkeypatch: pytest.MonkeyPatch) -> list[Reevaluation]:
    """All that are made."""
    made: list[Reevaluation] = []
    make = Reevaluation.__init__

    def noted(reevaluation: Reevaluation, *given: Any) -> None:
        make(reevaluation, *given)
        made.append(reevaluation)

    monkeypatch.setattr(Reevaluation, "__init__", noted)
    return made


def unexplained(
    automaton: SequenceAutomaton, found: Judged, gatherings: Sequence[Reevaluation]
) -> list[RunVerdict]:
    """The words that do not follow from their reasons, but for those about events that were
    judged too often: these are left at what is always right, whatever the reasons say."""
    left_at_possible = {
        entry.event
        for reevaluation in gatherings
        for entries in reevaluation.judged.values()
        for entry in entries
        if entry.revision >= MAX_REVISIONS
    }
    return [
        verdict
        for verdict in found.run.verdicts
        if following(automaton, verdict) != verdict.verdict
        and found.events[verdict.event_index].clock not in left_at_possible
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_reasons_are_true_in_the_real_order_and_words_follow_from_them(
    strategy: StrategyName, gatherings: list[Reevaluation]
) -> None:
    """On seeded runs; and every kind of reason that is held against the order is there."""
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        gatherings.clear()
        drawn = draw_simulation(Random(seed), seed)
        assert drawn.automaton is not None
        found = judged(drawn, seed, strategy=strategy)
        assert not untrue(drawn.automaton, found), seed
        assert not unexplained(drawn.automaton, found, gatherings), seed
        seen.update(verdict.verdict for verdict in found.run.verdicts)
        for reason in (reason for verdict in found.run.verdicts for reason in verdict.because):
            seen[f"{reason.role} {reason.result}"] += 1
            seen[f"{reason.role} certain"] += reason.certain
    assert min(seen[kind] for kind in (VIOLATED, POSSIBLY_VIOLATED, "pre Frm", "pre certain")) > 200
    assert min(seen["vio Frm"], seen["vio certain"]) > 20


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False), st.integers(), st.sampled_from(STRATEGIES))
def test_the_reasons_of_no_run_are_untrue_or_too_few(
    gatherings: list[Reevaluation], random: Random, seed: int, strategy: StrategyName
) -> None:
    gatherings.clear()
    drawn = draw_simulation(random, seed, max_events=25)
    assert drawn.automaton is not None
    found = judged(drawn, seed, strategy=strategy)
    assert not untrue(drawn.automaton, found)
    assert not unexplained(drawn.automaton, found, gatherings)


def as_first_given(reevaluation: Reevaluation, verdict: MonitorVerdict) -> MonitorVerdict:
    """Planted: the reasons for which a word was given are its last ones."""
    return verdict


@pytest.mark.parametrize("strategy", LEARNING)
def test_the_law_of_true_reasons_notices_those_for_which_a_word_was_given(
    strategy: StrategyName, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Reevaluation, "explained", as_first_given)
    wrong: list[str] = []
    for seed in SEEDS:
        drawn = draw_simulation(Random(seed), seed)
        assert drawn.automaton is not None
        wrong += untrue(drawn.automaton, judged(drawn, seed, strategy=strategy))
    assert any(said.endswith("was cancelled") for said in wrong)
    assert any(said.endswith("did not fire") for said in wrong)


class TellsOneReason(Sound):
    """Leaves out all reasons but the first."""

    def judge(self, *given: Any, **named: Any) -> Judgement:
        result, because = super().judge(*given, **named)
        return Judgement(result, because[:1])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_both_laws_notice_rules_that_give_wrong_reasons(
    strategy: StrategyName, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sets in (RULES, WITHOUT_INQUIRIES):
        monkeypatch.setitem(sets, "sound", TellsOneReason())  # type: ignore[arg-type]
    drawn = [draw_simulation(Random(seed), seed) for seed in range(100)]
    assert any(
        unexplained(each.automaton, judged(each, seed, strategy=strategy), [])
        for seed, each in enumerate(drawn)
        if each.automaton is not None
    )
    for sets in (RULES, WITHOUT_INQUIRIES):
        monkeypatch.setitem(sets, "sound", TrustsUncertainRecords())  # type: ignore[arg-type]
    assert any(
        untrue(each.automaton, judged(each, seed, strategy=strategy))
        for seed, each in enumerate(drawn)
        if each.automaton is not None
    )


@pytest.mark.parametrize("strategy", LEARNING)
def test_new_reasons_are_no_new_words_and_take_no_time(
    strategy: StrategyName, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was told while the run went on, and when, is as if nobody renewed the reasons."""
    drawn = [draw_simulation(Random(seed), seed) for seed in range(150)]
    renewed = [judged(each, seed, strategy=strategy) for seed, each in enumerate(drawn)]
    monkeypatch.setattr(Reevaluation, "explained", as_first_given)
    plain = [judged(each, seed, strategy=strategy) for seed, each in enumerate(drawn)]
    differing = 0
    for found, expected in zip(renewed, plain, strict=True):
        assert found.words == expected.words
        assert found.run.latency == expected.run.latency
        without, told = (
            [replace(verdict, because=()) for verdict in each.run.verdicts]
            for each in (found, expected)
        )
        assert without == told
        differing += found.run.verdicts != expected.run.verdicts
    assert differing > 10


@pytest.mark.parametrize("strategy", LEARNING)
def test_renewing_the_reasons_takes_at_most_one_judgement_for_each_transition_of_a_last_word(
    strategy: StrategyName, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = Counting()
    for sets in (RULES, WITHOUT_INQUIRIES):
        monkeypatch.setitem(sets, "sound", rules)  # type: ignore[arg-type]
    explain = Reevaluation.explained
    for seed in range(60):
        drawn = draw_simulation(Random(seed), seed)
        rules.judgements = 0
        monkeypatch.setattr(Reevaluation, "explained", as_first_given)
        verdicts = drawn.run(seed, strategy=strategy).verdicts
        before, rules.judgements = rules.judgements, 0
        monkeypatch.setattr(Reevaluation, "explained", explain)
        drawn.run(seed, strategy=strategy)
        assert rules.judgements <= before + sum(len(each.transitions) for each in verdicts)
