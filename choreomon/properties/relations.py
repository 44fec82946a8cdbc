"""Pre-transitions and vio-transitions (the paper, Definitions 5 and 6).

The relation `->*` is reflexive (docs/adr/022-monitors.md, "Where this differs from the paper"):
with the transitive closure alone the vio-transitions of the paper's own example would be
empty.
"""

from __future__ import annotations

from choreomon.properties.automaton import SequenceAutomaton, Transition


def pre_transitions(automaton: SequenceAutomaton, transition: Transition) -> tuple[Transition, ...]:
    """Definition 5: the forward transitions whose target is the source of `transition`;
    of a backward one only those that lie on a way from its target."""
    source, _, target = transition
    ending = automaton.ending[source]
    if (source, target) in automaton.cancelling:  # a forward one
        return ending
    back = automaton.reach[target]
    return tuple(t for t in ending if t.source in back)


def vio_transitions(automaton: SequenceAutomaton, transition: Transition) -> tuple[Transition, ...]:
    """Definition 6: the backward transitions that cancel the forward `transition`."""
    return automaton.cancelling[transition.source, transition.target]


def cancels(automaton: SequenceAutomaton, backward: Transition, forward: Transition) -> bool:
    """Return whether `forward` lies on a way from the target of `backward` to its source."""
    return (
        forward.source in automaton.reach[backward.target]
        and backward.source in automaton.reach[forward.target]
    )
