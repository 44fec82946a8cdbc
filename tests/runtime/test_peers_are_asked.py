"""Inquiries under way: repeated with back-off, never more than a bound at once."""

from __future__ import annotations

from choreomon.core.verdict import Reference
from choreomon.monitor.messages import Inquiry, Response
from choreomon.runtime.outstanding import FEW, IN_FLIGHT, BackOff, OutstandingInquiries

HERE = Reference("q1", "A", "q2")
THERE = Reference("q0", "B", "q1")


def inquiry(count: int) -> Inquiry:
    return Inquiry("A", "B", HERE, (count, 0), (THERE,), (count, 0), 0)


class Peer:
    """`open` are the inquiries that are not answered, `sent` what went out."""

    def __init__(self, back_off: BackOff | None = None) -> None:
        self.open: list[Inquiry] = []
        self.sent: list[Inquiry] = []
        self.doubted: list[int] = []
        self.asking = OutstandingInquiries(
            own=0,
            send=self.sent.append,
            outstanding=lambda: list(self.open),
            doubt=lambda: self.doubted.append(len(self.sent)),
            back_off=back_off or BackOff(1.0, 4.0),
            in_flight=IN_FLIGHT,
        )

    def ask(self, count: int, now: float = 0.0) -> None:
        self.open.append(inquiry(count))
        self.asking.ask(inquiry(count), now)

    def answer(self, count: int, now: float = 0.0) -> None:
        self.open.remove(inquiry(count))
        self.asking.heard_of(now)
        self.asking.answered(Response("P2", "P1", HERE, count, (), (0, 0), 0))
        self.asking.fill(now)


def test_what_is_not_answered_is_repeated_less_and_less_often() -> None:
    peer = Peer()
    peer.ask(1)
    times = []
    for _ in range(4):
        assert peer.asking.due is not None
        times.append(peer.asking.due)
        peer.asking.repeat(peer.asking.due)
    assert times == [1.0, 3.0, 7.0, 11.0]
    assert peer.asking.repeated == 4
    assert peer.doubted == [1, 2, 3, 4]


def test_what_the_peer_was_told_is_in_doubt_before_anything_is_repeated() -> None:
    peer = Peer()
    peer.ask(1)
    peer.ask(2)
    peer.asking.repeat(1.0)
    assert peer.doubted == [2]
    assert len(peer.sent) == 4
    peer.answer(1)
    peer.answer(2)
    peer.asking.repeat(100.0)
    assert peer.doubted == [2]


def test_what_was_answered_is_not_repeated() -> None:
    peer = Peer()
    peer.ask(1)
    peer.answer(1)
    assert peer.asking.due is None
    peer.asking.repeat(100.0)
    assert peer.sent == [inquiry(1)]


def test_no_more_than_a_bound_are_under_way() -> None:
    peer = Peer()
    for count in range(1, 3 * IN_FLIGHT):
        peer.ask(count)
    assert len(peer.sent) == IN_FLIGHT


def test_what_waited_for_its_turn_is_sent_when_there_is_room() -> None:
    peer = Peer()
    last = IN_FLIGHT + 10
    for count in range(1, last + 1):
        peer.ask(count)
    for count in range(1, last + 1):
        peer.answer(count)
    assert [each.event[0] for each in peer.sent] == list(range(1, last + 1))


def test_half_of_what_may_be_under_way_always_is_while_there_is_more() -> None:
    peer = Peer()
    for count in range(1, 3 * IN_FLIGHT + 1):
        peer.ask(count)
    for answered in range(1, 2 * IN_FLIGHT + 1):
        peer.answer(answered)
        assert IN_FLIGHT // 2 < len(peer.sent) - answered <= IN_FLIGHT


def test_to_a_peer_that_stays_silent_only_the_oldest_few_are_repeated() -> None:
    peer = Peer()
    for count in range(1, 21):
        peer.ask(count)
    assert peer.asking.due is not None
    peer.asking.repeat(peer.asking.due)
    peer.sent.clear()
    peer.asking.repeat(peer.asking.due)
    assert [each.event[0] for each in peer.sent] == list(range(1, FEW + 1))


def test_after_a_word_from_the_peer_the_next_repetition_is_soon() -> None:
    peer = Peer()
    peer.ask(1)
    peer.asking.repeat(1.0)
    peer.asking.heard_of(2.0)
    assert peer.asking.due == 3.0
