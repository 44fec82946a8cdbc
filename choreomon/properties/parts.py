"""Parts of an automaton that have no state in common.

What one of them comes to does not depend on events that only the others mention, so each can be
evaluated by itself. Only where orders disagree on several of them at one event do they have to be
looked at together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from choreomon.properties.automaton import SequenceAutomaton, Transition


def parts(automaton: SequenceAutomaton) -> list[frozenset[str]]:
    """The states, as many sets as there can be such that no transition leads from one to another
    one, in the order of their first states."""
    part_of = {state: {state} for state in automaton.states}
    for transition in (*automaton.forward, *automaton.backward):
        one, other = part_of[transition.source], part_of[transition.target]
        if one is not other:
            one |= other
            for state in other:
                part_of[state] = one
    return list(dict.fromkeys(map(frozenset, part_of.values())))


def restricted(automaton: SequenceAutomaton, states: Collection[str]) -> SequenceAutomaton:
    """The part of the automaton that has these states."""

    def inside(transitions: Sequence[Transition]) -> tuple[Transition, ...]:
        return tuple(each for each in transitions if each.source in states)

    return replace(
        automaton,
        states=tuple(each for each in automaton.states if each in states),
        initial=tuple(each for each in automaton.initial if each in states),
        final=tuple(each for each in automaton.final if each in states),
        forward=inside(automaton.forward),
        backward=inside(automaton.backward),
        self_loops=tuple(each for each in automaton.self_loops if each.state in states),
    )
