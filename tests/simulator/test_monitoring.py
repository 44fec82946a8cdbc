"""G1 and G2 over whole runs of random applications, with every strategy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final, TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choreomon.actors.delays import (
    NO_TIME,
    Constant,
    Exponential,
    LinkDelays,
    Uniform,
    microseconds,
)
from choreomon.core.message import ENVIRONMENT
from choreomon.core.strategy_names import STRATEGIES, StrategyName
from choreomon.documents.read import parse_document
from choreomon.monitor.record_by_record import Sound
from choreomon.monitor.rule_sets import RULES, WITHOUT_INQUIRIES
from choreomon.properties.tables import RulesName
from simulator.network import Network
from simulator.run import simulation
from simulator.sidecars.central import CENTRE
from tests.laws.planted import TrustsUncertainCancellations
from tests.simulator.monitored import Judged, draw_simulation, judged

SEEDS = range(400)
IN_TURN = """
application:
  processes:
    - {id: a, handlers: {go: [{send: {to: d, message: m}}]}}
    - {id: b, handlers: {go: [{send: {to: d, message: m}}]}}
    - {id: c, handlers: {go: [{send: {to: d, message: m}}]}}
    - {id: d, handlers: {m: []}}
  start:
    - {to: a, message: go, at: 0}
    - {to: b, message: go, at: 500}
    - {to: c, message: go, at: 1000}
property:
  sequences: [{steps: ["a -> d : m", "b -> d : m", "c -> d : m"]}]
"""

T = TypeVar("T")


def missed(found: Judged) -> frozenset[int]:
    return found.formed - found.violated - found.possible


def falsely(found: Judged) -> frozenset[int]:
    return found.violated - found.formed


JUDGING: Final[tuple[tuple[StrategyName, RulesName], ...]] = (
    ("pull", "precise"),
    ("pull", "sound"),
    ("push", "sound"),
    ("central", "sound"),
)


@pytest.mark.parametrize(("strategy", "rules"), JUDGING)
def test_the_last_words_miss_nothing_and_accuse_nobody_falsely(
    strategy: StrategyName, rules: RulesName
) -> None:
    """G1 and G2 on seeded runs; and the runs are such that it matters."""
    seen: Counter[str] = Counter()
    for seed in SEEDS:
        simulation = draw_simulation(Random(seed), seed)
        found = judged(simulation, seed, strategy=strategy, rules=rules)
        assert not missed(found), (seed, "G1")
        assert not falsely(found), (seed, "G2")
        assert simulation.automaton is not None
        seen["formed"] += len(found.formed)
        seen["surely"] += len(found.violated)
        seen["possibly"] += len(found.possible)
        seen["messages"] += found.run.monitoring_messages
        seen["environment"] += any(
            label.message.sender == ENVIRONMENT for label in simulation.automaton.labels
        )
        seen["self-sends"] += any(
            label.message.sender == label.message.receiver for label in simulation.automaton.labels
        )
        seen["out of order"] += not simulation.in_order
        seen["deadline"] += simulation.deadline is not None
    assert seen["formed"] > 1000
    assert seen["surely"] > 500
    assert seen["possibly"] > 100
    assert seen["messages"] > 1000
    assert min(seen[k] for k in ("environment", "self-sends", "out of order", "deadline")) > 50


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False), st.integers(), st.sampled_from(JUDGING))
def test_no_run_misses_a_formation_or_makes_one_up(
    random: Random, seed: int, judging: tuple[StrategyName, RulesName]
) -> None:
    strategy, rules = judging
    drawn = draw_simulation(random, seed, max_events=25)
    found = judged(drawn, seed, strategy=strategy, rules=rules)
    assert not missed(found)
    assert not falsely(found)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_planted_bug_in_the_rules_is_seen_to_break_the_guarantees(
    strategy: StrategyName, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sets in (RULES, WITHOUT_INQUIRIES):
        monkeypatch.setitem(sets, "sound", TrustsUncertainCancellations())  # type: ignore[arg-type]
    found = (judged(draw_simulation(Random(s), s), s, strategy=strategy) for s in SEEDS)
    assert any(map(missed, found))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_rules_of_the_paper_are_seen_to_miss_formations(strategy: StrategyName) -> None:
    found = (
        judged(draw_simulation(Random(s), s), s, strategy=strategy, rules="paper") for s in SEEDS
    )
    assert any(map(missed, found))


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("deadline", [None, 0, 5])
def test_order_and_deadlines_of_monitoring_change_no_guarantee(
    in_order: bool, deadline: int | None
) -> None:
    """One strategy and a slow, uneven network, where answers overtake each other."""
    for seed in range(60):
        simulation = replace(
            draw_simulation(Random(seed), seed),
            delays=LinkDelays(Uniform(1, 60), {("P1", "P2"): Constant(200)}),
            in_order=in_order,
            monitoring_service=Uniform(0, 30),
            deadline=None if deadline is None else microseconds(deadline),
        )
        for strategy in STRATEGIES:
            found = judged(simulation, seed, strategy=strategy)
            assert not missed(found)
            assert not falsely(found)


def test_a_deadline_changes_no_last_word_of_pulling_monitors() -> None:
    """What is provisional is revised, so the last verdicts are those of patient monitors."""
    provisional = 0
    for seed in range(150):
        simulation = replace(
            draw_simulation(Random(seed), seed), delays=LinkDelays(Uniform(1, 30)), deadline=None
        )
        patient = judged(simulation, seed)
        hasty = judged(replace(simulation, deadline=0), seed)
        provisional += sum(bool(word.silent) for word in hasty.words)
        assert hasty.violated == patient.violated
        assert hasty.possible == patient.possible
        assert hasty.run.monitoring_bytes == patient.run.monitoring_bytes
        assert not any(verdict.silent for verdict in hasty.run.verdicts)
        assert not patient.withdrawn
    assert provisional > 50


def test_with_neither_delays_nor_services_pulling_monitors_decide_at_once() -> None:
    for seed in range(60):
        simulation = replace(
            draw_simulation(Random(seed), seed),
            delays=LinkDelays(NO_TIME),
            service=NO_TIME,
            monitoring_service=NO_TIME,
        )
        for strategy in STRATEGIES:
            found = judged(simulation, seed, strategy=strategy)
            assert not missed(found)
            assert not falsely(found)
            if strategy == "pull":  # the others may judge anew at a later event
                assert found.run.latency.max in (0, None)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_services_that_come_to_nothing_are_as_none(strategy: StrategyName) -> None:
    """A draw may be rounded to no time at all; then the monitor is free at once."""
    verdicts = 0
    for seed in range(60):
        none, some = (
            replace(draw_simulation(Random(seed), seed), monitoring_service=service)
            for service in (NO_TIME, Exponential(1e-9))
        )
        run = none.run(seed, strategy=strategy)
        assert some.run(seed, strategy=strategy) == run
        verdicts += len(run.verdicts)
    assert verdicts > 50


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("rules", ["sound", "paper"])
def test_every_word_is_about_an_event_of_its_monitor_with_a_final_label(
    strategy: StrategyName, rules: RulesName
) -> None:
    for seed in range(100):
        simulation = draw_simulation(Random(seed), seed)
        found = judged(simulation, seed, strategy=strategy, rules=rules)
        automaton = simulation.automaton
        assert automaton is not None
        for word in found.words:
            event = found.events[word.event_index]
            assert word.monitor == event.process
            assert word.label == str(event.label)
            assert word.declared_at >= event.time
            fits = {
                (t.source, t.target)
                for t in automaton.forward
                if t.label == event.label and t.target in automaton.final
            }
            assert word.transitions
            assert set(word.transitions) <= fits


def test_the_rules_under_test_are_the_ones_that_runs_use() -> None:
    """Planting a bug above would prove nothing if runs took their rules from elsewhere."""
    assert isinstance(RULES["sound"], Sound)


def test_only_who_watches_something_has_a_monitor_and_channels_lead_where_it_speaks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """a, b and c watch in turn, d nothing. Who asks needs a channel, and who is asked one back; who
    tells needs one to each reader. By `precise` rules c may ask a about what b told it of."""
    opened: list[tuple[str, str]] = []
    channel = Network.channel

    def opening(self: Network, sender: str, receiver: str, deliver: Callable[[T], None]) -> object:
        if self._name == "monitoring":
            opened.append((sender, receiver))
        return channel(self, sender, receiver, deliver)

    monkeypatch.setattr(Network, "channel", opening)
    prepared = simulation(parse_document(IN_TURN, "in-turn.yaml"))
    expected: dict[StrategyName, list[tuple[str, str]]] = {
        "pull": [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")],
        "push": [("a", "b"), ("b", "c")],
        "central": [(name, CENTRE) for name in "abc"],
    }
    for strategy in STRATEGIES:
        opened.clear()
        run = prepared.run(0, strategy=strategy, rules="sound")
        assert [verdict.monitor for verdict in run.verdicts] == ["c"]
        assert sorted(opened) == expected[strategy]
    opened.clear()
    prepared.run(0, rules="precise")
    assert sorted(opened) == sorted([*expected["pull"], ("a", "c"), ("c", "a")])
