"""Cancellations that take back the same whether or not one looks at what is live.

All that such a label takes back triggers, by itself, a backward transition of the label that takes
it back. So an event with the label takes back what there is, if there is anything: it counts as
fired whenever it is seen, nobody is asked, and it may carry fewer parameters than what it takes
back. Every "back to the start from anywhere" is one, and every `{after: [i, j], back_to: i - 1}`.
"""

from __future__ import annotations

from choreomon.core.message import Label
from choreomon.core.verdict import Reference
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.relations import cancels, pre_transitions


def takes_back_the_same(automaton: SequenceAutomaton, label: Label) -> bool:
    """Return whether the backward transitions of a label take back exactly the same if they do not
    look at what is live."""
    backward = [t for t in automaton.backward if t.label == label]
    pres = {t: pre_transitions(automaton, t) for t in backward}
    return all(
        any(r in pres[t] and cancels(automaton, t, r) for t in backward)
        for r in automaton.forward
        if any(cancels(automaton, t, r) for t in backward)
    )


def certain_cancellations(automaton: SequenceAutomaton) -> frozenset[Reference]:
    """The backward transitions that fire whenever they are seen, without harm: all labels of their
    name take back the same."""
    labels = dict.fromkeys(t.label for t in automaton.backward)
    certain = {label for label in labels if takes_back_the_same(automaton, label)}
    uncertain = {t.reference for t in automaton.backward if t.label not in certain}
    return frozenset(t.reference for t in automaton.backward) - uncertain
