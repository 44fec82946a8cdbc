"""What reasons of words call certain, or `Frm`, beside the real order of events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from choreomon.core.message import Label
from choreomon.core.run import RunReason
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, Reference
from choreomon.properties.automaton import SequenceAutomaton
from tests.laws.course import Course
from tests.properties.test_reference import enabled, live_by_definition

Fired: TypeAlias = tuple[int, tuple[str, str]]
"""The number of an event, and the states of a transition that may have fired at it."""


def fired_in(automaton: SequenceAutomaton, labels: Sequence[Label]) -> set[Fired]:
    """All transitions that fire in this order of events."""
    history = live_by_definition(automaton, [*labels])
    return {(at, (t.source, t.target)) for live in history for t, at in live} | {
        (at, (t.source, t.target))
        for at, label in enumerate(labels)
        for t in automaton.backward
        if t.label == label and enabled(automaton, t, history[at])
    }


def untrue(
    automaton: SequenceAutomaton,
    labels: Sequence[Label],
    words: Iterable[tuple[int, Iterable[RunReason]]],
) -> list[str]:
    """What the reasons of words, each with the number of its event, say and the real order of
    events belies."""
    history = live_by_definition(automaton, [*labels])
    fired = fired_in(automaton, labels)
    wrong = []
    for at, because in words:
        live = {(fired_at, (t.source, t.target)) for t, fired_at in history[at]}
        for reason in because:
            record = (reason.event_index, reason.transition)
            if reason.result == FRM and record not in fired:
                wrong.append(f"{at}: {record} did not fire")
            if reason.role == "pre" and reason.certain and record not in live:
                wrong.append(f"{at}: {record} was cancelled")
            if reason.role == "vio" and reason.certain and cancelled_by(reason) in live:
                wrong.append(f"{at}: {cancelled_by(reason)} was not cancelled")
    return wrong


def cancelled_by(vio: RunReason) -> Fired:
    """The pre record that a vio is about."""
    assert vio.of is not None
    assert vio.of_transition is not None
    return vio.of, vio.of_transition


def untrue_of(run: Course, processes: Sequence[str]) -> list[str]:
    """The same of all that hosts said, for now and for good, where they were told of all events."""
    at = {(event.process, event.number): index for index, event in enumerate(run.events)}

    def index(reference: Reference, clock: VectorClock) -> int:
        process = processes.index(reference.process)
        return at[process, clock[process]]

    words = []
    for process, count, declared in run.said():
        if declared.verdict is None:
            continue
        because = [
            RunReason(
                index(each.reference, each.clock),
                (each.reference.source, each.reference.target),
                each.role,
                each.result,
                each.relation,
                each.certain,
                of=index(each.of_reference, each.of) if each.of and each.of_reference else None,
                of_transition=(each.of_reference.source, each.of_reference.target)
                if each.of_reference
                else None,
            )
            for each in declared.verdict.because
        ]
        words.append((at[process, count], because))
    return untrue(run.automaton, [event.label for event in run.events], words)
