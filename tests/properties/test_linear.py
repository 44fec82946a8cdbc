"""The formations in one pass are those of the reference."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choreomon.core.message import Label
from choreomon.properties import linear
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.linear import FormationRules, FormationWatch, linear_formations
from choreomon.properties.parts import restricted
from choreomon.properties.reference import formations
from tests.laws.several_rules import Drawing, draw_rules
from tests.properties.words import automaton as spelled
from tests.properties.words import letter
from tests.strategies import PROCESSES, automata


@st.composite
def words(draw: st.DrawFn) -> tuple[SequenceAutomaton, list[Label | None]]:
    """An automaton, and a word over its labels with events that it does not mention."""
    automaton = draw(automata(processes=PROCESSES[:3]))
    letters = st.sampled_from([*automaton.labels, None])
    return automaton, draw(st.lists(letters, max_size=40))


@settings(max_examples=200)
@given(words())
def test_one_pass_finds_what_the_reference_finds(
    case: tuple[SequenceAutomaton, list[Label | None]],
) -> None:
    automaton, word = case
    found = linear_formations(automaton, word)
    assert found == formations(automaton, word)
    for formation in found:
        for sequence in formation.sequences:
            assert all(a < b for a, b in pairwise(sequence))


def watched(automaton: SequenceAutomaton, word: list[Label | None]) -> list[int]:
    watch = FormationWatch(FormationRules(automaton))
    told = [(index, label) for index, label in enumerate(word) if label is not None]
    return [index for index, label in told if watch.formed_at(label)]


@settings(max_examples=200)
@given(words())
def test_told_event_by_event_the_same_events_form_the_property(
    case: tuple[SequenceAutomaton, list[Label | None]],
) -> None:
    automaton, word = case
    assert watched(automaton, word) == [f.index for f in formations(automaton, word)]


def test_of_several_rules_each_is_formed_where_it_is_by_itself() -> None:
    random, seen = Random(37), 0
    for _ in range(200):
        automaton = draw_rules(random, PROCESSES[:3], Drawing())
        word = random.choices(automaton.labels, k=30)
        watch = FormationWatch(FormationRules(automaton))
        told = [(index, place) for index, m in enumerate(word) for place in watch.formed_at(m)]
        assert sorted(told) == sorted(
            (formation.index, place)
            for place, (_, states) in enumerate(automaton.rules)
            for formation in formations(restricted(automaton, states), word)
        )
        seen += len(told) > len({index for index, _ in told})
    assert seen > 50


@pytest.mark.parametrize("word", ["avc", "bvc", "abvc"])
def test_a_message_cancels_where_one_of_the_ways_to_its_state_was_taken(word: str) -> None:
    cancelled = spelled("q0 a q1, q0 b q1, q1 c q2, q1 v q0", final="q2")
    letters: list[Label | None] = [letter(name) for name in word]
    assert linear_formations(cancelled, letters) == formations(cancelled, letters) == []
    assert watched(cancelled, letters) == []


def test_a_message_cancels_nothing_out_of_a_state_that_was_left() -> None:
    left = spelled("q0 a q1, q1 b q2, q2 c q3, q2 w q1, q2 v q0", final="q3")
    word: list[Label | None] = [letter(name) for name in "abwvbc"]
    assert [formation.sequences for formation in formations(left, word)] == [((0, 4, 5),)]
    assert linear_formations(left, word) == formations(left, word)
    assert watched(left, word) == [5]


def test_sequences_that_end_together_come_in_the_order_of_their_last_transitions() -> None:
    ends = spelled("q0 a q3, q3 b q4, q0 a q1, q1 b q2", final="q2 q4")
    word: list[Label | None] = [letter(name) for name in "ab"]
    (found,) = linear_formations(ends, word)
    assert [transition.target for transition in found.transitions] == ["q2", "q4"]
    assert [found] == formations(ends, word)


def test_the_law_notices_that_cancellations_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    def harmless(automaton: SequenceAutomaton, backward: Transition, forward: Transition) -> bool:
        return False

    cancelled = spelled("q0 a q1, q1 b q2, q1 v q0", final="q2")
    word = [letter(name) for name in "avb"]
    assert linear_formations(cancelled, word) == formations(cancelled, word) == []
    monkeypatch.setattr(linear, "cancels", harmless)
    assert linear_formations(cancelled, word) != formations(cancelled, word)
    assert watched(cancelled, word) == [2]
