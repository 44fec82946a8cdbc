"""The slices of a run: for each instance of a property the events that agree with it.

What a property for each instance means is said by these alone, event by event; whoever sees a whole
run can evaluate it so. A part of a property that can be formed by itself has slices of its own: its
last steps carry all that its labels do, so that each of its instances is one of all its parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import merge
from operator import itemgetter
from typing import NamedTuple

from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters


class Happened(NamedTuple):
    """An event of a run: `at` is its index; its label, and what its message carries."""

    at: int
    label: Label
    values: Binding


def slices(
    part: SequenceAutomaton, parameters: Parameters, events: Iterable[Happened]
) -> Iterator[tuple[Binding, list[Happened]]]:
    """The instances of a part that have an event with all of its parameters, and the slice of each;
    `events` are in the order in which they happened.

    Takes time in proportion to the events and, where some carry fewer parameters, to all slices.
    """
    labels = frozenset(part.labels)
    names = {name for label in labels for name in parameters.of(label)}
    own: dict[Binding, list[Happened]] = {}
    shared: dict[tuple[str, ...], dict[Binding, list[Happened]]] = {}
    for event in events:
        if event.label not in labels:
            continue
        binding = parameters.binding(event.label, dict(event.values))
        if binding is None:
            raise ValueError(f"{event.label} at event {event.at} lacks a value")
        if len(binding) == len(names):
            own.setdefault(binding, []).append(event)
        else:
            of = tuple(name for name, _ in binding)
            shared.setdefault(of, {}).setdefault(binding, []).append(event)
    for binding, told in own.items():
        others = [
            agreeing.get(tuple((name, value) for name, value in binding if name in of), [])
            for of, agreeing in shared.items()
        ]
        yield binding, [*merge(told, *others, key=itemgetter(0))] if any(others) else told
