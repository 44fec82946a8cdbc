"""The events of runs as multi-traces."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.message import Message
from choreomon.core.run import RunEvent
from choreomon.documents.read import parse_document
from choreomon.hibou.signature import Signature
from choreomon.logs.event_log import multi_trace_of_events
from choreomon.logs.trace import trace_line
from choreomon.multitrace.coded import LONG, CodedTrace
from simulator.run import simulation
from tests.documents.documents_for_tests import EXAMPLE

PROCESSES = ("a", "b", "c")


def line(index: int, kind: str, sender: str, name: str, receiver: str, **more: object) -> str:
    process = sender if kind == "send" else receiver
    written = json.loads(
        trace_line(
            RunEvent(index, 0, "send", process, Message(sender, name, receiver), (1, 1, 1)),
            PROCESSES,
        )
    )
    return json.dumps({**written, "event": kind, **more})


LOG = [
    line(0, "handle", "env", "go", "a"),
    line(1, "send", "a", "m", "b"),
    line(2, "handle", "a", "m", "b"),
    line(3, "send", "b", "n", "c"),
    line(4, "send", "a", "m", "b"),
]


def test_sends_and_handles_are_emissions_and_receptions_on_their_process() -> None:
    assert str(multi_trace_of_events(LOG)) == "{[a] a?go.a!m.a!m; [b] b?m.b!n; [c]}"
    assert str(multi_trace_of_events(line.encode() for line in LOG)) == (
        "{[a] a?go.a!m.a!m; [b] b?m.b!n; [c]}"
    )


def test_processes_with_a_common_clock_share_a_component() -> None:
    assert str(multi_trace_of_events(LOG, partition=[("c", "b", "d")], lifelines=["d", "e"])) == (
        "{[b,c,d] b?m.b!n; [a] a?go.a!m.a!m; [e]}"
    )
    assert str(multi_trace_of_events(LOG, partition=[PROCESSES])) == (
        "{[a,b,c] a?go.a!m.b?m.b!n.a!m}"
    )
    with pytest.raises(ValueError, match="a is in two co-localizations"):
        multi_trace_of_events(LOG, partition=["a", "a"])


@pytest.mark.parametrize(
    ("name", "told"),
    [("handler", "did you mean 'handle'?"), ("x", "it has a, b, c, handle")],
)
def test_who_shares_a_clock_is_known(name: str, told: str) -> None:
    with pytest.raises(DocumentError) as caught:
        multi_trace_of_events(LOG, partition=[("a", name)], lifelines=["handle"], file="run.jsonl")
    assert str(caught.value) == (
        f"run.jsonl: has no process {name!r} that could share a clock; {told}"
    )


def test_a_signature_says_which_processes_and_messages_there_are() -> None:
    signature = Signature((*PROCESSES, "d"), ("go", "m", "n"))
    assert str(multi_trace_of_events(LOG, signature=signature)) == (
        "{[a] a?go.a!m.a!m; [b] b?m.b!n; [c]; [d]}"
    )
    with pytest.raises(DocumentError, match=r"events:4: message: unknown message 'n'"):
        multi_trace_of_events(LOG, signature=Signature(PROCESSES, ("go", "m")))


def test_a_long_log_is_stored_tightly() -> None:
    lines = (line(number, "send", "a", "m", "b") for number in range(LONG))
    assert isinstance(multi_trace_of_events(lines).components[0].actions, CodedTrace)


def test_the_trace_of_a_simulated_run_is_what_its_processes_did() -> None:
    document = parse_document(EXAMPLE, "example.yaml")
    run = simulation(document).run(1, keep_events=True)
    lines = [trace_line(event, run.processes) for event in run.kept_events]
    multitrace = multi_trace_of_events(lines, lifelines=run.processes)
    assert multitrace.length == len(run.kept_events)
    for part in multitrace.components:
        own = [event for event in run.kept_events if (event.process,) == part.lifelines]
        assert [(action.kind, action.message) for action in part.actions] == [
            ("!" if event.kind == "send" else "?", event.message.name) for event in own
        ]


@pytest.mark.parametrize(
    ("lines", "number", "said"),
    [
        ([], 0, "is empty: expected events"),
        ([LOG[0], "\n"], 2, "is empty: expected an event"),
        (["{"], 1, "is no event: Input data was truncated"),
        (["[]"], 1, "is no event: should be a mapping, not a list"),
        ([b"\xff"], 1, "is no event"),
        (["[" * 100_000], 1, "is no event"),
        ([LOG[1], LOG[1]], 2, "should be more than 1: events are in order"),
        ([line(0, "send", "a", "m", "b", process="c")], 1, "a send of this message happens at a"),
        ([line(0, "handle", "a", "m", "b", process="c")], 1, "a handle of this message happens"),
        ([line(0, "send", "env", "m", "b")], 1, "a message from env has no send event"),
        ([line(0, "handle", "a", "m", "env")], 1, "env handles nothing: name a process"),
        ([line(0, "send", "", "m", "b")], 1, "should not be empty"),
        ([line(0, "send", "a", "", "b")], 1, "should not be empty"),
        ([line(-1, "send", "a", "m", "b")], 1, "should be more than -1"),
        ([line(0, "send", "a", "m", "b", time="1")], 1, "is no event: should be a number, not"),
        ([LOG[1].replace('"index": 1', '"index": 1, "index": 2')], 1, "has the key 'index' twice"),
        ([LOG[1].replace('"a": 1', '"a": 1, "a": 2')], 1, "has the key 'a' twice: keep one"),
        (['{"index": 1}'], 1, "is no event: has no field `time`: give one"),
        ([line(0, "lose", "a", "m", "b")], 1, "is no event: should be 'send' or 'handle', not"),
        ([line(0, "send", "a", "m", "b", more=1)], 1, "is no event: has a field `more`, which"),
    ],
)
def test_what_is_no_log_of_events_is_told_with_its_line(
    lines: list[str | bytes], number: int, said: str
) -> None:
    with pytest.raises(DocumentError) as caught:
        multi_trace_of_events(lines, file="run.jsonl")
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("run.jsonl", number)
    assert problem.message.startswith(said)


def test_a_colon_in_a_name_is_no_key() -> None:
    odd = line(0, "send", "a:b", 'm":', "b")
    assert str(multi_trace_of_events([odd])) == '{[a:b] a:b!m":; [b]}'


@given(st.binary(max_size=80) | st.text(max_size=80))
def test_no_line_leaves_anything_but_a_document_error(text: str | bytes) -> None:
    with pytest.raises(DocumentError):
        multi_trace_of_events([text])


@given(st.data())
def test_a_damaged_line_is_read_or_told(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(LOG[1])))
    rest = LOG[1][at + data.draw(st.integers(0, 9)) :]
    damaged = LOG[1][:at] + data.draw(st.text(max_size=3)) + rest
    problems: tuple[Problem, ...] = ()
    try:
        assert multi_trace_of_events([damaged], file="x.jsonl").length == 1
    except DocumentError as error:
        problems = error.problems
    assert all(problem.line == 1 and problem.message for problem in problems)
