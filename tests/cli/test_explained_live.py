"""`choreomon audit --explain-mapping` of spans: what agents would have been told of them, live."""

from __future__ import annotations

import json
from pathlib import Path

from choreomon.core.recorded import RecordedEvent
from choreomon.logs.mappings.mapping_document import load_mapping
from choreomon.logs.readers.live_spans import live_spans
from choreomon.logs.readers.reading import read_recorded
from tests.cli.command_line import choreomon
from tests.scenarios.console_blocks import ROOT

SPANS = str(ROOT / "tests" / "data" / "otlp" / "collected.jsonl")
MAPPING = """
format: otlp
processes: {127.0.0.1: bank, orders: store}
routes: ["/charge/{id}"]
parameters: {id: route.id}
"""


def test_what_would_not_be_told_is_shown_with_the_reason() -> None:
    shown = choreomon("audit", "--explain-mapping", SPANS)
    assert shown.code == 0
    assert "Live, agents would be told of 3 of 4 spans of messages" in shown.out
    assert "not told, no peer: 1" in shown.out
    live = json.loads(choreomon("audit", "--explain-mapping", "--json", SPANS).out)["logs"][0][
        "live"
    ]
    assert live["told"] == 3
    assert live["not_told"] == {"no peer": 1}
    assert live["first"][1] == {
        "file": SPANS,
        "line": 3,
        "process": "shop",
        "span": "POST",
        "kind": "send",
        "peer": "127.0.0.1",
        "name": "POST /charge/7",
        "header": False,
        "values": {},
        "why": "",
    }


def test_a_mapping_that_says_who_is_where_makes_the_same_of_recorded_and_of_live_spans(
    place: Path,
) -> None:
    """But for responses, which nobody is told of live."""
    place.joinpath("mapping.yaml").write_text(MAPPING)
    mapping = load_mapping("mapping.yaml")
    recorded = {
        (each.kind, each.process, each.peer, each.name, tuple(each.values.items()))
        for each in read_recorded(SPANS, mapping=mapping, names_kept=True)
        if isinstance(each, RecordedEvent) and each.kind != "local"
    }
    live = {
        (each.kind, each.process, each.peer, each.name, tuple(each.values.items()))
        for each in live_spans(SPANS, mapping)
    }
    assert {event for event in recorded if not event[3].endswith("_response")} == live
    assert ("send", "shop", "bank", "POST /charge/{id}", (("id", "7"),)) in live
    shown = choreomon("audit", "--explain-mapping", SPANS, "--mapping", "mapping.yaml")
    assert "Live, agents would be told of 4 of 4 spans of messages" in shown.out


def test_logs_that_are_no_spans_are_explained_as_before(place: Path) -> None:
    place.joinpath("log.jsonl").write_text('{"process": "a", "name": "m", "kind": "send"}\n')
    shown = choreomon("audit", "--explain-mapping", "log.jsonl")
    assert "Live" not in shown.out
