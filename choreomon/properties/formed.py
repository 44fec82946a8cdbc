"""Places where a run really formed the property, and by which of its events.

The meaning is that of `choreomon.properties.linear`, over the order in which events happened. No
monitor knows it: it is there to judge them by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from choreomon.core.run import RunEvent, RunVerdict
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.linear import linear_formations

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
    certain = {
        verdict.event_index: {
            reason.transition[1]
            for reason in verdict.because
            if reason.role == "pre" and reason.certain
        }
        for verdict in verdicts
    }
    found = []
    for formation in linear_formations(automaton, (event.label for event in events)):
        sources = certain.get(formation.index, set())
        ways = zip(formation.transitions, formation.sequences, strict=True)
        sure = [sequence for transition, sequence in ways if transition.source in sources]
        found.append((formation.index, (sure or formation.sequences)[0]))
    return tuple(found)
