"""Audits of properties that are meant for each instance: each binding of parameters by itself.

There is one causality, that of the whole run; of each binding there are verdicts over its slice.
What carries fewer parameters than a binding has belongs to all that agree with it, also to those of
which the first event comes later. A binding begins with the first event that carries all of its
parameters: without such an event nothing can be formed for it.

An event that lacks a value may have been of any instance: its process is one whose log may lack
events anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from choreomon.audit.auditor import NO_LIMITS, incomplete_gaps
from choreomon.audit.causality import MAX_WAITING, Causality
from choreomon.audit.items import Clock, Gap, Item
from choreomon.audit.occurrences import Counting, Occurrences
from choreomon.audit.summary import BEFORE, Summary
from choreomon.audit.units import Units
from choreomon.audit.verdicts import Verdicts
from choreomon.audit.window import Limits
from choreomon.core.message import Label
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Binding, Parameters, agree, in_words
from choreomon.properties.parts import restricted
from choreomon.properties.progress import rules_of

_NOWHERE: Final = Place("", 0)

MOST_INSTANCES: Final = 1_000_000
"""Bindings that are judged, the first ones; of events of others it is said that they are not."""


class _Parts:
    """Parts of the property that are for the same `names` of parameters, and the verdicts of each
    of their bindings."""

    def __init__(self, names: tuple[str, ...], units: Units, rules: Sequence[int]) -> None:
        """`rules`: the places of its rules among those of the whole property."""
        self.names = names
        self.rules = rules
        self.units = units
        self.labels = frozenset(units.automaton.labels)
        self.shared: list[tuple[Binding, Item]] = []
        """Events that carry fewer parameters, and ends of gaps, in the order of reading."""
        self.verdicts: dict[Binding, Verdicts] = {}


class InstancesAuditor:
    """One property for each of its instances over one set of logs: the parameters are those of
    `Auditor`. `summary` has what was found, a session being a binding, called as in
    `order=A-17`."""

    def __init__(
        self,
        automaton: SequenceAutomaton,
        parameters: Parameters,
        *,
        incomplete: Iterable[str] = (),
        limits: Limits = NO_LIMITS,
        max_waiting: int = MAX_WAITING,
        most: int = MOST_INSTANCES,
    ) -> None:
        self.summary = Summary("instance")
        self._parameters = parameters
        self._limits = limits
        self._most = most
        self._processes = tuple(dict.fromkeys(label.process for label in automaton.labels))
        self._parts = parts_by_parameters(automaton, parameters, self._processes)
        self._labels = automaton.labels
        self._lacking: list[tuple[int, Gap]] = []
        self._begun = 0
        self._labelled = 0
        self._left_out = 0
        self._counting = Counting(automaton.labels)
        self._causality = Causality(
            self._processes,
            automaton.labels,
            on_item=self._item,
            on_lacking=self._lacks,
            on_diagnostic=self._tell,
            incomplete=(incomplete := tuple(incomplete)),
            max_waiting=max_waiting,
        )
        for gap in incomplete_gaps(incomplete, self._processes):
            self._lacks(self._processes.index(gap.process), gap)

    def add(self, event: RecordedEvent) -> None:
        """The next event of its process. Raises `DocumentError` where logs contradict
        themselves."""
        self._counting.add(event)
        lacks = self._lacks_value(event)
        if lacks:
            reason = f"{event.name} at {event.place} carries no {lacks}"
            self._tell(Diagnostic("not-understood", f"it carries no {lacks}", event.place))
            if event.process in self._processes:
                index = self._processes.index(event.process)
                self._lacks(index, Gap(event.process, reason))
            event = event._replace(kind="local", peer=None)  # it counts, and is of no instance
        self._causality.add(event)

    def waits(self, process: str) -> bool:
        """See `Auditor.waits`."""
        return self._causality.waits(process)

    def settle(self) -> None:
        """See `Auditor.settle`."""
        self._causality.look_again()
        for each in self._all():
            each.settle()

    def finish(self, logged: Collection[str] = ()) -> Summary:
        """End all instances."""
        self._causality.finish(logged)
        number = 0
        instances: Counter[Label] = Counter()
        for part in self._parts:
            for binding, verdicts in part.verdicts.items():
                outcome = verdicts.outcome(verdicts.labelled, Occurrences())
                instances.update(verdicts.labels)
                self.summary.add((0, number), in_words(binding), outcome, part.rules)
                number += 1
        sessions = tuple(instances[label] for label in self._labels)
        found = self._counting.found()._replace(sessions=sessions)
        self.summary.seen(self._causality.events, self._labelled, found)
        if self._left_out:
            told = (
                f"{self._left_out:,} events are of more than {self._most:,} instances, and are "
                "not looked at"
            )
            self._tell(Diagnostic("late-event", told, _NOWHERE))
        return self.summary

    def _lacks_value(self, event: RecordedEvent) -> str:
        """The first parameter that an event should carry and does not; empty where it lacks
        none."""
        for label in self._labels:
            message = label.message
            own, other = message.sender, message.receiver
            if label.kind != "send":
                own, other = other, own
            if (event.kind, event.process, event.name) == (
                label.kind,
                own,
                message.name,
            ) and event.peer in (None, other):
                for name in self._parameters.of(label):
                    if name not in event.values:
                        return name
        return ""

    def _item(self, item: Item) -> None:
        self._labelled += item.label is not None
        if item.label is None:
            for part in self._parts:
                part.shared.append(((), item))
                for verdicts in part.verdicts.values():
                    verdicts.add(item)
            return
        assert item.event is not None
        binding = self._parameters.binding(item.label, item.event.values)
        assert binding is not None  # what lacks a value is no item
        for part in self._parts:
            if item.label in part.labels:
                self._take(part, binding, item)

    def _take(self, part: _Parts, binding: Binding, item: Item) -> None:
        if len(binding) < len(part.names):
            part.shared.append((binding, item))
            for of, verdicts in part.verdicts.items():
                if agree(of, binding):
                    verdicts.add(item)
            return
        found = part.verdicts.get(binding)
        if found is None:
            found = self._begin(part, binding)
        if found is not None:
            found.add(item)

    def _begin(self, part: _Parts, binding: Binding) -> Verdicts | None:
        """The verdicts of a new binding, with what was shared before."""
        if self._begun >= self._most:
            self._left_out += 1
            return None
        self._begun += 1
        made = part.verdicts[binding] = Verdicts(part.units, self._knowledge, self._limits)
        for index, gap in self._lacking:
            made.lacks(index, gap)
        for of, item in part.shared:
            if agree(binding, of):
                made.add(item)
        return made

    def _lacks(self, index: int, gap: Gap) -> None:
        self._lacking.append((index, gap))
        for each in self._all():
            each.lacks(index, gap)

    def _all(self) -> Iterator[Verdicts]:
        for part in self._parts:
            yield from part.verdicts.values()

    def _knowledge(self, index: int) -> Clock | None:
        return self._causality.knowledge(index) if self._causality.seen(index) else None

    def _tell(self, strange: Diagnostic) -> None:
        self.summary.tell(BEFORE, strange)


def parts_by_parameters(
    automaton: SequenceAutomaton, parameters: Parameters, processes: tuple[str, ...]
) -> list[_Parts]:
    """The parts of a property, those together that are for the same parameters."""
    groups: dict[tuple[str, ...], tuple[set[str], list[int]]] = {}
    for place, rule in enumerate(rules_of(automaton)):
        names = names_of(rule.automaton.labels, parameters)
        states, rules = groups.setdefault(names, (set(), []))
        states.update(rule.automaton.states)
        rules.append(place)
    return [
        _Parts(names, Units(restricted(automaton, states), processes), rules)
        for names, (states, rules) in groups.items()
    ]


def names_of(labels: Sequence[Label], parameters: Parameters) -> tuple[str, ...]:
    """The parameters that some of these labels carry, in the order of the property."""
    carried = {name for label in labels for name in parameters.of(label)}
    return tuple(name for name in parameters.names if name in carried)
