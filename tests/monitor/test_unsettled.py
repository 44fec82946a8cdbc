"""What is counted as unsettled: last possible verdicts of which more answers might have told."""

from __future__ import annotations

from choreomon.core.message import SEND, Event, Label, Message
from choreomon.core.verdict import FRM, POSSIBLY_VIOLATED, Reference
from choreomon.monitor.effects import Declared, Effect, Send, Unsettled
from choreomon.monitor.history import Record
from choreomon.monitor.messages import Response
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.pull import Monitor
from choreomon.monitor.state import Expire, GiveUp, MonitorState, Observe, ProcessNext
from choreomon.properties.tables import transition_tables
from tests.properties.stated import automaton_of

A, B = (Label(SEND, Message(name, "m", "P3")) for name in ("P1", "P2"))
EVENT = (0, 1, 0)


def asking() -> tuple[Monitor, MonitorState]:
    """P2's monitor has asked P1's whether its first step happened."""
    automaton = automaton_of("q0", "q2", ("q0", A, "q1"), ("q1", B, "q2"))
    names = ("P1", "P2", "P3")
    table = transition_tables(automaton, names, "precise")["P2"]
    monitor = Monitor(table, names, PRECISE, has_deadline=True)
    state, clock, _ = monitor.step(monitor.initial(), EVENT, Observe(Event(B, EVENT)))
    state, _, effects = monitor.step(state, clock, ProcessNext())
    assert any(isinstance(each, Send) for each in effects)
    return monitor, state


def kinds(effects: list[Effect]) -> list[object]:
    return [
        each.verdict and each.verdict.kind if isinstance(each, Declared) else type(each)
        for each in effects
        if isinstance(each, Declared | Unsettled)
    ]


def test_what_was_given_up_is_unsettled_and_a_provisional_word_is_not() -> None:
    monitor, state = asking()
    state, clock, effects = monitor.step(state, EVENT, Expire(EVENT))
    assert kinds(effects) == [POSSIBLY_VIOLATED]
    _, _, effects = monitor.step(state, clock, GiveUp(EVENT))
    assert sorted(map(str, kinds(effects))) == sorted(map(str, [Unsettled, POSSIBLY_VIOLATED]))


def test_a_reason_is_a_record_and_not_that_nobody_answered() -> None:
    monitor, state = asking()
    _, _, effects = monitor.step(state, EVENT, Expire(EVENT))
    (word,) = (each.verdict for each in effects if isinstance(each, Declared))
    assert word is not None
    assert word.silent == ("P1",)
    assert word.because == ()


def test_what_was_answered_is_settled() -> None:
    monitor, state = asking()
    first = Reference("q0", "P1", "q1")
    for records, said in (((Record(first, (1, 0, 0), FRM),), [POSSIBLY_VIOLATED]), ((), [])):
        answer = Response("P1", "P2", Reference("q1", "P2", "q2"), 1, records, (1, 1, 0), 0)
        _, _, effects = monitor.step(state, EVENT, answer)
        assert [each for each in kinds(effects) if each is not None] == said
