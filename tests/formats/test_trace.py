"""Events as lines of a trace, and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.errors import DocumentError, Problem
from choreomon.core.message import Message
from choreomon.core.run import RunEvent
from choreomon.formats.trace import read_trace_line_untrusted, trace_line

PROCESSES = ("P1", "P2", "P3")
SEND = RunEvent(0, 12_500, "send", "P1", Message("P1", "turnOff", "P2"), (1, 0, 0))
LINE = (
    '{"index":0,"time":12.5,"event":"send","process":"P1",'
    '"message":{"sender":"P1","name":"turnOff","receiver":"P2"},"clock":{"P1":1}}'
)


def test_a_line_is_written_exactly_as_documented() -> None:
    assert trace_line(SEND, PROCESSES) == LINE


def test_a_message_of_the_environment_is_handled() -> None:
    event = RunEvent(7, 0, "handle", "P2", Message("env", "go", "P2"), (3, 4, 0))
    line = trace_line(event, PROCESSES)
    assert '"time":0.0,"event":"handle","process":"P2","message":{"sender":"env",' in line
    assert line.endswith('"clock":{"P1":3,"P2":4}}')
    assert read_trace_line_untrusted(line, PROCESSES) == event


@settings(deadline=None)
@given(
    st.integers(0, 10**9),
    st.integers(0, 10**15),
    st.sampled_from(["send", "handle"]),
    st.sampled_from(PROCESSES),
    st.sampled_from(PROCESSES),
    st.lists(st.integers(1, 10**6), min_size=3, max_size=3),
)
def test_what_is_written_is_read_back_to_the_microsecond(
    index: int, time: int, kind: str, sender: str, receiver: str, clock: list[int]
) -> None:
    process = sender if kind == "send" else receiver
    event = RunEvent(
        index,
        time,
        "send" if kind == "send" else "handle",
        process,
        Message(sender, "m", receiver),
        tuple(clock),
        sent_at=None,
    )
    assert read_trace_line_untrusted(trace_line(event, PROCESSES), PROCESSES) == event


def test_where_a_message_was_sent_is_not_in_a_trace() -> None:
    event = replace(SEND, kind="handle", process="P2", clock=(1, 1, 0), sent_at=0)
    read = read_trace_line_untrusted(trace_line(event, PROCESSES), PROCESSES)
    assert read == replace(event, sent_at=None)


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ('"index":0', '"index":-1', "index: should be at least 0"),
        ('"index":0', '"index":"0"', "index: should be an integer, not '0'"),
        ('"index":0,', "", "index: is missing"),
        ('"index":0', '"index":0,"index":1', "index: comes twice"),
        ('"index":0', '"indx":0', "did you mean 'index'?"),
        ("12.5", "-1", "time: should be at least 0"),
        ("12.5", "1e999", "time: should be a finite number"),
        ("12.5", "NaN", "time: 'NaN' is not JSON"),
        ('"event":"send"', '"event":"receive"', "event: should be 'send' or 'handle'"),
        ('"process":"P1"', '"process":"P2"', "happens at P1, not P2"),
        ('"sender":"P1"', '"sender":"env"', "has no send event"),
        ('"receiver":"P2"', '"receiver":"P9"', "unknown process 'P9'"),
        ('"clock":{"P1":1}', '"clock":{"P1":1,"P9":1}', "unknown process 'P9'"),
        ('"clock":{"P1":1}', '"clock":{"P1":0}', "clock.P1: should be at least 1"),
        ('"clock":{"P1":1}', '"clock":{}', "should have an entry for P1"),
        ('"clock":{"P1":1}}', '"clock":{"P1":1}', "is not JSON"),
        (LINE, "[]", "is not a mapping"),
        (LINE, "", "is empty"),
    ],
)
def test_a_wrong_line_is_told_with_its_number_and_field(old: str, new: str, part: str) -> None:
    assert old in LINE
    with pytest.raises(DocumentError) as caught:
        read_trace_line_untrusted(LINE.replace(old, new), PROCESSES, file="run-1.jsonl", number=17)
    assert str(caught.value).startswith("run-1.jsonl:17: ")
    assert part in str(caught.value)


@settings(deadline=None)
@given(st.binary(max_size=80) | st.text(max_size=80))
def test_no_line_leaves_anything_but_a_document_error(line: str | bytes) -> None:
    with pytest.raises(DocumentError):
        read_trace_line_untrusted(line, PROCESSES)


def problems_of_line(line: str) -> tuple[Problem, ...]:
    try:
        read_trace_line_untrusted(line, PROCESSES)
    except DocumentError as error:
        return error.problems
    return ()


@settings(deadline=None)
@given(st.data())
def test_a_damaged_line_is_read_or_told(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(LINE)))
    damaged = LINE[:at] + data.draw(st.text(max_size=3)) + LINE[at + data.draw(st.integers(0, 9)) :]
    assert all(problem.message for problem in problems_of_line(damaged))
