"""What monitors do as lines."""

from __future__ import annotations

from io import StringIO

from choreomon.core.monitor_log import LogEntry, MessageSent, MessageTaken, VerdictDeclared
from choreomon.core.run import RunVerdict
from choreomon.core.stated_rule import StatedRule
from choreomon.documents.read import load_document
from choreomon.reports.monitor_log import monitor_line
from simulator.recording import tracing_monitors
from simulator.run import simulation
from tests.scenarios.console_blocks import ROOT, blocks_of

PROCESSES = ("P1", "P2", "P3")
SENT = MessageSent(
    number=4,
    time=12_500,
    events=7,
    kind="inquiry",
    sender="P2",
    receiver="P1",
    arrives=14_125,
    size=93,
    event_index=6,
    inspected=("q1", "q2"),
    references=(("q0", "q1"), ("q1", "q0")),
    clock=(2, 3, 0),
)
VERDICT = RunVerdict(
    verdict="possibly-violated",
    monitor="P2",
    event_index=6,
    transitions=(("q1", "q2"),),
    label="P2 -> P3 : b",
    because=(),
    declared_at=13_000,
    silent=("P1",),
    early=True,
)


def line(entry: LogEntry) -> str:
    return monitor_line(entry, PROCESSES)


def test_lines_are_written_exactly_as_documented() -> None:
    assert line(SENT) == (
        '{"time":12.5,"events":7,"what":"sent","number":4,"kind":"inquiry","sender":"P2",'
        '"receiver":"P1","arrives":14.125,"bytes":93,"event_index":6,"inspected":["q1","q2"],'
        '"references":[["q0","q1"],["q1","q0"]],"clock":{"P1":2,"P2":3}}'
    )
    assert (
        line(MessageTaken(4, 14_125, 9)) == '{"time":14.125,"events":9,"what":"taken","number":4}'
    )
    assert line(VerdictDeclared(13_000, 8, "P2", 6, "P2 -> P3 : b", True, VERDICT)) == (
        '{"time":13.0,"events":8,"what":"declared","provisional":true,'
        '"verdict":"possibly-violated","monitor":"P2","event_index":6,"transitions":[["q1","q2"]],'
        '"label":"P2 -> P3 : b","silent":["P1"],"because":[]}'
    )


def test_that_nothing_was_formed_is_a_word_too() -> None:
    assert line(VerdictDeclared(13_000, 8, "P2", 6, "P2 -> P3 : b", False, None)) == (
        '{"time":13.0,"events":8,"what":"declared","provisional":false,"verdict":null,'
        '"monitor":"P2","event_index":6,"transitions":[],"label":"P2 -> P3 : b","because":[]}'
    )
    rule = StatedRule("no-b-after-a")
    assert line(
        VerdictDeclared(13_000, 8, "P2", 6, "P2 -> P3 : b", False, None, rule=rule)
    ).endswith('"rule":{"id":"no-b-after-a","severity":"error"},"because":[]}')


def test_the_lines_of_the_documentation_are_of_the_run_that_it_shows() -> None:
    prepared = simulation(load_document(str(ROOT / "scenarios/smart-home-violating.yaml")))
    sink = StringIO()
    prepared.run(0, monitor_recorder=tracing_monitors(sink, prepared.application.processes))
    (shown,) = blocks_of(ROOT / "docs/simulation.md", "jsonl")
    written = sink.getvalue().splitlines()
    places = [written.index(line) for line in shown.splitlines()]
    assert places == sorted(places)
    assert len(places) == 3
