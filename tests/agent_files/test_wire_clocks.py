"""Monitoring messages among so many processes that clocks are coded."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.agent_files.clocks.coding import PLAIN
from choreomon.agent_files.clocks.fields import message_coder
from choreomon.agent_files.clocks.forms import SPARSE
from choreomon.agent_files.clocks.links import UNLINKED, UnknownBase
from choreomon.agent_files.wire import (
    NO_SYSTEM,
    VERSION,
    decode_untrusted,
    encode,
    encode_linked,
    open_untrusted,
    read_untrusted,
    unlinked,
)
from choreomon.core.errors import MalformedMessage
from choreomon.core.message import SEND, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, GAP, NEVER, Reference
from choreomon.monitor.history import Record
from choreomon.monitor.messages import (
    Inquiry,
    MonitoringMessage,
    Named,
    Notice,
    PeerMessage,
    Push,
    Response,
    Waiting,
)

MANY = tuple(f"P{n}" for n in range(1, PLAIN + 17))
ASKED = Reference("q0", "P2", "q1")
INSPECTED = Reference("q1", "P1", "q2")


def clocks() -> st.SearchStrategy[VectorClock]:
    """Drawn from a seed each: forty numbers a clock would take long to draw one by one."""

    def drawn(seed: int) -> VectorClock:
        random = Random(seed)
        level, spread = random.choice([(0, 1), (500, 6), (70_000, 70_000)])
        return tuple(level + random.randint(0, spread) for _ in MANY)

    return st.integers(0, 10_000).map(drawn)


ends = clocks().map(lambda clock: (clock[0], NEVER, *clock[2:]))
certain = st.sampled_from([FRM, FRM_P])
records = (
    st.builds(Record, st.just(ASKED), clocks(), certain, st.none() | clocks())
    | st.builds(Record, st.just(ASKED), clocks(), certain).map(
        lambda it: it._replace(since=it.clock)
    )
    | st.builds(Record, st.just(ASKED), ends, st.just(GAP), clocks())
)
many_records = st.lists(records, max_size=3)
peer_messages: st.SearchStrategy[PeerMessage] = st.one_of(
    st.builds(
        Inquiry,
        st.just("P1"),
        st.just("P2"),
        st.just(INSPECTED),
        clocks(),
        st.just((ASKED,)),
        clocks(),
        st.integers(0, 9),
        st.just((Named(7, ASKED),)) | st.just(()),
    ),
    st.builds(
        Response,
        st.just("P2"),
        st.just("P1"),
        st.just(INSPECTED),
        st.integers(0, 9),
        many_records.map(tuple),
        clocks(),
        st.integers(0, 9),
        many_records.map(tuple),
        st.just((Named(7, ASKED),)) | st.just(()),
    ),
    st.builds(
        Waiting,
        st.just("P2"),
        st.just("P1"),
        st.just(INSPECTED),
        st.just(3),
        st.just(("P3",)),
        clocks(),
    ),
    st.builds(
        Push,
        st.just("P2"),
        st.just("P1"),
        st.just(ASKED),
        clocks(),
        st.just(FRM),
        st.just(1),
        clocks(),
    ),
)
notices = st.builds(Notice, st.just("P1"), st.just(Label(SEND, Message("P1", "m", "P2"))), clocks())


@settings(max_examples=300)
@given(peer_messages | notices)
def test_every_message_comes_back_as_it_was(message: MonitoringMessage) -> None:
    data = encode(message)
    back = decode_untrusted(data, MANY)
    assert back == message
    assert type(back) is type(message)
    hash(back)
    assert len(data) <= len(msgspec.msgpack.encode((VERSION, NO_SYSTEM, 0, message)))


@settings(max_examples=200)
@given(st.lists(st.tuples(st.booleans(), peer_messages), max_size=8))
def test_linked_frames_that_are_made_whole_are_the_messages(
    said: list[tuple[bool, PeerMessage]],
) -> None:
    links = [UNLINKED, UNLINKED]
    for who, message in said:
        data, links[who] = encode_linked(message, links[who])
        frame = open_untrusted(data)
        whole, links[not who] = unlinked(frame, len(MANY), links[not who])
        assert whole == encode(message)
        assert decode_untrusted(whole, MANY) == message
        assert len(data) <= len(whole) + 2  # that it offers


AN_EVENT = tuple(300 * (n % 4 == 0) for n in range(len(MANY)))
AN_INQUIRY = Inquiry("P1", "P2", INSPECTED, AN_EVENT, (ASKED,), (301, *AN_EVENT[1:]), 1)
A_RESPONSE = Response(
    "P2",
    "P1",
    INSPECTED,
    301,
    (Record(ASKED, (290, 7, *AN_EVENT[2:]), FRM),),
    (301, 7, *AN_EVENT[2:]),
    1,
)


def test_bytes_exact() -> None:
    """Whole; and linked, as the first and the second ones of their kind."""
    plain = [
        len(msgspec.msgpack.encode((VERSION, NO_SYSTEM, 0, it))) for it in (AN_INQUIRY, A_RESPONSE)
    ]
    whole = [len(encode(it)) for it in (AN_INQUIRY, A_RESPONSE)]
    own = peer = UNLINKED
    linked = []
    for _ in range(2):
        data, own = encode_linked(AN_INQUIRY, own)
        _, peer = unlinked(open_untrusted(data), len(MANY), peer)
        linked.append(len(data))
        data, peer = encode_linked(A_RESPONSE, peer)
        _, own = unlinked(open_untrusted(data), len(MANY), own)
        linked.append(len(data))
    assert (plain, whole, linked) == ([177, 187], [105, 117], [107, 85, 75, 85])


def test_a_linked_frame_is_not_read_as_if_it_were_whole() -> None:
    own = peer = UNLINKED
    data, own = encode_linked(AN_INQUIRY, own)
    frame = open_untrusted(data)
    assert frame.is_linked
    assert read_untrusted(frame, MANY) == AN_INQUIRY  # an offer changes nothing
    _, peer = unlinked(frame, len(MANY), peer)
    data, peer = encode_linked(A_RESPONSE, peer)
    frame = open_untrusted(data)
    with pytest.raises(MalformedMessage, match="it is not whole"):
        read_untrusted(frame, MANY)
    with pytest.raises(UnknownBase, match="is not known here"):
        unlinked(frame, len(MANY), UNLINKED)


def test_a_message_without_a_clock_has_no_base() -> None:
    notice = Notice("P1", Label(SEND, Message("P1", "m", "P2")), AN_EVENT)
    assert not open_untrusted(encode(notice)).is_linked
    frame = open_untrusted(encode(notice))._replace(base=1)
    with pytest.raises(MalformedMessage, match="needs no base"):
        unlinked(frame, len(MANY), UNLINKED)


@settings(max_examples=500)
@given(st.lists(peer_messages, min_size=1, max_size=3), st.data())
def test_damaged_frames_raise_nothing_but_malformed_message(
    said: list[PeerMessage], data: st.DataObject
) -> None:
    own = peer = UNLINKED
    for message in said:
        frame, own = encode_linked(message, own)
        _, peer = unlinked(open_untrusted(frame), len(MANY), peer)
        frame, peer = encode_linked(message, peer)
        _, own = unlinked(open_untrusted(frame), len(MANY), own)
    damaged = bytearray(encode_linked(said[-1], own)[0])
    for _ in range(data.draw(st.integers(0, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(damaged)))
    try:
        opened = open_untrusted(bytes(damaged[:end]))
        whole, after = unlinked(opened, len(MANY), peer)
        assert len(after.offered) <= len(peer.offered)
        encode(decode_untrusted(whole, MANY, opened.system))
    except MalformedMessage:
        pass


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (AN_INQUIRY._replace(event=AN_EVENT[:-1]), "no clock of 40"),
        (AN_INQUIRY._replace(event=(-1, *AN_EVENT[1:])), "no clock of 40"),
        (AN_INQUIRY._replace(clock=(NEVER, *AN_EVENT[1:])), "no clock of 40"),
        (
            A_RESPONSE._replace(records=(A_RESPONSE.records[0]._replace(clock=(1, 2)),)),
            "no clock of 40",
        ),
    ],
)
def test_clocks_that_are_none_are_refused(message: MonitoringMessage, said: str) -> None:
    with pytest.raises(MalformedMessage, match=said):
        decode_untrusted(encode(message), MANY)


def test_whoever_offers_no_clock_offers_nothing() -> None:
    for clock, said in (
        ((1, 2, 3), "no clock of 40"),
        ((-1,) * len(MANY), "no counts"),
        ((0, NEVER, *AN_EVENT[2:]), "no counts"),
        (bytes([SPARSE]) + msgspec.msgpack.encode([(1 << 64) - 1, 0, 1]), "no counts"),
    ):
        body = (*AN_INQUIRY[:5], clock, 1, ())
        frame = open_untrusted(msgspec.msgpack.encode((VERSION, NO_SYSTEM, 0, body, None, True)))
        with pytest.raises(MalformedMessage, match=said):
            unlinked(frame, len(MANY), UNLINKED)


@pytest.mark.parametrize(
    "more", [(-1, False), ("a", False), (None, 1), (None, True, 0), ("", True)]
)
def test_what_follows_the_fields_is_a_base_and_an_offer(more: tuple[object, ...]) -> None:
    data = msgspec.msgpack.encode((VERSION, NO_SYSTEM, 0, AN_INQUIRY, *more))
    with pytest.raises(MalformedMessage):
        unlinked(open_untrusted(data), len(MANY), UNLINKED)


def test_a_field_with_clocks_that_cannot_be_coded_is_noticed() -> None:
    class Later(NamedTuple):
        clock: VectorClock
        either: VectorClock | str

    class Deeper(NamedTuple):
        clock: VectorClock
        all: tuple[tuple[Record, ...], ...] | None

    with pytest.raises(TypeError, match="clocks in it"):
        message_coder(Later)
    value = Deeper(AN_EVENT, ((A_RESPONSE.records[0],),))
    coder = message_coder(Deeper)
    assert coder.message(coder.raw(value), len(MANY)) == value
    assert coder.raw(value._replace(all=None))[1] is None
