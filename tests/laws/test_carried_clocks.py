"""Clocks that messages carry while only what some row mentions is told and ticks: they order events
as happened-before does, along processes and messages, though most events have no count."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given

from choreomon.core.message import HANDLE, Label, Message
from choreomon.core.vector_clock import knows
from choreomon.monitor.host import Host
from tests.laws.faults import NO_FAULTS, Faults, draw_execution, executions
from tests.laws.test_guarantees import randoms, thorough
from tests.laws.unreliable import Execution, Setting
from tests.properties.stated import automaton_of


def forgotten(run: Execution) -> list[tuple[int, int]]:
    """Told events of which a later one does not know although they happened before it."""
    return [
        (earlier, later)
        for later, past in run.past_of.items()
        for earlier in past
        if not is_known(run, earlier, later)
    ]


def made_up(run: Execution) -> list[tuple[int, int]]:
    """Told events of which one knows that really happened later than it."""
    return [
        (later, event)
        for event in run.past_of
        for later in run.past_of
        if later > event and is_known(run, later, event)
    ]


def is_known(run: Execution, event: int, by: int) -> bool:
    clock, process = run.events[event].clock, run.events[event].process
    other = run.events[by].clock
    assert clock is not None
    assert other is not None
    return knows(other, process, clock[process])


@thorough
@given(randoms)
def test_every_event_knows_what_happened_before_it(random: Random) -> None:
    run = draw_execution(random, Faults(gaps=2, losses=3, repeats=3))
    assert not forgotten(run)
    assert not made_up(run)


def test_that_law_notices_hosts_that_are_not_told_what_was_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """G1 and G2 notice nothing: to know less makes words less certain, not wrong."""
    monkeypatch.setattr(Host, "heard", lambda host, state, clock: (state, []))
    runs = list(executions(300, NO_FAULTS))
    assert any(forgotten(run) for run in runs)
    assert not any(run.missed() or run.false_alarms() for run in runs)


# Exact words: what they come to when something heard is not told.

A, B = Message("P1", "a", "P2"), Message("P2", "b", "P1")
HINT, NOTE = Message("P1", "hint", "P3"), Message("P3", "note", "P2")
SENT = automaton_of("q0", "q2", ("q0", A, "q1"), ("q1", B, "q2"))
HANDLED = automaton_of("q0", "q2", ("q0", HINT, "q1"), ("q1", Label(HANDLE, NOTE), "q2"))


def heard_from_the_sender() -> Execution:
    """P2 sends b after it handled a, which no row of its table mentions."""
    run = Execution(Setting(SENT, ("P1", "P2", "P3")))
    run.sends(A)
    run.handles(A)
    run.sends(B)
    return run.settles()


def heard_from_one_that_tells_nothing() -> Execution:
    """No row of the table of P3 mentions anything, so it only carries the clock on."""
    run = Execution(Setting(SENT, ("P1", "P2", "P3")))
    run.sends(A)
    run.sends(HINT)
    run.handles(HINT)
    run.sends(NOTE)
    run.handles(NOTE)
    run.sends(B)
    return run.settles()


def heard_with_the_event_itself() -> Execution:
    """The message whose handling is told has carried it."""
    run = Execution(Setting(HANDLED, ("P1", "P2", "P3")))
    run.sends(HINT)
    run.handles(HINT)
    run.sends(NOTE)
    run.handles(NOTE)
    return run.settles()


RUNS = [heard_from_the_sender, heard_from_one_that_tells_nothing, heard_with_the_event_itself]


@pytest.mark.parametrize("tell", RUNS, ids=lambda tell: tell.__name__)
def test_what_was_heard_makes_the_word_certain(tell: Callable[[], Execution]) -> None:
    assert tell().words() == {1: "violated"}


@pytest.mark.parametrize("tell", RUNS, ids=lambda tell: tell.__name__)
def test_the_words_notice_what_was_heard_and_not_told(
    tell: Callable[[], Execution], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Host, "heard", lambda host, state, clock: (state, []))
    assert tell().words() == {1: "possibly-violated"}
