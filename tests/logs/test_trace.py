"""Events as lines of a trace."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.message import Message
from choreomon.core.recorded import RecordedEvent
from choreomon.core.run import RunEvent
from choreomon.logs.readers.reading import read_recorded
from choreomon.logs.trace import trace_line
from choreomon.logs.writers.otlp import otlp_request
from choreomon.logs.writers.recorded_run import read_recorded_run
from choreomon.logs.writers.shiviz import shiviz_log

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


@given(
    st.integers(0, 10**9),
    st.integers(0, 10**15),
    st.sampled_from(["send", "handle"]),
    st.sampled_from(PROCESSES),
    st.sampled_from(PROCESSES),
    st.lists(st.integers(1, 10**6), min_size=3, max_size=3),
)
def test_what_is_written_is_json_that_holds_times_to_the_microsecond(
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
    )
    assert json.loads(trace_line(event, PROCESSES)) == {
        "index": index,
        "time": pytest.approx(time / 1000, abs=0.0001),
        "event": kind,
        "process": process,
        "message": {"sender": sender, "name": "m", "receiver": receiver},
        "clock": dict(zip(PROCESSES, clock, strict=True)),
    }
    assert round(json.loads(trace_line(event, PROCESSES))["time"] * 1000) == time


def test_where_a_message_was_sent_is_not_in_a_trace() -> None:
    event = replace(SEND, kind="handle", process="P2", clock=(1, 1, 0), sent_at=0)
    assert trace_line(event, PROCESSES) == trace_line(replace(event, sent_at=None), PROCESSES)


def test_values_are_written_behind_all_else_and_read_again() -> None:
    carrying = replace(SEND, values=(("order", "A-17"), ("tenant", "t1")))
    line = trace_line(carrying, PROCESSES)
    assert line == LINE[:-1] + ',"values":{"order":"A-17","tenant":"t1"}}'
    run = read_recorded_run([line], "run")
    assert [event.values for event in run.events] == [carrying.values]
    (recorded,) = read_recorded(BytesIO(line.encode()), "events", file="run")
    assert isinstance(recorded, RecordedEvent)
    assert recorded.values == dict(carrying.values)


def test_exports_say_what_messages_carry() -> None:
    run = read_recorded_run([trace_line(replace(SEND, values=(("k", "7"),)), PROCESSES)], "run")
    assert "send P1 -> P2 : turnOff(7)\n" in shiviz_log(run)
    assert '{"key":"choreomon.value.k","value":{"stringValue":"7"}}' in otlp_request(run)
