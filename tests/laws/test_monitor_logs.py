"""What is recorded of monitors is the run: from the trace and it alone everything that was measured
can be computed again, and no clock knows more than what reached its process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

from choreomon.actors.delays import NO_TIME
from choreomon.core.run import Run
from choreomon.core.strategy_names import STRATEGIES, StrategyName
from choreomon.core.vector_clock import merge
from choreomon.documents.read import load_document
from choreomon.monitor.host import Host
from choreomon.monitor.messages import Inquiry
from choreomon.properties.tables import RulesName
from simulator.generation.parameters import of_class
from simulator.generation.scenario import generated_scenario, generated_simulation
from simulator.monitoring import rules_with, unfit_for
from simulator.recording import tracing, tracing_monitors
from simulator.run import Simulation, simulation
from simulator.sidecars.run_context import RunContext
from tests.laws.recomputed import (
    Clock,
    Contradiction,
    Files,
    check_ceilings,
    check_clocks,
    last_verdicts,
    latencies,
    lines,
    summary,
)
from tests.simulator.monitored import draw_simulation

RULES: tuple[RulesName, ...] = get_args(RulesName)
SCENARIOS = [
    path
    for path in sorted(Path(__file__).parents[2].joinpath("scenarios").glob("*.yaml"))
    if not path.stem.startswith("replicas")
]
"""Without replicas: what is computed again knows the channels by name, and no load balancer."""


def recorded(simulated: Simulation, seed: int, **settings: Any) -> tuple[Run, Files]:
    events, monitors = StringIO(), StringIO()
    processes = simulated.application.processes
    run = simulated.run(
        seed,
        recorder=tracing(events, processes),
        monitor_recorder=tracing_monitors(monitors, processes),
        **settings,
    )
    return run, Files(lines(events.getvalue()), lines(monitors.getvalue()))


def settings(simulated: Simulation) -> Iterator[dict[str, Any]]:
    """All strategies and rules that can judge the property."""
    for strategy in STRATEGIES:
        for rules in RULES:
            judging = rules_with(strategy, rules)
            if not unfit_for(simulated.automaton, simulated.parameters, strategy, judging):
                yield {"strategy": strategy, "rules": rules}


def check(simulated: Simulation, seed: int) -> int:
    """Everything, for all strategies and rules that fit; how many messages there were."""
    messages = 0
    for how in settings(simulated):
        run, files = recorded(simulated, seed, **how)
        assert len(files.events) == run.events
        sent = files.those("sent")
        assert [line["number"] for line in sent] == [*range(len(sent))]
        assert len(sent) == run.monitoring_messages
        assert sum(line["bytes"] for line in sent) == run.monitoring_bytes
        recomputed = summary(latencies(files))
        for name, value in recomputed.items():
            measured = getattr(run.latency, name)
            assert measured == (None if value is None else pytest.approx(float(value)))
        assert last_verdicts(files) == {
            (v.event_index, json.dumps(v.rule and v.rule.plain())): v.verdict for v in run.verdicts
        }
        if simulated.automaton is not None and simulated.automaton.rules:
            assert all("rule" in line for line in files.those("declared"))
        assert check_clocks(files) == run.events + run.monitoring_messages
        check_ceilings(files, at_once=simulated.monitoring_service == NO_TIME)
        messages += len(sent)
    return messages


def test_drawn_runs_can_be_computed_again_from_their_files() -> None:
    assert sum(check(draw_simulation(Random(seed), seed), seed) for seed in range(120)) > 5000


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda path: path.stem)
def test_runs_of_the_scenarios_can_be_computed_again_from_their_files(file: Path) -> None:
    assert check(simulation(load_document(str(file))), 0)


@pytest.mark.parametrize("complexity", ["C3", "C6", "C9"])
def test_runs_of_generated_documents_can_be_computed_again_from_their_files(
    complexity: str,
) -> None:
    parameters = of_class(complexity, sequences=3, length=5)
    assert sum(check(generated_simulation(generated_scenario(parameters, s)), s) for s in range(5))


def test_a_run_is_the_same_whether_monitors_are_recorded_or_not() -> None:
    for seed in range(60):
        drawn = draw_simulation(Random(seed), seed)
        for how in settings(drawn):
            events, words = StringIO(), []  # type: ignore[var-annotated]
            alone = drawn.run(
                seed,
                recorder=tracing(events, drawn.application.processes),
                on_verdict=words.append,
                **how,
            )
            run, files = recorded(drawn, seed, **how)
            assert run == alone
            assert files.events == lines(events.getvalue())
            said = [line for line in files.those("declared") if line["verdict"] is not None]
            assert [(line["event_index"], line["verdict"]) for line in said] == [
                (word.event_index, word.verdict) for word in words
            ]


# The laws, shown to fail.


def first_contradiction(busy: bool, check: Callable[[Files, bool], object]) -> str:
    """What is wrong with the first of some runs with which something is."""
    for seed in range(200):
        drawn = replace(draw_simulation(Random(seed), seed), rules="sound")
        at_once = drawn.monitoring_service == NO_TIME
        if busy == at_once:
            continue
        try:
            check(recorded(drawn, seed)[1], at_once)
        except Contradiction as found:
            return str(found).partition(":")[0]
    return "none"


@pytest.mark.parametrize("busy", [False, True])
def test_a_clock_that_is_merged_when_its_message_is_sent_is_found(
    busy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = RunContext.sent

    def merging(self: RunContext, message: Any, size: int, arrives: int) -> None:
        sent(self, message, size, arrives)
        receiver = self.processes.index(message.receiver)
        self.clocks[receiver] = merge(self.clocks[receiver], message.clock)

    monkeypatch.setattr(RunContext, "sent", merging)
    known = {"not what it can know", "sent with what its sender cannot know"}
    assert first_contradiction(busy, lambda files, _: check_clocks(files)) in known
    ceiling = first_contradiction(busy, lambda files, _: check_ceilings(files, at_once=False))
    assert ceiling == "more than what arrived"


def test_a_clock_that_is_not_merged_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    step = Host.step

    def forgetting(self: Host, state: Any, clock: Any, given: Any) -> Any:
        after, merged, effects = step(self, state, clock, given)
        return after, clock if type(given) is Inquiry else merged, effects

    monkeypatch.setattr(Host, "step", forgetting)
    for busy in (False, True):
        assert first_contradiction(busy, lambda files, _: check_clocks(files)) != "none"
    found = first_contradiction(False, lambda files, now: check_ceilings(files, at_once=now))
    assert found == "less than what arrived"


def changed_clocks(files: Files, by: int) -> Iterator[Files]:
    """The same files, one entry of one clock being wrong."""

    def wrong(clock: Clock, name: str) -> None:
        clock[name] += by

    for part in ("events", "monitors"):
        for number, line in enumerate(getattr(files, part)):
            for name in line.get("clock", ()):
                bad = deepcopy(files)
                wrong(getattr(bad, part)[number]["clock"], name)
                yield bad


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_entry_that_is_one_too_great_or_too_small_is_found(strategy: StrategyName) -> None:
    tried = 0
    for seed in range(6):
        _, files = recorded(draw_simulation(Random(seed), seed), seed, strategy=strategy)
        for bad in (*changed_clocks(files, 1), *changed_clocks(files, -1)):
            tried += 1
            with pytest.raises(Contradiction):
                check_clocks(bad)
    assert tried > 500


def test_a_message_that_is_taken_before_it_is_there_is_found() -> None:
    _, files = recorded(draw_simulation(Random(2), 2), 2)
    late = deepcopy(files)
    for line in late.those("sent"):
        line["arrives"] += 0.001
    with pytest.raises(Contradiction, match="taken before it was there"):
        check_clocks(late)
