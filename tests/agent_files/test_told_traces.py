"""Traces as frames: what is told is read again, and nothing else is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.agent_files.clocks.links import UNLINKED
from choreomon.agent_files.told_traces import (
    MOST_TOLD,
    TRACE_BYTES,
    ToldTraces,
    encode_traces,
    read_traces_untrusted,
)
from choreomon.agent_files.wire import TRACES, VERSION, open_untrusted, read_untrusted, unlinked
from choreomon.core.errors import MalformedMessage
from choreomon.core.verdict import NEVER

NAMES = ("A", "B")
SYSTEM = bytes(range(16))
STORE = b"the-name"
ID = bytes(range(1, TRACE_BYTES + 1))
TOLD = ToldTraces("A", 3, {7: ID, 2: ID[::-1]})

counts = st.integers(1, NEVER - 1)
ids = st.binary(min_size=TRACE_BYTES, max_size=TRACE_BYTES).filter(any)
traces = st.dictionaries(counts, ids, min_size=1, max_size=MOST_TOLD)
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=3) | ids,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3) | counts, inner, max_size=3)
    ),
    max_leaves=12,
)


def read(data: bytes) -> ToldTraces:
    frame = open_untrusted(data)
    assert (frame.kind, frame.system) == (TRACES, SYSTEM)
    return read_traces_untrusted(frame, NAMES)


def framed(*body: object, end: tuple[object, ...] = ()) -> bytes:
    return msgspec.msgpack.encode((VERSION, SYSTEM, TRACES, body, *end))


@given(st.sampled_from(NAMES), counts, traces, st.sampled_from([b"", STORE]))
def test_what_is_told_is_read_again(
    sender: str, count: int, told: dict[int, bytes], store: bytes
) -> None:
    data = encode_traces(ToldTraces(sender, count, told), SYSTEM, store)
    assert read(data) == ToldTraces(sender, count, told)
    assert open_untrusted(data).store == store


def test_an_id_costs_its_sixteen_bytes_and_the_count_of_its_event() -> None:
    one, two = (encode_traces(TOLD._replace(traces=each), SYSTEM) for each in ({7: ID}, TOLD[2]))
    assert len(two) - len(one) == 1 + 2 + TRACE_BYTES


WRONG: dict[str, tuple[Any, ...]] = {
    "nobody": ("C", 3, {7: ID}),
    "no name": (7, 3, {7: ID}),
    "about no event": ("A", 0, {7: ID}),
    "about an event that cannot be": ("A", NEVER, {7: ID}),
    "of no event": ("A", 3, {0: ID}),
    "of an event that cannot be": ("A", 3, {NEVER: ID}),
    "of events that are called": ("A", 3, {"7": ID}),
    "nothing": ("A", 3, {}),
    "too many": ("A", 3, dict.fromkeys(range(1, MOST_TOLD + 2), ID)),
    "too short": ("A", 3, {7: ID[1:]}),
    "too long": ("A", 3, {7: ID + ID}),
    "as text": ("A", 3, {7: ID.hex()}),
    "zeros": ("A", 3, {2: ID, 7: bytes(TRACE_BYTES)}),
    "a list": ("A", 3, [7, ID]),
    "less": ("A", 3),
    "more": ("A", 3, {7: ID}, 1),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_is_malformed_is_refused(wrong: tuple[object, ...]) -> None:
    assert read(framed("A", 3, {7: ID})) == ToldTraces("A", 3, {7: ID})
    with pytest.raises(MalformedMessage):
        read(framed(*wrong))


@pytest.mark.parametrize("end", [(5, False), (None, True), (0, False, STORE)])
def test_traces_have_no_clock_that_others_could_be_relative_to(end: tuple[object, ...]) -> None:
    with pytest.raises(MalformedMessage, match="with a clock"):
        read(framed("A", 3, {7: ID}, end=end))


@settings(max_examples=500)
@given(anything)
def test_no_body_raises_anything_else(body: object) -> None:
    data = msgspec.msgpack.encode((VERSION, SYSTEM, TRACES, body))
    try:
        told = read(data)
    except MalformedMessage:
        return
    assert read(encode_traces(told, SYSTEM)) == told


@given(st.integers(0, 60), st.binary(max_size=4))
def test_no_damage_raises_anything_else(at: int, damage: bytes) -> None:
    data = encode_traces(TOLD, SYSTEM, STORE)
    damaged = data[:at] + damage + data[at + len(damage) :]
    try:
        frame = open_untrusted(damaged)
        if frame.kind == TRACES:
            read_traces_untrusted(frame, NAMES)
    except MalformedMessage:
        pass


def test_traces_are_no_message_of_a_monitor() -> None:
    frame = open_untrusted(encode_traces(TOLD, SYSTEM))
    with pytest.raises(MalformedMessage, match="no message of a monitor"):
        read_untrusted(frame, NAMES)
    with pytest.raises(MalformedMessage, match="no message of a monitor"):
        unlinked(frame, len(NAMES), UNLINKED)
