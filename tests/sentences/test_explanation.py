from __future__ import annotations

import re
from dataclasses import replace

from choreomon.core.labels import parse_label
from choreomon.core.run import RunReason
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from choreomon.sentences.explanation import MAX_EVENTS, MAX_RECORDS, explanation
from choreomon.sentences.forbidden_sequences import MAX_SEQUENCES
from tests.pictures.examples_to_draw import EVENTS, POSSIBLY, VIOLATED, automaton

PRE, VIO = POSSIBLY.because


def test_a_violation_names_the_event_its_message_and_what_it_rests_on() -> None:
    explained = explanation(VIOLATED, EVENTS)
    assert explained.headline == "P1 declares violated at event 2 (send P1 -> P3 : turnOn)."
    assert explained.sentences == (
        "Transition q1 -> q2 certainly fired here; it completes the sequence.",
        "The transition before it, q0 -> q1, fired at event 1 (send P1 -> P2 : turnOff), "
        "before event 2.",
        "Nothing cancelled this transition.",
        "In every possible order the forbidden sequence was formed.",
        "It happened at 2 ms, and this was declared at 2.5 ms (0.5 ms later).",
    )


def test_a_possible_violation_names_the_record_and_the_unknown_order() -> None:
    assert (
        "This transition may have been cancelled by q1 -> q0 at event 4 (send P2 -> P1 : resume): "
        "event 4 may have come before or after event 5."
    ) in explanation(POSSIBLY, EVENTS).sentences


def test_a_cancellation_that_is_not_sure_to_have_fired_is_said_to_be_so() -> None:
    vio = replace(VIO, result="Frm_p", relation="before")
    text = str(explanation(replace(POSSIBLY, because=(PRE, vio)), EVENTS))
    assert "it is not certain that q1 -> q0 fired" in text
    assert "before or after event" not in text


def test_a_sure_cancellation_before_the_event_leaves_its_order_to_the_pre_record_open() -> None:
    vio = replace(VIO, relation="before")
    text = str(explanation(replace(POSSIBLY, because=(PRE, vio)), EVENTS))
    assert "event 4 may have come before or after event 1." in text


def test_a_certain_cancellation_is_stated_without_doubt() -> None:
    vio = replace(VIO, relation="before", certain=True)
    text = str(explanation(replace(POSSIBLY, because=(PRE, vio)), EVENTS))
    assert "This transition was certainly cancelled by q1 -> q0 at event 4" in text


def test_a_concurrent_pre_transition_may_have_come_before_or_after() -> None:
    pre = replace(PRE, relation="concurrent", result="Frm_p")
    sentences = explanation(replace(POSSIBLY, because=(pre,)), EVENTS).sentences
    assert sentences[1] == (
        "The transition before it, q0 -> q1, may have fired at event 1 (send P1 -> P2 : turnOff), "
        "which may have come before or after event 5."
    )
    assert sentences[2] == (
        "Whether event 1 counts as that transition is not certain: it depends on what happened "
        "before."
    )


def test_what_is_sure_comes_before_what_only_may_be() -> None:
    sure = replace(PRE, event_index=3, certain=True)
    because = (replace(PRE, result="Frm_p"), PRE, sure)
    text = str(explanation(replace(POSSIBLY, because=because)))
    assert text.index("at event 3") < text.index(" q0 -> q1, fired at event 1")
    assert text.index(" fired at event 1") < text.index("may have fired at event 1")


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
        "Sequence 2 is P1 -> P2 : b, then P1 -> P2 : c."
    )
    assert explanation(verdict, (), two).sentences[-1] == (
        "In every possible order sequence 2 was formed."
    )
    maybe = replace(PRE, transition=("q3", "q4"), relation="concurrent")
    both = replace(VIOLATED, transitions=(("q1", "q2"), ("q4", "q5")))
    both = replace(both, because=(*VIOLATED.because, maybe))
    assert explanation(both, (), two).sentences[1:4] == (
        "Step 2 of sequence 2 may have happened here, too.",
        "Sequence 1 is P1 -> P2 : a, then P1 -> P2 : b.",
        "Sequence 2 is P1 -> P2 : b, then P1 -> P2 : c.",
    )
    written = sequence_automaton(
        initial=two.initial,
        final=two.final,
        transitions=[StatedTransition(*each) for each in two.forward],
    )
    assert (
        "The last steps are q1 -> q2 of sequence 1 and q4 -> q5 of sequence 2."
        in explanation(both, (), written).sentences
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


CANCELLED = sequences_automaton(
    [
        MessageSequence(
            tuple(map(parse_label, ("P1 -> P2 : turnOff", "P1 -> P3 : turnOn"))),
            (Cancellation(parse_label("P2 -> P1 : resume"), (1, 1), 0),),
        )
    ]
)


def test_of_what_was_written_as_sequences_steps_are_named_and_no_states() -> None:
    sure = explanation(VIOLATED, EVENTS, CANCELLED)
    assert sure.sentences == (
        "Step 2 of sequence 1 certainly happened here; it completes the sequence.",
        "The step before it happened at event 1 (send P1 -> P2 : turnOff), before event 2.",
        "Nothing cancelled this step.",
        "In every possible order the forbidden sequence was formed.",
        "It happened at 2 ms, and this was declared at 2.5 ms (0.5 ms later).",
    )
    open_ = replace(VIO, result="Frm_p")
    possible = explanation(replace(POSSIBLY, because=(PRE, open_)), EVENTS, CANCELLED)
    assert possible.sentences[0] == (
        "Step 2 of sequence 1 may have happened here; it would complete the sequence."
    )
    assert possible.sentences[3] == (
        "This step may have been cancelled at event 4 (send P2 -> P1 : resume): event 4 may have "
        "come before or after event 5, and it is not certain that anything was cancelled there."
    )
    certain = replace(VIO, relation="before", certain=True)
    cancelled = explanation(replace(POSSIBLY, because=(PRE, certain)), EVENTS, CANCELLED)
    assert cancelled.sentences[3] == (
        "This step was certainly cancelled at event 4 (send P2 -> P1 : resume), or before."
    )
    for text in (sure, possible, cancelled):
        assert not re.search(r"\bq\d|transition|fired", str(text))


def test_states_are_named_beside_the_steps_where_somebody_asks() -> None:
    sure = explanation(VIOLATED, EVENTS, CANCELLED, verbose=True)
    assert sure.sentences[0] == (
        "Step 2 of sequence 1 (q1 -> q2) certainly happened here; it completes the sequence."
    )
    assert sure.sentences[1].startswith("The step before it (q0 -> q1) happened at event 1")
    possible = explanation(POSSIBLY, EVENTS, CANCELLED, verbose=True)
    assert "This step may have been cancelled by q1 -> q0 at event 4" in str(possible)


def test_of_several_last_steps_each_has_its_own_step_before() -> None:
    two = sequences_automaton(
        [
            MessageSequence(tuple(map(parse_label, ("P1 -> P2 : a", "P1 -> P3 : turnOn")))),
            MessageSequence((parse_label("P1 -> P3 : turnOn"),)),
        ]
    )
    verdict = replace(VIOLATED, transitions=(("q0", "q1"), ("q3", "q4")))
    alone = replace(verdict, transitions=(("q3", "q4"),), because=())
    assert explanation(alone, (), two).sentences[2] == (
        "It is the first step of its sequence, so nothing had to happen before it."
    )
    verdict = replace(verdict, transitions=(("q1", "q2"), ("q3", "q4")))
    assert explanation(verdict, (), two).sentences[0] == (
        "Step 2 of sequence 1 and step 1 of sequence 2 certainly happened here; each completes "
        "its sequence."
    )
    assert explanation(verdict, (), two).sentences[3:5] == (
        "Step 1 of sequence 2 needs nothing before it.",
        "The step before step 2 of sequence 1 happened at event 1, before event 2.",
    )


def test_a_record_of_the_judged_event_itself_is_said_to_be_one() -> None:
    """The literal rules take equal clocks for concurrent."""
    pre = replace(PRE, event_index=5, relation="concurrent")
    vio = replace(VIO, event_index=5, of=5, of_transition=PRE.transition)
    sentences = explanation(replace(POSSIBLY, because=(pre, vio)), EVENTS).sentences
    assert sentences[1] == (
        "The transition before it, q0 -> q1, fired at event 5 (handle P1 -> P3 : turnOn), which is "
        "the event of the verdict itself."
    )
    assert sentences[2].endswith("event 5 is the event of the verdict itself.")


def test_each_cancellation_stands_with_the_record_that_it_concerns() -> None:
    other = RunReason(3, ("q0", "q1"), "pre", "Frm", "before", False)
    sentences = explanation(replace(POSSIBLY, because=(PRE, other, VIO)), EVENTS).sentences
    assert "cancelled" in sentences[3]
    assert "event 3" in sentences[4]
    assert sentences[6] == "Nothing is known to have cancelled this transition."


TWO_FINAL = (("q1", "q2"), ("q5", "q6"))
SURE = RunReason(1, ("q0", "q1"), "pre", "Frm", "before", True)
POSSIBLE = RunReason(0, ("q4", "q5"), "pre", "Frm", "concurrent", False)


def test_with_several_final_transitions_each_record_says_whose_it_is() -> None:
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(SURE, POSSIBLE))
    text = str(explanation(verdict))
    assert "The transition before transition q1 -> q2, q0 -> q1, fired" in text
    assert "The transition before transition q5 -> q6, q4 -> q5, fired" in text


def test_only_a_transition_that_surely_fired_is_said_to_have() -> None:
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(SURE, POSSIBLE))
    assert explanation(verdict).sentences[:2] == (
        "Transition q1 -> q2 certainly fired here; it completes the sequence.",
        "Transition q5 -> q6 may have fired here, too.",
    )
    both = replace(verdict, because=(SURE, replace(POSSIBLE, certain=True)))
    assert explanation(both).sentences[0] == (
        "Transition q1 -> q2 and transition q5 -> q6 certainly fired here; each completes its "
        "sequence."
    )


def test_a_final_transition_that_starts_surely_fired_beside_one_that_possibly_did() -> None:
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(POSSIBLE,))
    assert explanation(verdict).sentences[:3] == (
        "Transition q1 -> q2 certainly fired here; it completes the sequence.",
        "Transition q5 -> q6 may have fired here, too.",
        "Transition q1 -> q2 needs nothing before it.",
    )


def test_while_answers_are_missing_which_of_them_surely_fired_is_left_open() -> None:
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(), silent=("P2",))
    assert explanation(verdict).sentences[0] == (
        "Transition q1 -> q2 or transition q5 -> q6 certainly fired here; it completes the "
        "sequence."
    )


def test_nor_is_one_without_a_record_a_start_while_an_earlier_event_is_open() -> None:
    missing = replace(VIOLATED, transitions=TWO_FINAL, because=(), early=True)
    sentences = explanation(missing).sentences
    assert sentences[0].startswith("Transition q1 -> q2 or transition q5 -> q6 certainly fired")
    assert not any("nothing before it" in sentence for sentence in sentences)


def test_a_withdrawn_word_does_not_say_that_its_transitions_fired() -> None:
    before = replace(PRE, certain=False)
    gone = RunReason(4, ("q1", "q0"), "vio", "Frm", "before", True, 1, PRE.transition)
    verdict = replace(VIOLATED, verdict="withdrawn", transitions=TWO_FINAL, because=(before, gone))
    text = str(explanation(verdict))
    assert "The transition before transition q1 -> q2, q0 -> q1," in text
    assert "This transition was certainly cancelled by q1 -> q0" in text
    assert "q1 -> q2 certainly fired" not in text
    assert "q1 -> q2 may have fired" not in text


def test_a_record_on_which_two_final_transitions_rest_names_both() -> None:
    verdict = replace(POSSIBLY, transitions=(("q1", "q2"), ("q1", "q3")))
    named = "The transition before transition q1 -> q2 and transition q1 -> q3, q0 -> q1,"
    assert named in str(explanation(verdict))


def test_two_records_of_one_event_keep_their_own_cancellations() -> None:
    """Whatever the order in which the reasons stand."""
    other = replace(PRE, transition=("q4", "q5"))
    verdict = replace(POSSIBLY, transitions=TWO_FINAL, because=(PRE, other, VIO))
    sentences = explanation(verdict).sentences
    assert sentences[2].startswith("This transition may have been cancelled by q1 -> q0")
    assert sentences[-2] == "Nothing is known to have cancelled this transition."
    assert str(explanation(verdict)).count("may have been cancelled") == 1


def test_a_cancellation_concerns_every_answer_about_its_record_that_was_not_certain() -> None:
    """Two inquiries about one record may be answered differently; the cancellation, which
    both answers had, stands in the list once."""
    undecided = replace(PRE, result="Frm_p")
    two = (("q1", "q2"), ("q1", "q3"))
    verdict = replace(POSSIBLY, transitions=two, because=(undecided, VIO, PRE))
    assert str(explanation(verdict)).count("may have been cancelled by q1 -> q0") == 2
    verdict = replace(verdict, because=(undecided, VIO, replace(PRE, certain=True)))
    assert "Nothing cancelled this transition." in explanation(verdict).sentences


def test_a_transition_out_of_an_initial_state_needs_nothing_before_it() -> None:
    assert (
        "It leaves an initial state, so nothing had to happen before it."
        in explanation(replace(VIOLATED, because=())).sentences
    )


def test_a_merged_record_names_the_events_that_it_stands_for() -> None:
    pre = replace(PRE, since=0, relation="concurrent")
    text = str(explanation(replace(POSSIBLY, because=(pre,)), EVENTS))
    assert (
        "fired at event 1 (send P1 -> P2 : turnOff), remembered as one with the others of events 0 "
        "to 1, which may have come before or after event 5."
    ) in text


def test_a_merged_cancellation_leaves_open_where_its_events_belong() -> None:
    vio = replace(VIO, since=3)
    assert explanation(replace(POSSIBLY, because=(PRE, vio)), EVENTS).sentences[3] == (
        "This transition may have been cancelled by q1 -> q0 at event 4 (send P2 -> P1 : resume), "
        "remembered as one with the others of events 3 to 4: these may have come before or after "
        "event 5."
    )


def test_silent_monitors_are_named() -> None:
    one = str(explanation(replace(POSSIBLY, silent=("P2",))))
    two = str(explanation(replace(POSSIBLY, silent=("P1", "P2"))))
    slots = tuple(f"shop/{number}" for number in range(8))
    role = str(explanation(replace(POSSIBLY, silent=slots)))
    assert "The monitors of shop/0 to shop/7 had not answered by then." in role
    of_all = str(explanation(replace(POSSIBLY, silent=slots), processes=("P1", *slots)))
    assert "The monitors of shop (all 8 slots) had not answered by then." in of_all
    assert "The monitor of P2 had not answered by then." in one
    assert "The monitors of P1, P2 had not answered by then." in two


def test_a_withdrawn_verdict_says_that_nothing_was_formed() -> None:
    explained = explanation(replace(POSSIBLY, verdict="withdrawn", transitions=(), because=()))
    assert explained.headline.startswith("P3 withdraws its verdict at event 5")
    assert explained.sentences[-1] == "Later answers showed that the sequence was not formed here."


def test_without_kept_events_the_label_of_the_verdict_is_used() -> None:
    explained = explanation(VIOLATED)
    assert explained.headline == "P1 declares violated at event 2 (P1 -> P3 : turnOn)."
    assert "fired at event 1, before event 2." in explained.sentences[1]


def test_a_violation_without_a_certain_record_says_that_the_orders_agree() -> None:
    """Precise rules search the orders; the reasons are the records one by one."""
    pre, vio = replace(PRE, certain=False), VIO
    one = replace(VIOLATED, because=(pre, vio))
    assert explanation(one).sentences[-2:] == (
        "By itself that is not certain, but in every possible order it led here.",
        "In every possible order the forbidden sequence was formed.",
    )
    two = replace(one, because=(pre, vio, replace(pre, event_index=0, result="Frm_p")))
    assert explanation(two).sentences[-2] == (
        "None of these is certain by itself, but in every possible order one led here."
    )


def test_a_withdrawal_without_a_certain_cancellation_says_that_the_orders_agree() -> None:
    verdict = replace(POSSIBLY, verdict="withdrawn", because=(PRE, VIO))
    assert explanation(verdict).sentences[-2:] == (
        "But in no possible order did it lead here.",
        "Later answers showed that the sequence was not formed here.",
    )
    two = replace(verdict, because=(PRE, VIO, replace(PRE, event_index=0)))
    assert "in no possible order did any of these lead" in str(explanation(two))
    sure = replace(verdict, because=(PRE, replace(VIO, relation="before", certain=True)))
    assert "in no possible order" not in str(explanation(sure))


def test_it_is_not_said_of_orders_where_a_missing_answer_may_be_the_reason() -> None:
    pre = replace(PRE, certain=False)
    verdict = replace(VIOLATED, transitions=TWO_FINAL, because=(pre,), silent=("P2",))
    assert "every possible order it led" not in str(explanation(verdict))
    assert "every possible order it led" in str(
        explanation(replace(verdict, transitions=TWO_FINAL[:1]))
    )


def test_a_possible_violation_with_a_certain_record_says_why_it_is_not_more() -> None:
    verdict = replace(POSSIBLY, because=(SURE,))
    alone = (
        "That alone would make it certain, but its monitor has reached the limit of what it "
        "compares."
    )
    assert explanation(verdict).sentences[-2] == alone
    assert alone not in explanation(replace(verdict, silent=("P2",))).sentences
    assert alone not in explanation(replace(verdict, early=True)).sentences


def test_while_an_earlier_event_is_open_a_provisional_word_says_so() -> None:
    sentences = explanation(replace(POSSIBLY, because=(SURE,), early=True)).sentences
    assert sentences[-3:-1] == (
        "Nothing is known to have cancelled this transition.",
        "An earlier event of the same process was not decided by then.",
    )
    sentences = explanation(replace(POSSIBLY, because=(SURE,), silent=("P2",))).sentences
    assert "Nothing is known to have cancelled this transition." in sentences
    given_up = replace(POSSIBLY, because=(replace(SURE, certain=False),))
    assert "Nothing is known to have cancelled this transition." in explanation(given_up).sentences


def test_records_of_which_the_same_is_to_be_said_are_told_together() -> None:
    because = tuple(replace(POSSIBLE, event_index=at, result="Frm_p") for at in (1, 2, 3))
    verdict = replace(POSSIBLY, transitions=TWO_FINAL[1:], because=because)
    assert explanation(verdict).sentences[1:3] == (
        "The transition before it, q4 -> q5, may have fired at event 1, event 2 and event 3, "
        "which may have come before or after event 5.",
        "Whether these count as that transition is not certain: it depends on what happened "
        "before.",
    )
    sure = tuple(replace(each, result="Frm") for each in because[:2])
    assert (
        "Nothing cancelled these transitions."
        in explanation(replace(verdict, because=sure)).sentences
    )


def test_a_record_that_was_merged_with_no_other_is_told_as_that_of_its_event() -> None:
    alone = tuple(replace(POSSIBLE, event_index=at, result="Frm_p", since=at) for at in (1, 2))
    verdict = replace(POSSIBLY, transitions=TWO_FINAL[1:], because=alone)
    told = str(explanation(verdict))
    assert "may have fired at event 1 and event 2, which may" in told
    assert "remembered" not in told


def test_an_event_of_which_two_records_are_left_out_counts_once() -> None:
    listed = tuple(
        replace(POSSIBLE, event_index=at, result="Frm_p", since=at - 1) for at in range(10, 15)
    )
    left = (replace(listed[0], event_index=20), replace(listed[0], event_index=20, since=15))
    again = replace(listed[0], since=5)
    verdict = replace(POSSIBLY, transitions=TWO_FINAL[1:], because=(*listed, *left, again))
    assert len(listed) == MAX_RECORDS
    assert (
        "1 more event that may have been the transition before is not listed."
        in explanation(verdict).sentences
    )


def test_cancellations_of_which_the_same_is_to_be_said_are_told_together() -> None:
    vios = tuple(replace(VIO, event_index=at) for at in (3, 4))
    assert explanation(replace(POSSIBLY, because=(PRE, *vios))).sentences[2] == (
        "This transition may have been cancelled by q1 -> q0 at event 3 and event 4: these may "
        "have come before or after event 5."
    )
    certain = tuple(replace(vio, relation="before", certain=True) for vio in vios)
    assert explanation(replace(POSSIBLY, because=(PRE, *certain))).sentences[2] == (
        "This transition was certainly cancelled by q1 -> q0 at event 3 or event 4, or before."
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
    assert sentences[-2] == "1 more event that may have been the transition before is not listed."
    assert len(sentences) == 1 + 2 * MAX_RECORDS + 2
