"""Monitoring messages as bytes: what is encoded comes back, and nothing else gets in."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.agent_files.wire import (
    MAX_BYTES,
    NO_SYSTEM,
    SYSTEM_BYTES,
    VERSION,
    Frame,
    decode_untrusted,
    encode,
    open_untrusted,
    read_untrusted,
)
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import HANDLE, SEND, Event, Label, Message
from choreomon.core.verdict import FRM, FRM_P, GAP, NEVER, Reference
from choreomon.monitor.history import OPEN, Record
from choreomon.monitor.messages import (
    Inquiry,
    MonitoringMessage,
    Named,
    Notice,
    Push,
    Response,
    Waiting,
)
from choreomon.monitor.pull import Monitor
from choreomon.monitor.state import Observe, ProcessNext
from choreomon.properties.tables import transition_tables
from tests.properties.stated import automaton_of

NAMES = ("P1", "P2", "P3")
SYSTEM = bytes(range(SYSTEM_BYTES))

names = st.sampled_from(NAMES)
counts = st.integers(0, 2**40)
clocks = st.tuples(counts, counts, counts)
states = st.text(max_size=8)
references = st.builds(Reference, states, names, states)
results = st.sampled_from([FRM, FRM_P])
recorded = st.sampled_from([FRM, FRM_P, OPEN])


def records_of(process: str) -> st.SearchStrategy[tuple[Record, ...]]:
    own = st.builds(Reference, states, st.just(process), states)
    record = st.builds(Record, own, clocks, recorded, st.none() | clocks)
    gap = st.builds(Record, own, clocks | open_ends(process), st.just(GAP), clocks)
    return st.lists(record | gap, max_size=4).map(tuple)


def open_ends(process: str) -> st.SearchStrategy[tuple[int, ...]]:
    """Where the gap of a process ends that has not ended yet."""
    own = NAMES.index(process)
    return clocks.map(lambda clock: (*clock[:own], NEVER, *clock[own + 1 :]))


several_named = st.lists(st.builds(Named, st.integers(1, 2**40), references), max_size=3).map(tuple)
evidence = st.lists(names.flatmap(records_of), max_size=3).map(
    lambda groups: tuple(record for group in groups for record in group)
)
inquiries = st.builds(
    Inquiry,
    names,
    names,
    references,
    clocks,
    st.lists(references, max_size=4).map(tuple),
    clocks,
    counts,
    several_named,
)
responses = names.flatmap(
    lambda sender: st.builds(
        Response,
        st.just(sender),
        names,
        references,
        counts,
        records_of(sender),
        clocks,
        counts,
        evidence,
        several_named,
    )
)
waits = st.builds(
    Waiting, names, names, references, counts, st.lists(names, max_size=3).map(tuple), clocks
)
pushes = st.builds(Push, names, names, references, clocks, st.none() | results, counts, clocks)
labels = st.builds(
    Label, st.sampled_from([SEND, HANDLE]), st.builds(Message, names, st.text(max_size=8), names)
)
notices = st.builds(Notice, names, labels, clocks)
messages = inquiries | responses | waits | pushes | notices

AN_INQUIRY = Inquiry(
    "P1",
    "P2",
    Reference("q1", "P1", "q2"),
    (3, 2, 4),
    (Reference("q0", "P2", "q1"),),
    (3, 2, 4),
    1,
)
A_RESPONSE = Response(
    "P2",
    "P1",
    Reference("q1", "P1", "q2"),
    3,
    (Record(Reference("q0", "P2", "q1"), (1, 2, 0), FRM),),
    (3, 2, 4),
    1,
)


A_GAP = Record(Reference("q0", "P2", "q1"), (1, NEVER, 0), GAP, (1, 2, 0))
A_NOTICE_OF_WAITING = Waiting("P2", "P1", Reference("q1", "P1", "q2"), 3, ("P3",), (3, 2, 4))


@given(messages)
def test_every_message_comes_back_as_it_was(message: MonitoringMessage) -> None:
    back = decode_untrusted(encode(message), NAMES)
    assert back == message
    assert type(back) is type(message)
    hash(back)


@given(messages, st.binary(min_size=SYSTEM_BYTES, max_size=SYSTEM_BYTES))
def test_a_frame_tells_its_system_before_it_is_read(
    message: MonitoringMessage, system: bytes
) -> None:
    frame = open_untrusted(encode(message, system))
    assert frame.system == system
    assert read_untrusted(frame, NAMES) == message


def test_frames_of_several_systems_are_told_apart_whatever_processes_these_have() -> None:
    """Who reads a frame has to know its processes; who opens it has not."""
    frame = open_untrusted(encode(AN_INQUIRY, SYSTEM))
    assert frame.system == SYSTEM != NO_SYSTEM
    with pytest.raises(MalformedMessage, match="unknown process 'P1'"):
        read_untrusted(frame, ("a", "b", "c"))


def refused(data: bytes) -> str:
    with pytest.raises(MalformedMessage) as raised:
        decode_untrusted(data, NAMES)
    return str(raised.value)


def survives(data: bytes) -> None:
    """Either a message, which then has a wire form, or the documented error."""
    try:
        message = decode_untrusted(data, NAMES)
    except MalformedMessage:
        return
    encode(message)


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_random_bytes_raise_nothing_but_malformed_message(data: bytes) -> None:
    survives(data)


@settings(max_examples=500)
@given(messages, st.data())
def test_damaged_messages_raise_nothing_but_malformed_message(
    message: MonitoringMessage, data: st.DataObject
) -> None:
    """Cut off, prolonged, and with some bytes changed."""
    damaged = bytearray(encode(message))
    for _ in range(data.draw(st.integers(0, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(damaged)))
    survives(bytes(damaged[:end]) + data.draw(st.binary(max_size=4)))


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=5)
    | names,
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)


@settings(max_examples=500)
@given(st.integers(-1, 6), anything)
def test_well_formed_messagepack_of_any_shape_raises_nothing_else(kind: int, body: object) -> None:
    survives(msgspec.msgpack.encode((VERSION, NO_SYSTEM, kind, body)))


@given(anything)
def test_no_frame_of_any_shape_raises_anything_else(frame: object) -> None:
    survives(msgspec.msgpack.encode(frame))


def test_deep_nesting_is_refused() -> None:
    shallow = msgspec.msgpack.encode((VERSION, NO_SYSTEM, 0, None))
    refused(shallow[:-1] + b"\x91" * 100_000 + b"\xc0")


def test_too_many_bytes_are_refused_before_they_are_read() -> None:
    assert str(MAX_BYTES) in refused(encode(AN_INQUIRY) + bytes(MAX_BYTES))


def test_another_version_is_named() -> None:
    assert "version 9" in refused(msgspec.msgpack.encode((9, NO_SYSTEM, 0, AN_INQUIRY)))


def test_another_system_is_named() -> None:
    assert SYSTEM.hex() in refused(encode(AN_INQUIRY, SYSTEM))


@pytest.mark.parametrize("length", [0, SYSTEM_BYTES - 1, SYSTEM_BYTES + 1])
def test_a_system_id_has_sixteen_bytes(length: int) -> None:
    data = msgspec.msgpack.encode((VERSION, bytes(length), 0, AN_INQUIRY))
    assert f"{length} bytes" in refused(data)


@pytest.mark.parametrize("kind", [-1, 9])
def test_an_unknown_kind_is_refused_before_its_body_is_read(kind: int) -> None:
    data = msgspec.msgpack.encode((VERSION, NO_SYSTEM, kind, "anything"))
    with pytest.raises(MalformedMessage, match=f"kind of message {kind}"):
        open_untrusted(data)


def test_who_opens_a_frame_reads_nothing_of_its_body() -> None:
    opened = open_untrusted(msgspec.msgpack.encode((VERSION, SYSTEM, 0, "anything")))
    assert opened == Frame(SYSTEM, 0, opened.body)
    with pytest.raises(MalformedMessage, match="no monitoring message"):
        read_untrusted(opened, NAMES)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (AN_INQUIRY._replace(sender="P9"), "P9"),
        (AN_INQUIRY._replace(receiver="P9"), "P9"),
        (AN_INQUIRY._replace(clock=(1, 2)), "no clock of 3"),
        (AN_INQUIRY._replace(event=(1, 2, 3, 4)), "no clock of 3"),
        (AN_INQUIRY._replace(event=(1, -2, 3)), "no clock of 3"),
        (A_RESPONSE._replace(clock=()), "no clock of 3"),
        (
            A_RESPONSE._replace(evidence=(Record(Reference("q0", "P9", "q1"), (1, 2, 0), FRM),)),
            "P9",
        ),
        (A_RESPONSE._replace(evidence=(A_RESPONSE.records[0]._replace(clock=(1, 2)),)), "no clock"),
        (AN_INQUIRY._replace(named=(Named(0, Reference("q0", "P2", "q1")),)), "number 0 of P2"),
        (A_RESPONSE._replace(named=(Named(NEVER, Reference("q0", "P2", "q1")),)), "no event"),
        (
            A_RESPONSE._replace(records=(A_RESPONSE.records[0]._replace(since=(1,)),)),
            "no clock of 3",
        ),
        (
            A_RESPONSE._replace(records=(Record(Reference("q0", "P3", "q1"), (1, 2, 0), FRM),)),
            "record of P3",
        ),
        (A_RESPONSE._replace(records=(A_GAP._replace(since=None),)), "without a beginning"),
        (A_RESPONSE._replace(records=(A_GAP._replace(clock=(NEVER, 3, 0)),)), "no clock of 3"),
        (A_RESPONSE._replace(records=(A_GAP._replace(result=FRM_P),)), "no clock of 3"),
        (A_RESPONSE._replace(records=(A_GAP._replace(since=(0, NEVER, 0)),)), "no clock of 3"),
        (A_RESPONSE._replace(clock=(3, NEVER, 4)), "no clock of 3"),
        (AN_INQUIRY._replace(event=(3, NEVER, 4)), "no clock of 3"),
        (A_NOTICE_OF_WAITING._replace(waiting_for=("P3", "P9")), "P9"),
        (A_NOTICE_OF_WAITING._replace(clock=(1, 2)), "no clock of 3"),
        (AN_INQUIRY._replace(inspected=Reference("q" * 201, "P1", "q2")), "longer than 200"),
        (AN_INQUIRY._replace(inspected=Reference("q1", "P1", "q" * 201)), "longer than 200"),
    ],
)
def test_messages_that_no_peer_should_send_are_refused_with_the_reason(
    message: MonitoringMessage, said: str
) -> None:
    assert said in refused(encode(message))


def test_what_is_told_of_a_message_is_much_smaller_than_it() -> None:
    """It is logged; and to write down a frame that is refused should not cost more than to read
    it."""
    for large in (
        AN_INQUIRY._replace(sender="P" * 100_000),
        AN_INQUIRY._replace(clock=(1 << 40,) * 100_000),
        A_NOTICE_OF_WAITING._replace(waiting_for=("P" * 100_000,)),
    ):
        assert len(refused(encode(large))) < 300


def test_messages_are_small() -> None:
    """Bytes, exact: a field that is added shows here."""
    assert (len(encode(AN_INQUIRY)), len(encode(A_RESPONSE))) == (59, 67)
    assert len(encode(A_NOTICE_OF_WAITING)) == 47
    with_a_gap = A_RESPONSE._replace(records=(*A_RESPONSE.records, A_GAP))
    assert len(encode(with_a_gap)) - len(encode(A_RESPONSE)) == 31


@given(inquiries)
def test_a_process_more_costs_each_clock_one_byte(inquiry: Inquiry) -> None:
    longer = inquiry._replace(event=(*inquiry.event, 0), clock=(*inquiry.clock, 0))
    assert len(encode(longer)) == len(encode(inquiry)) + 2


@given(st.lists(inquiries | responses | waits, max_size=5))
def test_a_monitor_survives_whatever_is_let_in(
    received: list[Inquiry | Response | Waiting],
) -> None:
    """It may then be wrong about its peer, who is; it does not crash."""
    a, b = (Label(SEND, Message(p, p.lower(), "P3")) for p in ("P1", "P2"))
    automaton = automaton_of("q0", "q2", ("q0", a, "q1"), ("q1", b, "q2"), ("q1", a, "q0"))
    monitor = Monitor(transition_tables(automaton, NAMES)["P2"], NAMES)
    state, clock, _ = monitor.step(monitor.initial(), (1, 1, 0), Observe(Event(b, (1, 1, 0))))
    state, clock, _ = monitor.step(state, clock, ProcessNext())
    for message in received:
        state, clock, _ = monitor.step(state, clock, message._replace(receiver="P2"))
