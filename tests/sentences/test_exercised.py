"""How much of a property runs had to do with, in sentences."""

from __future__ import annotations

from choreomon.core.message import SEND, Label, Message
from choreomon.core.run import Exercise
from choreomon.properties.exercising import Exercising
from choreomon.properties.progress import rules_of
from choreomon.properties.sequences import MessageSequence, sequences_automaton
from choreomon.sentences.exercised import exercise_sentences

A, B, C = (Label(SEND, Message("P", name, "Q")) for name in "abc")
TWO = sequences_automaton([MessageSequence((A, B)), MessageSequence((C, B))])


def exercise(*labels: Label) -> Exercise:
    exercising = Exercising(TWO, rules_of(TWO))
    for label in labels:
        exercising.add(label)
    return exercising.found()


def test_each_sequence_that_was_never_formed_is_told() -> None:
    runs = [exercise(A), exercise(), exercise(A, A)]
    assert runs[0] == (
        (1, 0),
        (2, 2),
        (("P -> Q : a", 1), ("P -> Q : b", 0), ("P -> Q : c", 0)),
        (),
    )
    assert exercise_sentences(runs) == [
        "No step of sequence 2 was made.",
        "Sequence 1 came 1 of 2 steps far in 2 of 3 runs.",
        "Not exercised, since they occur in no run: P -> Q : b, P -> Q : c.",
    ]
    assert exercise_sentences([runs[0]], "test") == [
        "No step of sequence 2 was made.",
        "Sequence 1 came 1 of 2 steps far.",
        "Not exercised, since they occur nowhere in this test: P -> Q : b, P -> Q : c.",
    ]


def test_what_was_formed_needs_no_sentence() -> None:
    assert exercise_sentences([exercise(A, B), exercise(C, B)]) == []
    assert exercise_sentences([exercise(A, B), None]) == [
        "No step of sequence 2 was made.",
        "Not exercised, since it occurs nowhere in this run: P -> Q : c.",
    ]
    assert exercise_sentences([None, None]) == []
