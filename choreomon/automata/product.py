"""Product of two automata, synchronized on the letters that both have."""

from __future__ import annotations

from itertools import product as pairs

from choreomon.automata.automaton import Automaton, automaton, members
from choreomon.core.action import Action


def product(left: Automaton, right: Automaton) -> Automaton:
    """The automaton of the words over the letters of both whose part over the letters of `left` is
    accepted by `left`, and likewise for `right`. Over the same letters this is the intersection of
    their languages, over disjoint letters the shuffle (the automata paper, section 2.3). Only
    reachable states are made.
    """
    common = set(left.letters) & set(right.letters)
    numbers = {
        both: number
        for number, both in enumerate(pairs(members(left.initial), members(right.initial)))
    }
    starts = len(numbers)
    found = [*numbers]
    edges: list[tuple[int, Action, int]] = []
    for source, (one, other) in enumerate(found):  # which grows meanwhile
        for letter, after in _after(left, one, right, other, common):
            target = numbers.get(after)
            if target is None:
                target = numbers[after] = len(found)
                found.append(after)
            edges.append((source, letter, target))
    return automaton(
        edges,
        initial=range(starts),
        final=[
            number
            for number, (one, other) in enumerate(found)
            if left.final >> one & 1 and right.final >> other & 1
        ],
        states=len(found),
        letters=(*left.letters, *right.letters),
        lifelines=(*left.lifelines, *right.lifelines),
    )


def _after(
    left: Automaton, one: int, right: Automaton, other: int, common: set[Action]
) -> list[tuple[Action, tuple[int, int]]]:
    """The pairs to which each letter leads from a pair of states."""
    ours = _leads(left, one)
    theirs = _leads(right, other)
    found = [(letter, (to, other)) for letter, to in ours if letter not in common]
    found += [(letter, (one, to)) for letter, to in theirs if letter not in common]
    found += [
        (letter, (to, also))
        for letter, to in ours
        if letter in common
        for same, also in theirs
        if same == letter
    ]
    return found


def _leads(one: Automaton, state: int) -> list[tuple[Action, int]]:
    edges = (one.edges[number] for number in one.outgoing[state])
    return [(one.letters[edge.letter], edge.target) for edge in edges]
