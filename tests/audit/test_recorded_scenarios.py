"""The audit of what the simulator recorded, of every scenario, against what really happened."""

from __future__ import annotations

import json
from io import BytesIO, StringIO
from itertools import permutations
from pathlib import Path

import pytest

from choreomon.audit.auditor import Auditor
from choreomon.audit.outcome import Outcome
from choreomon.core.recorded import RecordedEvent
from choreomon.core.verdict import VIOLATED
from choreomon.documents.read import Document, load_document
from choreomon.logs.readers.reading import read_recorded
from simulator.recording import tracing
from simulator.run import simulation

PATHS = sorted(Path(__file__).parents[2].joinpath("scenarios").glob("*.yaml"))
SCENARIOS = [
    path for path in PATHS if not path.stem.startswith(("orders", "replicas", "tool-calls"))
]
"""Those of one instance; of others: tests/simulator/test_instances_of_runs.py."""
SEEDS = range(4)


def recorded(document: Document, seed: int) -> tuple[str, set[int]]:
    """The trace of one run, and the indices of the events that formed the property."""
    trace = StringIO()
    prepared = simulation(document)
    recorder = tracing(trace, prepared.application.processes)
    run = prepared.run(seed, recorder=recorder, keep_events=True)
    return trace.getvalue(), {index for index, *_ in run.formed or ()}


def audited(document: Document, lines: list[str]) -> Outcome:
    assert document.property is not None
    auditor = Auditor(document.property.automaton)
    for event in read_recorded(BytesIO("\n".join(lines).encode()), "events", file="run"):
        assert isinstance(event, RecordedEvent)
        auditor.add(event)
    return auditor.finish()


def process_of(line: str) -> str:
    return str(json.loads(line)["process"])


def test_every_scenario_is_there() -> None:
    assert len(PATHS) == 24
    assert len(SCENARIOS) == 18


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_what_was_formed_is_not_missed_and_what_is_violated_was_formed(path: Path) -> None:
    document = load_document(path)
    if document.property is None:
        pytest.fail("a scenario without property")
    for seed in SEEDS:
        trace, formed = recorded(document, seed)
        outcome = audited(document, trace.splitlines())
        # Lines count from 1, indices from 0.
        said = {
            verdict.item.event.place.line - 1: verdict
            for verdict in outcome.verdicts
            if verdict.item.event is not None
        }
        assert formed <= said.keys()
        assert {index for index, each in said.items() if each.kind == "violated"} <= formed
        assert not any(verdict.undecided for verdict in outcome.verdicts)
        assert (outcome.overall.kind is None) <= (not formed)
        assert (outcome.overall.kind == "violated") <= bool(formed)


def test_the_logs_of_processes_can_be_read_one_after_the_other() -> None:
    document = load_document(SCENARIOS[0].with_name("fig4-violating.yaml"))
    trace, _ = recorded(document, 1)
    lines = trace.splitlines()
    one = audited(document, lines)
    other = audited(document, sorted(lines, key=process_of))
    said = [
        {(str(each.item.label), each.kind) for each in outcome.verdicts} for outcome in (one, other)
    ]
    assert said[0] == said[1] != set()


def line(event: str, sender: str, name: str, receiver: str, **clock: int) -> str:
    message = {"sender": sender, "name": name, "receiver": receiver}
    process = sender if event == "send" else receiver
    return json.dumps({"event": event, "process": process, "message": message, "clock": clock})


LIVE = {
    "P1": [
        line("handle", "P2", "m0", "P1", P2=1),
        line("send", "P1", "m1", "P3", P1=1, P2=1),
    ],
    "P2": [
        line("send", "P2", "m0", "P1", P2=1),
        line("send", "P2", "m2", "P3", P1=1, P2=2, P3=1),
    ],
    "P3": [
        line("handle", "P1", "m1", "P3", P1=1, P2=1),
        line("send", "P3", "m3", "P4", P1=1, P2=1, P3=1),
    ],
}
"""As a live run of fig1 is recorded: clocks count what the property names, and nothing else."""


@pytest.mark.parametrize("order", list(permutations(("P1", "P2", "P3"))), ids="-".join)
def test_logs_of_live_processes_are_read_in_any_order(order: tuple[str, ...]) -> None:
    """P2 knew of number 1 of P3, which is not the event that comes first in the log of P3."""
    document = load_document(next(path for path in SCENARIOS if path.stem == "fig1-violating"))
    (verdict,) = audited(document, [line for name in order for line in LIVE[name]]).verdicts
    assert verdict.kind == VIOLATED
