"""Costs of monitors by how many replicas a service has.

Applications are generated (docs/generate.md): class C3, three sequences of length four, no
branches. The process that owns most steps is a role with this many replicas, served in turn. What
happens is the same whatever their number, so the curve says what monitors need to know it all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from choreomon.experiments.monitoring.grids import UNBRANCHED
from choreomon.experiments.monitoring.labelled_runs import LabelledRun, labelled_run
from simulator.generation.parameters import of_class
from simulator.generation.scenario import generated_scenario, generated_simulation

REPLICAS: Final = (1, 2, 5, 10, 20, 50)
QUICK: Final = (1, 2, 5, 10)
RUNS: Final = 3


class Point(NamedTuple):
    """The mean of all runs with this many replicas: monitoring messages and bytes for each labelled
    event, and milliseconds from an event to the last verdict about it."""

    replicas: int
    events: int
    messages: float
    bytes: float
    latency: float
    wrong: int


def cost(replicas: int, seed: int) -> LabelledRun:
    """Run and measure; the result is the same on every machine."""
    wanted = of_class("C3", sequences=3, length=4, branching=UNBRANCHED, replicas=replicas)
    return labelled_run(generated_simulation(generated_scenario(wanted, seed)), seed)


def curve(runs: Mapping[int, Sequence[LabelledRun]]) -> list[Point]:
    """The points, one for each number of replicas, in ascending order."""
    points = []
    for replicas, own in sorted(runs.items()):
        events = sum(each.labelled for each in own)
        points.append(
            Point(
                replicas,
                events,
                sum(each.messages for each in own) / events,
                sum(each.bytes for each in own) / events,
                sum(each.latency for each in own) / len(own),
                sum(each.wrong for each in own),
            )
        )
    return points


def in_words(points: Sequence[Point]) -> str:
    """A sentence on the result."""
    first, last = points[0], points[-1]
    return (
        f"From {first.replicas} to {last.replicas} replicas: {first.messages:.2f} and "
        f"{last.messages:.2f} messages an event, {first.bytes:.0f} and {last.bytes:.0f} bytes, "
        f"a last verdict after {first.latency:.1f} and {last.latency:.1f} ms."
    )
