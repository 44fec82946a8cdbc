"""A property over roles -> the same over their slots (`choreomon.core.roles`).

Its transitions are replaced by parallel ones, one for each slot of the role that *owns the event*.
So a step costs as many transitions as its owner has slots, and the property over slots is formed
exactly where the one over roles is (docs/adr/037-roles.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from choreomon.core.message import Message
from choreomon.core.roles import Roles
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.instances import Parameters


def automaton_over_slots(automaton: SequenceAutomaton, roles: Roles) -> SequenceAutomaton:
    """The property over slots of one over roles. One that is over slots stays as it is."""
    return replace(
        automaton,
        forward=_transitions(automaton.forward, roles),
        backward=_transitions(automaton.backward, roles),
        carried=_carried(automaton, automaton.carried, roles),
    )


def parameters_over_slots(
    parameters: Parameters | None, automaton: SequenceAutomaton, roles: Roles
) -> Parameters | None:
    """The parameters over slots of those of the `automaton` over roles."""
    if parameters is None:
        return None
    return replace(parameters, carried=_carried(automaton, parameters.carried, roles))


def _transitions(transitions: Iterable[Transition], roles: Roles) -> tuple[Transition, ...]:
    return tuple(
        Transition(source, label, target)
        for source, by_role, target in transitions
        for label in roles.labels(by_role)
    )


def _carried(
    automaton: SequenceAutomaton, carried: Mapping[Message, tuple[str, ...]], roles: Roles
) -> Mapping[Message, tuple[str, ...]]:
    return {
        label.message: carried[by_role.message]
        for by_role in automaton.labels
        if by_role.message in carried
        for label in roles.labels(by_role)
    }
