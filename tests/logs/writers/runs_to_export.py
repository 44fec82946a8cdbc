"""Runs of the scenarios, and of applications drawn at random, for the tests of exporters."""

from __future__ import annotations

from functools import cache

from choreomon.core.run import Run
from choreomon.documents.read import load_document
from simulator.run import simulation
from tests.scenarios.console_blocks import ROOT

SCENARIOS = sorted(path.stem for path in (ROOT / "scenarios").glob("*.yaml"))


@cache
def run_of(scenario: str, seed: int = 0) -> Run:
    """A run of a scenario with its events."""
    document = load_document(str(ROOT / "scenarios" / f"{scenario}.yaml"))
    return simulation(document).run(seed, keep_events=True)
