"""One document, run and audited: everything that is said of it, beside the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Final, NamedTuple

from benchmarks.truth.audits import audits
from benchmarks.truth.documents import document_of
from benchmarks.truth.judging import Asked, monitored, truth_of
from choreomon.core.run import RunEvent
from choreomon.core.strategy_names import StrategyName
from choreomon.deployment.fork_server import ForkServer
from choreomon.deployment.run import Deployment
from choreomon.documents.read import parse_document
from choreomon.properties.reference import formations
from choreomon.properties.tables import RulesName
from simulator.run import Simulation, simulation
from tests.simulator.monitored import Judged, judged

SPEED: Final = 4.0
"""Of real runs: a network of 20 to 200 ms is one of 5 to 50 then."""

TIMEOUT: Final = 120.0
"""Seconds of a real run, which is at its end in one or two."""


class Simulated(NamedTuple):
    """A way to simulate: the command's options."""

    name: str
    strategy: StrategyName
    rules: RulesName


SIMULATED: Final = (
    Simulated("simulate", "pull", "precise"),
    Simulated("simulate --rules sound", "pull", "sound"),
    Simulated("simulate --strategy push", "push", "sound"),
    Simulated("simulate --strategy central", "central", "sound"),
)


def simulation_of(family: str, number: int) -> Simulation:
    """Rules are one property here, since events are judged, by `sound` rules, too."""
    drawn = simulation(parse_document(*document_of(family, number)))
    assert drawn.automaton is not None
    return replace(drawn, automaton=replace(drawn.automaton, rules=()))


def simulated(family: str, number: int) -> Iterator[tuple[str, Asked]]:
    """In every way, and the logs of the first of them audited. By way what was asked."""
    drawn = simulation_of(family, number)
    assert drawn.automaton is not None
    for name, strategy, rules in SIMULATED:
        found = judged(drawn, number, strategy=strategy, rules=rules)
        truth = truth_of(drawn.automaton, found)
        precise = rules == "precise"
        yield name, monitored(drawn.automaton, found, truth, precise=precise)
        if precise:
            random = Random(f"audits {family} {number}")
            yield from audits(drawn.automaton, found, truth, random, ticking=True)


def for_real(
    fork_server: ForkServer, family: str, number: int, *, embedded: bool
) -> Iterator[tuple[str, Asked]]:
    """As `choreomon run` does it, and its logs audited. Raises `NotFinished`."""
    drawn = simulation_of(family, number)
    automaton = drawn.automaton
    assert automaton is not None
    events: list[RunEvent] = []
    run = Deployment(
        fork_server, drawn, "precise", embedded=embedded, speed=SPEED, timeout=TIMEOUT
    ).run(number, recorder=events.append)
    formed = frozenset(each.index for each in formations(automaton, [e.label for e in events]))
    found = Judged(run, tuple(events), (), formed)
    truth = truth_of(automaton, found)
    name = "run --embedded" if embedded else "run"
    yield name, monitored(automaton, found, truth, precise=True)
    random = Random(f"audits {family} {number}")
    for way, asked in audits(automaton, found, truth, random, ticking=False):
        yield f"run, {way}", asked
