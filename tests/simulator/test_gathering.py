"""Judging again and again comes to an end, and to the right one in any order of news."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from random import Random

import pytest

import simulator.gathering
from choreomon.core.message import SEND, Event, Label, Message
from choreomon.core.run import RunEvent
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM_P, Reference
from choreomon.monitor.effects import Send
from choreomon.monitor.messages import Push
from choreomon.monitor.rules import SOUND
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.tables import transition_tables
from simulator.gathering import MAX_REVISIONS, Gathering
from simulator.push import PushMonitor
from tests.simulator.monitored import draw_simulation

PROCESSES = ("P1", "P2", "P3")


def send(sender: str, name: str) -> Label:
    return Label(SEND, Message(sender, name, "P1" if sender != "P1" else "P3"))


X, Y, S, V = send("P1", "x"), send("P2", "y"), send("P3", "s"), send("P3", "v")
X_CLOCK: VectorClock = (1, 0, 2)  # after s and v
Y_CLOCK: VectorClock = (0, 1, 0)  # concurrent to all others


def each_other() -> SequenceAutomaton:
    """`x` leads from q1 to q2 and `y` back from q2 to q1, both forward, so each continues
    the other; `s` leads to q1, and `v` takes that back."""
    return sequence_automaton(
        initial=["q0"],
        final=["q3"],
        transitions=[
            StatedTransition(source, label, target)
            for source, label, target in (
                ("q0", S, "q1"),
                ("q0", send("P3", "r"), "q2"),
                ("q1", X, "q2"),
                ("q2", Y, "q1"),
                ("q1", send("P3", "f"), "q3"),
                ("q2", send("P3", "g"), "q3"),
                ("q1", V, "q0"),
            )
        ],
    )


def steps_until_quiet(limit: int) -> tuple[int, dict[str, PushMonitor]]:
    """`x` and `y` have happened, then the pushes of `s` and `v` arrive, the oldest push
    first; how many pushes arrived until none was under way, at most `limit`."""
    tables = transition_tables(each_other(), PROCESSES)
    monitors = {process: PushMonitor(tables[process], PROCESSES, SOUND) for process in PROCESSES}
    under_way: deque[Push] = deque()

    def carry_out(effects: Iterable[object]) -> None:
        under_way.extend(effect.message for effect in effects if isinstance(effect, Send))  # type: ignore[misc]

    assert not monitors["P1"].observe(Event(X, X_CLOCK), X_CLOCK)
    assert not monitors["P2"].observe(Event(Y, Y_CLOCK), Y_CLOCK)
    carry_out(monitors["P3"].observe(Event(S, (0, 0, 1)), (0, 0, 1)))
    carry_out(monitors["P3"].observe(Event(V, (0, 0, 2)), (0, 0, 2)))
    clocks = {"P1": X_CLOCK, "P2": Y_CLOCK, "P3": (0, 0, 2)}
    # P2 hears of s and v only after it has heard of x, on a slow link.
    slow = [push for push in under_way if push.receiver == "P2"]
    under_way = deque(push for push in under_way if push.receiver != "P2")
    steps = 0
    while (under_way or slow) and steps < limit:
        if not under_way:
            under_way.extend(slow)
            slow = []
        push = under_way.popleft()
        clock, effects = monitors[push.receiver].receive(push, clocks[push.receiver])
        clocks[push.receiver] = clock
        carry_out(effects)
        steps += 1
    return steps, monitors


def test_events_that_support_each_other_are_revised_only_so_often() -> None:
    steps, monitors = steps_until_quiet(limit=1000)
    assert steps < 10 * MAX_REVISIONS
    for process, reference in (("P1", ("q1", "q2")), ("P2", ("q2", "q1"))):
        gathering = monitors[process]._gathering
        (judged,) = gathering.judged[Reference(reference[0], process, reference[1])]
        assert judged.judgement.result == FRM_P
        assert judged.revision <= MAX_REVISIONS + 1


def test_without_that_bound_they_would_be_revised_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The case above is one that the bound is for."""
    monkeypatch.setattr(simulator.gathering, "MAX_REVISIONS", 10**9)
    steps, _ = steps_until_quiet(limit=5000)
    assert steps == 5000


def events_of(seed: int) -> tuple[SequenceAutomaton, tuple[str, ...], list[RunEvent]]:
    simulation = draw_simulation(Random(seed), seed)
    automaton = simulation.automaton
    assert automaton is not None
    run = simulation.run(seed, keep_events=True, strategy="central")
    labelled = [event for event in run.kept_events if event.label in automaton.labels]
    return automaton, run.processes, labelled


def final_results(gathering: Gathering) -> dict[tuple[Reference, VectorClock], object]:
    return {
        (reference, entry.event): entry.judgement.result
        for reference, entries in gathering.judged.items()
        for entry in entries
        if entry.inspected.final
    }


def test_the_order_in_which_notices_arrive_does_not_matter_in_the_end() -> None:
    """As long as nothing was revised too often; then it may cost precision alone."""
    compared = 0
    for seed in range(120):
        automaton, processes, labelled = events_of(seed)
        results = []
        for shuffling in range(3):
            gathering = Gathering(
                tuple(transition_tables(automaton, processes).values()), processes, SOUND
            )
            order = [*labelled]
            if shuffling:
                Random(shuffling).shuffle(order)
            for event in order:
                gathering.observe(Event(event.label, event.clock))
            revisions = [e.revision for es in gathering.judged.values() for e in es]
            if max(revisions, default=0) < MAX_REVISIONS:
                results.append(final_results(gathering))
        assert all(result == results[0] for result in results)
        compared += len(results) > 1 and bool(results[0])
    assert compared > 50


def test_news_that_is_older_than_what_is_known_changes_nothing() -> None:
    table = transition_tables(each_other(), PROCESSES)["P1"]
    gathering = Gathering([table], PROCESSES, SOUND)
    gathering.observe(Event(X, X_CLOCK))
    s = Reference("q0", "P3", "q1")
    assert gathering.learn(s, (0, 0, 1), None, 2) == []
    assert gathering.learn(s, (0, 0, 1), "Frm", 1) == []
    assert gathering.records == 0
    (revised,) = gathering.learn(s, (0, 0, 1), "Frm", 3)
    assert (revised.judgement.result, revised.revision) == ("Frm", 1)
    assert gathering.records == 2
