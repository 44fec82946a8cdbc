"""Useful states, the test for an empty language, and a shortest word."""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.automata.automaton import Automaton, Edge, States, members, state_set
from choreomon.core.action import Action


def reachable(automaton: Automaton) -> States:
    """The states to which a path leads from an initial one."""
    leads = [[automaton.edges[edge].target for edge in there] for there in automaton.outgoing]
    return _closed(automaton.initial, leads)


def ending(automaton: Automaton) -> States:
    """The states from which a path leads to a final one."""
    comes = [[automaton.edges[edge].source for edge in there] for there in automaton.incoming]
    return _closed(automaton.final, comes)


def useful(automaton: Automaton) -> States:
    """The states that are on a path from an initial to a final one."""
    return reachable(automaton) & ending(automaton)


def is_empty(automaton: Automaton) -> bool:
    """Tell whether no word is accepted."""
    return not reachable(automaton) & automaton.final


def trimmed(automaton: Automaton) -> Automaton:
    """The automaton reduced to its useful states, in their order; its language is the same. Letters
    and lifelines stay, even those without an edge."""
    kept = useful(automaton)
    number = {state: place for place, state in enumerate(members(kept))}
    return Automaton(
        letters=automaton.letters,
        states=len(number),
        edges=tuple(
            Edge(number[source], letter, number[target])
            for source, letter, target in automaton.edges
            if source in number and target in number
        ),
        initial=state_set(number[state] for state in members(automaton.initial & kept)),
        final=state_set(number[state] for state in members(automaton.final & kept)),
        lifelines=automaton.lifelines,
    )


def shortest_word(automaton: Automaton) -> tuple[Action, ...] | None:
    """A shortest accepted word, of several the first one by its letters; None where there is
    none."""
    left = ending(automaton)
    layer = automaton.initial & left
    layers = [layer]
    seen = layer
    while layer and not layer & automaton.final:
        layer = state_set(
            automaton.edges[edge].target
            for state in members(layer)
            for edge in automaton.outgoing[state]
        )
        layer &= left & ~seen
        seen |= layer
        layers.append(layer)
    if not layer:
        return None
    # Backwards: the part of each layer on a shortest path; then forwards, by the first letters.
    on_path = [layer & automaton.final]
    for earlier in reversed(layers[:-1]):
        wanted = on_path[-1]
        before = (automaton.before(wanted, letter) for letter in range(len(automaton.letters)))
        found = 0
        for states in before:
            found |= states
        on_path.append(found & earlier)
    states = on_path.pop()
    word: list[Action] = []
    while on_path:
        wanted = on_path.pop()
        for number, letter in enumerate(automaton.letters):
            after = automaton.after(states, number) & wanted
            if after:
                word.append(letter)
                states = after
                break
    return tuple(word)


def _closed(states: States, leads: Sequence[Sequence[int]]) -> States:
    """The states that can be reached from these, themselves included."""
    seen = bytearray(len(leads))
    pending = [*members(states)]
    for state in pending:
        seen[state] = 1
    while pending:
        for state in leads[pending.pop()]:
            if not seen[state]:
                seen[state] = 1
                pending.append(state)
    return state_set(state for state in range(len(leads)) if seen[state])
