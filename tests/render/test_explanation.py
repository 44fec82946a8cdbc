from __future__ import annotations

from dataclasses import replace

from examples_to_draw import EVENTS, POSSIBLY, VIOLATED

from choreomon.core.run import RunReason
from choreomon.render.explanation import explanation

PRE, VIO = POSSIBLY.because


def test_a_violation_names_the_event_its_message_and_what_it_rests_on() -> None:
    explained = explanation(VIOLATED, EVENTS)
    assert explained.headline == (
        "P1 declares violated at event 2 (send P1 -> P3 : turnOn, 2 ms)."
    )
    assert explained.sentences == (
        "There q1 -> q2 surely fired, into a final state.",
        "Its pre-transition q0 -> q1 surely fired at event 1 (send P1 -> P2 : turnOff), "
        "before event 2.",
        "No cancellation of it is in question.",
        "So the forbidden sequence was formed, whatever the unknown orderings.",
    )


def test_a_possible_violation_names_the_record_and_the_unknown_order() -> None:
    assert (
        "That may have been cancelled by q1 -> q0 at event 4 (send P2 -> P1 : resume): "
        "event 4 may have come before or after event 5."
    ) in explanation(POSSIBLY, EVENTS).sentences


def test_a_cancellation_that_is_not_sure_to_have_fired_is_said_to_be_so() -> None:
    vio = replace(VIO, result="Frm_p", relation="before")
    text = str(explanation(replace(POSSIBLY, because=(PRE, vio)), EVENTS))
    assert "it is not sure that q1 -> q0 fired" in text
    assert "before or after event" not in text


def test_a_sure_cancellation_before_the_event_leaves_its_order_to_the_pre_record_open() -> None:
    vio = replace(VIO, relation="before")
    text = str(explanation(replace(POSSIBLY, because=(PRE, vio)), EVENTS))
    assert "event 4 may have come before or after event 1." in text


def test_a_certain_cancellation_is_stated_without_doubt() -> None:
    vio = replace(VIO, relation="before", certain=True)
    text = str(explanation(replace(POSSIBLY, because=(PRE, vio)), EVENTS))
    assert "That was certainly cancelled by q1 -> q0 at event 4" in text


def test_a_concurrent_pre_transition_may_have_come_before_or_after() -> None:
    pre = replace(PRE, relation="concurrent", result="Frm_p")
    sentences = explanation(replace(POSSIBLY, because=(pre,)), EVENTS).sentences
    assert sentences[1] == (
        "Its pre-transition q0 -> q1 possibly fired at event 1 (send P1 -> P2 : turnOff), "
        "which may have come before or after event 5."
    )


def test_each_cancellation_stands_with_the_record_that_it_concerns() -> None:
    other = RunReason(3, ("q0", "q1"), "pre", "Frm", "before", False)
    sentences = explanation(replace(POSSIBLY, because=(PRE, other, VIO)), EVENTS).sentences
    assert "cancelled" in sentences[2]
    assert "event 3" in sentences[3]
    assert sentences[4] == "No cancellation of it is in question."


def test_with_several_final_transitions_each_record_says_whose_it_is() -> None:
    verdict = replace(VIOLATED, transitions=(("q1", "q2"), ("q5", "q6")))
    assert "For q1 -> q2, the pre-transition q0 -> q1 surely fired" in str(explanation(verdict))


def test_a_transition_out_of_an_initial_state_needs_nothing_before_it() -> None:
    assert "It leaves an initial state, so nothing had to happen before it." in explanation(
        replace(VIOLATED, because=())
    ).sentences


def test_a_merged_record_names_the_events_it_lies_between() -> None:
    pre = replace(PRE, since=0)
    text = str(explanation(replace(POSSIBLY, because=(pre,)), EVENTS))
    assert "at events between 0 and event 1 (send P1 -> P2 : turnOff)" in text


def test_silent_monitors_are_named() -> None:
    one = str(explanation(replace(POSSIBLY, silent=("P2",))))
    two = str(explanation(replace(POSSIBLY, silent=("P1", "P2"))))
    assert "The monitor of P2 had not answered by then." in one
    assert "The monitors of P1, P2 had not answered by then." in two


def test_a_withdrawn_verdict_says_that_nothing_was_formed() -> None:
    explained = explanation(replace(POSSIBLY, verdict="withdrawn", transitions=(), because=()))
    assert explained.headline.startswith("P3 withdraws its verdict at event 5")
    assert explained.sentences[-1] == "Later answers showed that it was not."


def test_without_kept_events_the_label_of_the_verdict_is_used() -> None:
    explained = explanation(VIOLATED)
    assert explained.headline == "P1 declares violated at event 2 (P1 -> P3 : turnOn)."
    assert "fired at event 1, before event 2." in explained.sentences[1]
