"""Cells: one run with its parameters, and its measurements, as a pure function.

Applications are generated (docs/generate.md), one for each seed, and run once with that seed. Two
things differ from a generated document: how long messages take, and that monitors need time.

- The *service time* is how long a monitor is busy with an event or a message: `SERVICE`, the
  documents' `network.monitoring.service`. It is a tenth of what a message of a generated document
  takes on average. Processes themselves need no time, as in these documents.
- The *delay* is how long a message takes on average, in service times; uniformly distributed
  between 2/21 and 40/21 of it. With 10 that is the delay of generated documents, 1 to 20 ms. It
  holds for messages of the application and of monitors. The environment's schedule does not change
  with it: with a larger delay more happens at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.actors.delays import Constant, LinkDelays, Uniform
from choreomon.core.message import Event
from choreomon.core.run import Run
from choreomon.core.strategy_names import StrategyName
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED
from choreomon.experiments.monitoring.avoidable import counted
from choreomon.experiments.monitoring.overhead import Overhead
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.tables import RulesName
from simulator.generation.parameters import CANCELLATIONS, Parameters, of_class
from simulator.generation.scenario import generated_scenario, generated_simulation

SERVICE: Final = Constant(1.05)
"""The service time of monitors, in milliseconds."""

Outcome: TypeAlias = Literal["nothing", "possible", "violated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The parameters of one run. `delay` is the mean delay in service times; the rest is as in
    `simulator.generation.parameters` and `simulator.monitoring`."""

    experiment: str
    complexity: str
    sequences: int
    length: int
    cancellations: float = CANCELLATIONS
    branching: float
    strategy: StrategyName = "pull"
    rules: RulesName = "sound"
    delay: int = 10
    seed: int

    def parameters(self) -> Parameters:
        return of_class(
            self.complexity,
            sequences=self.sequences,
            length=self.length,
            cancellations=self.cancellations,
            branching=self.branching,
        )


class Measured(NamedTuple):
    """The measurements of one run. Times are in milliseconds of virtual time; `None` where there
    was nothing to measure.

    - `processes`; `monitors`: one for each process, or one alone;
    - `events` of the application; `labelled`: those that the property mentions;
    - `messages` of monitors, and their `bytes`;
    - `inquiries`, and how many of them could have been saved: `joined`, `empty`
      (`choreomon.experiments.monitoring.overhead`);
    - `waiting`: how long a transition waited for answers, on average;
    - `latency`: from an event that may complete a sequence to the last verdict about it, on
      average;
    - `memory`: bytes that a monitor's state held at most, on average over monitors;
    - `formed`: events at which the property was formed in the real order;
    - `violated`, `possible`: events with these verdicts; `missed`: formed events with neither;
      `false_alarms`: violated ones that were not formed;
    - `avoidable`: possible ones on which all orders consistent with happened-before agree;
      `undecided`: those that the budget of the exact evaluation left open; `unsettled`: those that
      monitors by `precise` rules did not show to be unavoidable;
    - `outcome`: the gravest verdict of the run.
    """

    processes: int
    monitors: int
    events: int
    labelled: int
    messages: int
    bytes: int
    inquiries: int
    joined: int
    empty: int
    waiting: float | None
    latency: float | None
    memory: float
    formed: int
    violated: int
    possible: int
    missed: int
    false_alarms: int
    avoidable: int
    undecided: int
    unsettled: int
    outcome: Outcome


class Row(NamedTuple):
    cell: Cell
    measured: Measured


def measured(cell: Cell) -> Row:
    """Run a cell. The same cell gives the same row, on every machine."""
    simulation = replace(
        generated_simulation(generated_scenario(cell.parameters(), cell.seed)),
        delays=LinkDelays(Uniform(cell.delay / 10, 2.0 * cell.delay)),
        monitoring_service=SERVICE,
    )
    overhead = Overhead(simulation.application.processes)
    run = simulation.run(
        cell.seed,
        strategy=cell.strategy,
        rules=cell.rules,
        keep_events=True,
        observer=overhead,
    )
    assert simulation.automaton is not None
    return Row(cell, _measured(cell, simulation.automaton, run, overhead))


def _measured(cell: Cell, automaton: SequenceAutomaton, run: Run, overhead: Overhead) -> Measured:
    labels = set(automaton.labels)
    labelled = [event for event in run.kept_events if event.label in labels]
    place_of = {event.index: place for place, event in enumerate(labelled)}
    formed = {each.event_index for each in run.formed or ()}
    violated = {v.event_index for v in run.verdicts if v.verdict == VIOLATED}
    possible = {v.event_index for v in run.verdicts if v.verdict == POSSIBLY_VIOLATED}
    precision = counted(
        automaton,
        run.processes,
        [Event(event.label, event.clock) for event in labelled],
        [place_of[index] for index in sorted(possible)],
    )
    monitors = 1 if cell.strategy == "central" else len(run.processes)
    inquiries = overhead.inquiries()
    return Measured(
        processes=len(run.processes),
        monitors=monitors,
        events=run.events,
        labelled=len(labelled),
        messages=run.monitoring_messages,
        bytes=run.monitoring_bytes,
        inquiries=inquiries.sent,
        joined=inquiries.joined,
        empty=inquiries.empty,
        waiting=_milliseconds(
            sum(overhead.waited) / len(overhead.waited) if overhead.waited else None
        ),
        latency=_milliseconds(run.latency.mean),
        memory=round(overhead.memory(monitors), 3),
        formed=len(formed),
        violated=len(violated),
        possible=len(possible),
        missed=len(formed - violated - possible),
        false_alarms=len(violated - formed),
        avoidable=precision.avoidable,
        undecided=precision.undecided,
        unsettled=len(run.unsettled),
        outcome="violated" if violated else "possible" if possible else "nothing",
    )


def _milliseconds(microseconds: float | None) -> float | None:
    return None if microseconds is None else round(microseconds / 1000, 6)
