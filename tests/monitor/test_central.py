"""The central monitor: what it is told, and what it says."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from choreomon.agent_files.wire import encode
from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN
from choreomon.monitor.central import CentralMonitor
from choreomon.monitor.messages import Notice
from choreomon.monitor.record_by_record import SOUND
from choreomon.properties.tables import transition_tables
from tests.properties.stated import automaton_of
from tests.simulator.monitored import draw_simulation, judged

PROCESSES = ("P1", "P2")
A = Label(SEND, Message("P1", "a", "P2"))
B = Label(SEND, Message("P2", "b", "P1"))
V = Label(SEND, Message("P1", "v", "P2"))


def centre() -> CentralMonitor:
    """a, then b, unless v in between."""
    automaton = automaton_of("q0", "q2", ("q0", A, "q1"), ("q1", B, "q2"), ("q1", V, "q0"))
    return CentralMonitor(tuple(transition_tables(automaton, PROCESSES).values()), PROCESSES, SOUND)


def test_it_declares_for_the_monitor_of_the_event() -> None:
    monitor = centre()
    assert monitor.receive(Notice("P1", A, (1, 0))) == []
    ((process, told),) = monitor.receive(Notice("P2", B, (1, 1)))
    assert (process, told.event, told.provisional) == ("P2", (1, 1), True)
    assert told.verdict is not None
    assert (told.verdict.kind, told.verdict.process) == (VIOLATED, "P2")


def test_notices_that_overtake_each_other_are_put_in_their_places() -> None:
    monitor = centre()
    ((_, first),) = monitor.receive(Notice("P2", B, (2, 1)))
    assert first.verdict is None
    assert monitor.receive(Notice("P1", V, (2, 0))) == []
    # Once a is known, so is that v cancelled it before b: nothing new to say about b.
    assert monitor.receive(Notice("P1", A, (1, 0))) == []


def test_a_hasty_violation_is_gone_when_a_late_notice_says_that_it_was_cancelled() -> None:
    monitor = centre()
    monitor.receive(Notice("P1", A, (1, 0)))
    ((_, first),) = monitor.receive(Notice("P2", B, (2, 1)))
    ((_, second),) = monitor.receive(Notice("P1", V, (2, 0)))
    assert [e.verdict and e.verdict.kind for e in (first, second)] == [VIOLATED, None]


def test_a_possible_violation_is_withdrawn_when_what_it_rests_on_did_not_fire() -> None:
    """c is concurrent to b, so it is possible for as long as b may have fired; v, whose
    notice is late, took back the a that b continues."""
    c = Label(SEND, Message("P3", "c", "P1"))
    processes = (*PROCESSES, "P3")
    automaton = automaton_of(
        "q0", "q3", ("q0", A, "q1"), ("q1", B, "q2"), ("q2", c, "q3"), ("q1", V, "q0")
    )
    tables = tuple(transition_tables(automaton, processes).values())
    monitor = CentralMonitor(tables, processes, SOUND)
    told = [
        effect.verdict and effect.verdict.kind
        for process, label, clock in (
            ("P3", c, (0, 0, 1)),
            ("P1", A, (1, 0, 0)),
            ("P2", B, (2, 1, 0)),
            ("P1", V, (2, 0, 0)),
        )
        for _, effect in monitor.receive(Notice(process, label, clock))
    ]
    assert told == [None, POSSIBLY_VIOLATED, WITHDRAWN]


def test_every_labelled_event_is_one_notice_and_nothing_comes_back() -> None:
    """Messages and bytes, counted from the trace alone; and clocks learn nothing."""
    count = 0
    for seed in range(150):
        simulation = draw_simulation(Random(seed), seed)
        assert simulation.automaton is not None
        found = judged(simulation, seed, strategy="central")
        notices = [
            Notice(event.process, event.label, event.clock)
            for event in found.events
            if event.label in simulation.automaton.labels
        ]
        assert found.run.monitoring_messages == len(notices)
        assert found.run.monitoring_bytes == sum(len(encode(notice)) for notice in notices)
        count += len(notices)
        unmonitored = replace(simulation, automaton=None).run(seed, keep_events=True)
        assert unmonitored.kept_events == found.events
    assert count > 1000
