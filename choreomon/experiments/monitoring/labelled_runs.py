"""What monitors sent in one run, beside the number of events that its property names."""

from __future__ import annotations

from typing import NamedTuple

from choreomon.core.run import Run, RunEvent
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from simulator.run import Simulation


class LabelledRun(NamedTuple):
    """The costs of a run. `labelled`: events that the property names; `latency`: the mean from an
    event to its last verdict, in milliseconds. `wrong`: formations that nobody declared, and
    verdicts `violated` without a formation."""

    labelled: int
    messages: int
    bytes: int
    latency: float
    wrong: int


def labelled_run(simulation: Simulation, seed: int) -> LabelledRun:
    """Run once and measure; the result is the same on every machine."""
    assert simulation.automaton is not None
    labels, labelled = frozenset(simulation.automaton.labels), 0

    def count(event: RunEvent) -> None:
        nonlocal labelled
        labelled += event.label in labels

    run = simulation.run(seed, recorder=count)
    latency = (run.latency.mean or 0.0) / 1000
    return LabelledRun(
        labelled, run.monitoring_messages, run.monitoring_bytes, latency, _wrong(run)
    )


def _wrong(run: Run) -> int:
    formed = {each.event_index for each in run.formed or ()}
    violated = {v.event_index for v in run.verdicts if v.verdict == VIOLATED}
    possible = {v.event_index for v in run.verdicts if v.verdict == POSSIBLY_VIOLATED}
    return len(formed - violated - possible) + len(violated - formed)
