"""How far events came along what a property forbids, in the order in which they are told.

A property that was never formed may have been close to it, or not even begun. So each of its parts
(`choreomon.properties.parts`) is a *rule*, and of each is known how many steps it came: as many as
the fewest events that can form it, less the fewest that were still lacking when fewest were.

Where the order of events is not known, this speaks of the one order in which they were told; in
another one that the logs allow it may have come farther, or less far. Verdicts look at all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from choreomon.core.message import BEGIN, Label
from choreomon.core.stated_rule import StatedRule
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import LiveSet, begun, live_bits, live_stepper
from choreomon.properties.parts import parts, restricted

NOT_BEGUN: Final = 0


@dataclass(frozen=True)
class Rule:
    """A part of a property that can be formed by itself; `number` is its place, from 1. `stated`:
    what its author said of it, where the property is written as rules."""

    number: int
    automaton: SequenceAutomaton
    stated: StatedRule | None = None

    @property
    def called(self) -> str:
        """Name of the rule, or `sequence 2`."""
        return f"sequence {self.number}" if self.stated is None else self.stated.name

    @cached_property
    def steps(self) -> int:
        """The fewest events that can form it."""
        return min(self._lacking[state] for state in self._starts)

    @cached_property
    def sequence(self) -> tuple[Label, ...]:
        """The labels of one of the shortest sequences that form it, with `BEGIN` where that goes
        before."""
        state = min(self._starts, key=lambda state: self._lacking[state])
        found = [] if state in self.automaton.initial else [BEGIN]
        while state not in self.automaton.final:
            following = (
                t for t in self.automaton.forward if t.source == state and t.label != BEGIN
            )
            nearest = min(following, key=lambda t: self._lacking.get(t.target, len(self._lacking)))
            found.append(nearest.label)
            state = nearest.target
        return tuple(found)

    def can_be_formed_by(self, labels: Collection[Label]) -> bool:
        """Return whether events of these labels alone can form it."""
        reached = {*self._starts}
        todo = [*reached]
        for state in todo:
            for t in self.automaton.forward:
                if t.source == state and t.label in labels and t.target not in reached:
                    reached.add(t.target)
                    todo.append(t.target)
        return not reached.isdisjoint(self.automaton.final)

    @cached_property
    def step(self) -> Callable[[Label, LiveSet], tuple[LiveSet, int]]:
        """Function from live transitions to those after an event, and how many steps these are far.
        Remembered, so that many sessions share it."""
        one, most = live_stepper(self.automaton), self.steps
        at_first = {(t.source, t.target) for t in self.automaton.begun}
        lacking = {
            bit: self._lacking.get(pair[1], most)
            for pair, bit in live_bits(self.automaton).items()
            if pair not in at_first  # no event made that step
        }

        @cache
        def step(label: Label, live: LiveSet) -> tuple[LiveSet, int]:
            after, _ = one(label, live)
            left = [lacking[bit] for bit in lacking if after & bit]
            return after, max(1, most - min(left)) if left else NOT_BEGUN

        return step

    @cached_property
    def _starts(self) -> list[str]:
        """The states from which events can lead on before the first of them."""
        starts = (*self.automaton.initial, *(t.target for t in self.automaton.begun))
        return [state for state in dict.fromkeys(starts) if state in self._lacking]

    @cached_property
    def _lacking(self) -> Mapping[str, int]:
        """The fewest events that lead from a state to a final one, where some do."""
        found = dict.fromkeys(self.automaton.final, 0)
        todo = [*found]
        for state in todo:
            for t in self.automaton.forward:
                if t.target == state and t.source not in found and t.label != BEGIN:
                    found[t.source] = found[state] + 1
                    todo.append(t.source)
        return found


def rules_of(automaton: SequenceAutomaton) -> tuple[Rule, ...]:
    """The rules of a property: as they are written, or else in the order of their first states."""
    if automaton.rules:
        return tuple(
            Rule(number, restricted(automaton, states), stated)
            for number, (stated, states) in enumerate(automaton.rules, 1)
        )
    single = (restricted(automaton, states) for states in parts(automaton))
    found = (part for part in single if part.final)
    return tuple(Rule(number, part) for number, part in enumerate(found, 1))


class Progress:
    """Progress of one run; `rules` may be shared by many."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._live = [begun(rule.automaton) for rule in self._rules]
        self._far = [NOT_BEGUN] * len(self._rules)
        self._of_label: dict[Label, list[int]] = {}
        for index, rule in enumerate(self._rules):
            for label in rule.automaton.labels:
                self._of_label.setdefault(label, []).append(index)

    def copied(self) -> Progress:
        """Return one that goes on from here by itself."""
        other = copy(self)
        other._live, other._far = [*self._live], [*self._far]
        return other

    def add(self, label: Label) -> None:
        """Take the next event; one of which no rule speaks changes nothing."""
        for index in self._of_label.get(label, ()):
            self._live[index], far = self._rules[index].step(label, self._live[index])
            if far > self._far[index]:
                self._far[index] = far

    @property
    def far(self) -> tuple[int, ...]:
        """Return, of each rule, how many steps it came at most, so far."""
        return tuple(self._far)
