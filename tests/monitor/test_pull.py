"""The pulling monitor, where the laws over random runs do not point at one thing."""

from __future__ import annotations

import pytest

from choreomon.core.errors import InternalError
from choreomon.core.message import SEND, Event, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, FRM_P, Reference
from choreomon.monitor.effects import Declared, Effect, Send
from choreomon.monitor.history import Record
from choreomon.monitor.inspection import SMALL
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.pull import Monitor
from choreomon.monitor.state import ProcessNext
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from tests.laws.interleaving import Run, System, Told
from tests.properties.stated import automaton_of

NAMES = ("P1", "P2", "P3")
A, D = Message("P1", "a", "P2"), Message("P1", "d", "P2")
B = Message("P2", "b", "P3")


def tell(transitions: dict[str, Message], *, final: tuple[str, ...] = ("q2",)) -> Told:
    automaton = sequence_automaton(
        initial=["q0"],
        final=list(final),
        transitions=[
            StatedTransition(pair.split()[0], Label(SEND, message), pair.split()[1])
            for pair, message in transitions.items()
        ],
    )
    return Told.of(System(automaton, NAMES))


def words(effects: list[Effect]) -> list[str | None]:
    return [
        effect.verdict.kind if effect.verdict else None
        for effect in effects
        if isinstance(effect, Declared)
    ]


# Several final transitions of one event.


def two_ends() -> Told:
    """b ends a sequence after a in q2, and one after d in q4; a certainly happened before
    it, d possibly."""
    told = tell({"q0 q1": A, "q1 q2": B, "q0 q3": D, "q3 q4": B}, final=("q2", "q4"))
    told.sends(A)
    told.works("P1")
    told.handles(A)
    told.sends(D)
    told.works("P1")
    told.sends(B)
    told.works("P2")
    return told


def test_one_certain_end_makes_the_event_certain_whatever_the_others_are() -> None:
    run = two_ends().settles()
    ((index, said),) = run.said()
    assert run.formed == {index}
    assert said.verdict is not None
    assert said.verdict.kind == "violated"
    assert said.verdict.transitions == (Reference("q1", "P2", "q2"), Reference("q3", "P2", "q4"))
    assert [reason.certain for reason in said.verdict.because] == [True, False]


def test_the_word_waits_for_all_final_transitions_of_the_event() -> None:
    told = two_ends()
    told.delivers("P2", "P1")
    told.delivers("P2", "P1")
    assert words(told.delivers("P1", "P2")) == []
    assert words(told.delivers("P1", "P2")) == ["violated"]


def test_the_word_about_three_final_transitions_waits_for_the_third() -> None:
    """Each end asks for a start of its own, so each waits for an answer of its own."""
    c = Message("P1", "c", "P2")
    told = tell(
        {"q0 q1": A, "q1 q2": B, "q0 q3": D, "q3 q4": B, "q0 q5": c, "q5 q6": B},
        final=("q2", "q4", "q6"),
    )
    for message in (A, D, c):
        told.sends(message)
        told.works("P1")
    told.handles(c)
    told.sends(B)
    told.works("P2")
    for _ in range(3):
        told.delivers("P2", "P1")
    answers = [words(told.delivers("P1", "P2")) for _ in range(3)]
    assert answers == [[], [], ["violated"]]
    ((_, said),) = told.run.said()
    assert said.verdict is not None
    assert [transition.source for transition in said.verdict.transitions] == ["q1", "q3", "q5"]


def test_a_final_transition_that_starts_is_joined_with_those_that_wait() -> None:
    """q1 is initial, so b ends a sequence at once; (q3, b, q4) is still asked about."""
    automaton = automaton_of("q0 q1", "q2 q4", ("q1", B, "q2"), ("q0", D, "q3"), ("q3", B, "q4"))
    told = Told.of(System(automaton, NAMES))
    told.sends(B)
    assert words(told.works("P2")) == []
    assert told.settles().last_verdicts() == {0: "violated"}


def test_one_event_has_one_last_word() -> None:
    run = two_ends().settles()
    assert len(run.said()) == 1


# One event that labels a transition and its own pre-transition.


def test_a_message_on_two_transitions_in_a_row_does_not_continue_itself() -> None:
    told = tell({"q0 q1": A, "q1 q2": A})
    told.sends(A)
    assert words(told.works("P1")) == [None]
    told.sends(A)
    assert words(told.works("P1")) == ["violated"]
    assert told.run.formed == {1}


# Peers that do not keep to the protocol.


def inquiry(asked: Reference, event: VectorClock = (0, 1, 0)) -> Inquiry:
    return Inquiry("P2", "P1", Reference("q1", "P2", "q2"), event, (asked,), event, 0)


def test_an_inquiry_about_an_unknown_reference_is_answered_with_nothing() -> None:
    system = tell({"q0 q1": A, "q1 q2": B}).system
    monitor = system.monitors[0]
    unknown = Reference("q7", "P1", "q8")
    state, clock, effects = monitor.step(monitor.initial(), (0, 0, 0), inquiry(unknown))
    (send,) = effects
    assert isinstance(send, Send)
    assert isinstance(send.message, Response)
    assert send.message.records == ()
    assert clock == (0, 1, 0)
    assert state == monitor.initial()


def response(count: int, *, sender: str = "P1", result: str = FRM) -> Response:
    """As if a had certainly fired before b."""
    record = Record(Reference("q0", "P1", "q1"), (1, 0, 0), result)  # type: ignore[arg-type]
    return Response(sender, "P2", Reference("q1", "P2", "q2"), count, (record,), (1, 0, 0), 0)


def asked_about_b() -> Told:
    """P2 has sent b and waits for the answer of P1; a never happened."""
    told = tell({"q0 q1": A, "q1 q2": B})
    told.sends(B)
    told.works("P2")
    return told


@pytest.mark.parametrize(
    "unexpected",
    [
        response(7),
        response(0),
        response(1, sender="P3"),
        response(1)._replace(inspected=Reference("q5", "P2", "q6")),
    ],
    ids=[
        "of a later event",
        "of an earlier event",
        "of a monitor that was not asked",
        "of another transition",
    ],
)
def test_a_response_that_nothing_waits_for_changes_no_word(unexpected: Response) -> None:
    told = asked_about_b()
    monitor, world = told.system.monitors[1], told.world
    state, clock, effects = monitor.step(world.states[1], world.clocks[1], unexpected)
    assert effects == []
    assert state.inspections == world.states[1].inspections
    told.world = world._replace(
        states=(world.states[0], state, world.states[2]),
        clocks=(world.clocks[0], clock, world.clocks[2]),
    )
    assert told.settles().last_verdicts() == {0: None}


def test_a_duplicate_response_is_ignored() -> None:
    told = two_ends()
    told.delivers("P2", "P1")
    (duplicate,) = told.world.channels[0 * len(NAMES) + 1]
    told.delivers("P1", "P2")
    monitor, world = told.system.monitors[1], told.world
    state, clock, effects = monitor.step(world.states[1], world.clocks[1], duplicate)
    assert effects == []
    assert (state, clock) == (world.states[1], world.clocks[1])
    assert told.settles().last_verdicts() == {3: "violated"}


def test_a_duplicate_inquiry_is_answered_again_and_alike() -> None:
    told = tell({"q0 q1": A, "q1 q2": B})
    told.sends(A)
    told.works("P1")
    monitor, world = told.system.monitors[0], told.world
    question = inquiry(Reference("q0", "P1", "q1"))
    state, clock, first = monitor.step(world.states[0], world.clocks[0], question)
    _, _, second = monitor.step(state, clock, question)
    assert first == second


@pytest.mark.parametrize("enough", [False, True])
def test_promises_of_inquiries_and_responses_are_taken_down_where_they_say_enough_more(
    enough: bool,
) -> None:
    """Of P1 and P2, who ask each other; P3 asks nobody."""
    told = tell({"q0 q1": A, "q1 q2": B, "q2 q3": D}, final=("q3",))
    told.sends(B)
    told.works("P2")
    promised = SMALL if enough else SMALL - 1
    question = inquiry(Reference("q0", "P1", "q1"))._replace(settled=promised)
    answer = response(1)._replace(settled=promised)
    for process, message in ((0, question), (1, answer)):
        monitor, clock = told.system.monitors[process], told.world.clocks[process]
        state, clock, _ = monitor.step(told.world.states[process], clock, message)
        assert state.settled == (promised if enough else 0,)
        state, _, _ = monitor.step(state, clock, message._replace(settled=0))
        assert state.settled == (promised if enough else 0,)


def test_promises_of_who_may_not_ask_are_not_taken_down() -> None:
    """There are as many as there are others that may ask, whatever the size of the system."""
    told = asked_about_b()
    first, second, third = told.system.monitors
    assert (first.readers, second.readers, third.readers) == ({"P2": 0}, {}, {})
    answer = response(1)._replace(settled=SMALL)
    state, _, _ = second.step(told.world.states[1], told.world.clocks[1], answer)
    assert (second.initial().settled, state.settled) == ((), ())


def test_processing_with_nothing_queued_is_an_error_of_the_driver() -> None:
    monitor = tell({"q0 q1": A, "q1 q2": B}).system.monitors[0]
    with pytest.raises(InternalError, match="P1"):
        monitor.step(monitor.initial(), (0, 0, 0), ProcessNext())


def test_an_event_at_once_while_another_is_queued_is_an_error_of_the_driver() -> None:
    told = tell({"q0 q1": A, "q1 q2": B})
    told.sends(A)
    (event,) = told.world.states[0].unprocessed
    with pytest.raises(InternalError, match="with 1 events queued"):
        told.system.monitors[0].step(told.world.states[0], told.world.clocks[0], event)


# What waits, and what is answered conservatively.


def settle_after(*, before: bool) -> tuple[Told, list[Effect]]:
    """b is asked about while a waits in the queue of P1; `before`: P2 knew of a."""
    told = tell({"q0 q1": A, "q1 q2": B})
    told.sends(A)
    if before:
        told.handles(A)
    told.sends(B)
    told.works("P2")
    return told, told.delivers("P2", "P1")


def test_an_answer_waits_for_a_queued_event_that_happened_before() -> None:
    told, effects = settle_after(before=True)
    assert effects == []
    assert len(told.world.states[0].postponed) == 1
    (send,) = told.works("P1")
    assert isinstance(send, Send)
    run: Run = told.settles()
    assert run.last_verdicts() == {2: "violated"}


def test_a_queued_event_that_is_concurrent_is_answered_as_possible_at_once() -> None:
    told, (send,) = settle_after(before=False)
    assert isinstance(send, Send)
    assert isinstance(send.message, Response)
    (record,) = send.message.records
    assert (record.clock, record.result) == ((1, 0, 0), FRM_P)
    assert told.settles().last_verdicts() == {1: "possibly-violated"}


def test_a_queued_event_with_another_label_is_not_told() -> None:
    """d fires (q0, d, q3) only; a could fire what is asked about, but happens later."""
    told = tell({"q0 q1": A, "q1 q2": B, "q0 q3": D, "q3 q2": B})
    told.sends(D)
    told.sends(B)
    told.works("P2")
    told.delivers("P2", "P1")
    told.delivers("P2", "P1")
    answers = told.world.channels[0 * len(NAMES) + 1]
    assert [
        [record.reference.target for record in answer.records]
        for answer in answers
        if isinstance(answer, Response)
    ] == [[], ["q3"]]


# A bound on what is open.


@pytest.mark.parametrize(("most_open", "given_up"), [(None, []), (2, [1]), (1, [1, 2])])
def test_of_more_open_inspections_than_may_be_the_oldest_are_given_up(
    most_open: int | None, given_up: list[int]
) -> None:
    system = tell({"q0 q1": A, "q1 q2": B}).system
    monitor = Monitor(system.monitors[1].table, NAMES, most_open=most_open)
    state, clock = monitor.initial(), (0, 0, 0)
    declared: list[tuple[VectorClock, str | None]] = []
    for count in (1, 2, 3):
        clock = (0, count, 0)
        state, clock, effects = monitor.step(state, clock, Event(Label(SEND, B), clock))
        declared += [
            (each.event, each.verdict and each.verdict.kind)
            for each in effects
            if isinstance(each, Declared)
        ]
    assert declared == [((0, count, 0), "possibly-violated") for count in given_up]
    assert len(state.inspections) == 3 - len(given_up)
