"""How explanations call the transitions of a property, and what its sequences are, read off the
property alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TypeAlias

from choreomon.core.message import Label
from choreomon.properties.automaton import SequenceAutomaton
from tests.laws.sentence_patterns import NAME

Pair: TypeAlias = tuple[str, str]
"""The states of a transition."""


class PropertyWords:
    """See the module."""

    def __init__(self, automaton: SequenceAutomaton) -> None:
        self._automaton = automaton

    @cached_property
    def finals(self) -> list[Pair]:
        final = self._automaton.final
        return [(t.source, t.target) for t in self._automaton.forward if t.target in final]

    @cached_property
    def _steps(self) -> Mapping[str, Pair]:
        """Of a property that was written as sequences."""
        steps, first = {}, 0
        for number, length in enumerate(self._automaton.sequences, 1):
            for step in range(1, length + 1):
                states = (f"q{first + step - 1}", f"q{first + step}")
                steps[f"step {step} of sequence {number}"] = states
            first += length + 1
        return steps

    def named(self, text: str) -> list[Pair]:
        """The transitions of a list of names."""
        found = []
        for name in re.findall(NAME, text):
            step = re.match(r"step \d+ of sequence \d+", name.lower())
            found.append(self._steps[step[0]] if step else arrow(name.split(" ", 1)[1]))
        return found

    def step_into(self, state: str) -> Pair:
        """The step that leads there."""
        (found,) = (pair for pair in self._steps.values() if pair[1] == state)
        return found

    def last_of(self, sequence: str) -> Pair:
        """The last step of the sequence with this number."""
        length = self._automaton.sequences[int(sequence) - 1]
        return self._steps[f"step {length} of sequence {sequence}"]

    def labels_of(self, transition: Pair) -> set[Label]:
        every = (*self._automaton.forward, *self._automaton.backward)
        return {t.label for t in every if (t.source, t.target) == transition}

    def ways(self, last: Pair) -> set[str]:
        """The labels along all ways without a circle from an initial state that end with `last`."""
        found = set()
        pending = [(last[0], f", then {label}", {*last}) for label in self.labels_of(last)]
        while pending:
            state, way, visited = pending.pop()
            if state in self._automaton.initial:
                found.add(way.removeprefix(", then "))
            for each in self._automaton.forward:
                if each.target == state and each.source not in visited:
                    longer = f", then {each.label}{way}"
                    pending.append((each.source, longer, visited | {each.source}))
        return found


def arrow(text: str) -> Pair:
    """The states of `q1 -> q2`."""
    source, target = text.split(" -> ")
    return source, target
