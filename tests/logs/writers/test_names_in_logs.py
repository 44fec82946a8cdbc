"""Names that are not plain, through each format of logs that is written and read."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choreomon.core.message import SEND, Message
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.core.run import RunEvent
from choreomon.logs.mappings.mapping_document import parse_mapping
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.trace import trace_line
from choreomon.logs.writers.json_lines import json_lines
from choreomon.logs.writers.otlp import otlp_request, recorded_otlp_request
from choreomon.logs.writers.recorded_run import RecordedRun
from choreomon.logs.writers.shiviz import recorded_shiviz_log, shiviz_log
from tests.core.names_for_tests import HARD_NAMES, names

NOWHERE = Place("", 0)
OF_SHIVIZ = parse_mapping("kind: kind\nname: message\npeer: peer\nmessage_id: message_id", "m.yaml")


def again(text: str, *args: Any, **options: Any) -> list[RecordedEvent]:
    found = list(read_recorded(BytesIO(text.encode()), *args, file="again", **options))
    assert not [each for each in found if isinstance(each, Diagnostic)], found
    return [each._replace(place=NOWHERE) for each in found if isinstance(each, RecordedEvent)]


def exchanged(sender: str, name: str, receiver: str) -> list[RecordedEvent]:
    """A message that is sent and handled."""
    sent = RecordedEvent(sender, "send", name, NOWHERE, receiver, "1", clock={sender: 1})
    clock = {sender: 1, receiver: 1}
    return [sent, RecordedEvent(receiver, "handle", name, NOWHERE, sender, "1", clock=clock)]


three_names = st.lists(names(), min_size=3, max_size=3, unique=True)
hard = pytest.mark.parametrize("name", HARD_NAMES)


def known(events: list[RecordedEvent]) -> list[tuple[object, ...]]:
    return [(one.process, one.kind, one.name, one.peer, one.clock) for one in events]


@given(three_names)
@example(["a -> b", "a:b", '"'])
@example(["<script>", "{id}", "\U0001f600"])
@example([200 * "x", 200 * "\U0001f600", 200 * '"'])
def test_names_come_back_from_lines_of_json_and_from_spans(three: list[str]) -> None:
    events = exchanged(*three)
    assert again(json_lines(events)) == events
    assert known(again(recorded_otlp_request(events), names_kept=True)) == known(events)


@hard
def test_each_hard_name_comes_back(name: str) -> None:
    for events in (exchanged(name, "m", "b"), exchanged("a", name, "b")):
        assert again(json_lines(events)) == events
        assert known(again(recorded_otlp_request(events), names_kept=True)) == known(events)


@given(three_names)
@example(["my shop", "POST /orders/{id}", "10.0.0.7:8080"])
@example(["my shop", "m", "a{b}"])
@example([" a", "m", "b"])
@example(["a {b}", "m", "b"])
def test_names_come_back_from_shiviz_or_are_refused(three: list[str]) -> None:
    sender, _, receiver = three
    ends = f"{sender}|{receiver}"
    events = exchanged(*three)
    if " " in ends and ("{" in ends or any(end != end.strip() for end in (sender, receiver))):
        with pytest.raises(ValueError, match="cannot be a host of ShiViz"):
            recorded_shiviz_log(events)
    else:
        assert again(recorded_shiviz_log(events), mapping=OF_SHIVIZ) == events


def run_of(sender: str, name: str, receiver: str) -> RecordedRun:
    event = RunEvent(0, 1000, SEND, sender, Message(sender, name, receiver), (1, 0))
    return RecordedRun("run", (sender, receiver), (event,), ())


@given(three_names)
@example(["my shop", "POST /orders/{id} } index=1", "10.0.0.7:8080"])
def test_names_come_back_from_traces_and_from_what_is_exported_of_them(three: list[str]) -> None:
    if "env" in three:
        return
    run = run_of(*three)
    (event,) = again(f"{trace_line(run.events[0], run.processes)}\n")
    assert (event.process, event.name, event.peer) == tuple(three)
    (span,) = again(otlp_request(run), names_kept=True)
    assert (span.process, span.name, span.peer) == tuple(three)
    try:
        text = shiviz_log(run)
    except ValueError:
        assert " " in three[0] + three[2]
        return
    (local,) = again(text)
    assert (local.process, local.clock) == (three[0], {three[0]: 1})
    assert local.name == f"send {run.events[0].message}"
