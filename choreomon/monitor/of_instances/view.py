"""One instance as the monitor that knows of none sees it, and back.

What concerns an event is remembered at its own binding, and at those to which this restricts: a
*view* has all of it. A step of a view changes only what is at its own binding, since each
transition carries all that it rests on (`choreomon.properties.instances`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import TypeAlias

from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.verdict import NEVER, Reference
from choreomon.monitor.history import Chain
from choreomon.monitor.of_instances.state import Instance, Shared
from choreomon.monitor.pull import Monitor
from choreomon.monitor.state import MonitorState
from choreomon.properties.tables import TransitionTable

Names: TypeAlias = tuple[str, ...]
"""Of parameters, sorted."""


class OneInstance(Monitor):
    """The monitor of one instance. Other instances may still ask oneself about older events than
    this one does; so what the process promises itself is not found in the inspections of a view but
    is the last entry of `settled`, as if it were one more reader."""

    def __post_init__(self) -> None:
        super().__post_init__()
        place = len(self.readers)
        readers_of = tuple(
            (*readers, place) if asks else readers
            for readers, asks in zip(self.readers_of, self.asks_itself, strict=True)
        )
        object.__setattr__(self, "readers_of", readers_of)
        object.__setattr__(self, "asks_itself", (False,) * len(readers_of))


def names_of(binding: Binding) -> Names:
    return tuple([name for name, _ in binding])


def homes_of(table: TransitionTable) -> dict[Reference, Names]:
    """By own reference the parameters that its labels carry: where its records are."""
    return {
        reference: tuple(sorted(table.carries.get(label, ())))
        for reference, labels in table.watched_by.items()
        for label in labels
    }


class Homes:
    """Where the chains of own references are: `places` by names of parameters."""

    def __init__(self, homes: Iterable[Names]) -> None:
        self._homes = [*homes]
        self.places: dict[Names, tuple[int, ...]] = {}
        for place, names in enumerate(self._homes):
            self.places[names] = (*self.places.get(names, ()), place)
        self._below: dict[Names, tuple[tuple[int, ...], ...]] = {}

    def __len__(self) -> int:
        return len(self._homes)

    def above(self, binding: Binding) -> list[Binding]:
        """The bindings to which this one restricts, and where something may be remembered; itself
        not among them. `binding` must have names of parameters of the property."""
        names = names_of(binding)
        wheres = self._below.get(names)
        if wheres is None:  # kept: there are as many as sets of parameters
            wheres = self._below[names] = tuple(
                where
                for size in range(len(names))
                for where in combinations(range(len(names)), size)
                if tuple([names[place] for place in where]) in self.places
            )
        return [tuple([binding[place] for place in where]) for where in wheres]


def viewed(
    shared: Shared,
    homes: Homes,
    binding: Binding,
    own: int,
    remembered: Callable[[Binding], Instance],
    next_count: int | None,
) -> MonitorState:
    """What is remembered that concerns this binding. `next_count`: of the event that is about to be
    inspected, if one is."""
    history: list[Chain] = [()] * len(homes)
    last = remembered(binding)
    for place, chain in zip(homes.places.get(names_of(binding), ()), last.chains, strict=False):
        history[place] = chain
    inspections, decisions, evidence = last.inspections, last.decisions, last.evidence
    above = homes.above(binding)
    for each in above:
        other = remembered(each)
        for place, chain in zip(homes.places[names_of(each)], other.chains, strict=False):
            history[place] = chain
        inspections += other.inspections
        decisions += other.decisions
        evidence += other.evidence
    if above:
        inspections = tuple(sorted(inspections, key=lambda each: each.event[own]))
        decisions = tuple(sorted(decisions, key=lambda each: each.event[own]))
        evidence = tuple(sorted(evidence))
    promised = NEVER
    if shared.open:
        promised = shared.open[0].event[own] - 1
    elif next_count is not None:
        promised = next_count - 1
    return MonitorState(
        (),
        tuple(history),
        inspections,
        decisions,
        last.postponed,
        (*shared.promises, promised),
        shared.gaps,
        evidence,
    )


def taken_back(
    after: MonitorState,
    before: Instance,
    homes: Homes,
    binding: Binding,
    carries: Mapping[Label, Names],
    above: Iterable[Instance],
) -> Instance:
    """What is remembered at this binding after a step of its view. `carries`: by label the
    parameters of its events, sorted; `above`: what was remembered at the bindings to which this one
    restricts."""
    names = names_of(binding)
    places = homes.places.get(names, ())
    chains = tuple([after.history[place] for place in places])
    others = [*above]
    if not others:
        inspections, decisions, evidence = after.inspections, after.decisions, after.evidence
    else:
        inspections = tuple([i for i in after.inspections if i.plan.places[0] in places])
        decisions = tuple([d for d in after.decisions if carries[d.label] == names])
        elsewhere = {each.number for other in others for each in other.evidence}
        evidence = tuple([each for each in after.evidence if each.number not in elsewhere])
    if not any(chains):
        chains = ()
    found = Instance(chains, inspections, decisions, after.postponed, evidence)
    return before if found == before else found
