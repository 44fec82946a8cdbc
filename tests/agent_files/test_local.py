"""What a service and its agent say: it comes back as it was, and nothing else gets in."""

from __future__ import annotations

import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from choreomon.agent_files import local
from choreomon.agent_files.local import (
    LENGTH_BYTES,
    MAX_FRAME,
    MAX_LEASE,
    MAX_NUMBER,
    AgentMessage,
    ClientMessage,
    Clock,
    FrameSplitter,
    Gap,
    Goodbye,
    Hello,
    RefusalReason,
    Refused,
    Renew,
    Renewed,
    Report,
    Welcome,
    decode_agent_untrusted,
    decode_client_untrusted,
    encode,
    report,
)
from choreomon.core.errors import MalformedMessage

names = st.text(min_size=1, max_size=8)
clocks = st.text("abcXYZ019-_", max_size=20)
counts = st.integers(0, MAX_NUMBER)
numbers = st.integers(1, MAX_NUMBER)
leases = st.floats(min_value=0.001, max_value=MAX_LEASE)

client_messages = st.one_of(
    st.builds(
        Hello,
        policy=st.sampled_from(get_args(local.Policy)),
        session=st.text(max_size=9),
        lost=counts,
        token=st.text(max_size=9),
        version=st.integers(0, 9),
    ),
    st.builds(
        Report,
        number=numbers,
        done=counts,
        event=st.sampled_from(["send", "handle"]),
        peer=names,
        name=names,
        heard=clocks,
    ),
    st.builds(Gap, number=numbers, done=counts, lost=numbers),
    st.builds(Renew, grant=counts),
    st.builds(Goodbye),
)
agent_messages = st.one_of(
    st.builds(
        Welcome,
        process=names,
        session=names,
        number=counts,
        clock=clocks,
        lease=leases,
        window=st.integers(1, 1000),
        labels=st.lists(st.text(max_size=9), max_size=4).map(tuple),
        grant=counts,
        version=st.integers(0, 9),
    ),
    st.builds(Clock, number=numbers, clock=clocks),
    st.builds(Renewed, lease=leases, grant=counts),
    st.builds(local.Farewell),
    st.builds(
        Refused,
        number=counts,
        reason=st.sampled_from(get_args(RefusalReason)),
        message=st.text(max_size=9),
    ),
)
A_REPORT = Report(number=7, done=5, event="send", peer="customer", name="parcel", heard="AQID")


def body(message: ClientMessage | AgentMessage) -> bytes:
    frame = encode(message)
    assert int.from_bytes(frame[:LENGTH_BYTES], "big") == len(frame) - LENGTH_BYTES
    return frame[LENGTH_BYTES:]


@given(client_messages)
def test_what_a_service_says_comes_back(message: ClientMessage) -> None:
    assert decode_client_untrusted(body(message)) == message


@given(agent_messages)
def test_what_an_agent_says_comes_back(message: AgentMessage) -> None:
    assert decode_agent_untrusted(body(message)) == message


def test_a_report_is_as_the_documentation_shows_it() -> None:
    assert json.loads(body(A_REPORT)) == {
        "type": "report",
        "number": 7,
        "done": 5,
        "event": "send",
        "peer": "customer",
        "name": "parcel",
        "heard": "AQID",
    }


def test_a_report_with_values_has_them_and_one_without_has_no_field_for_them() -> None:
    told = report(7, 5, "send", "bank", "refund", "", {"order": "A-17"})
    assert json.loads(body(told))["values"] == {"order": "A-17"}
    assert decode_client_untrusted(body(told)) == told
    assert report(7, 5, "send", "customer", "parcel", "AQID", {}) == A_REPORT
    integers = decode_client_untrusted(json.dumps({**REPORT, "values": {"order": 17}}).encode())
    assert isinstance(integers, Report)
    assert integers.given == {"order": 17}
    assert A_REPORT.given == {}


def test_a_client_that_only_blocks_may_leave_out_most() -> None:
    assert decode_client_untrusted(b'{"type": "hello", "policy": "block"}') == Hello("block")
    assert decode_client_untrusted(b'{"type": "renew"}') == Renew()


def refused(data: bytes | dict[str, Any]) -> str:
    frame = data if isinstance(data, bytes) else json.dumps(data).encode()
    with pytest.raises(MalformedMessage) as raised:
        decode_client_untrusted(frame)
    return str(raised.value)


REPORT: dict[str, Any] = msgspec.to_builtins(A_REPORT)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "rapport"}, "rapport"),
        ({"number": 0}, "number"),
        ({"values": {"order": 1.5}}, "values"),
        ({"values": {"order": None}}, "values"),
        ({"values": ["A-17"]}, "values"),
        ({"number": MAX_NUMBER + 1}, "number"),
        ({"number": 1.5}, "number"),
        ({"number": True}, "number"),
        ({"done": -1}, "done"),
        ({"event": "receive"}, "receive"),
        ({"peer": ""}, "peer"),
        ({"name": "n" * 201}, "name"),
        ({"heard": "A" * 4097}, "heard"),
        ({"hread": "AQID"}, "hread"),
    ],
)
def test_a_report_with_a_fault_is_refused_by_its_field(change: dict[str, Any], said: str) -> None:
    assert said in refused({**REPORT, **change})


def test_unknown_fields_of_an_agent_are_ignored() -> None:
    """So a newer agent can say more to an older service."""
    message = decode_agent_untrusted(b'{"type": "clock", "number": 3, "clock": "", "more": 1}')
    assert message == Clock(number=3, clock="")


def survives(data: bytes) -> None:
    for decode in (decode_client_untrusted, decode_agent_untrusted):
        try:
            message = decode(data)
        except MalformedMessage:
            continue
        assert decode(body(message)) == message


@settings(max_examples=300)
@given(st.binary(max_size=100))
@example(b"[" * 100_000)
@example(b'{"type":' * 100_000)
@example(b'"\xff\xfe"')
@example(b'{"type":"clock","number":1,"clock":"\\ud800"}')
def test_random_bytes_raise_nothing_but_malformed_message(data: bytes) -> None:
    survives(data)


@settings(max_examples=500)
@given(client_messages | agent_messages, st.data())
def test_damaged_messages_raise_nothing_but_malformed_message(
    message: ClientMessage | AgentMessage, data: st.DataObject
) -> None:
    damaged = bytearray(body(message))
    for _ in range(data.draw(st.integers(0, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(damaged)))
    survives(bytes(damaged[:end]) + data.draw(st.binary(max_size=4)))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@settings(max_examples=500)
@given(client_messages | agent_messages, st.data())
def test_well_formed_json_of_any_shape_raises_nothing_else(
    message: ClientMessage | AgentMessage, data: st.DataObject
) -> None:
    fields: dict[str, Any] = msgspec.to_builtins(message)
    fields[data.draw(st.sampled_from(sorted(fields)))] = data.draw(anything)
    survives(json.dumps(fields).encode())


@given(st.lists(st.binary(max_size=30), max_size=6), st.data())
def test_frames_come_out_of_a_stream_however_it_is_cut(
    bodies: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(len(one).to_bytes(4, "big") + one for one in bodies)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    splitter = FrameSplitter()
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert [frame for piece in pieces for frame in splitter.feed(piece)] == bodies


def test_a_frame_of_the_limit_passes_and_a_longer_one_does_not() -> None:
    longest = MAX_FRAME.to_bytes(4, "big") + bytes(MAX_FRAME)
    assert FrameSplitter().feed(longest) == [bytes(MAX_FRAME)]
    with pytest.raises(MalformedMessage, match="65537 bytes"):
        FrameSplitter().feed((MAX_FRAME + 1).to_bytes(4, "big"))
    with pytest.raises(MalformedMessage, match="at most 10"):
        FrameSplitter(10).feed(b"\x00\x00\x00\x0b")


def kept(splitter: FrameSplitter) -> int:
    return len(splitter._rest)


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=60))
def test_no_stream_makes_a_splitter_keep_more_than_one_frame(pieces: list[bytes]) -> None:
    splitter = FrameSplitter(40)
    for piece in pieces:
        try:
            splitter.feed(piece)
        except MalformedMessage:
            return
        assert kept(splitter) < 40 + LENGTH_BYTES
