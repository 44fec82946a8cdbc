"""Sessions frame by frame: what is said, to what, and when."""

from __future__ import annotations

import msgspec
import pytest

from choreomon.agent_files.clocks.text import ClockText, decode_clocks_untrusted, encode_clocks
from choreomon.agent_files.local import (
    AgentMessage,
    ClientMessage,
    Clock,
    Farewell,
    FrameSplitter,
    Gap,
    Goodbye,
    Hello,
    Policy,
    RefusalReason,
    Refused,
    Renew,
    Renewed,
    Report,
    Welcome,
    decode_client_untrusted,
)
from choreomon.core.message import EventKind
from choreomon.sdk.journal import Ticket
from choreomon.sdk.lease import GREETING_SECONDS
from choreomon.sdk.session import AWAY, GREETING, OPEN, Session

KEY = b"\x01\x02\x03\x04"
OTHER = b"\x09\x09\x09\x09"
WELCOME = Welcome(
    process="shop",
    session="s1",
    number=0,
    clock=encode_clocks({KEY: (0, 0)}),
    lease=9.0,
    window=2,
    labels=("shop -> customer : parcel", "handle customer -> shop : order", "no label"),
    grant=111,
)


def text(*clock: int) -> ClockText:
    return encode_clocks({KEY: clock})


def said(session: Session) -> list[ClientMessage]:
    return [decode_client_untrusted(frame) for frame in FrameSplitter().feed(session.output())]


def opened(
    policy: Policy = "block", *, deadline: float | None = None, buffer: int = 2, token: str = ""
) -> Session:
    """At time 0, welcomed; what it said is read."""
    session = Session(policy=policy, deadline=deadline, buffer=buffer, token=token)
    session.opened(0.0)
    session.receive(WELCOME, 0.0)
    session.output()
    return session


def again(session: Session, now: float, /, **changed: object) -> list[ClientMessage]:
    """Welcomed on another connection; what it says then."""
    session.opened(now)
    session.output()
    session.receive(msgspec.structs.replace(WELCOME, **changed), now)
    return said(session)


def sends(session: Session, now: float = 0.0) -> Ticket:
    ticket = session.event("send", "customer", "parcel", "", now)
    assert ticket is not None
    return ticket


def test_the_first_words_are_hello_and_the_promise() -> None:
    session = Session(policy="buffer", token="secret")
    session.opened(0.0)
    assert said(session) == [Hello("buffer", token="secret")]
    assert session.phase == GREETING
    session.receive(WELCOME, 0.0)
    assert said(session) == [Renew(111)]
    assert session.phase == OPEN
    assert session.process == "shop"


def test_reports_are_numbered_and_say_what_is_done() -> None:
    session = opened()
    first = sends(session)
    session.event("handle", "customer", "order", text(0, 4), 0.0)
    assert said(session) == [
        Report(1, 0, "send", "customer", "parcel"),
        Report(2, 0, "handle", "customer", "order", text(0, 4)),
    ]
    session.receive(Clock(1, text(1, 0)), 0.0)
    assert session.settled() == [first]
    assert first.clock == text(1, 0)
    sends(session)
    assert said(session) == [Report(3, 1, "send", "customer", "parcel")]


@pytest.mark.parametrize(
    ("kind", "peer", "name"),
    [
        ("send", "customer", "order"),
        ("send", "bank", "parcel"),
        ("handle", "customer", "parcel"),
        ("send", "shop", "no label"),
    ],
)
def test_what_no_table_mentions_is_not_reported(kind: EventKind, peer: str, name: str) -> None:
    session = opened()
    assert session.event(kind, peer, name, "", 0.0) is None
    assert said(session) == []


def test_no_more_reports_are_in_flight_than_the_window_holds() -> None:
    session = opened()
    for _ in range(5):
        sends(session)
    assert [message.number for message in said(session) if isinstance(message, Report)] == [1, 2]
    assert session.in_flight == 2
    session.receive(Clock(1, text(1, 0)), 0.0)
    assert said(session) == [Report(3, 1, "send", "customer", "parcel")]


def test_what_was_heard_without_a_report_is_told_with_the_next_one_and_once() -> None:
    session = opened()
    assert session.event("handle", "bank", "rate", text(0, 3), 0.0) is None
    assert session.clock() == text(0, 3)
    session.event("handle", "bank", "rate", text(0, 2), 0.0)
    sends(session)
    sends(session)
    assert [message.heard for message in said(session) if isinstance(message, Report)] == [
        text(0, 3),
        "",
    ]


def test_clocks_of_other_systems_are_not_carried_on_and_unreadable_ones_are_counted() -> None:
    session = opened()
    both = encode_clocks({KEY: (0, 3), OTHER: (5,)})
    session.event("handle", "customer", "order", both, 0.0)
    assert said(session) == [Report(1, 0, "handle", "customer", "order", text(0, 3))]
    assert session.knowledge.refused == 0
    for wrong in ("rubbish!", text(0, 3, 5)):
        session.event("handle", "bank", "rate", wrong, 0.0)
    assert session.knowledge.refused == 2
    assert session.clock() == text(0, 0)


def test_unanswered_reports_are_repeated_as_they_were() -> None:
    session = opened()
    waiting = [sends(session) for _ in range(3)]
    before = said(session)
    session.broken()
    session.opened(1.0)
    assert said(session) == [Hello("block", session="s1")]
    session.receive(msgspec.structs.replace(WELCOME, number=2), 1.0)
    assert said(session) == [*before, Renew(111)]
    for number in (1, 2):
        session.receive(Clock(number, text(number, 0)), 1.0)
    assert session.settled() == waiting[:2]
    assert said(session) == [Report(3, 1, "send", "customer", "parcel")]


def test_an_answer_out_of_turn_breaks_the_connection() -> None:
    session = opened()
    sends(session)
    session.receive(Clock(2, text(1, 0)), 0.0)
    assert session.phase == AWAY
    assert "number 2" in session.trouble


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (WELCOME, "nobody asked"),
        (Refused(0, "closing", "going down"), "closing: going down"),
        (Refused(1, "window", "too many"), "window"),
        (Farewell(), ""),
    ],
)
def test_what_ends_a_connection_keeps_what_was_not_answered(
    message: AgentMessage, said: str
) -> None:
    session = opened()
    ticket = sends(session)
    session.output()
    session.receive(message, 0.0)
    assert session.phase == AWAY
    assert said in session.trouble
    assert Report(1, 0, "send", "customer", "parcel") in again(session, 1.0)
    session.receive(Clock(1, text(1, 0)), 1.0)
    assert session.settled() == [ticket]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 3}, "version 3; this is 2"),
        ({"process": "customer"}, "agent of customer, not of shop"),
        ({"clock": "rubbish!"}, "clocks"),
    ],
)
def test_a_welcome_of_the_wrong_agent_is_none(change: dict[str, object], said: str) -> None:
    session = opened()
    session.broken()
    assert again(session, 1.0, **change) == []
    assert session.phase == AWAY
    assert said in session.trouble


@pytest.mark.parametrize("reason", ["session", "malformed", "number", "process"])
def test_what_would_be_refused_again_is_given_up_with_its_session(reason: RefusalReason) -> None:
    """Who waits for it goes on when the agent knows of the gap, and not before."""
    session = opened()
    tickets = [sends(session) for _ in range(3)]
    session.event("handle", "bank", "rate", text(0, 3), 0.0)
    session.receive(Refused(1, reason, "why"), 0.0)
    assert session.settled() == []
    session.opened(1.0)
    assert said(session)[-1:] == [Hello("block", lost=2)]
    session.receive(msgspec.structs.replace(WELCOME, session="s2"), 1.0)
    assert session.settled() == tickets[:2]
    assert tickets[0].clock == text(0, 3)
    assert session.lost == 2
    assert said(session) == [Report(1, 0, "send", "customer", "parcel"), Renew(111)]


def test_a_refused_hello_gives_nothing_up() -> None:
    session = opened()
    sends(session)
    session.broken()
    session.opened(1.0)
    session.receive(Refused(0, "malformed", "what?"), 1.0)
    assert session.lost == 0
    assert Report(1, 0, "send", "customer", "parcel") in again(session, 2.0)


@pytest.mark.parametrize("number", [0, 5])
def test_an_agent_with_another_memory_gets_a_new_session_and_all_that_is_known(
    number: int,
) -> None:
    """It forgot what it answered, or took what was never said."""
    session = opened()
    sends(session)
    session.receive(Clock(1, text(1, 7)), 0.0)
    sends(session)
    session.broken()
    assert again(session, 1.0, number=number) == []
    assert session.phase == AWAY
    session.opened(2.0)
    assert said(session) == [Hello("block", lost=1)]
    session.receive(msgspec.structs.replace(WELCOME, session="s2"), 2.0)
    session.output()
    sends(session)
    assert said(session) == [Report(1, 0, "send", "customer", "parcel", text(1, 7))]


def test_an_agent_that_gives_another_session_than_asked_for_is_asked_for_a_new_one() -> None:
    session = opened()
    session.broken()
    assert again(session, 1.0, session="s2") == []
    session.opened(2.0)
    assert said(session) == [Hello("block")]


def test_the_lease_is_renewed_three_times_within_it() -> None:
    session = opened("buffer")
    assert session.due(0.0) == 9.0  # the first renewal is under way
    session.receive(Renewed(9.0, 222), 1.0)
    assert session.due(1.0) == 4.0
    session.expire(3.9)
    assert said(session) == []
    session.expire(4.0)
    assert said(session) == [Renew(222)]
    assert session.due(4.0) == 10.0
    session.expire(9.9)
    assert session.phase == OPEN
    session.expire(10.0)
    assert session.phase == AWAY
    assert "lease" in session.trouble


def test_nothing_leaves_before_the_lease_is_over_and_everything_after() -> None:
    session = opened("buffer")
    session.receive(Renewed(9.0, 222), 1.0)
    ticket = sends(session)
    session.broken()
    assert session.due(2.0) == 10.0
    session.expire(9.9)
    assert session.settled() == []
    session.expire(10.0)
    assert session.settled() == [ticket]
    assert ticket.clock == text(0, 0)
    assert session.due(10.0) is None
    assert session.event("send", "customer", "parcel", "", 10.0) is None


def test_the_promise_is_renewed_after_the_buffer_and_the_gap_were_told() -> None:
    session = opened("buffer", buffer=3)
    session.broken()
    for _ in range(5):
        assert session.event("send", "customer", "parcel", "", 9.0) is None
    told = again(session, 10.0)
    assert [type(message) for message in told] == [Report, Report]
    session.receive(Clock(1, text(1, 0)), 10.0)
    session.receive(Clock(2, text(2, 0)), 10.0)
    assert said(session) == [
        Report(3, 1, "send", "customer", "parcel"),
        Gap(4, 2, 2),
        Renew(111),
    ]
    assert session.lost == 2


def test_of_those_who_wait_no_more_are_kept_than_the_buffer_holds() -> None:
    session = opened("buffer", buffer=3)
    session.broken()
    for _ in range(5):
        sends(session)
    session.expire(9.0)
    assert session.lost == 2
    told = again(session, 10.0, window=9)
    assert [type(message) for message in told] == [Report, Report, Report, Gap, Renew]


def test_a_gap_at_the_beginning_is_told_with_hello() -> None:
    session = opened("let-go")
    session.broken()
    for _ in range(3):
        session.event("send", "customer", "parcel", "", 9.0)
    session.opened(10.0)
    assert said(session) == [Hello("let-go", session="s1", lost=3)]
    session.event("send", "customer", "parcel", "", 10.0)
    session.receive(WELCOME, 10.0)
    assert said(session) == [Gap(1, 0, 1), Renew(111)]


def test_under_let_go_what_left_is_not_told_although_it_was_written() -> None:
    session = opened("let-go")
    sends(session)
    session.broken()
    session.expire(9.0)
    session.opened(10.0)
    assert said(session) == [Hello("let-go", session="s1", lost=1)]
    session.receive(msgspec.structs.replace(WELCOME, number=1), 10.0)
    sends(session)
    assert said(session) == [Renew(111), Report(2, 1, "send", "customer", "parcel")]


def test_who_never_waits_promises_nothing() -> None:
    session = Session(policy="fire-and-forget", buffer=2)
    session.opened(0.0)
    session.output()
    session.receive(WELCOME, 0.0)
    assert said(session) == [Renew(0)]
    for _ in range(4):
        assert session.event("send", "customer", "parcel", "", 0.0) is None
    assert said(session) == [
        Report(1, 0, "send", "customer", "parcel"),
        Report(2, 0, "send", "customer", "parcel"),
    ]
    assert session.lost == 2


def test_a_hello_that_is_not_answered_is_given_up() -> None:
    session = Session(policy="block")
    session.opened(1.0)
    assert session.due(1.0) == 1.0 + GREETING_SECONDS
    session.expire(1.0 + GREETING_SECONDS)
    assert session.phase == AWAY
    assert "welcome" in session.trouble


def test_under_block_the_oldest_event_fails_first() -> None:
    session = opened(deadline=2.0)
    session.broken()
    first, second = sends(session, 0.0), sends(session, 1.0)
    assert session.due(1.0) == 2.0
    session.expire(2.0)
    assert session.settled() == [first]
    assert first.failed
    assert first.clock is None
    assert session.due(2.0) == 3.0
    again(session, 2.5)
    session.receive(Clock(1, text(1, 0)), 2.5)
    assert session.settled() == [second]
    assert not second.failed


def test_giving_up_fails_all_who_wait() -> None:
    session = opened("buffer")
    tickets = [sends(session) for _ in range(3)]
    session.give_up()
    assert session.settled() == tickets
    assert all(ticket.failed for ticket in tickets)


def test_abandoning_twice_or_too_late_does_nothing() -> None:
    session = opened()
    first, second = sends(session), sends(session)
    session.receive(Clock(1, text(1, 0)), 0.0)
    session.abandon(first)
    session.abandon(second)
    session.abandon(second)
    session.receive(Clock(2, text(2, 0)), 0.0)
    assert session.settled() == [first]
    assert session.idle


def test_an_abandoned_handling_forgets_no_clock() -> None:
    session = opened()
    for _ in range(2):
        sends(session)
    waiting = session.event("handle", "customer", "order", text(0, 4), 0.0)
    behind = sends(session)
    assert waiting is not None
    session.output()
    session.abandon(waiting)
    assert session.clock() == text(0, 4)
    session.receive(Clock(1, text(1, 0)), 0.0)
    assert said(session) == [Report(3, 1, "send", "customer", "parcel", text(0, 4))]
    assert behind.clock is None


def test_tables_may_change_while_the_agent_is_away() -> None:
    session = opened()
    session.event("handle", "customer", "order", text(0, 4), 0.0)
    session.broken()
    told = again(
        session,
        1.0,
        clock=encode_clocks({OTHER: (1,)}),
        labels=("handle bank -> shop : rate",),
    )
    assert told == [Report(1, 0, "handle", "customer", "order"), Renew(111)]
    assert decode_clocks_untrusted(session.clock()) == {OTHER: (1,)}
    assert session.event("handle", "bank", "rate", "", 1.0) is not None
    assert session.event("send", "customer", "parcel", "", 1.0) is None


def test_an_agent_whose_own_clock_cannot_be_read_is_answered_all_the_same() -> None:
    session = opened()
    ticket = sends(session)
    session.receive(Clock(1, "rubbish!"), 0.0)
    assert ticket.clock == "rubbish!"
    assert session.clock() == text(0, 0)


def test_goodbye_is_said_on_a_connection_only() -> None:
    session = opened()
    session.goodbye()
    assert said(session) == [Goodbye()]
    session.broken()
    session.goodbye()
    assert said(session) == []
