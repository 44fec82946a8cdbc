"""The semantics over a total order, by words (docs/properties.md, "What a property means")."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.message import Label
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.reference import Formation, formations
from choreomon.properties.relations import pre_transitions, vio_transitions
from tests.properties.words import automaton, formed, labels
from tests.strategies import automata

CHAIN = "q0 a q1, q1 b q2, q2 c q3"


def test_messages_that_no_enabled_transition_mentions_change_nothing() -> None:
    assert formed(automaton(CHAIN, final="q3"), "c.ba..c.ab.c") == [11]
    assert formed(automaton(CHAIN, final="q3"), "acbbc") == [4]


def test_the_property_is_formed_again_at_every_further_last_message() -> None:
    assert formed(automaton(CHAIN, final="q3"), "abcc") == [2, 3]


def test_a_cancellation_cancels_every_live_start_and_not_only_one() -> None:
    """The underlying automaton accepts the word through the second a."""
    found = automaton(f"{CHAIN}, q2 v q0", final="q3")
    assert formed(found, "abavbc") == []
    assert formed(found, "abvabc") == [5]


def test_a_transition_that_was_cancelled_is_gone_for_other_cancellations_too() -> None:
    """The underlying automaton accepts the word: w leads it to q1, where v means nothing."""
    found = automaton(f"{CHAIN}, q1 w q0, q2 v q1", final="q3")
    assert formed(found, "abwvbc") == []


def test_cause_1_a_cancellation_after_the_last_message_comes_too_late() -> None:
    found = automaton("q0 a q1, q1 b q2, q1 v q0", final="q2")
    assert formed(found, "abv") == [1]
    assert formed(found, "avb") == []


CAUSE_2 = "q0 a q1, q1 b q2, q2 x q3, q1 c q3, q2 v q0"


def test_cause_2_a_cancellation_before_its_state_is_reached_does_nothing() -> None:
    found = automaton(CAUSE_2, final="q3")
    assert formed(found, "avbc") == [3]
    assert formed(found, "abvc") == []


def test_cause_3_a_state_that_was_left_backwards_cannot_be_left_backwards_again() -> None:
    found = automaton(f"{CHAIN}, q2 w q1, q2 v q0", final="q3")
    assert formed(found, "abwvbc") == [5]
    assert formed(found, "abvbc") == []


def test_cause_4_an_initial_state_with_incoming_transitions_starts_and_continues() -> None:
    found = automaton("q0 a q1, q1 b q2", initial="q0 q1", final="q2")
    assert formed(found, "b") == [0]
    assert formed(found, "ab") == [1]


def test_backward_transitions_need_a_live_pre_transition_at_initial_states_too() -> None:
    found = automaton("q0 x q1, q1 y q2, q2 v q0", initial="q0 q2", final="q2")
    assert formed(found, "xvy") == [2]
    assert formed(found, "xyvy") == [1]


def test_a_pre_transition_off_the_way_back_does_not_let_a_cancellation_fire() -> None:
    """v leads from q3 back to q1, and c enters q3 by another way: v does nothing before f, so
    that b and f still count after w took c back."""
    found = automaton(
        "q0 a q1, q1 b q5, q5 f q3, q0 d q2, q2 c q3, q3 e q4, q3 v q1, q3 w q2", final="q4"
    )
    assert formed(found, "dcve") == [3]
    assert formed(found, "abfve") == []
    assert formed(found, "abdcvfwe") == [7]
    assert formed(found, "abdcfvwe") == []


def test_one_message_may_label_a_forward_and_a_backward_transition_at_once() -> None:
    """The second x completes the sequence and cancels its start, judged as it was before."""
    found = automaton("q0 a q1, q1 x q2, q1 x q0", final="q2")
    assert formed(found, "ax") == [1]
    assert formed(found, "axx") == [1]


def test_what_an_event_fires_is_not_cancelled_by_the_same_event() -> None:
    found = automaton("q0 a q1, q1 b q2, q1 a q0", final="q2")
    assert formed(found, "ab") == [1]
    assert formed(found, "aab") == [2]
    found = automaton("q0 a q1, q1 x q2, q2 b q3, q1 x q0, q2 w q1", final="q3")
    assert formed(found, "axb") == [2]


def test_one_message_on_two_steps_does_one_step_at_a_time() -> None:
    assert formed(automaton("q0 a q1, q1 a q2", final="q2"), "aaa") == [1, 2]


def test_branches_are_followed_at_once() -> None:
    found = automaton("q0 a q1, q0 a q2, q1 b q3, q2 c q3", final="q3")
    assert formed(found, "acb") == [1, 2]


def test_a_final_state_may_be_passed_through() -> None:
    assert formed(automaton(CHAIN, final="q1 q3"), "abc") == [0, 2]


def test_a_transition_back_into_a_final_state_forms_nothing() -> None:
    found = automaton(f"{CHAIN}, q2 v q1", final="q1 q3")
    assert formed(found, "abv") == [0]


def test_a_forward_cycle_may_be_run_through() -> None:
    found = automaton("q0 a q1, q0 b q2, q1 c q2, q2 d q1, q1 e q3, q2 f q3", final="q3")
    assert formed(found, "acdcf") == [4]
    assert formed(found, "acde") == [3]
    assert formed(found, "bce") == []


def all_formations(automaton: SequenceAutomaton, word: str) -> list[Formation]:
    return formations(automaton, labels(automaton, word))


def test_several_final_transitions_at_one_event_are_one_formation() -> None:
    found = automaton("q0 a q1, q1 x q2, q0 b q3, q3 x q4, q0 x q5", final="q2 q4 q5")
    (only,) = all_formations(found, "bx")
    assert [t.target for t in only.transitions] == ["q5", "q4"]
    assert [t.target for t in all_formations(found, "abx")[0].transitions] == ["q5", "q2", "q4"]


def test_the_sequence_names_the_events_of_a_chain_and_skips_what_was_cancelled() -> None:
    found = automaton(f"{CHAIN}, q2 v q0", final="q3")
    (formation,) = all_formations(found, "ab.va.b.c")
    assert formation.sequences[0] == (4, 6, 8)


def test_the_sequence_of_a_start_is_its_event_alone() -> None:
    found = automaton("q0 a q1, q1 b q2", initial="q0 q1", final="q2")
    (formation,) = all_formations(found, ".b")
    assert formation.sequences[0] == (1,)


# --- laws ---------------------------------------------------------------------------


@st.composite
def automata_with_words(
    draw: st.DrawFn,
) -> tuple[SequenceAutomaton, list[Label | None]]:
    found = draw(automata())
    return found, draw(st.lists(st.sampled_from([*found.labels, None]), max_size=12))


Live = set[tuple[Transition, int]]


def live_by_definition(automaton: SequenceAutomaton, word: list[Label | None]) -> list[Live]:
    """The live transitions before every event and after the last: the three rules of
    docs/properties.md, "What a property means", one after the other."""
    history: list[Live] = [set()]
    for index, label in enumerate(word):
        live = history[-1]
        ahead = [
            t
            for t in automaton.forward
            if t.label == label and (t.source in automaton.initial or enabled(automaton, t, live))
        ]
        back = {t for t in automaton.backward if t.label == label and enabled(automaton, t, live)}
        kept = {(r, at) for r, at in live if not back & set(vio_transitions(automaton, r))}
        history.append(kept | {(t, index) for t in ahead})
    return history


def enabled(automaton: SequenceAutomaton, transition: Transition, live: Live) -> bool:
    return any(r in pre_transitions(automaton, transition) for r, _ in live)


@settings(max_examples=250)
@given(automata_with_words())
def test_formations_are_the_firings_into_final_states_of_the_stated_rules(
    case: tuple[SequenceAutomaton, list[Label | None]],
) -> None:
    automaton, word = case
    history = live_by_definition(automaton, word)
    expected = {
        index: {t for t, at in after if at == index and t.target in automaton.final}
        for index, after in enumerate(history[1:])
    }
    found = {f.index: set(f.transitions) for f in formations(automaton, word)}
    assert found == {index: finals for index, finals in expected.items() if finals}


@settings(max_examples=250)
@given(automata_with_words())
def test_the_sequence_of_a_formation_is_a_chain_in_which_each_continues_a_live_one(
    case: tuple[SequenceAutomaton, list[Label | None]],
) -> None:
    automaton, word = case
    history = live_by_definition(automaton, word)
    for formation in formations(automaton, word):
        *_, last = formation.sequences[0]
        assert last == formation.index
        ways = {t for t in automaton.forward if t.source in automaton.initial}
        for position, index in enumerate(formation.sequences[0]):
            ways = {t for t in ways if t.label == word[index]}
            if index == formation.index:
                break
            following = formation.sequences[0][position + 1]
            assert index < following
            alive = {t for t in ways if (t, index) in history[following]}
            ways = {t for t in automaton.forward if alive & set(pre_transitions(automaton, t))}
        assert ways & set(formation.transitions)


def test_the_order_of_labels_in_an_automaton_does_not_matter_for_what_is_formed() -> None:
    one = automaton(f"{CHAIN}, q2 v q0", final="q3")
    other = automaton("q2 v q0, q2 c q3, q1 b q2, q0 a q1", final="q3")
    for word in ("abc", "abvc", "abavbc", "abvabc"):
        assert formed(one, word) == formed(other, word)


@pytest.mark.parametrize("word", ["", "...", "ab"])
def test_nothing_is_formed_where_no_final_transition_fires(word: str) -> None:
    assert formed(automaton(CHAIN, final="q3"), word) == []
