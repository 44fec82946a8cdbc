"""What a transition rests on (the paper, Definitions 5 and 6): its pre-transitions, and what may
have cancelled each.

Both depend on the states alone that a transition leads from and to, not on who owns it. So they are
found once for each pair of states, and shared by all its owners: a step that a hundred processes
may take costs little more than one that one process may take.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Final, NamedTuple

from choreomon.core.verdict import Reference
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.classification import Pair
from choreomon.properties.relations import pre_transitions

MANY: Final = 8
"""Owners of what leads from one state to another, from which on their references stand together,
so that they can be written as one, with a set of processes. Fewer are in the author's order."""


class Rested(NamedTuple):
    """Pair of one pre-transition, and the vio-transitions that may have cancelled it."""

    pre: Reference
    vio: tuple[Reference, ...]


class Need(NamedTuple):
    """A pre-transition to ask for, with what may have cancelled it. `others` are the rest of a
    crowd: pre-transitions that the same may have cancelled, and of which one is enough as well."""

    pre: Reference
    vio: tuple[Reference, ...]
    others: tuple[Reference, ...] = ()

    @property
    def pres(self) -> tuple[Reference, ...]:
        return (self.pre, *self.others)


def needs_of(rested: Iterable[Rested]) -> tuple[Need, ...]:
    """Put neighbours together that are cancelled by the same, where there are `MANY`."""
    found: list[Need] = []
    for vio, group in groupby(rested, key=lambda each: each.vio):
        first, *others = [each.pre for each in group]
        if len(others) + 1 >= MANY:
            found.append(Need(first, vio, tuple(others)))
        else:
            found += [Need(pre, vio) for pre in (first, *others)]
    return tuple(found)


class Resting:
    """Index of what the transitions of an automaton rest on, by the states they lead from and
    to."""

    def __init__(self, automaton: SequenceAutomaton) -> None:
        self._automaton = automaton
        self._rested: dict[Pair, tuple[Rested, ...]] = {}
        self._needs: dict[Pair, tuple[Need, ...]] = {}
        self._vio: dict[Pair, tuple[Reference, ...]] = {}

    def is_backward(self, transition: Transition) -> bool:
        return (transition.source, transition.target) not in self._automaton.cancelling

    def starts(self, transition: Transition) -> bool:
        """Return whether it starts a sequence: then it fires whenever it is seen."""
        return not self.is_backward(transition) and transition.source in self._automaton.initial

    def rested(self, transition: Transition) -> tuple[Rested, ...]:
        """Return what a transition rests on, without its being one that may start a sequence."""
        states = transition.source, transition.target
        found = self._rested.get(states)
        if found is None:
            pres = _together(pre_transitions(self._automaton, transition))
            found = tuple(Rested(pre, self._vio_of(states_of(pre))) for pre in pres)
            self._rested[states] = found
        return found

    def needs(self, transition: Transition) -> tuple[Need, ...]:
        """The same, put together; nothing where the transition starts a sequence. It is one value
        for all transitions between two states."""
        states = transition.source, transition.target
        if states not in self._needs:
            found = () if self.starts(transition) else needs_of(self.rested(transition))
            self._needs[states] = found
        return self._needs[states]

    def _vio_of(self, states: Pair) -> tuple[Reference, ...]:
        if states not in self._vio:
            self._vio[states] = tuple(_together(self._automaton.cancelling[states]))
        return self._vio[states]


def states_of(reference: Reference) -> Pair:
    """The states that a transition leads from and to."""
    return reference.source, reference.target


def _together(transitions: Iterable[Transition]) -> list[Reference]:
    """Return their references in this order, but `MANY` between the same states after the first of
    them."""
    references = dict.fromkeys(t.reference for t in transitions)
    members: dict[Pair, list[Reference]] = {}
    for each in references:
        members.setdefault(states_of(each), []).append(each)
    found: list[Reference] = []
    for each in references:
        crowd = members[states_of(each)]
        if len(crowd) < MANY:
            found.append(each)
        elif each == crowd[0]:
            found += crowd
    return found
