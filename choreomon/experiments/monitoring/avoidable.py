"""Avoidable possible verdicts of one run: G3 of docs/verdicts.md. A possible verdict is avoidable
if all orders consistent with the run's happened-before order, monitoring messages included, agree
on whether the property was formed at its event.

Exact evaluation walks the consistent cuts, of which there are exponentially many in the processes
that labels of the property belong to. Sequences of one property have no state in common, so the
result of one does not depend on events that only the others mention. So each is evaluated by
itself, over the events that it mentions: far fewer cuts. Only if orders disagree on at least two
sequences at an event may all orders still agree on the property, each because of another sequence;
then these are evaluated together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Final, NamedTuple

from choreomon.core.errors import BudgetExceeded
from choreomon.core.message import Event
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.partial_order import Formed, evaluate
from choreomon.properties.parts import parts, restricted

MAX_CUTS: Final = 50_000
"""The most consistent cuts of one evaluation. A run has one evaluation for each sequence, and
others if orders disagree on several sequences at one event."""


class Counted(NamedTuple):
    """The numbers of avoidable possible verdicts, and of those that the budget left open."""

    avoidable: int
    undecided: int


def counted(
    automaton: SequenceAutomaton,
    processes: Sequence[str],
    events: Sequence[Event],
    possible: Collection[int],
    *,
    max_cuts: int = MAX_CUTS,
) -> Counted:
    """Count among the possible verdicts about the events with the indices `possible`; `events` are
    all labelled ones of the run, with their clocks, by index."""
    if not possible:
        return Counted(0, 0)
    exact = evaluated(automaton, processes, events, possible, max_cuts=max_cuts)
    return Counted(
        sum(found in (Formed.ALWAYS, Formed.NEVER) for found in exact),
        sum(found is None for found in exact),
    )


def evaluated(
    automaton: SequenceAutomaton,
    processes: Sequence[str],
    events: Sequence[Event],
    wanted: Collection[int],
    *,
    max_cuts: int = MAX_CUTS,
) -> list[Formed | None]:
    """Evaluate, as `choreomon.properties.partial_order.evaluate` does, the events with the indices
    `wanted`, in their order; `None` where the budget did not suffice."""

    @cache
    def of(states: frozenset[str]) -> list[Formed | None]:
        return _of(restricted(automaton, states), processes, events, max_cuts)

    separate = parts(automaton)
    found: list[Formed | None] = []
    for index in wanted:
        if any(of(part)[index] is Formed.ALWAYS for part in separate):
            found.append(Formed.ALWAYS)
            continue
        unsure = [part for part in separate if of(part)[index] is not Formed.NEVER]
        if unsure:
            found.append(of(frozenset().union(*unsure))[index])
        else:
            found.append(Formed.NEVER)
    return found


def _of(
    automaton: SequenceAutomaton, processes: Sequence[str], events: Sequence[Event], max_cuts: int
) -> list[Formed | None]:
    """Evaluate every event. Nothing is formed at an event that the automaton does not mention."""
    labels = set(automaton.labels)
    own = [index for index, event in enumerate(events) if event.label in labels]
    found: list[Formed | None] = [Formed.NEVER] * len(events)
    try:
        exact: Sequence[Formed | None] = evaluate(
            automaton, processes, [events[index] for index in own], max_cuts=max_cuts
        )
    except BudgetExceeded:
        exact = [None] * len(own)
    for index, each in zip(own, exact, strict=True):
        found[index] = each
    return found
