"""The pattern shorthand: forbidden sequences of messages and what cancels them.

A sequence of n steps becomes a chain of n + 1 states; its state number s means "s steps
are done", and its step number s leads into it. A cancellation `(on, after=(i, j), back_to=k)`
becomes a backward transition from each of the states i to j to the state k. Several sequences
become disjoint chains of one automaton. States are named q0, q1, ... through all sequences, so that
they say nothing about messages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from choreomon.core.errors import Defect, Path, PropertyError
from choreomon.core.message import BEGIN, Label
from choreomon.properties.automaton import SequenceAutomaton, StatedTransition, sequence_automaton
from choreomon.properties.automaton_defects import MAX_STATES_OF_RULES


class Cancellation(NamedTuple):
    """Cancellation: while `after[0]` to `after[1]` steps are done, `on` leads back to where
    `back_to` steps are done; 0 <= back_to < after[0] <= after[1] < number of steps."""

    on: Label
    after: tuple[int, int]
    back_to: int


class MessageSequence(NamedTuple):
    """Steps that must not happen in this order, unless cancelled in between."""

    steps: tuple[Label, ...]
    cancel: tuple[Cancellation, ...] = ()


class Step(NamedTuple):
    """The place of a forward transition: step `number` of the sequence number `sequence`, both from
    1."""

    sequence: int
    number: int


def possible_lengths(lengths: Sequence[int]) -> bool:
    """Return whether sequences with so many steps can be of one property, or of rules together."""
    states = sum(lengths) + len(lengths)
    return all(length > 0 for length in lengths) and states <= MAX_STATES_OF_RULES


def chains(lengths: Sequence[int]) -> list[list[str]]:
    """The states of sequences with so many steps each, from the first to the last of each."""
    found: list[list[str]] = []
    first = 0
    for length in lengths:
        found.append([f"q{first + done}" for done in range(length + 1)])
        first += length + 1
    return found


def steps_of(lengths: Sequence[int]) -> dict[tuple[str, str], Step]:
    """Steps of sequences with so many steps each, by source and target of their transitions."""
    return {
        ends: Step(sequence, number)
        for sequence, states in enumerate(chains(lengths), 1)
        for number, ends in enumerate(pairwise(states), 1)
    }


def sequences_automaton(sequences: Sequence[MessageSequence]) -> SequenceAutomaton:
    """The automaton of all sequences together.

    Raises `PropertyError` with paths like `("sequences", 0, "cancel", 1)`.
    """
    defects = [*_defects(sequences)]
    if defects:
        raise PropertyError(tuple(defects))
    lengths = tuple(len(sequence.steps) for sequence in sequences)
    initial, final = [], []
    transitions: list[StatedTransition] = []
    for sequence, states in zip(sequences, chains(lengths), strict=True):
        initial.append(states[0])
        final.append(states[-1])
        for step, label in enumerate(sequence.steps):
            transitions.append(StatedTransition(states[step], label, states[step + 1], False))
        for on, (low, high), back_to in sequence.cancel:
            transitions += [
                StatedTransition(states[done], on, states[back_to], True)
                for done in range(low, high + 1)
            ]
    automaton = sequence_automaton(initial=initial, final=final, transitions=transitions)
    return replace(automaton, sequences=lengths)


def _defects(sequences: Sequence[MessageSequence]) -> Iterator[Defect]:
    if not sequences:
        yield Defect(("sequences",), "lists no sequence: give at least one")
    for number, sequence in enumerate(sequences):
        steps = len(sequence.steps)
        if not steps:
            yield Defect(("sequences", number, "steps"), "has no steps: give at least one label")
        for step, label in enumerate(sequence.steps):
            if label == BEGIN and (step or steps == 1):
                yield Defect(
                    ("sequences", number, "steps", step),
                    "is begin, before which nothing happens: let it be the first step"
                    if step
                    else "is all of the sequence, which is formed before anything happens: let "
                    "another step follow",
                )
        for position, (_, (low, high), back_to) in enumerate(sequence.cancel):
            path: Path = ("sequences", number, "cancel", position)
            if steps == 1:
                yield Defect(
                    path, "cancels a sequence of one step, in which nothing can be: leave it out"
                )
            elif not 1 <= low <= high < steps:
                yield Defect(
                    (*path, "after"),
                    f"[{low}, {high}] is no stretch of a sequence of {steps} steps: "
                    f"1 <= first <= last <= {steps - 1} is needed",
                )
            elif not 0 <= back_to < low:
                yield Defect(
                    (*path, "back_to"),
                    f"{back_to} does not lie before the stretch [{low}, {high}]: "
                    f"0 <= back_to <= {low - 1} is needed",
                )
