"""Where a property for each instance is formed in one order of events: in each slice by itself."""

from __future__ import annotations

from collections.abc import Sequence

from choreomon.core.binding import Binding, Values
from choreomon.core.message import Label
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.reference import formations


def formed_at(
    automaton: SequenceAutomaton,
    parameters: Parameters | None,
    order: Sequence[tuple[Label, Values]],
) -> list[int]:
    """The places in the order at which it is formed; without parameters all events are of one
    slice."""
    if parameters is None:
        return [each.index for each in formations(automaton, [label for label, _ in order])]
    bindings: list[Binding] = []
    for label, values in order:
        binding = parameters.binding(label, values)
        assert binding is not None
        bindings.append(binding)
    found: list[int] = []
    for theta in dict.fromkeys(bindings):
        places = [n for n, each in enumerate(bindings) if {*each} <= {*theta}]
        formed = formations(automaton, [order[n][0] for n in places])
        found += [n for each in formed if bindings[n := places[each.index]] == theta]
    return sorted(found)
