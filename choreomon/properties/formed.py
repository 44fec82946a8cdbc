"""Places where a run really formed the property, and by which of its events.

The meaning is that of `choreomon.properties.linear`, over the order in which events happened. No
monitor knows it: it is there to judge them by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TypeAlias

from choreomon.core.run import Run, RunEvent, RunVerdict
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.instances import Parameters
from choreomon.properties.linear import linear_formations
from choreomon.properties.parts import restricted
from choreomon.properties.progress import rules_of
from choreomon.properties.reference import Formation
from choreomon.properties.slices import Happened, slices

Formed: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""For each event at which the property was formed its index, and the indices of one sequence of
events that formed it; empty if that is not known."""


def formed_by(
    automaton: SequenceAutomaton,
    formed: Iterable[int],
    events: Sequence[RunEvent],
    verdicts: Iterable[RunVerdict],
) -> Formed:
    """`formed` are the indices of the events that formed the property. Where `events` are all of
    the run, also by which: where several sequences end there, by one that the monitor was certain
    of, if it was of any. Where they are not, they are to be empty."""
    if not events:
        return tuple([(index, ()) for index in formed])
    certain = _certain(verdicts)
    found = []
    for formation in linear_formations(automaton, (event.label for event in events)):
        sure = _sure(formation, certain.get(formation.index, set()))
        found.append((formation.index, (sure or formation.sequences)[0]))
    return tuple(found)


def formed_for_each(
    automaton: SequenceAutomaton,
    parameters: Parameters,
    events: Sequence[Happened],
    verdicts: Iterable[RunVerdict],
) -> Formed:
    """The same of a property for each instance: where it was formed for one of them. `events`: all
    that have its labels, in the order in which they happened."""
    certain = _certain(verdicts)
    found: dict[int, tuple[bool, tuple[int, ...]]] = {}
    for rule in rules_of(automaton):
        for _, own in slices(rule.automaton, parameters, events):
            for formation in linear_formations(rule.automaton, (event.label for event in own)):
                index = own[formation.index].at
                sure = _sure(formation, certain.get(index, set()))
                sequence = tuple(own[place].at for place in (sure or formation.sequences)[0])
                if index not in found or (sure and not found[index][0]):
                    found[index] = bool(sure), sequence
    return tuple((index, sequence) for index, (_, sequence) in sorted(found.items()))


def really_formed(
    run: Run, verdict: RunVerdict, automaton: SequenceAutomaton
) -> Mapping[int, tuple[int, ...]] | None:
    """Where in the real order what the verdict is about was formed, by event, with one sequence of
    events that formed it there, or with none; None where that is not known, as of one rule of a run
    whose events were not all kept."""
    if run.formed is None:
        return None
    if verdict.rule is None:
        return dict(run.formed)
    if len(run.kept_events) != run.events:
        return None
    return formed_as(automaton, verdict, run.kept_events)


def formed_as(
    automaton: SequenceAutomaton, verdict: RunVerdict, events: Sequence[RunEvent]
) -> Mapping[int, tuple[int, ...]]:
    """Where the rule that a verdict is about was really formed, for the instance that it is about,
    by event and with one sequence of events that formed it there. `events` are all of the run."""
    rules = automaton.rules
    states = next((own for stated, own in rules if stated == verdict.rule), frozenset[str]())
    part, binding = restricted(automaton, states), dict(verdict.binding)
    own = [
        event
        for event in events
        if event.label in part.labels
        and all(
            binding.get(name) == value
            for name, value in event.values
            if name in automaton.carried.get(event.message, ())
        )
    ]
    return {
        own[formation.index].index: tuple(own[place].index for place in formation.sequences[0])
        for formation in linear_formations(part, (event.label for event in own))
    }


def _certain(verdicts: Iterable[RunVerdict]) -> Mapping[int, Set[str]]:
    """For each event with a verdict the states before which its monitor is certain."""
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
