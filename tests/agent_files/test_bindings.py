"""Bindings in few bytes, and messages about an instance on the wire."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choreomon.agent_files.bindings import CodedBinding, binding_of, coded_binding
from choreomon.agent_files.clocks.links import UNLINKED
from choreomon.agent_files.wire import (
    decode_untrusted,
    encode,
    encode_linked,
    open_untrusted,
    read_untrusted,
    unlinked,
)
from choreomon.core.binding import Binding
from choreomon.core.errors import MalformedMessage
from choreomon.core.verdict import Reference
from choreomon.monitor.history import Record
from choreomon.monitor.messages import Inquiry, Response, Waiting
from choreomon.monitor.of_instances.messages import AboutOne, InstanceMessage

PARAMETERS = ("order", "session", "tenant")
PROCESSES = ("billing", "shop")
MANY = ("billing", "shop", *[f"P{number}" for number in range(40)])
INSPECTED = Reference("q1", "shop", "q2")
ASKED = Reference("q0", "billing", "q1")

digests = st.binary(min_size=16, max_size=16).map(bytes.hex)
bindings = st.dictionaries(st.sampled_from(PARAMETERS), digests).map(
    lambda values: tuple(sorted(values.items()))
)


def messages(entries: int) -> list[AboutOne]:
    clock = tuple(range(3, 3 + entries))
    records = (Record(ASKED, clock, "Frm"),)
    return [
        Inquiry("shop", "billing", INSPECTED, clock, (ASKED,), clock, 2),
        Response("billing", "shop", INSPECTED, 4, records, clock, 3),
        Waiting("billing", "shop", INSPECTED, 4, ("billing",), clock),
    ]


@given(bindings)
def test_a_binding_is_read_as_it_was_written(binding: Binding) -> None:
    coded = coded_binding(binding, PARAMETERS)
    assert len(coded.digests) == 16 * len(binding)
    assert binding_of(coded, PARAMETERS) == binding


@pytest.mark.parametrize(
    ("mask", "digests", "told"),
    [
        (8, bytes(16), "1000 are no parameters of 3"),
        (-1, b"", "-1 are no parameters of 3"),
        (1, bytes(15), "15 bytes are no values of 1 parameters"),
        (5, bytes(16), "16 bytes are no values of 2 parameters"),
        (0, bytes(16), "16 bytes are no values of 0 parameters"),
    ],
)
def test_what_is_no_binding_is_malformed(mask: int, digests: bytes, told: str) -> None:
    with pytest.raises(MalformedMessage, match=told):
        binding_of(CodedBinding(mask, digests), PARAMETERS)


@pytest.mark.parametrize("processes", [PROCESSES, MANY], ids=["few", "many"])
@pytest.mark.parametrize("which", range(3))
@given(binding=bindings)
def test_a_message_about_an_instance_is_read_as_it_was_written(
    which: int, processes: tuple[str, ...], binding: Binding
) -> None:
    message = InstanceMessage(messages(len(processes))[which], binding)
    data = encode(message, parameters=PARAMETERS)
    assert decode_untrusted(data, processes, parameters=PARAMETERS) == message
    without = encode(message.message)
    assert len(data) <= len(without) + 5 + 16 * len(binding)


def test_clocks_of_messages_about_instances_are_told_relative_to_others() -> None:
    links = [UNLINKED, UNLINKED]
    binding = (("order", "0" * 32),)
    relative = 0
    for turn in range(8):
        here, there = turn % 2, 1 - turn % 2
        sent = InstanceMessage(messages(len(MANY))[2 * here], binding)
        data, links[here] = encode_linked(sent, links[here], parameters=PARAMETERS)
        frame = open_untrusted(data)
        relative += frame.base is not None
        whole, links[there] = unlinked(frame, len(MANY), links[there])
        assert read_untrusted(open_untrusted(whole), MANY, PARAMETERS) == sent
    assert relative


@pytest.mark.parametrize("body", [[], [[], 1], ["", 1, b""], [[], "1", b""], 3])
def test_a_body_that_is_none_is_malformed(body: Any) -> None:
    data = msgspec.msgpack.encode((4, bytes(16), 5, body))
    with pytest.raises(MalformedMessage):
        decode_untrusted(data, PROCESSES, parameters=PARAMETERS)


def test_only_what_monitors_of_instances_say_is_about_one() -> None:
    for kind, why in ((8, "traces, which are no message of a monitor"), (9, "unknown kind of")):
        with pytest.raises(MalformedMessage, match=why):
            decode_untrusted(msgspec.msgpack.encode((4, bytes(16), kind, [])), PROCESSES)
