"""An automaton whose states have other names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from choreomon.core.stated_rule import RuleStates
from choreomon.properties.automaton import SequenceAutomaton, Transition


def renumbered(automaton: SequenceAutomaton, first: int) -> SequenceAutomaton:
    """The automaton with states q0, q1 and so on from the number `first`, in their order. Of
    `sequences`, which are told by the numbers of states from 0, it has none."""
    names = {state: f"q{first + place}" for place, state in enumerate(automaton.states)}

    def named(states: Sequence[str]) -> tuple[str, ...]:
        return tuple([names[state] for state in states])

    def moved(transitions: Sequence[Transition]) -> tuple[Transition, ...]:
        return tuple([Transition(names[t.source], t.label, names[t.target]) for t in transitions])

    return replace(
        automaton,
        states=named(automaton.states),
        initial=named(automaton.initial),
        final=named(automaton.final),
        forward=moved(automaton.forward),
        backward=moved(automaton.backward),
        self_loops=tuple([each._replace(state=names[each.state]) for each in automaton.self_loops]),
        sequences=(),
        rules=tuple(
            [
                RuleStates(stated, frozenset(names[state] for state in states))
                for stated, states in automaton.rules
            ]
        ),
    )
