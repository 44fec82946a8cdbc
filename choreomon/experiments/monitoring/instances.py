"""Costs of monitors of a property for each instance, by how many instances are alive.

Applications are generated (docs/generate.md): class C3, three sequences of length four, no
branches. An application does everything for each of this many instances, which begin at the same
times. Nothing tells monitors that an instance is over, so all stay alive.

Counts of clocks have one byte up to 127, and three from 256 to 65,535: messages grow by that much
in longer runs, whatever these are about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from choreomon.actors.compilation import compile_application
from choreomon.experiments.monitoring.grids import UNBRANCHED
from choreomon.experiments.monitoring.labelled_runs import LabelledRun, labelled_run
from simulator.generation.parameters import of_class
from simulator.generation.scenario import generated_scenario, generated_simulation

INSTANCES: Final = (1, 10, 100, 1000)
QUICK: Final = (1, 10, 100)
RUNS: Final = 3


class Point(NamedTuple):
    """The mean of all runs with this many instances: labelled events, monitoring messages and bytes
    for each of these, and bytes of one message."""

    instances: int
    events: int
    messages: float
    bytes: float
    bytes_of_message: float
    wrong: int


def cost(instances: int, seed: int) -> LabelledRun:
    """Run and measure; the result is the same on every machine."""
    scenario = generated_scenario(
        of_class("C3", sequences=3, length=4, branching=UNBRANCHED, instances=instances), seed
    )
    at_once = tuple(
        start if start.repeat is None else replace(start, repeat=replace(start.repeat, every=0))
        for start in scenario.application.start
    )
    simulation = replace(
        generated_simulation(scenario),
        application=compile_application(replace(scenario.application, start=at_once)),
    )
    return labelled_run(simulation, seed)


def curve(runs: Mapping[int, Sequence[LabelledRun]]) -> list[Point]:
    """The points, one for each number of instances, in ascending order."""
    points = []
    for instances, own in sorted(runs.items()):
        events = sum(each.labelled for each in own)
        messages, size = sum(each.messages for each in own), sum(each.bytes for each in own)
        wrong = sum(each.wrong for each in own)
        points.append(
            Point(instances, events, messages / events, size / events, size / messages, wrong)
        )
    return points


def in_words(points: Sequence[Point]) -> str:
    """A sentence on the result."""
    first, last = points[0], points[-1]
    return (
        f"From {first.instances:,} to {last.instances:,} instances alive: {first.messages:.2f} and "
        f"{last.messages:.2f} messages an event, {first.bytes:.0f} and {last.bytes:.0f} bytes."
    )
