"""Audits of properties that are meant for each instance: each binding of parameters by itself.

There is one causality, that of the whole run; of each binding there are verdicts over its slice.
What carries fewer parameters than a binding has belongs to all that agree with it, also to those of
which the first event comes later. A binding begins with the first event that carries all of its
parameters: without such an event nothing can be formed for it.

An event that lacks a value may have been of any instance: its process is one whose log may lack
events anywhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from choreomon.audit.auditor import (
    NO_LIMITS,
    incomplete_gaps,
    of_only_replica,
    over_replicas,
    with_roles,
)
from choreomon.audit.causality import MAX_WAITING, Causality
from choreomon.audit.items import Clock, Gap, Item
from choreomon.audit.occurrences import Counting, Occurrences
from choreomon.audit.summary import BEFORE, INSTANCE, Summary
from choreomon.audit.units import Units
from choreomon.audit.verdicts import Verdicts
from choreomon.audit.window import Limits
from choreomon.core.binding import MAX_VALUE, Binding, agree, in_words, is_value
from choreomon.core.message import SEND, Label
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.core.roles import NO_ROLES, Roles
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.parts import restricted
from choreomon.properties.progress import rules_of
from choreomon.properties.roles import parameters_over_slots

_NOWHERE: Final = Place("", 0)

_SURELY_SHORT: Final = MAX_VALUE // 4
"""Characters, of which each is at most four bytes."""

MOST_INSTANCES: Final = 1_000_000
"""Bindings that are judged, the first ones; of events of others it is said that they are not."""


class _Instance:
    """A binding: its verdicts, how many shared items they have taken or passed over, and the last
    rank of its own items for each process that has some."""

    def __init__(self, verdicts: Verdicts, taken: int) -> None:
        self.verdicts = verdicts
        self.taken = taken
        self.own: dict[int, int] = {}


class Parts:
    """Parts of the property that are for the same `names` of parameters, and their instances.

    Items that instances share are kept in the order of reading, and each instance takes them when
    it needs them: before its next own item, and at the end those that do not know all of its own,
    since what comes after all of these changes nothing; but where a gap may hide more of its own,
    all of them. A new instance goes on from what all those share that agree with it (`_bases`).
    """

    def __init__(
        self,
        names: tuple[str, ...],
        units: Units,
        rules: Sequence[int],
        begun: Callable[[Units], Verdicts],
        shared_names: frozenset[str],
    ) -> None:
        """`rules`: the places of its rules among those of the whole property; `begun` makes
        verdicts; `shared_names` are the parameters that events with fewer of them carry."""
        self.names = names
        self.units = units
        self.rules = rules
        self.labels = frozenset(units.automaton.labels)
        self.instances: dict[Binding, _Instance] = {}
        self._begun = begun
        self._shared_names = shared_names
        self._shared: list[tuple[Binding, Item]] = []
        self._of_process: dict[int, list[int]] = {}
        self._bases: dict[Binding, _Instance] = {}
        self._last_gap = -1

    def share(self, binding: Binding, item: Item) -> None:
        """Keep an item for all instances that agree with this."""
        if item.label is None:
            self._last_gap = len(self._shared)
        self._of_process.setdefault(item.process, []).append(len(self._shared))
        self._shared.append((binding, item))

    def begin(self, binding: Binding) -> _Instance:
        """Make an instance, with what it shares with others so far."""
        key = tuple((name, value) for name, value in binding if name in self._shared_names)
        base = self._bases.get(key)
        if base is None:
            base = self._bases[key] = _Instance(self._begun(self.units), 0)
        self.take_all(key, base)
        made = _Instance(base.verdicts.copied(), base.taken)
        self.instances[binding] = made
        return made

    def take(self, binding: Binding, instance: _Instance, item: Item) -> None:
        """Give an instance an item of its own."""
        self.take_all(binding, instance)
        instance.verdicts.add(item)
        instance.own[item.process] = item.rank

    def take_the_rest(self, binding: Binding, instance: _Instance, *, lacking: bool) -> None:
        """Give an instance all shared items that may have come before one of its own; `lacking`: of
        some process any events may be missing."""
        if lacking or self._last_gap >= instance.taken:
            self.take_all(binding, instance)
            return
        places: list[int] = []
        for positions in self._of_process.values():
            first = bisect_left(positions, instance.taken)
            known = bisect_left(
                positions, True, lo=first, key=lambda place: self._knows_all(place, instance)
            )
            places += positions[first:known]
        for place in sorted(places):
            of, item = self._shared[place]
            if agree(binding, of):
                instance.verdicts.add(item)

    def all(self) -> Iterator[Verdicts]:
        """The verdicts of all instances, and of what they begin with."""
        for each in (*self.instances.values(), *self._bases.values()):
            yield each.verdicts

    def take_all(self, binding: Binding, instance: _Instance) -> None:
        for place in range(instance.taken, len(self._shared)):
            of, item = self._shared[place]
            if agree(binding, of):
                instance.verdicts.add(item)
        instance.taken = len(self._shared)

    def _knows_all(self, place: int, instance: _Instance) -> bool:
        """Return whether a shared item knows all items of an instance; later ones of its process
        then do, too."""
        clock = self._shared[place][1].clock
        return all(clock[process] >= rank for process, rank in instance.own.items())


class InstancesAuditor:
    """Audits one property for each of its instances over one set of logs, with the parameters of
    `Auditor`. `summary` has the results; a session is a binding, named as in `order=A-17`."""

    def __init__(
        self,
        automaton: SequenceAutomaton,
        parameters: Parameters,
        *,
        incomplete: Iterable[str] = (),
        limits: Limits = NO_LIMITS,
        max_waiting: int = MAX_WAITING,
        most: int = MOST_INSTANCES,
        only: Binding = (),
        roles: Roles = NO_ROLES,
    ) -> None:
        """Start an audit; only instances that agree with `only` are judged."""
        self.summary = Summary(INSTANCE)
        self._roles = roles
        self._counting = Counting(automaton.labels, roles)
        self._labels_of_roles = automaton.labels
        parameters = parameters_over_slots(parameters, automaton, roles) or parameters
        automaton = over_replicas(automaton, roles)
        self._parameters = parameters
        self._limits = limits
        self._most = most
        self._only = only
        self._processes = tuple(dict.fromkeys(label.process for label in automaton.labels))
        self._parts = self._made_parts(automaton, parameters)
        self._carrying: dict[tuple[str, str, str], list[tuple[str, tuple[str, ...]]]] = {}
        for label in automaton.labels:
            sender, name, receiver = label.message
            other = receiver if label.kind == SEND else sender
            told = (other, parameters.of(label))
            self._carrying.setdefault((label.kind, label.process, name), []).append(told)
        self._lacking: list[tuple[int, Gap]] = []
        self._first_lack: Diagnostic | None = None
        self._begun = 0
        self._labelled = 0
        self._left_out = 0
        self._causality = Causality(
            self._processes,
            automaton.labels,
            on_item=self._item,
            on_lacking=self._lacks,
            on_diagnostic=self._tell,
            incomplete=(incomplete := roles.processes(incomplete)),
            max_waiting=max_waiting,
            roles=roles,
        )
        for gap in incomplete_gaps(incomplete, self._processes):
            self._lacks(self._processes.index(gap.process), gap)

    def add(self, event: RecordedEvent) -> None:
        """The next event of its process. Raises `DocumentError` where logs contradict
        themselves."""
        if self._roles:
            event = of_only_replica(event, self._roles)
        self._counting.add(event)
        lacks, mended_by = self._lacks_value(event)
        if lacks:
            reason = f"{event.name} at {event.place} {lacks}"
            told = Diagnostic("not-understood", f"it {lacks}: {mended_by}", event.place)
            self._tell(told)
            self._first_lack = self._first_lack or told
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
        self._causality.finish(with_roles(logged, self._roles))
        of_roles = Occurrences(roles=self._roles)
        number = 0
        instances: Counter[Label] = Counter()
        for part in self._parts:
            for binding, instance in part.instances.items():
                part.take_the_rest(binding, instance, lacking=bool(self._lacking))
                verdicts = instance.verdicts
                outcome = verdicts.outcome(verdicts.labelled, of_roles)
                instances.update({self._roles.of_roles(label) for label in verdicts.labels})
                rank, name = (0, number), in_words(binding)
                self.summary.add(rank, name, outcome, part.rules, binding)
                number += 1
        if self._first_lack is not None and not self._begun:
            told = f"{self._first_lack.place}: {self._first_lack.message}"
            self.summary.refuse(BEFORE, 0, f"no instance is known; at first: {told}")
        sessions = tuple(instances[label] for label in self._labels_of_roles)
        found = self._counting.found()._replace(sessions=sessions)
        self.summary.seen(self._causality.events, self._labelled, found)
        if self._left_out:
            told = (
                f"{self._left_out:,} events are of more than {self._most:,} instances, and are "
                "not looked at: with --for, those of one value are judged"
            )
            self._tell(Diagnostic("late-event", told, _NOWHERE))
            self.summary.refuse(BEFORE, 0, told)  # one stands for all: they are not told apart
        return self.summary

    def _lacks_value(self, event: RecordedEvent) -> tuple[str, str]:
        """The defect of the first parameter that an event should carry and does not, and what
        mends it; empty if it lacks none."""
        for other, names in self._carrying.get((event.kind, event.process, event.name), ()):
            if event.peer is None or self._roles.role_of(event.peer) == other:
                for name in names:
                    value = event.values.get(name)
                    if value is None:
                        said = "parameters of a mapping say which field has it"
                        return f"carries no {name}", said
                    if not 1 <= len(value) <= _SURELY_SHORT and not is_value(value):
                        told = f"carries no {name} of 1 to {MAX_VALUE} bytes of UTF-8"
                        return told, "log its digest instead" if value else "log its value"
        return "", ""

    def _item(self, item: Item) -> None:
        self._labelled += item.label is not None
        if item.label is None:
            for part in self._parts:
                part.share((), item)
            return
        assert item.event is not None
        binding = self._parameters.binding(item.label, item.event.values)
        assert binding is not None  # what lacks a value is no item
        for part in self._parts:
            if item.label in part.labels:
                self._take(part, binding, item)

    def _take(self, part: Parts, binding: Binding, item: Item) -> None:
        if len(binding) < len(part.names):
            part.share(binding, item)
            return
        found = part.instances.get(binding)
        if found is None and not agree(self._only, binding):
            return
        if found is None and self._begun >= self._most:
            self._left_out += 1
            return
        if found is None:
            self._begun += 1
            found = part.begin(binding)
        part.take(binding, found, item)

    def _made_parts(self, automaton: SequenceAutomaton, parameters: Parameters) -> list[Parts]:
        """The parts of the property, those together that are for the same parameters."""
        groups: dict[tuple[str, ...], tuple[set[str], list[int]]] = {}
        for place, rule in enumerate(rules_of(automaton)):
            names = names_of(rule.automaton.labels, parameters)
            states, rules = groups.setdefault(names, (set(), []))
            states.update(rule.automaton.states)
            rules.append(place)
        made = []
        for names, (states, rules) in groups.items():
            units = Units(restricted(automaton, states), self._processes)
            carried = map(parameters.of, units.automaton.labels)
            fewer = frozenset(name for own in carried if len(own) < len(names) for name in own)
            made.append(Parts(names, units, rules, self.new_verdicts, fewer))
        return made

    def new_verdicts(self, units: Units) -> Verdicts:
        made = Verdicts(units, self._knowledge, self._limits)
        for index, gap in self._lacking:
            made.lacks(index, gap)
        return made

    def _lacks(self, index: int, gap: Gap) -> None:
        self._lacking.append((index, gap))
        for each in self._all():
            each.lacks(index, gap)

    def _all(self) -> Iterator[Verdicts]:
        for part in self._parts:
            yield from part.all()

    def _knowledge(self, index: int) -> Clock | None:
        return self._causality.knowledge(index) if self._causality.seen(index) else None

    def _tell(self, strange: Diagnostic) -> None:
        self.summary.tell(BEFORE, strange)


def names_of(labels: Sequence[Label], parameters: Parameters) -> tuple[str, ...]:
    """The parameters that some of these labels carry, in the order of the property."""
    carried = {name for label in labels for name in parameters.of(label)}
    return tuple(name for name in parameters.names if name in carried)
