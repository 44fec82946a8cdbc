"""The subset construction."""

from __future__ import annotations

from choreomon.automata.automaton import Automaton, Edge, members, state_set
from choreomon.core.errors import BudgetExceeded


def deterministic(automaton: Automaton, limit: int | None = None) -> Automaton:
    """A deterministic automaton of the same language: its states are the sets of states that words
    lead to, without the empty set, numbered as they are found, breadth first by letters.

    Raises BudgetExceeded if there are more than `limit` of them; in the worst case there are as
    many as sets of states.
    """
    numbers: dict[int, int] = {}
    found: list[int] = []

    def number(states: int) -> int:
        known = numbers.get(states)
        if known is None:
            if limit is not None and len(found) == limit:
                raise BudgetExceeded(f"more than {limit:,} states after determinization")
            known = numbers[states] = len(found)
            found.append(states)
        return known

    if automaton.initial:
        number(automaton.initial)
    edges: list[Edge] = []
    for source, states in enumerate(found):  # which grows meanwhile
        by_letter: dict[int, int] = {}
        for state in members(states):
            for edge in automaton.outgoing[state]:
                _, letter, target = automaton.edges[edge]
                by_letter[letter] = by_letter.get(letter, 0) | 1 << target
        edges += [Edge(source, letter, number(by_letter[letter])) for letter in sorted(by_letter)]
    return Automaton(
        letters=automaton.letters,
        states=len(found),
        edges=tuple(edges),
        initial=1 if found else 0,
        final=state_set(place for place, states in enumerate(found) if states & automaton.final),
        lifelines=automaton.lifelines,
    )
