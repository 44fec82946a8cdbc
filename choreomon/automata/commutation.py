"""Commutation: the states at which two letters of an automaton may change places.

At a state, the letter `a` can be moved in front of `b` if `a` and then `b` lead to every state that
`b` and then `a` lead to. Otherwise they are in conflict, in this direction: `b` may have to come
first. Only states that lead to a final one count.
"""

from __future__ import annotations

from collections.abc import Mapping

from choreomon.automata.automaton import Automaton, States
from choreomon.automata.emptiness import ending


class Commutation:
    """Conflicts of the letters of one automaton, computed on demand and kept."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self._useful = ending(automaton)
        self._conflicts: dict[int, dict[int, States]] = {}

    def conflicts(self, letter: int) -> dict[int, States]:
        """The conflicts of a letter: for each letter `b` with any, the states from which this one
        cannot be moved in front of `b`."""
        known = self._conflicts.get(letter)
        if known is None:
            known = self._conflicts[letter] = {}
            for other in range(len(self.automaton.letters)):
                states = self._conflict(other, letter)
                if states:
                    known[other] = states
        return known

    def _conflict(self, first: int, letter: int) -> States:
        useful = self._useful
        first_leads, leads = self.automaton.successors[first], self.automaton.successors[letter]
        found = 0
        for state, targets in first_leads.items():
            in_order = _after(targets & useful, leads) & useful
            if in_order and in_order & ~_after(leads.get(state, 0) & useful, first_leads):
                found |= 1 << state
        return found


def _after(states: States, leads: Mapping[int, States]) -> States:
    """The states after a letter, as `Automaton.after` but for few states."""
    found = 0
    while states:
        lowest = states & -states
        found |= leads.get(lowest.bit_length() - 1, 0)
        states ^= lowest
    return found
