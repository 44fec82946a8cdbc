from __future__ import annotations

from dataclasses import replace

from examples_to_draw import EVENTS, POSSIBLY, VIOLATED, automaton

from choreomon.core.run import RunReason
from choreomon.formats.labels import parse_label
from choreomon.properties.sequences import MessageSequence, sequences_automaton
from choreomon.render.explanation import MAX_EVENTS, MAX_RECORDS, explanation
from choreomon.render.forbidden_sequences import MAX_SEQUENCES

PRE, VIO = POSSIBLY.because


def test_a_violation_names_the_event_its_message_and_what_it_rests_on() -> None:
    explained = explanation(VIOLATED, EVENTS)
    assert explained.headline == ("P1 declares violated at event 2 (send P1 -> P3 : turnOn, 2 ms).")
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
    assert sentences[2] == (
        "Whether it fired there is open itself: what led to event 1, or whether that was "
        "cancelled before, is not sure."
    )


def test_what_is_sure_comes_before_what_only_may_be() -> None:
    sure = replace(PRE, event_index=3, certain=True)
    because = (replace(PRE, result="Frm_p"), PRE, sure)
    text = str(explanation(replace(POSSIBLY, because=because)))
    assert text.index("at event 3") < text.index("surely fired at event 1")
    assert text.index("surely fired at event 1") < text.index("possibly fired at event 1")


def test_one_event_that_cancels_by_several_transitions_is_said_once() -> None:
    other = replace(VIO, transition=("q5", "q4"))
    text = str(explanation(replace(POSSIBLY, because=(PRE, VIO, other))))
    assert text.count("may have been cancelled") == 1
    assert "cancelled by q1 -> q0 and q5 -> q4 at event 4" in text
    elsewhere = replace(other, event_index=3)
    text = str(explanation(replace(POSSIBLY, because=(PRE, VIO, elsewhere))))
    assert text.count("may have been cancelled") == 2


def test_of_several_sequences_it_is_said_which_one_is_meant() -> None:
    two = sequences_automaton(
        [
            MessageSequence(tuple(map(parse_label, ("P1 -> P2 : a", "P1 -> P2 : b")))),
            MessageSequence(tuple(map(parse_label, ("P1 -> P2 : b", "P1 -> P2 : c")))),
        ]
    )
    verdict = replace(VIOLATED, transitions=(("q4", "q5"),))
    assert explanation(verdict, (), two).sentences[1] == (
        "That is the last step of sequence 2: P1 -> P2 : b, then P1 -> P2 : c."
    )
    both = replace(VIOLATED, transitions=(("q1", "q2"), ("q4", "q5")))
    assert (
        "The last steps are q1 -> q2 of sequence 1 and q4 -> q5 of sequence 2."
        in explanation(both, (), two).sentences
    )
    shared = automaton(
        ["q0"],
        ["q2"],
        [
            ("q0", "P1 -> P2 : a", "q1"),
            ("q0", "P1 -> P2 : b", "q1"),
            ("q1", "P1 -> P3 : c", "q2"),
        ],
    )
    assert explanation(VIOLATED, (), shared).sentences[1] == (
        "That is the last step of sequence 1 or 2."
    )
    one = sequences_automaton([MessageSequence((parse_label("P1 -> P2 : a"),))])
    first = replace(verdict, transitions=(("q0", "q1"),))
    assert "last step" not in str(explanation(first, (), one))
    many = sequences_automaton(
        [MessageSequence((parse_label(f"P1 -> P2 : m{n}"),)) for n in range(MAX_SEQUENCES + 1)]
    )
    assert "last step" not in str(explanation(first, (), many))


def test_a_record_of_the_judged_event_itself_is_said_to_be_one() -> None:
    """The literal rules take equal clocks for concurrent."""
    pre = replace(PRE, event_index=5, relation="concurrent")
    vio = replace(VIO, event_index=5, of=5, of_transition=PRE.transition)
    sentences = explanation(replace(POSSIBLY, because=(pre, vio)), EVENTS).sentences
    assert sentences[1] == (
        "Its pre-transition q0 -> q1 surely fired at event 5 (handle P1 -> P3 : turnOn), which is "
        "the judged event itself."
    )
    assert sentences[2].endswith("event 5 is the judged event itself.")


def test_each_cancellation_stands_with_the_record_that_it_concerns() -> None:
    other = RunReason(3, ("q0", "q1"), "pre", "Frm", "before", False)
    sentences = explanation(replace(POSSIBLY, because=(PRE, other, VIO)), EVENTS).sentences
    assert "cancelled" in sentences[2]
    assert "event 3" in sentences[3]
    assert sentences[4] == "No cancellation of it is in question."


TWO_FINAL = (("q1", "q2"), ("q5", "q6"))
SURE = RunReason(1, ("q0", "q1"), "pre", "Frm", "before", True)
POSSIBLE = RunReason(0, ("q4", "q5"), "pre", "Frm", "concurrent", False)


def test_with_several_final_transitions_each_record_says_whose_it_is() -> None:
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(SURE, POSSIBLE))
    text = str(explanation(verdict))
    assert "For q1 -> q2, the pre-transition q0 -> q1 surely fired" in text
    assert "For q5 -> q6, the pre-transition q4 -> q5 surely fired" in text


def test_only_a_transition_that_surely_fired_is_said_to_have() -> None:
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(SURE, POSSIBLE))
    assert explanation(verdict).sentences[0] == (
        "There q1 -> q2 surely fired, and q5 -> q6 possibly, into final states."
    )
    both = replace(verdict, because=(SURE, replace(POSSIBLE, certain=True)))
    assert explanation(both).sentences[0] == (
        "There q1 -> q2 and q5 -> q6 surely fired, into final states."
    )


def test_a_final_transition_that_starts_surely_fired_beside_one_that_possibly_did() -> None:
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(POSSIBLE,))
    assert explanation(verdict).sentences[:2] == (
        "There q1 -> q2 surely fired, and q5 -> q6 possibly, into final states.",
        "For q1 -> q2, which leaves an initial state, nothing had to happen before.",
    )


def test_while_answers_are_missing_which_of_them_surely_fired_is_left_open() -> None:
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(), silent=("P2",))
    assert explanation(verdict).sentences[0] == (
        "There q1 -> q2 or q5 -> q6 surely fired, into a final state."
    )


def test_a_withdrawn_word_does_not_say_that_its_transitions_fired() -> None:
    before = replace(PRE, certain=False)
    gone = RunReason(4, ("q1", "q0"), "vio", "Frm", "before", True, 1, PRE.transition)
    verdict = replace(VIOLATED, verdict="withdrawn", transitions=TWO_FINAL, because=(before, gone))
    text = str(explanation(verdict))
    assert "For q1 -> q2, the pre-transition q0 -> q1" in text
    assert "That was certainly cancelled by q1 -> q0" in text
    assert "q1 -> q2 surely fired" not in text
    assert "q1 -> q2 possibly fired" not in text


def test_a_record_on_which_two_final_transitions_rest_names_both() -> None:
    verdict = replace(POSSIBLY, transitions=(("q1", "q2"), ("q1", "q3")))
    assert "For q1 -> q2 and q1 -> q3, the pre-transition q0 -> q1" in str(explanation(verdict))


def test_two_records_of_one_event_keep_their_own_cancellations() -> None:
    """Whatever the order in which the reasons stand."""
    other = replace(PRE, transition=("q4", "q5"))
    verdict = replace(POSSIBLY, transitions=TWO_FINAL, because=(PRE, other, VIO))
    sentences = explanation(verdict).sentences
    assert sentences[2].startswith("That may have been cancelled by q1 -> q0")
    assert sentences[-2] == "No cancellation of it is in question."
    assert str(explanation(verdict)).count("may have been cancelled") == 1


def test_a_cancellation_concerns_every_answer_about_its_record_that_was_not_certain() -> None:
    """Two inquiries about one record may be answered differently; the cancellation, which
    both answers had, stands in the list once."""
    undecided = replace(PRE, result="Frm_p")
    two = (("q1", "q2"), ("q1", "q3"))
    verdict = replace(POSSIBLY, transitions=two, because=(undecided, VIO, PRE))
    assert str(explanation(verdict)).count("may have been cancelled by q1 -> q0") == 2
    verdict = replace(verdict, because=(undecided, VIO, replace(PRE, certain=True)))
    assert "No cancellation of it is in question." in explanation(verdict).sentences


def test_a_transition_out_of_an_initial_state_needs_nothing_before_it() -> None:
    assert (
        "It leaves an initial state, so nothing had to happen before it."
        in explanation(replace(VIOLATED, because=())).sentences
    )


def test_a_merged_record_names_the_events_that_it_stands_for() -> None:
    pre = replace(PRE, since=0, relation="concurrent")
    text = str(explanation(replace(POSSIBLY, because=(pre,)), EVENTS))
    assert (
        "fired at event 1 (send P1 -> P2 : turnOff), in a record that stands for events 0 to 1, "
        "which may have come before or after event 5."
    ) in text


def test_a_merged_cancellation_leaves_open_where_its_events_belong() -> None:
    vio = replace(VIO, since=3)
    assert explanation(replace(POSSIBLY, because=(PRE, vio)), EVENTS).sentences[2] == (
        "That may have been cancelled by q1 -> q0 at event 4 (send P2 -> P1 : resume), in a "
        "record that stands for events 3 to 4: these may have come before or after event 5."
    )


def test_silent_monitors_are_named() -> None:
    one = str(explanation(replace(POSSIBLY, silent=("P2",))))
    two = str(explanation(replace(POSSIBLY, silent=("P1", "P2"))))
    assert "The monitor of P2 had not answered by then." in one
    assert "The monitors of P1, P2 had not answered by then." in two


def test_a_withdrawn_verdict_says_that_nothing_was_formed() -> None:
    explained = explanation(replace(POSSIBLY, verdict="withdrawn", transitions=(), because=()))
    assert explained.headline.startswith("P3 withdraws its verdict at event 5")
    assert explained.sentences[-1] == "Later answers showed that the sequence was not formed there."


def test_without_kept_events_the_label_of_the_verdict_is_used() -> None:
    explained = explanation(VIOLATED)
    assert explained.headline == "P1 declares violated at event 2 (P1 -> P3 : turnOn)."
    assert "fired at event 1, before event 2." in explained.sentences[1]


def test_a_violation_without_a_certain_record_says_that_the_orders_agree() -> None:
    """Precise rules search the orders; the reasons are the records one by one."""
    pre, vio = replace(PRE, certain=False), VIO
    one = replace(VIOLATED, because=(pre, vio))
    assert explanation(one).sentences[-2:] == (
        "That is not certain by itself, but in every order that is consistent with the clocks it "
        "led there.",
        "So the forbidden sequence was formed, whatever the unknown orderings.",
    )
    two = replace(one, because=(pre, vio, replace(pre, event_index=0, result="Frm_p")))
    assert explanation(two).sentences[-2] == (
        "None of these is certain by itself, but in every order that is consistent with the "
        "clocks one of them led there."
    )


def test_a_withdrawal_without_a_certain_cancellation_says_that_the_orders_agree() -> None:
    verdict = replace(POSSIBLY, verdict="withdrawn", because=(PRE, VIO))
    assert explanation(verdict).sentences[-2:] == (
        "But in no order that is consistent with the clocks did it lead there.",
        "Later answers showed that the sequence was not formed there.",
    )
    two = replace(verdict, because=(PRE, VIO, replace(PRE, event_index=0)))
    assert "in no order that is consistent with the clocks did any of these lead" in str(
        explanation(two)
    )
    sure = replace(verdict, because=(PRE, replace(VIO, relation="before", certain=True)))
    assert "in no order" not in str(explanation(sure))


def test_it_is_not_said_of_orders_where_a_missing_answer_may_be_the_reason() -> None:
    pre = replace(PRE, certain=False)
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(pre,), silent=("P2",))
    assert "order that is consistent" not in str(explanation(verdict))
    assert "order that is consistent" in str(
        explanation(replace(verdict, transitions=TWO_FINAL[:1]))
    )


def test_a_possible_violation_with_a_certain_record_says_why_it_is_not_more() -> None:
    verdict = replace(POSSIBLY, because=(SURE,))
    alone = "By that alone it would be certain, but there was more than its monitor weighs."
    assert explanation(verdict).sentences[-2] == alone
    assert alone not in explanation(replace(verdict, silent=("P2",))).sentences
    assert alone not in explanation(replace(verdict, early=True)).sentences


def test_while_an_earlier_event_is_open_a_provisional_word_says_so() -> None:
    sentences = explanation(replace(POSSIBLY, because=(SURE,), early=True)).sentences
    assert sentences[-3:-1] == (
        "No cancellation of it is known.",
        "An earlier event of its own was not decided by then.",
    )
    sentences = explanation(replace(POSSIBLY, because=(SURE,), silent=("P2",))).sentences
    assert "No cancellation of it is known." in sentences


def test_records_of_which_the_same_is_to_be_said_are_told_together() -> None:
    because = tuple(replace(POSSIBLE, event_index=at, result="Frm_p") for at in (1, 2, 3))
    verdict = replace(POSSIBLY, transitions=TWO_FINAL[1:], because=because)
    assert explanation(verdict).sentences[1:3] == (
        "Its pre-transition q4 -> q5 possibly fired at event 1, event 2 and event 3, which may "
        "have come before or after event 5.",
        "Whether it fired there is open itself: what led to these events, or whether that was "
        "cancelled before, is not sure.",
    )
    sure = tuple(replace(each, result="Frm") for each in because[:2])
    assert (
        "No cancellation of them is in question."
        in explanation(replace(verdict, because=sure)).sentences
    )


def test_cancellations_of_which_the_same_is_to_be_said_are_told_together() -> None:
    vios = tuple(replace(VIO, event_index=at) for at in (3, 4))
    assert explanation(replace(POSSIBLY, because=(PRE, *vios))).sentences[2] == (
        "That may have been cancelled by q1 -> q0 at event 3 and event 4: these may have come "
        "before or after event 5."
    )
    certain = tuple(replace(vio, relation="before", certain=True) for vio in vios)
    assert explanation(replace(POSSIBLY, because=(PRE, *certain))).sentences[2] == (
        "That was certainly cancelled by q1 -> q0 at event 3 and event 4."
    )
    known = tuple(replace(vio, relation="before") for vio in vios)
    assert (
        explanation(replace(POSSIBLY, because=(PRE, *known)))
        .sentences[2]
        .endswith(": these may have come before or after event 1.")
    )
    same = replace(VIO, event_index=PRE.event_index, relation="before")
    assert (
        explanation(replace(POSSIBLY, because=(PRE, same)))
        .sentences[2]
        .endswith(": event 1 is the same event.")
    )


def test_of_many_events_and_records_the_number_of_the_others_is_told() -> None:
    vios = tuple(replace(VIO, event_index=at) for at in range(10, 10 + MAX_EVENTS + 2))
    text = str(explanation(replace(POSSIBLY, because=(PRE, *vios))))
    assert "event 13 and 2 more events: these may" in text
    assert "event 14" not in text
    pres = tuple(replace(PRE, event_index=at) for at in range(MAX_RECORDS + 1))
    each = tuple(replace(VIO, of=at, event_index=20 + at) for at in range(MAX_RECORDS + 1))
    sentences = explanation(replace(POSSIBLY, because=(*pres, *each))).sentences
    assert sentences[-2] == "1 more record of pre-transitions is not told here."
    assert len(sentences) == 1 + 2 * MAX_RECORDS + 2
