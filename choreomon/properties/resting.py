"""What a transition rests on (the paper, Definitions 5 and 6): its pre-transitions, and what may
have cancelled each.

Both depend on the states alone that a transition leads from and to, not on who owns it. So they are
found once for each pair of states, and shared by all its owners: a step that a hundred processes
may take costs little more than one that one process may take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import Final, NamedTuple

from choreomon.core.verdict import Reference
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.classification import Pair

MANY: Final = 8
"""Owners of what leads from one state to another, from which on their references stand together,
so that they can be written as one, with a set of processes. Fewer are in the author's order."""


class Rested(NamedTuple):
    """One pre-transition, and the vio-transitions that may have cancelled it."""

    pre: Reference
    vio: tuple[Reference, ...]


class Need(NamedTuple):
    """Pre-transitions to ask for, of which one is enough, with what may have cancelled any of
    them: all have the same vio-transitions."""

    pres: tuple[Reference, ...]
    vio: tuple[Reference, ...]


def needs_of(rested: Iterable[Rested]) -> tuple[Need, ...]:
    """Put neighbours together that are cancelled by the same."""
    return tuple(
        Need(tuple([each.pre for each in group]), vio)
        for vio, group in groupby(rested, key=lambda each: each.vio)
    )


class Resting:
    """What the transitions of an automaton rest on."""

    def __init__(self, automaton: SequenceAutomaton) -> None:
        self._automaton = automaton
        self._forward = dict.fromkeys(t.reference for t in automaton.forward)
        self._backward = dict.fromkeys(t.reference for t in automaton.backward)
        self._backward_pairs = {states_of(each) for each in self._backward}
        self._rested: dict[Pair, tuple[Rested, ...]] = {}
        self._needs: dict[Pair, tuple[Need, ...]] = {}
        self._vio: dict[Pair, tuple[Reference, ...]] = {}

    def is_backward(self, states: Pair) -> bool:
        """Return whether what leads from the first of these states to the second is backward."""
        return states in self._backward_pairs

    def starts(self, states: Pair) -> bool:
        """Return whether it starts a sequence: then it fires whenever it is seen."""
        return not self.is_backward(states) and states[0] in self._automaton.initial

    def rested(self, states: Pair) -> tuple[Rested, ...]:
        """What transitions between these states rest on."""
        found = self._rested.get(states)
        if found is None:
            pres = _together([each for each in self._forward if self._is_pre(each, states)])
            found = tuple(Rested(pre, self._vio_of(states_of(pre))) for pre in pres)
            self._rested[states] = found
        return found

    def needs(self, transition: Transition) -> tuple[Need, ...]:
        """The same, put together; nothing where the transition starts a sequence. It is one value
        for all transitions between two states."""
        states = transition.source, transition.target
        if states not in self._needs:
            found = () if self.starts(states) else needs_of(self.rested(states))
            self._needs[states] = found
        return self._needs[states]

    def _is_pre(self, pre: Reference, states: Pair) -> bool:
        """Definition 5, of the forward transition `pre`."""
        source, target = states
        if pre.target != source:
            return False
        return not self.is_backward(states) or pre.source in self._automaton.reach[target]

    def _vio_of(self, pre: Pair) -> tuple[Reference, ...]:
        """Definition 6, of a forward transition between these states."""
        found = self._vio.get(pre)
        if found is None:
            source, target = pre
            reach = self._automaton.reach
            found = tuple(
                _together(
                    [
                        back
                        for back in self._backward
                        if source in reach[back.target] and back.source in reach[target]
                    ]
                )
            )
            self._vio[pre] = found
        return found


def states_of(reference: Reference) -> Pair:
    """The states that a transition leads from and to."""
    return reference.source, reference.target


def _together(references: list[Reference]) -> list[Reference]:
    """In this order, but `MANY` between the same states after the first of them."""
    counts = Counter(map(states_of, references))
    crowds = {states for states, count in counts.items() if count >= MANY}
    if not crowds:
        return references
    members: dict[Pair, list[Reference]] = {states: [] for states in crowds}
    for each in references:
        if states_of(each) in crowds:
            members[states_of(each)].append(each)
    found: list[Reference] = []
    for each in references:
        found += members.pop(states_of(each), []) if states_of(each) in crowds else [each]
    return found
