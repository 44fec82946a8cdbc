"""What a run says it cost is what it cost, by the definitions of the figures."""

from __future__ import annotations

import statistics
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator.linked_channels
from choreomon.agent_files.wire import decode_untrusted, encode
from choreomon.core.message import Label
from choreomon.core.run import RunEvent, Summary, summary
from choreomon.core.strategy_names import StrategyName
from choreomon.documents.read import parse_document
from choreomon.monitor.messages import Inquiry, MonitoringMessage, Response
from choreomon.monitor.pull import Monitor
from choreomon.monitor.state import Observe
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.relations import pre_transitions, vio_transitions
from simulator.run import Simulation, simulation
from tests.simulator.monitored import draw_simulation, judged

A_THEN_B = """
application:
  processes:
    - id: P1
      handlers: {b: [], go: [{send: {to: P2, message: a}}]}
    - id: P2
      handlers: {a: [], go: [{send: {to: P1, message: b}}]}
  start: [{to: P1, message: go, at: 0}, {to: P2, message: go, at: 100}]
network:
  delay: {constant: 10}
  monitoring: {service: {constant: 3}}
property:
  sequences: [{steps: ["P1 -> P2 : a", "P2 -> P1 : b"]}]
"""


def simulated(text: str) -> Simulation:
    return simulation(parse_document(text, "test.yaml"))


def inquiries_by_definition(automaton: SequenceAutomaton, events: tuple[RunEvent, ...]) -> int:
    """One for each event, inspected transition and other owner of what must be known."""

    def owners(label: Label) -> list[int]:
        counts = []
        for transition in (*automaton.forward, *automaton.backward):
            if transition.label != label:
                continue
            forward = transition in automaton.forward
            if forward and transition.source in automaton.initial:
                continue  # it fires whatever happened
            pres = pre_transitions(automaton, transition)
            asked = {*pres, *(v for pre in pres for v in vio_transitions(automaton, pre))}
            counts.append(len({t.label.process for t in asked} - {label.process}))
        return counts

    return sum(sum(owners(event.label)) for event in events)


def test_monitoring_messages_are_inquiries_and_as_many_responses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Counted from the trace and the property; bytes are those of what was sent."""
    sent: list[MonitoringMessage] = []

    def recording(message: MonitoringMessage) -> bytes:
        sent.append(message)
        return encode(message)

    monkeypatch.setattr(simulator.linked_channels, "encode", recording)
    inquiries = 0
    for seed in range(200):
        sent.clear()
        drawn = draw_simulation(Random(seed), seed)
        assert drawn.automaton is not None
        found = judged(drawn, seed)
        expected = inquiries_by_definition(drawn.automaton, found.events)
        assert found.run.monitoring_messages == 2 * expected
        assert sum(isinstance(message, Inquiry) for message in sent) == expected
        assert sum(isinstance(message, Response) for message in sent) == expected
        assert all(message.sender != message.receiver for message in sent)
        assert found.run.monitoring_bytes == sum(len(encode(message)) for message in sent)
        assert all(decode_untrusted(encode(m), found.run.processes) == m for m in sent)
        inquiries += expected
    assert inquiries > 1000


def test_history_records_are_the_sizes_of_histories_after_each_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Being told of an event only queues it: the step is to process it."""
    sizes: list[int] = []
    step = Monitor.step

    def spying(self: Monitor, state: Any, clock: Any, given: Any) -> Any:
        stepped = step(self, state, clock, given)
        if not isinstance(given, Observe):
            sizes.append(sum(len(chain) for chain in stepped[0].history))
        return stepped

    monkeypatch.setattr(Monitor, "step", spying)
    most = 0
    for seed in range(60):
        sizes.clear()
        records = judged(draw_simulation(Random(seed), seed), seed).run.history_records
        if sizes:
            assert records.mean == pytest.approx(statistics.fmean(sizes))
            assert records.max == max(sizes)
            most = max(most, *sizes)
        else:
            assert records == Summary()
    assert most > 3


@pytest.mark.parametrize(("strategy", "sizes"), [("push", (1, 1, 2)), ("central", (1, 2))])
def test_history_records_of_strategies_that_revise_are_all_that_is_remembered(
    strategy: StrategyName, sizes: tuple[int, ...]
) -> None:
    """P1 remembers a, and P2 what it is pushed of it and then b as well; the centre both."""
    records = simulated(A_THEN_B).run(0, strategy=strategy).history_records
    assert records == Summary(mean=statistics.fmean(sizes), max=2)


def test_latency_is_from_the_event_to_its_last_word() -> None:
    """10 ms there, 3 ms for what the monitor of P2 does first, 10 ms back."""
    run = simulated(A_THEN_B).run(0)
    (verdict,) = run.verdicts
    assert (verdict.verdict, verdict.declared_at) == ("violated", 120_000)
    assert run.latency == Summary(mean=20_000, p50=20_000, p99=20_000, max=20_000)


def test_a_monitor_that_is_busy_answers_later() -> None:
    """P1 processes a second a when the inquiry arrives, and is not done for 3 ms."""
    busy = A_THEN_B.replace("start: [", "start: [{to: P1, message: go, at: 109},")
    run = simulated(busy).run(0)
    assert run.latency.mean == 22_000


def test_latency_counts_decisions_that_nothing_was_formed() -> None:
    run = simulated(A_THEN_B.replace("{to: P1, message: go, at: 0}, ", "")).run(0)
    assert run.verdicts == ()
    assert run.latency.mean == 20_000


def test_latency_is_null_where_no_event_is_labelled_on_a_final_transition() -> None:
    run = simulated(A_THEN_B.replace(", {to: P2, message: go, at: 100}", "")).run(0)
    assert run.latency == Summary()
    assert run.history_records.mean == 1


def test_latency_of_strategies_that_revise_is_that_of_the_last_word() -> None:
    """The push of a arrives 130 ms after b, and changes what was said about b."""
    late = A_THEN_B.replace(
        "delay: {constant: 10}",
        "delay: {constant: 10}\n  links: [{from: P1, to: P2, delay: {constant: 230}}]",
    )
    run = simulated(late).run(0, strategy="push")
    (verdict,) = run.verdicts
    assert (verdict.verdict, verdict.declared_at) == ("possibly-violated", 230_000)
    assert run.latency.mean == 130_000


def test_an_unmonitored_run_measures_nothing() -> None:
    run = simulated(A_THEN_B.split("property:", maxsplit=1)[0]).run(0)
    assert (run.events, run.monitoring_messages, run.monitoring_bytes) == (6, 0, 0)
    assert run.latency == run.history_records == Summary()


@given(st.lists(st.integers(0, 1000), min_size=1))
def test_percentiles_are_values_that_so_many_do_not_exceed(values: list[int]) -> None:
    found = summary(values)
    assert found.mean == pytest.approx(statistics.fmean(values))
    assert found.max == max(values)
    for percent, value in ((50, found.p50), (99, found.p99)):
        assert value in values
        assert sum(v <= value for v in values) * 100 >= percent * len(values)
        assert sum(v < value for v in values) * 100 < percent * len(values)


def test_nothing_has_no_mean() -> None:
    assert summary([]) == Summary()
