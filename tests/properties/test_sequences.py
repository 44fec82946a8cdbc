"""The pattern shorthand: sequences of steps with cancellations."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from choreomon.core.errors import PropertyError
from choreomon.core.message import Label
from choreomon.properties.automaton_defects import MAX_STATES, MAX_STATES_OF_RULES
from choreomon.properties.reference import formations
from choreomon.properties.sequences import (
    Cancellation,
    MessageSequence,
    possible_lengths,
    sequences_automaton,
)
from tests.properties.words import formed, letter, pairs


def sequence(steps: str, *cancel: tuple[str, tuple[int, int], int]) -> MessageSequence:
    return MessageSequence(
        tuple(letter(name) for name in steps),
        tuple(Cancellation(letter(on), after, back_to) for on, after, back_to in cancel),
    )


def test_a_sequence_becomes_a_chain_with_opaque_state_names() -> None:
    found = sequences_automaton([sequence("abc", ("v", (1, 2), 0), ("w", (2, 2), 1))])
    assert (found.initial, found.final) == (("q0",), ("q3",))
    assert pairs(found, "forward") == {"q0 a q1", "q1 b q2", "q2 c q3"}
    assert pairs(found, "backward") == {"q1 v q0", "q2 v q0", "q2 w q1"}


def test_a_sequence_is_formed_as_a_subsequence_until_it_is_cancelled() -> None:
    found = sequences_automaton([sequence("abc", ("v", (1, 2), 0), ("w", (2, 2), 1))])
    assert formed(found, "vwa.b.cc") == [6, 7]
    assert formed(found, "avbc") == []
    assert formed(found, "abvc") == []
    assert formed(found, "abwcbc") == [5]
    assert formed(found, "awbc") == [3]


def test_a_cancellation_counts_only_while_its_stretch_of_steps_is_done() -> None:
    found = sequences_automaton([sequence("abc", ("v", (2, 2), 0))])
    assert formed(found, "avbc") == [3]
    assert formed(found, "abvc") == []


def test_several_sequences_share_one_property_and_do_not_touch_each_other() -> None:
    found = sequences_automaton([sequence("ab", ("v", (1, 1), 0)), sequence("acb")])
    assert pairs(found, "forward") == {
        "q0 a q1",
        "q1 b q2",
        "q3 a q4",
        "q4 c q5",
        "q5 b q6",
    }
    assert (found.initial, found.final) == (("q0", "q3"), ("q2", "q6"))
    assert formed(found, "acvb") == [3]
    (both,) = formations(found, [letter(name) for name in "acb"])
    assert [t.target for t in both.transitions] == ["q2", "q6"]


def test_a_message_that_is_the_next_step_and_cancels_does_both() -> None:
    found = sequences_automaton([sequence("ab", ("b", (1, 1), 0))])
    assert formed(found, "abb") == [1]


def test_a_repeated_step_is_an_event_of_its_own_each_time() -> None:
    found = sequences_automaton([sequence("aab")])
    assert formed(found, "ab") == []
    assert formed(found, "aab") == [2]


@pytest.mark.parametrize(
    ("sequences", "path", "words"),
    [
        ([], ("sequences",), "lists no sequence"),
        ([sequence("ab"), sequence("")], ("sequences", 1, "steps"), "has no steps"),
        ([sequence("a", ("v", (1, 1), 0))], ("sequences", 0, "cancel", 0), "of one step"),
        ([sequence("ab", ("v", (0, 1), 0))], ("sequences", 0, "cancel", 0, "after"), "[0, 1]"),
        ([sequence("ab", ("v", (1, 2), 0))], ("sequences", 0, "cancel", 0, "after"), "<= 1 is"),
        ([sequence("abc", ("v", (2, 1), 0))], ("sequences", 0, "cancel", 0, "after"), "[2, 1]"),
        ([sequence("abc", ("v", (2, 2), 2))], ("sequences", 0, "cancel", 0, "back_to"), "<= 1 is"),
        ([sequence("abc", ("v", (1, 2), 1))], ("sequences", 0, "cancel", 0, "back_to"), "<= 0 is"),
        ([sequence("abc", ("v", (1, 1), -1))], ("sequences", 0, "cancel", 0, "back_to"), "-1 does"),
    ],
)
def test_a_sequence_that_makes_no_sense_is_refused_with_its_path(
    sequences: list[MessageSequence], path: tuple[str | int, ...], words: str
) -> None:
    with pytest.raises(PropertyError) as caught:
        sequences_automaton(sequences)
    (defect,) = caught.value.defects
    assert defect.path == path
    assert words in defect.message


def test_every_defect_of_every_sequence_is_told() -> None:
    with pytest.raises(PropertyError) as caught:
        sequences_automaton([sequence(""), sequence("ab", ("v", (1, 1), 1), ("w", (3, 3), 0))])
    assert [defect.path for defect in caught.value.defects] == [
        ("sequences", 0, "steps"),
        ("sequences", 1, "cancel", 0, "back_to"),
        ("sequences", 1, "cancel", 1, "after"),
    ]


@pytest.mark.parametrize(
    ("lengths", "possible"),
    [
        ([1], True),
        ([0], False),
        ([2, 0, 1], False),
        ([3, -1], False),
        ([MAX_STATES - 1], True),
        ([MAX_STATES], False),
        ([MAX_STATES - 3, 1], True),
        ([MAX_STATES - 2, 1], False),
        ([1] * (MAX_STATES // 2), True),
        ([1] * (MAX_STATES // 2 + 1), False),
    ],
)
def test_lengths_are_possible_where_there_are_such_sequences(
    lengths: list[int], possible: bool
) -> None:
    """Sequences have a step at least, and one state more than steps; states have a bound, which is
    a higher one of rules together."""
    states = sum(lengths) + len(lengths)
    assert possible_lengths(lengths) is (min(lengths) > 0 and states <= MAX_STATES_OF_RULES)
    try:
        found = sequences_automaton(
            [MessageSequence((letter("a"),) * length) for length in lengths if length >= 0]
        )
    except PropertyError:
        assert not possible
    else:
        assert (found.sequences == tuple(lengths)) is possible


def test_of_rules_together_more_lengths_are_possible() -> None:
    assert possible_lengths([1] * (MAX_STATES_OF_RULES // 2))
    assert not possible_lengths([1] * (MAX_STATES_OF_RULES // 2 + 1))


# --- the law ------------------------------------------------------------------------


def formed_by_definition(sequence: MessageSequence, word: tuple[Label, ...]) -> list[int]:
    """What a sequence means, without any states or sets that are kept along the way.

    Positions are those of events in the word, steps are numbered from 1.

    - Step s *happens* at k when the event is the step's message and either s is 1 or step
      s - 1 is done at k.
    - Step s *is done* at k when it happened at some i < k and was not undone at any j with
      i < j < k. So an event does not undo a step that it brings about itself.
    - Step s *is undone* at j by a cancellation (on, [low, high], back_to) when the event is
      `on`, and some step d with low <= d <= high is done at j, where back_to < s <= d: the
      steps after `back_to` up to the furthest done one of the stretch are undone.
    - The sequence is formed where its last step happens.
    """

    @cache
    def happens(step: int, at: int) -> bool:
        return word[at] == sequence.steps[step - 1] and (step == 1 or done(step - 1, at))

    @cache
    def done(step: int, at: int) -> bool:
        return any(
            happens(step, i) and not any(undone(step, j) for j in range(i + 1, at))
            for i in range(at)
        )

    @cache
    def undone(step: int, at: int) -> bool:
        return any(
            word[at] == on
            and any(back_to < step <= d and done(d, at) for d in range(low, high + 1))
            for on, (low, high), back_to in sequence.cancel
        )

    return [at for at in range(len(word)) if happens(len(sequence.steps), at)]


LETTERS = [letter(name) for name in "abcdv"]


@st.composite
def sequences(draw: st.DrawFn) -> MessageSequence:
    steps = draw(
        st.permutations(LETTERS[:4]) | st.lists(st.sampled_from(LETTERS), min_size=1, max_size=5)
    )
    cancel = []
    if len(steps) > 1:
        for _ in range(draw(st.integers(0, 3))):
            low = draw(st.integers(1, len(steps) - 1))
            high = draw(st.integers(low, len(steps) - 1))
            back_to = draw(st.integers(0, low - 1))
            cancel.append(Cancellation(draw(st.sampled_from(LETTERS)), (low, high), back_to))
    return MessageSequence(tuple(steps), tuple(cancel))


@st.composite
def sequences_with_words(
    draw: st.DrawFn, count: tuple[int, int] = (1, 1)
) -> tuple[list[MessageSequence], tuple[Label, ...]]:
    """Words are made of stretches of the sequences' own steps and of single letters."""
    found = draw(st.lists(sequences(), min_size=count[0], max_size=count[1]))
    word: list[Label] = []
    for _ in range(draw(st.integers(0, 6))):
        if draw(st.booleans()):
            word.append(draw(st.sampled_from(LETTERS)))
        else:
            steps = draw(st.sampled_from(found)).steps
            first = draw(st.integers(0, len(steps) - 1))
            word += steps[first : draw(st.integers(first + 1, len(steps)))]
    return found, tuple(word)


@settings(max_examples=800)
@given(sequences_with_words())
@example(([sequence("abc", ("v", (2, 2), 0))], tuple(letter(x) for x in "abavbc")))
def test_a_compiled_sequence_is_formed_where_its_definition_says(
    case: tuple[list[MessageSequence], tuple[Label, ...]],
) -> None:
    (sequence,), word = case
    found = formations(sequences_automaton([sequence]), word)
    assert [f.index for f in found] == formed_by_definition(sequence, word)


@settings(max_examples=200)
@given(sequences_with_words((2, 3)))
def test_several_sequences_are_formed_where_any_of_them_is(
    case: tuple[list[MessageSequence], tuple[Label, ...]],
) -> None:
    sequences, word = case
    found = formations(sequences_automaton(sequences), word)
    single = [formed_by_definition(sequence, word) for sequence in sequences]
    assert [f.index for f in found] == sorted(set().union(*single))
