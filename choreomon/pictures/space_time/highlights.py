"""Highlights: the events of a run that a verdict rests on, and their places in the forbidden
sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from choreomon.core.run import BEFORE_ALL, Run, RunEvent, RunFormation, RunReason, RunVerdict
from choreomon.core.vector_clock import happened_before
from choreomon.core.verdict import VIOLATED
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.formed import really_formed
from choreomon.properties.linear import linear_formations

MarkRole: TypeAlias = Literal["step", "earlier", "judged", "cancellation"]

_NO_PLACES: Final[Mapping[int, int]] = MappingProxyType({})


class Highlight(NamedTuple):
    """The role of an event that matters: a `step` of the sequence, an `earlier` event that may have
    led to such a step, the `judged` event (its last step), or a `cancellation` in question. `step`
    is its number in the sequence."""

    event_index: int
    role: MarkRole
    step: int | None = None


def highlights_of(
    verdict: RunVerdict,
    formed: Sequence[int] = (),
    places: Mapping[int, int] = _NO_PLACES,
) -> tuple[Highlight, ...]:
    """The highlights of a verdict, in the order of the events.

    `formed` are the events of one sequence that ends at the judged event, as the reference found
    it. Without it the steps are the records of pre-transitions in the monitor's reasons, each of
    which may be the step before the judged one; those certainly cancelled do not count, as long as
    there are others. Their numbers, and the earlier steps, come from `places_in_sequence`; a step
    missing there is the first one. Steps are numbered as in the sequence; concurrent ones may have
    happened in another order. Cancellations are marked where they concern a step. A judged event
    has no number unless a step before it is known, or it needs none.
    """
    judged = verdict.event_index
    steps = {index: number for number, index in enumerate(formed, 1)}
    earlier: dict[int, Highlight] = {}
    begun = False
    if not formed:
        steps = {pre.event_index: places.get(pre.event_index, 1) for pre in _in_question(verdict)}
        begun = steps.pop(BEFORE_ALL, None) is not None
        earlier = {index: Highlight(index, "earlier", number) for index, number in places.items()}
    steps.pop(judged, None)
    highlights = earlier | {
        reason.event_index: Highlight(reason.event_index, "cancellation")
        for reason in verdict.because
        if reason.role == "vio" and (reason.of in steps or (begun and reason.of == BEFORE_ALL))
    }
    highlights |= {index: Highlight(index, "step", number) for index, number in steps.items()}
    starts = verdict.verdict == VIOLATED and not verdict.reasons_left_out
    numbered = bool(steps) or starts or begun
    last = max(steps.values(), default=0) + 1 if numbered else None
    highlights[judged] = Highlight(judged, "judged", last)
    return tuple(highlights[index] for index in sorted(highlights))


def highlights_of_missed(missed: RunFormation) -> tuple[Highlight, ...]:
    """The highlights of a formation that no monitor declared: of its sequence, as far as the run
    has it, else of the event alone."""
    index, formed, _ = missed
    steps = (Highlight(step, "step", number) for number, step in enumerate(formed[:-1], 1))
    return (*steps, Highlight(index, "judged", len(formed) or None))


def highlights_in_run(
    run: Run, verdict: RunVerdict, automaton: SequenceAutomaton
) -> tuple[Highlight, ...]:
    """The highlights of a verdict on the kept events of its run: of a sequence that ends there in
    the real order, else of what may have led there."""
    formed = (really_formed(run, verdict) or {}).get(verdict.event_index, ())
    if formed:
        return highlights_of(verdict, formed)
    return highlights_of(verdict, (), places_in_sequence(verdict, automaton, run.kept_events))


def places_in_sequence(
    verdict: RunVerdict, automaton: SequenceAutomaton, events: Sequence[RunEvent]
) -> dict[int, int]:
    """The number in the sequence of each step that a verdict rests on, and of the events that
    may have led to it, by event index.

    Monitors do not say what led to a step. For each step, the latest way in the real order of
    `events` is taken, if there is one. Otherwise its place is the one in the way of another step,
    or at the end of a way in a possible order of the events; a record that may never have fired may
    have no way, and then its number is the least that its state allows. Ways without cancellations
    are preferred to those that a cancellation may have ended.
    """
    known = [event for event in events if event.label in automaton.labels]
    places: dict[int, int] = {}
    steps: dict[int, int] = {}
    others: list[RunReason] = []
    for pre in _in_question(verdict):
        if pre.event_index == BEFORE_ALL:
            continue
        way = _way(pre, automaton, [event for event in known if event.index <= pre.event_index])
        places |= {index: number for number, index in enumerate(way, 1) if index not in places}
        if way:
            steps[pre.event_index] = len(way)
        else:
            others.append(pre)
    for pre in others:
        if pre.event_index in places:
            continue
        way = _way(pre, automaton, _up_to(pre, known))
        places |= {index: number for number, index in enumerate(way, 1) if index not in places}
        steps[pre.event_index] = len(way) or _least(automaton, pre.transition[0]) + 1
    return places | steps


def _in_question(verdict: RunVerdict) -> list[RunReason]:
    """The records of pre-transitions that were not certainly cancelled; all, if all were."""
    cancelled = {
        (reason.of, reason.of_transition)
        for reason in verdict.because
        if reason.role == "vio" and reason.certain
    }
    pres = [reason for reason in verdict.because if reason.role == "pre"]
    return [pre for pre in pres if (pre.event_index, pre.transition) not in cancelled] or pres


def _up_to(pre: RunReason, events: Sequence[RunEvent]) -> list[RunEvent]:
    """The events that may have happened before that of the record, which comes last."""
    own = [event for event in events if event.index == pre.event_index]
    return [
        event
        for event in events
        if event not in own and not any(happened_before(one.clock, event.clock) for one in own)
    ] + own


def _way(
    pre: RunReason, automaton: SequenceAutomaton, order: Sequence[RunEvent]
) -> tuple[int, ...]:
    """The events of a sequence up to that record, the last event in `order`; none if there is no
    sequence."""
    ending = replace(automaton, final=(pre.transition[1],))
    for cancelled in (ending, replace(ending, backward=())):
        for formation in linear_formations(cancelled, (event.label for event in order)):
            if order[formation.index].index != pre.event_index:
                continue
            for last, positions in zip(formation.transitions, formation.sequences, strict=True):
                if (last.source, last.target) == pre.transition:
                    return tuple(order[position].index for position in positions)
    return ()


def _least(automaton: SequenceAutomaton, state: str) -> int:
    """The number of forward transitions on the shortest way from an initial state."""
    reached, steps = set(automaton.initial), 0
    while state not in reached and steps < len(automaton.states):
        reached |= {t.target for t in automaton.forward if t.source in reached}
        steps += 1
    return steps
