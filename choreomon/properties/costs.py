"""What each label of a property for each instance costs: where its events are kept, and who is
asked at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from choreomon.core.message import Label
from choreomon.core.verdict import Reference
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.certain_cancellations import certain_cancellations
from choreomon.properties.instances import Parameters
from choreomon.properties.tables import TransitionTable


class LabelCost(NamedTuple):
    """Costs of one label. `recorded`: its monitor remembers its events, once for each combination
    of the values that it `carries`, since somebody may ask for them. `cancels`: it takes back
    something; that is `certain` where it need not look at what is live. `asks`: the other processes
    that may be asked at one of its events."""

    label: Label
    carries: tuple[str, ...]
    recorded: bool
    cancels: bool
    certain: bool
    asks: tuple[str, ...]


def label_costs(
    automaton: SequenceAutomaton, parameters: Parameters, tables: Mapping[str, TransitionTable]
) -> tuple[LabelCost, ...]:
    """The costs of all labels, in the order of the property; `tables` by process."""
    certain = certain_cancellations(automaton)
    cancelling: dict[Label, set[Reference]] = {}
    for t in automaton.backward:
        cancelling.setdefault(t.label, set()).add(t.reference)
    found = []
    for label in automaton.labels:
        table = tables[label.process]
        own = [each for each in table.inspections[label] if not each.starts]
        asked = dict.fromkeys(owner for each in own for owner, _ in each.asks)
        found.append(
            LabelCost(
                label,
                parameters.of(label),
                any(
                    table.readers[each.reference] or table.followers.get(each.reference)
                    for each in table.inspections[label]
                ),
                label in cancelling,
                label in cancelling and cancelling[label] <= certain,
                tuple(owner for owner in asked if owner != label.process),
            )
        )
    return tuple(found)
