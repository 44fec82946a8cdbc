"""The sequences that a property forbids, with numbers to speak of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from choreomon.core.message import BEGIN
from choreomon.core.run import RunVerdict
from choreomon.properties.automaton import SequenceAutomaton, Transition

MAX_SEQUENCES: Final = 10
"""The most sequences listed."""


def first_sequences(automaton: SequenceAutomaton) -> list[tuple[Transition, ...]]:
    """The forward transitions along simple paths from initial to final states: all, or the first
    `MAX_SEQUENCES` and one more."""
    return [*islice(_sequences(automaton), MAX_SEQUENCES + 1)]


def in_words(automaton: SequenceAutomaton, sequence: tuple[Transition, ...]) -> str:
    """The labels of its steps, one after the other."""
    return ", then ".join(automaton.written(transition.label) for transition in sequence)


def completed_sequences(verdict: RunVerdict, automaton: SequenceAutomaton) -> tuple[str, ...]:
    """Sentences on the sequences that a verdict is about; for an automaton, on which of its
    sequences they are. Empty if the property forbids only one sequence, or more than are listed."""
    sequences = first_sequences(automaton)
    if not 1 < len(sequences) <= MAX_SEQUENCES:
        return ()
    ending: dict[tuple[str, str], list[int]] = {}
    for number, sequence in enumerate(sequences, 1):
        ending.setdefault((sequence[-1].source, sequence[-1].target), []).append(number)
    fired = [transition for transition in verdict.transitions if transition in ending]
    if automaton.sequences:
        told = [number for transition in fired for number in ending[transition]]
        return tuple(
            f"Sequence {one} is {in_words(automaton, sequences[one - 1])}." for one in told
        )
    numbers = {transition: " or ".join(map(str, ending[transition])) for transition in fired}
    if len(fired) > 1:
        ends = [f"{one} -> {two} of sequence {numbers[one, two]}" for one, two in fired]
        return (f"The last steps are {' and '.join(ends)}.",)
    if not fired:
        return ()
    said = f"That is the last step of sequence {numbers[fired[0]]}"
    first, *others = ending[fired[0]]
    return (f"{said}." if others else f"{said}: {in_words(automaton, sequences[first - 1])}.",)


def _sequences(automaton: SequenceAutomaton) -> Iterator[tuple[Transition, ...]]:
    leaving: dict[str, list[Transition]] = {}
    begun = {(t.source, t.target) for t in automaton.begun if automaton.sequences}
    for transition in automaton.forward:
        if transition.label != BEGIN and (transition.source, transition.target) in begun:
            continue  # it begins the same sequence anew
        leaving.setdefault(transition.source, []).append(transition)
    pending: list[tuple[str, tuple[Transition, ...]]] = [
        (state, ()) for state in reversed(automaton.initial)
    ]
    while pending:
        state, path = pending.pop()
        if path and state in automaton.final:
            yield path
        visited = {t.source for t in path} | {state}
        pending += [
            (t.target, (*path, t))
            for t in reversed(leaving.get(state, []))
            if t.target not in visited
        ]
