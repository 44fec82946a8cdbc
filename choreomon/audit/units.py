"""Units: parts of the property that can be audited by themselves, as no event can end two of them,
or as each is a rule with verdicts of its own.

Parts that have no state in common do not depend on each other. Only where one label leads into
final states of several of them do orders have to be compared at one event; these are one unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from choreomon.audit.look_ups import LookUps
from choreomon.audit.search import LiveStep
from choreomon.core.message import Label
from choreomon.core.stated_rule import StatedRule
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import LiveSet, live_bits, live_stepper
from choreomon.properties.parts import parts, restricted
from choreomon.properties.progress import rules_of


class Units:
    """Common ground of the audits of one property, so that many cost little more than one: its
    `processes` in the order of clocks, its `rules`, and its units; of each unit the labels of each
    process, and its look-ups."""

    def __init__(
        self, automaton: SequenceAutomaton, processes: tuple[str, ...] | None = None
    ) -> None:
        """`processes`: None: those of the automaton."""
        self.automaton = automaton
        if processes is None:
            processes = tuple(dict.fromkeys(label.process for label in automaton.labels))
        self.processes = processes
        self.rules = rules_of(automaton)
        self.units = units(automaton)
        self.labels = [labels_by_process(unit.automaton, self.processes) for unit in self.units]
        self.look_ups = [LookUps(unit.automaton, self.processes) for unit in self.units]


@dataclass(frozen=True)
class Unit:
    """A part of the property, or several. With `whole` it is all of it, and only whether it is
    formed at all is asked: then nothing is remembered once it was. `rule`: what its author said of
    it, where the property is written as rules."""

    automaton: SequenceAutomaton
    whole: bool = False
    rule: StatedRule | None = None

    @cached_property
    def formed(self) -> LiveSet:
        """The bit of a live set that says that the property was formed on the way to it."""
        return 1 << len(live_bits(self.automaton))

    @cached_property
    def final(self) -> frozenset[Label]:
        """The labels at which the property can be formed."""
        return final_labels(self.automaton)

    @cached_property
    def step(self) -> LiveStep:
        """The `live_stepper`, with the bit `formed`."""
        one, bit, whole = live_stepper(self.automaton), self.formed, self.whole

        @cache
        def step(label: Label, live: LiveSet) -> tuple[LiveSet, bool]:
            if whole and live & bit:
                return live, False
            after, formed = one(label, live)
            if not formed:
                return after, False
            return (bit if whole else after | bit), True

        return step


def units(automaton: SequenceAutomaton) -> list[Unit]:
    """The units of a property; where they are several, a last one that is `whole`. Of rules each is
    a unit, also where one event ends several, and nobody asks whether any was formed in each
    order."""
    if automaton.rules:
        return [Unit(rule.automaton, rule=rule.stated) for rule in rules_of(automaton)]
    groups: list[tuple[set[str], set[Label]]] = []
    for states in parts(automaton):
        together = set(states)
        labels = set(final_labels(restricted(automaton, states)))
        if not labels:
            continue  # nothing ends there
        for group in [each for each in groups if each[1] & labels]:
            together |= group[0]
            labels |= group[1]
            groups.remove(group)
        groups.append((together, labels))
    if len(groups) < 2:
        return [Unit(automaton)]
    single = [Unit(restricted(automaton, states)) for states, _ in groups]
    return [*single, Unit(automaton, whole=True)]


def final_labels(automaton: SequenceAutomaton) -> frozenset[Label]:
    """The labels of the transitions that form the property."""
    return frozenset(t.label for t in automaton.forward if t.target in automaton.final)


def labels_by_process(
    automaton: SequenceAutomaton, processes: Sequence[str]
) -> list[tuple[Label, ...]]:
    """The labels of each process, in the order of `processes`."""
    return [
        tuple(label for label in automaton.labels if label.process == process)
        for process in processes
    ]
