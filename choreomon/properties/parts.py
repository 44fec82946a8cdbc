"""Parts of an automaton that have no state in common.

What one of them comes to does not depend on events that only the others mention, so each can be
evaluated by itself. Only where orders disagree on several of them at one event do they have to be
looked at together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from choreomon.core.message import Label
from choreomon.core.stated_rule import StatedRule
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
        rules=tuple(each for each in automaton.rules if not each.states.isdisjoint(states)),
    )


def first_about(automaton: SequenceAutomaton) -> dict[Label, StatedRule]:
    """Map each label to the first rule that is about it; empty of a property without rules."""
    found: dict[Label, StatedRule] = {}
    for stated, states in automaton.rules:
        for label in restricted(automaton, states).labels:
            found.setdefault(label, stated)
    return found


def joined(automata: Sequence[SequenceAutomaton]) -> SequenceAutomaton:
    """Return one automaton with all states and transitions of these, which have no state in common.
    Of `sequences`, which are told by the numbers of states, it has none."""
    return SequenceAutomaton(
        states=tuple(state for each in automata for state in each.states),
        initial=tuple(state for each in automata for state in each.initial),
        final=tuple(state for each in automata for state in each.final),
        forward=tuple(t for each in automata for t in each.forward),
        backward=tuple(t for each in automata for t in each.backward),
        self_loops=tuple(loop for each in automata for loop in each.self_loops),
        carried={message: names for each in automata for message, names in each.carried.items()},
        rules=tuple(rule for each in automata for rule in each.rules),
    )
