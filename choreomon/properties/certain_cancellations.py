"""Cancellations that take back the same whether or not one looks at what is live.

All that such a label takes back triggers, by itself, a backward transition of the label that takes
it back. So an event with the label takes back what there is, if there is anything: it counts as
fired whenever it is seen, nobody is asked, and it may carry fewer parameters than what it takes
back. Every "back to the start from anywhere" is one, and every `{after: [i, j], back_to: i - 1}`.
"""

from __future__ import annotations

from choreomon.core.message import Label
from choreomon.core.verdict import Reference
from choreomon.properties.automaton import SequenceAutomaton, Transition
from choreomon.properties.relations import cancels, pre_transitions


def takes_back_the_same(automaton: SequenceAutomaton, label: Label) -> bool:
    """Return whether the backward transitions of a label take back exactly the same if they do not
    look at what is live."""
    backward = [t for t in automaton.backward if t.label == label]
    pres = {t: {_states(r) for r in pre_transitions(automaton, t)} for t in backward}
    forward = {_states(r): r for r in automaton.forward}  # which label they have does not matter
    return all(
        any(ends in pres[t] and cancels(automaton, t, r) for t in backward)
        for ends, r in forward.items()
        if any(cancels(automaton, t, r) for t in backward)
    )


def _states(transition: Transition) -> tuple[str, str]:
    return transition.source, transition.target


def certain_cancellations(automaton: SequenceAutomaton) -> frozenset[Reference]:
    """The backward transitions that fire whenever they are seen, without harm: all labels of their
    name take back the same."""
    labels = dict.fromkeys(t.label for t in automaton.backward)
    certain = {label for label in labels if takes_back_the_same(automaton, label)}
    uncertain = {t.reference for t in automaton.backward if t.label not in certain}
    return frozenset(t.reference for t in automaton.backward) - uncertain
