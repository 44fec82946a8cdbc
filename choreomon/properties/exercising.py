"""How much of a property one run has to do with, also of one that is for each instance."""

from __future__ import annotations

from collections.abc import Collection

from choreomon.core.binding import Binding
from choreomon.core.message import Label
from choreomon.core.run import Exercise
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.progress import NOT_BEGUN, Progress, Rule
from choreomon.properties.slices import Happened, slices


class Exercising:
    """Record of how much of the property one run has to do with; `rules` are those of the
    automaton. With `parameters` the property is for each instance: a rule came as far as the
    farthest of these."""

    def __init__(
        self,
        automaton: SequenceAutomaton,
        rules: Collection[Rule],
        parameters: Parameters | None = None,
    ) -> None:
        self._rules = tuple(rules)
        self._parameters = parameters
        self._progress = Progress(rules)
        self._happened: list[Happened] = []
        self._events = dict.fromkeys(automaton.labels, 0)

    def add(self, label: Label, values: Binding = ()) -> None:
        """Take the next event, whose message carries `values`."""
        if label not in self._events:
            return
        self._events[label] += 1
        if self._parameters is None:
            self._progress.add(label)
        else:
            self._happened.append(Happened(len(self._happened), label, values))

    def found(self) -> Exercise:
        """Return what was found so far."""
        labels = tuple((str(label), events) for label, events in self._events.items())
        far = self._progress.far
        if self._parameters is not None:
            far = tuple(self._farthest(rule, self._parameters) for rule in self._rules)
        names = tuple(rule.stated.name for rule in self._rules if rule.stated is not None)
        return Exercise(far, tuple(rule.steps for rule in self._rules), labels, names)

    def _farthest(self, rule: Rule, parameters: Parameters) -> int:
        farthest = NOT_BEGUN
        for _, own in slices(rule.automaton, parameters, self._happened):
            progress = Progress((rule,))
            for event in own:
                progress.add(event.label)
            farthest = max(farthest, *progress.far)
        return farthest
