"""The host of a monitor: what it takes, what it refuses, what it does about a lost disk, and that
it comes to what its monitor comes to."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given

from choreomon.core.message import SEND, Event, Label, Message
from choreomon.core.vector_clock import VectorClock, happened_before
from choreomon.core.verdict import FRM, GAP, NEVER, Reference
from choreomon.monitor.effects import Declared, Effect, Send
from choreomon.monitor.gaps import Gap
from choreomon.monitor.history import Record
from choreomon.monitor.host import LEAP, Host, HostEffect, HostState
from choreomon.monitor.messages import (
    Inquiry,
    MonitoringMessage,
    Notice,
    Push,
    Response,
    Waiting,
)
from choreomon.monitor.pull import Monitor
from choreomon.monitor.rights import FARTHEST, Refused
from choreomon.properties.tables import transition_tables
from tests.laws.faults import Faults, draw_execution
from tests.laws.test_guarantees import randoms, thorough
from tests.properties.stated import automaton_of

NAMES = ("P1", "P2", "P3")
A, B, C = Message("P1", "a", "P2"), Message("P2", "b", "P3"), Message("P3", "c", "P1")
SEND_A, SEND_B, SEND_C = (Label(SEND, message) for message in (A, B, C))
AUTOMATON = automaton_of(
    "q0",
    "q3",
    ("q0", SEND_A, "q1"),
    ("q1", SEND_B, "q2"),
    ("q2", SEND_C, "q3"),
    ("q1", SEND_A, "q0"),
)
START = Reference("q0", "P1", "q1")
BACK = Reference("q1", "P1", "q0")
MIDDLE = Reference("q1", "P2", "q2")
END = Reference("q2", "P3", "q3")

P1, P2, P3 = (Host(Monitor(transition_tables(AUTOMATON, NAMES)[name], NAMES)) for name in NAMES)


def after_b() -> HostState:
    """P2 after its second event, b, of which it asked P1."""
    state, _, _ = P2.report(P2.initial(), SEND_B)
    state, _, _ = P2.report(state, SEND_B)
    return state


AN_INQUIRY = Inquiry("P3", "P2", END, (0, 2, 5), (MIDDLE,), (0, 2, 5), 2)
AN_ANSWER = Response("P1", "P2", MIDDLE, 2, (Record(START, (3, 1, 0), FRM),), (3, 1, 0), 2)
A_NOTICE = Waiting("P1", "P2", MIDDLE, 2, ("P3",), (3, 1, 0))


def kinds(effects: list[HostEffect]) -> list[str]:
    return [
        type(effect.message if isinstance(effect, Send) else effect).__name__ for effect in effects
    ]


# What others may say.


@pytest.mark.parametrize("message", [AN_INQUIRY, AN_ANSWER, A_NOTICE])
def test_what_may_be_said_is_taken(message: MonitoringMessage) -> None:
    state, effects = P2.receive(after_b(), message)
    assert "Refused" not in kinds(effects)
    assert state != after_b()


@pytest.mark.parametrize(
    ("message", "reason", "said"),
    [
        (Push("P1", "P2", START, (1, 0, 0), FRM, 0, (1, 0, 0)), "kind", "Push"),
        (Notice("P1", SEND_A, (1, 0, 0)), "kind", "Notice"),
        (AN_INQUIRY._replace(receiver="P1"), "receiver", "P1"),
        (AN_INQUIRY._replace(sender="P2"), "receiver", "P2"),
        (AN_ANSWER._replace(receiver="P3"), "receiver", "P3"),
        (A_NOTICE._replace(receiver="P3"), "receiver", "P3"),
        (AN_INQUIRY._replace(sender="P1", inspected=START), "rights", "nothing to ask"),
        (AN_INQUIRY._replace(sender="P9"), "rights", "nothing to ask"),
        (AN_INQUIRY._replace(asked=(START,)), "rights", str(START)),
        (AN_INQUIRY._replace(asked=(Reference("q8", "P2", "q9"),)), "rights", "q8"),
        (AN_INQUIRY._replace(asked=(MIDDLE, MIDDLE)), "rights", "more transitions"),
        (AN_INQUIRY._replace(inspected=MIDDLE), "rights", "inspects"),
        (AN_INQUIRY._replace(event=(0, 2, 6)), "clock", "more than it knows of"),
        (AN_INQUIRY._replace(event=(0, 3, 5)), "clock", "more than it knows of"),
        (AN_INQUIRY._replace(settled=3), "clock", "more than it knows of"),
        (AN_ANSWER._replace(sender="P3"), "answer", "not asked"),
        (AN_ANSWER._replace(sender="P2"), "answer", "not asked"),
        (AN_ANSWER._replace(inspected=END), "answer", "not asked"),
        (AN_ANSWER._replace(records=(Record(END, (3, 1, 0), FRM),)), "answer", str(END)),
        (AN_ANSWER._replace(settled=3), "clock", "promises more"),
        (AN_ANSWER._replace(records=(Record(START, (4, 1, 0), FRM),)), "clock", "tells of more"),
        (AN_ANSWER._replace(records=(Record(START, (3, 3, 0), FRM),)), "clock", "tells of more"),
        (A_NOTICE._replace(sender="P3"), "answer", "not asked"),
        (A_NOTICE._replace(inspected=END), "answer", "not asked"),
        (AN_ANSWER._replace(clock=(3, FARTHEST + 1, 0)), "clock", "can have happened"),
    ],
)
def test_what_a_peer_may_not_say_is_refused_and_nothing_of_it_taken(
    message: MonitoringMessage, reason: str, said: str
) -> None:
    before = after_b()
    after, effects = P2.receive(before, message)
    assert after is before
    (refused,) = effects
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.sender) == (reason, message.sender)
    assert said in refused.detail


def test_a_gap_may_end_later_than_its_process_has_come() -> None:
    """While it is open its end has no count yet."""
    gap = Record(START, (NEVER, 1, 0), GAP, (3, 1, 0))
    _, effects = P2.receive(after_b(), AN_ANSWER._replace(records=(gap,)))
    assert "Refused" not in kinds(effects)


def test_who_asks_whom_follows_from_the_table() -> None:
    assert [host.asks() for host in (P1, P2, P3)] == [set(), {"P1"}, {"P2"}]
    assert [host.asked_by() for host in (P1, P2, P3)] == [{"P2"}, {"P3"}, set()]


def test_only_what_some_row_mentions_is_to_be_reported() -> None:
    assert [P1.mentions(label) for label in (SEND_A, SEND_B, SEND_C)] == [True, False, False]


# Events of the process.


def test_a_report_ticks_once_and_knows_what_was_heard() -> None:
    state, effects = P3.heard(P3.initial(), (2, 1, 0))
    assert (state.clock, effects) == ((2, 1, 0), [])
    state, clock, effects = P3.report(state, SEND_C)
    assert state.clock == clock == (2, 1, 1)
    (sent,) = effects
    assert isinstance(sent, Send)
    assert isinstance(sent.message, Inquiry)
    assert sent.message.event == (2, 1, 1)


def test_hearing_what_is_known_changes_nothing() -> None:
    state, _ = P3.heard(P3.initial(), (2, 1, 0))
    again, effects = P3.heard(state, (1, 1, 0))
    assert again is state
    assert effects == []


def stepped(host: Host, state: HostState, given: Any) -> tuple[HostState, list[Effect]]:
    """As the simulator does it: the monitor by itself, with the clock beside it."""
    monitor, clock, effects = host.monitor.step(state.monitor, state.clock, given)
    return HostState(clock, monitor), effects


@thorough
@given(randoms)
def test_a_host_comes_to_what_its_monitor_comes_to(random: Random) -> None:
    """A report is a tick and the event; of what keeps the rules nothing is refused."""
    run = draw_execution(random, Faults(losses=2, copies=2, repeats=2, give_ups=1))
    for step in run.steps:
        host, before = run.setting.hosts[step.process], step.before
        if step.given is not None:
            assert host.receive(before, step.given) == stepped(host, before, step.given)
    for index, event in enumerate(run.events):
        if event.clock is None or run.setting.queued:
            continue
        step = next(s for s in run.steps if s.process == event.process and s.events == index)
        host, own = run.setting.hosts[event.process], event.process
        heard = (*event.clock[:own], event.clock[own] - 1, *event.clock[own + 1 :])
        happened = Event(event.label, event.clock)
        as_monitor = stepped(host, HostState(event.clock, step.before.monitor), happened)
        after, clock, effects = host.report(HostState(heard, step.before.monitor), event.label)
        assert clock == event.clock
        assert (after, effects) == as_monitor


def test_the_state_is_a_value() -> None:
    """Stepped twice it gives the same twice."""
    once, twice = (P2.receive(after_b(), AN_INQUIRY) for _ in range(2))
    assert once == twice
    hash(once[0])


# Deadlines.


def test_deadlines_of_what_is_decided_or_unknown_pass_in_silence() -> None:
    state = after_b()
    assert P2.undecided(state) == []  # its transition is not final
    assert P2.inspected(state) == [1, 2]
    for pass_by in (P2.expire, P2.give_up):
        assert pass_by(state, 7) == (state, [])


def test_a_provisional_word_is_given_once() -> None:
    """A driver that came back sets all deadlines again."""
    state, _, _ = P3.report(P3.initial(), SEND_C)
    assert P3.undecided(state) == P3.inspected(state) == [1]
    told, effects = P3.expire(state, 1)
    assert kinds(effects) == ["Declared"]
    assert P3.expire(told, 1) == (told, [])


def test_what_is_given_up_is_neither_undecided_nor_outstanding() -> None:
    state, _, _ = P3.report(P3.initial(), SEND_C)
    assert [inquiry.receiver for inquiry in P3.outstanding(state)] == ["P2"]
    state, effects = P3.give_up(state, 1)
    (declared,) = effects
    assert isinstance(declared, Declared)
    assert not declared.provisional
    assert declared.label == SEND_C
    assert (P3.outstanding(state), P3.undecided(state), P3.inspected(state)) == ([], [], [])


def test_what_is_outstanding_is_asked_with_the_clock_of_now() -> None:
    state, _, (first,) = P3.report(P3.initial(), SEND_C)
    assert isinstance(first, Send)
    assert P3.outstanding(state) == [first.message]
    state, _ = P3.heard(state, (4, 3, 0))
    (again,) = P3.outstanding(state)
    assert again == first.message._replace(clock=(4, 3, 1))  # type: ignore[call-arg]


# Gaps and lost disks.


def own_gaps(host: Host, state: HostState) -> list[tuple[int, int]]:
    own = host.monitor.own
    return [(gap.since[own], gap.until[own]) for gap in state.monitor.gaps]


def test_a_gap_in_which_nothing_happened_leaves_nothing() -> None:
    state = P3.gap_opens(P3.initial())
    assert own_gaps(P3, state) == [(0, NEVER)]
    assert P3.gap_ends(state, lost=False) == (P3.initial(), [])


def test_the_end_of_a_gap_has_a_count_of_its_own_and_one_word() -> None:
    state, _, _ = P3.report(P3.initial(), SEND_C)
    state = P3.gap_opens(P3.gap_opens(state))
    state, effects = P3.gap_ends(state, lost=True)
    assert (state.clock, own_gaps(P3, state)) == ((0, 0, 2), [(1, 2)])
    (declared,) = effects
    assert isinstance(declared, Declared)
    assert declared.verdict is not None
    assert declared.verdict.unseen
    assert declared.verdict.transitions == (END,)
    _, clock, _ = P3.report(state, SEND_C)
    assert clock == (0, 0, 3)


def test_without_final_transitions_a_gap_ends_without_a_word() -> None:
    _, effects = P1.gap_ends(P1.gap_opens(P1.initial()), lost=True)
    assert effects == []


def lost_by_a_message(state: HostState) -> tuple[HostState, list[HostEffect]]:
    return P2.receive(state, AN_INQUIRY._replace(clock=(0, 7, 5)))


def lost_by_what_was_heard(state: HostState) -> tuple[HostState, list[HostEffect]]:
    return P2.heard(state, (0, 7, 0))


@pytest.mark.parametrize("lost", [lost_by_a_message, lost_by_what_was_heard])
def test_who_is_told_of_own_events_that_it_does_not_know_has_lost_them(
    lost: Callable[[HostState], tuple[HostState, list[HostEffect]]],
) -> None:
    """What it does not know is a gap, and what comes next counts from far beyond."""
    before = after_b()
    state, _ = lost(before)
    assert own_gaps(P2, state) == [(2, 7 + LEAP)]
    _, clock, _ = P2.report(state, SEND_B)
    assert clock[1] == 7 + LEAP + 1
    assert P2.inspected(state) == []


def test_a_message_that_tells_of_lost_events_is_answered_with_the_gap() -> None:
    _, effects = lost_by_a_message(after_b())
    (response,) = (
        e.message for e in effects if isinstance(e, Send) and isinstance(e.message, Response)
    )
    (gap,) = (record for record in response.records if record.result == GAP)
    assert (gap.since, gap.clock) == ((0, 2, 0), (0, 7 + LEAP, 0))


def test_a_gap_that_was_open_when_more_was_lost_goes_on() -> None:
    state = P2.gap_opens(after_b())
    state, _ = lost_by_what_was_heard(state)
    assert own_gaps(P2, state) == [(2, 7 + LEAP), (7 + LEAP, NEVER)]


def test_a_gap_that_is_found_out_late_begins_where_all_had_been_told() -> None:
    known = after_b()
    state, _ = P2.heard(known, (5, 0, 5))
    assert P2.gap_opens(state, known.clock).monitor.gaps[0].since == known.clock
    state, _ = P2.gap_ends(state, lost=True, since=known.clock)
    assert state.monitor.gaps == (Gap(known.clock, state.clock),)
    assert happened_before(known.clock, state.clock)


def test_a_host_that_lost_all_goes_on_beyond_whatever_it_may_have_done() -> None:
    state, effects = P3.forgot(P3.initial(), 0)
    assert state.clock == (0, 0, LEAP)
    assert own_gaps(P3, state) == [(0, LEAP)]
    assert kinds(effects) == ["Declared"]


@pytest.mark.parametrize("count", [FARTHEST + 1, NEVER - 1])
def test_nobody_is_believed_that_more_happened_than_can_have(count: int) -> None:
    before = after_b()
    clock: VectorClock = (0, count, 0)
    state, effects = P2.heard(before, clock)
    assert state is before
    assert kinds(effects) == ["Refused"]
