"""Places where a run really formed the property, and by which of its events.

The meaning is that of `choreomon.properties.linear`, over the order in which events happened. No
monitor knows it: it is there to judge them by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TypeAlias

from choreomon.core.run import Run, RunEvent, RunFormation, RunVerdict
from choreomon.core.stated_rule import StatedRule
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.linear import linear_formations
from choreomon.properties.progress import rules_of
from choreomon.properties.reference import Formation
from choreomon.properties.slices import Happened, slices

Formed: TypeAlias = tuple[RunFormation, ...]
"""Each event at which the property was formed, or a rule of it, in their order."""


def formed_by(
    automaton: SequenceAutomaton,
    formed: Iterable[tuple[int, int]],
    events: Sequence[RunEvent],
    verdicts: Iterable[RunVerdict],
) -> Formed:
    """`formed` are the indices of the events that formed the property, each with the place of the
    rule (`choreomon.properties.linear.FormationWatch`). Where `events` are all of the run, also by
    which: where several sequences end there, by one that the monitor was certain of, if it was of
    any. Where they are not, they are to be empty."""
    if not events:
        stated = [rule for rule, _ in automaton.rules]
        return tuple(
            [RunFormation(index, (), stated[place] if stated else None) for index, place in formed]
        )
    certain = _certain(verdicts)
    found = []
    for rule, part in _rules(automaton):
        for formation in linear_formations(part, (event.label for event in events)):
            sure = _sure(formation, certain.get(formation.index, set()))
            found.append(RunFormation(formation.index, (sure or formation.sequences)[0], rule))
    return tuple(sorted(found, key=_event))


def _rules(
    automaton: SequenceAutomaton,
) -> Sequence[tuple[StatedRule | None, SequenceAutomaton]]:
    """Return what is formed by itself: each rule, or all of a property that is not written as
    rules."""
    if not automaton.rules:
        return [(None, automaton)]
    return [(rule.stated, rule.automaton) for rule in rules_of(automaton)]


def _event(formation: RunFormation) -> int:
    return formation.event_index


def formed_for_each(
    automaton: SequenceAutomaton,
    parameters: Parameters,
    events: Sequence[Happened],
    verdicts: Iterable[RunVerdict],
) -> Formed:
    """The same of a property for each instance: where it was formed for one of them. `events`: all
    that have its labels, in the order in which they happened."""
    certain = _certain(verdicts)
    found: dict[tuple[int, StatedRule | None], tuple[bool, RunFormation]] = {}
    for rule in rules_of(automaton):
        for _, own in slices(rule.automaton, parameters, events):
            for formation in linear_formations(rule.automaton, (event.label for event in own)):
                index = own[formation.index].at
                sure = _sure(formation, certain.get(index, set()))
                sequence = tuple(own[place].at for place in (sure or formation.sequences)[0])
                key = index, rule.stated
                if key not in found or (sure and not found[key][0]):
                    found[key] = bool(sure), RunFormation(index, sequence, rule.stated)
    return tuple(sorted((formation for _, formation in found.values()), key=_event))


def really_formed(run: Run, verdict: RunVerdict) -> Mapping[int, tuple[int, ...]] | None:
    """Return where in the real order what the verdict is about was formed, by event, with one
    sequence of events that formed it there, or with none; None where that is not known. What it is
    about is its rule, whatever the instance."""
    if run.formed is None:
        return None
    return {index: events for index, events, rule in run.formed if rule == verdict.rule}


def _certain(verdicts: Iterable[RunVerdict]) -> Mapping[int, Set[str]]:
    """Map each event with a verdict to the states before which its monitor is certain."""
    return {
        verdict.event_index: {
            reason.transition[1]
            for reason in verdict.because
            if reason.role == "pre" and reason.certain
        }
        for verdict in verdicts
    }


def _sure(formation: Formation, sources: Set[str]) -> list[tuple[int, ...]]:
    ways = zip(formation.transitions, formation.sequences, strict=True)
    return [sequence for transition, sequence in ways if transition.source in sources]
