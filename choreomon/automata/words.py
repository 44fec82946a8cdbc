"""Enumeration of all accepted words up to a length: slow, and obvious."""

from __future__ import annotations

from choreomon.automata.automaton import Automaton
from choreomon.core.action import Action


def words(automaton: Automaton, length: int) -> frozenset[tuple[Action, ...]]:
    """The accepted words of at most `length` letters. Time and memory grow exponentially with
    it."""
    found: set[tuple[Action, ...]] = set()
    layer: dict[tuple[Action, ...], int] = {(): automaton.initial}
    for _ in range(length + 1):
        found |= {word for word, states in layer.items() if states & automaton.final}
        layer = {
            (*word, letter): after
            for word, states in layer.items()
            for number, letter in enumerate(automaton.letters)
            if (after := automaton.after(states, number))
        }
    return frozenset(found)
