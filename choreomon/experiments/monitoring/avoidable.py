"""Which possible verdicts were avoidable: G3 of docs/verdicts.md, for one run.

A possible verdict is avoidable where all orders that are consistent with the run's happened-before
order, monitoring messages included, agree on whether the property was formed at its event.

Exact evaluation walks the consistent cuts, of which there are exponentially many in the processes
that labels of the property belong to. Sequences of one property have no state in common, so what
one of them comes to does not depend on events that only the others mention. So each is evaluated by
itself, over the events that it mentions: far fewer cuts. Only where orders disagree on at least two
of them at an event may all orders still agree on the property, each because of another sequence;
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
"""Consistent cuts of one evaluation, of which a run has one for each sequence, and others where
orders disagree on several at one event."""


class Counted(NamedTuple):
    """Possible verdicts that were avoidable, and those of which the budget left that open."""

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
    """Of the possible verdicts about the events with the indices `possible`; `events` are all
    labelled ones of the run, with their clocks, at those indices."""
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
    """As `choreomon.properties.partial_order.evaluate`, of the events with the indices `wanted`, in
    their order; `None` where the budget did not suffice."""

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
    """For every event. At one that the automaton does not mention nothing is formed."""
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
