"""One instance as the monitor that knows of none sees it, and back.

What concerns an event is remembered at its own binding, and at those to which this restricts: a
*view* has all of it. A step of a view changes only what is at its own binding, since each
transition carries all that it rests on (`choreomon.properties.instances`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

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


def homes_of(table: TransitionTable) -> dict[Reference, Names]:
    """Return the parameters that the labels of each own reference carry: where its records are."""
    return {
        reference: tuple(sorted(table.carries.get(label, ())))
        for reference, labels in table.watched_by.items()
        for label in labels
    }


class Part(NamedTuple):
    """A binding, the places of its chains, and the instance itself."""

    binding: Binding
    places: tuple[int, ...]
    instance: Instance


class Homes:
    """Places of the chains of own references, grouped by their names of parameters."""

    def __init__(self, homes: Iterable[Names]) -> None:
        self._places: dict[Names, tuple[int, ...]] = {}
        for place, names in enumerate(homes):
            self._places[names] = (*self._places.get(names, ()), place)
        self._count = sum(map(len, self._places.values()))
        self._paths: dict[Names, tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]] = {}

    def __len__(self) -> int:
        """Count the chains."""
        return self._count

    def path(self, binding: Binding) -> list[tuple[Binding, tuple[int, ...]]]:
        """The bindings to which this one restricts, and where something may be remembered, with the
        places of their chains; itself last. Its names must be those of parameters of the
        property."""
        names = tuple([name for name, _ in binding])
        found = self._paths.get(names)
        if found is None:  # kept: there are as many as sets of parameters
            found = self._paths[names] = tuple(
                (where, self._places[some])
                for size in range(len(names))
                for where in combinations(range(len(names)), size)
                if (some := tuple([names[place] for place in where])) in self._places
            )
        own = self._places.get(names, ())
        if not found:
            return [(binding, own)]
        above = [(tuple([binding[at] for at in where]), places) for where, places in found]
        return [*above, (binding, own)]


def viewed(
    shared: Shared, parts: Sequence[Part], chains: int, own: int, next_count: int | None
) -> MonitorState:
    """Return what is remembered that concerns the last of these parts, which are those of its path;
    `chains` is how many there are in all. `next_count`: of the event that is about to be inspected,
    if one is."""
    _, places, last = parts[-1]
    history: Sequence[Chain] = last.chains
    if len(places) < chains or not history:
        history = [()] * chains
        for _, at, instance in parts:
            for place, chain in zip(at, instance.chains, strict=False):
                history[place] = chain
    _, inspections, decisions, postponed, evidence = last
    if len(parts) > 1:
        for _, _, other in parts[:-1]:
            inspections += other.inspections
            decisions += other.decisions
            evidence += other.evidence
        inspections = tuple(sorted(inspections, key=lambda each: each.event[own]))
        decisions = tuple(sorted(decisions, key=lambda each: each.event[own]))
        evidence = tuple(sorted(evidence))
    promised = NEVER
    if shared.open:
        promised = shared.open.oldest - 1
    elif next_count is not None:
        promised = next_count - 1
    return MonitorState(
        unprocessed=(),
        history=tuple(history),
        inspections=inspections,
        decisions=decisions,
        postponed=postponed,
        settled=(*shared.promises, promised),
        gaps=shared.gaps,
        evidence=evidence,
    )


def taken_back(
    after: MonitorState, parts: Sequence[Part], carries: Mapping[Label, Names]
) -> Instance:
    """Return what is remembered at the last of these parts after a step of the view of all.
    `carries`: by label the parameters of its events, sorted."""
    binding, places, before = parts[-1]
    _, history, inspections, decisions, postponed, _, _, evidence = after
    chains = tuple([history[place] for place in places])
    if len(parts) > 1:
        names = tuple([name for name, _ in binding])
        inspections = tuple([i for i in inspections if i.plan.places[0] in places])
        decisions = tuple([d for d in decisions if carries[d.label] == names])
        elsewhere = {each.number for part in parts[:-1] for each in part.instance.evidence}
        evidence = tuple([each for each in evidence if each.number not in elsewhere])
    if not any(chains):
        chains = ()
    found = Instance(chains, inspections, decisions, postponed, evidence)
    return before if found == before else found
