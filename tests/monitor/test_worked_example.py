"""The worked example of the paper: the automaton of Fig 4, Tables 1 to 3, and Fig 5, record
by record. P1 sends m4 with the clock [3,2,4]; m2 and then m5 happened before it, so m5
cancelled what m4 would have continued, and nothing is declared."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from choreomon.core.message import SEND, Event, Label, Message
from choreomon.core.vector_clock import VectorClock
from choreomon.core.verdict import FRM, Reference
from choreomon.monitor.effects import Declared, Effect, Send
from choreomon.monitor.history import OPEN, Record
from choreomon.monitor.messages import Inquiry, Response
from choreomon.monitor.pull import Monitor
from choreomon.monitor.rule_sets import RULES
from choreomon.monitor.state import Input, MonitorState, Observe, ProcessNext
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.tables import RulesName, transition_tables

NAMES = ("P1", "P2", "P3")


def sent(sender: str, name: str, receiver: str) -> Label:
    return Label(SEND, Message(sender, name, receiver))


M1, M4, M7 = sent("P1", "m1", "P3"), sent("P1", "m4", "P3"), sent("P1", "m7", "P3")
M3, M5 = sent("P2", "m3", "P3"), sent("P2", "m5", "P3")
M2, M6 = sent("P3", "m2", "P1"), sent("P3", "m6", "P1")

FIG_4 = sequence_automaton(
    initial=["q0"],
    final=["q4"],
    transitions=[
        StatedTransition("q0", M1, "q1"),
        StatedTransition("q3", M4, "q4"),
        StatedTransition("q2", M7, "q4"),
        StatedTransition("q1", M3, "q2"),
        StatedTransition("q2", M5, "q0", True),
        StatedTransition("q3", M5, "q0", True),
        StatedTransition("q0", M2, "q3"),
        StatedTransition("q2", M6, "q1", True),
    ],
)

STARTED = Reference("q0", "P3", "q3")
CANCELLED = Reference("q3", "P2", "q0")
ENDED = Reference("q3", "P1", "q4")

M2_AT: VectorClock = (1, 1, 2)
M5_AT: VectorClock = (2, 2, 3)
M4_AT: VectorClock = (3, 2, 4)


class Shown(NamedTuple):
    transition: str
    final: bool
    pre: str
    vio: str


def shown(rules: RulesName, process: str) -> list[Shown]:
    return [
        Shown(
            f"{row.transition.source} {row.transition.label.message.name} {row.transition.target}",
            row.final,
            str(row.pre or ""),
            " ".join(map(str, row.vio)),
        )
        for row in transition_tables(FIG_4, NAMES, rules)[process].rows
    ]


def test_table_1_is_that_of_p1() -> None:
    """In the first row of the printed table a T stands where bottom belongs: q1 is not
    final."""
    assert shown("paper", "P1") == [
        Shown("q0 m1 q1", False, "", ""),
        Shown("q3 m4 q4", True, "(q0, @P3, q3)", "(q3, @P2, q0)"),
        Shown("q2 m7 q4", True, "(q1, @P2, q2)", "(q2, @P2, q0) (q2, @P3, q1)"),
    ]


def test_table_2_is_that_of_p2() -> None:
    assert shown("paper", "P2") == [
        Shown("q1 m3 q2", False, "(q0, @P1, q1)", "(q2, @P2, q0)"),
        Shown("q2 m5 q0", False, "(q1, @P2, q2)", ""),
        Shown("q3 m5 q0", False, "(q0, @P3, q3)", ""),
    ]


def test_table_3_is_that_of_p3() -> None:
    assert shown("paper", "P3") == [
        Shown("q0 m2 q3", False, "", ""),
        Shown("q2 m6 q1", False, "(q1, @P2, q2)", ""),
    ]


class Node:
    """One monitor with the clock that it shares with its process."""

    def __init__(self, process: str, rules: RulesName) -> None:
        table = transition_tables(FIG_4, NAMES, rules)[process]
        self.monitor = Monitor(table, NAMES, RULES[rules])
        self.state: MonitorState = self.monitor.initial()
        self.clock: VectorClock = (0, 0, 0)

    def step(self, given: Input) -> list[Effect]:
        self.state, self.clock, effects = self.monitor.step(self.state, self.clock, given)
        return effects

    def observes(self, label: Label, clock: VectorClock) -> list[Effect]:
        """The process sends; its clock is `clock` then."""
        self.clock = clock
        assert self.step(Observe(Event(label, clock))) == []
        return self.step(ProcessNext())

    def history(self) -> set[Record]:
        return {record for chain in self.state.history for record in chain}


def messages(effects: list[Effect]) -> list[Inquiry | Response]:
    sent_now = [effect.message for effect in effects if isinstance(effect, Send)]
    return [m for m in sent_now if isinstance(m, Inquiry | Response)]


@pytest.mark.parametrize("rules", ["paper", "sound"])
def test_fig_5_record_by_record(rules: RulesName) -> None:
    p1, p2, p3 = (Node(name, rules) for name in NAMES)

    # What happened before: m2 starts a sequence, m5 cancels it.
    assert p3.observes(M2, M2_AT) == []
    assert p3.history() == {Record(STARTED, M2_AT, FRM)}
    inquiries = messages(p2.observes(M5, M5_AT))
    assert {(m.receiver, m.inspected) for m in inquiries} >= {("P3", CANCELLED)}
    for inquiry in inquiries:
        answering = p3 if inquiry.receiver == "P3" else p1
        for response in messages(answering.step(inquiry)):
            p2.step(response)
    assert p2.history() == {Record(CANCELLED, M5_AT, FRM)}

    # (1)-(5): P1 sends m4; M1 asks M3 about the pre- and M2 about the vio-transition, and
    # adds an open record.
    mm1, mm2 = messages(p1.observes(M4, M4_AT))
    assert isinstance(mm1, Inquiry)
    assert isinstance(mm2, Inquiry)
    assert (mm1.receiver, mm1.asked) == ("P3", (STARTED,))
    assert (mm2.receiver, mm2.asked) == ("P2", (CANCELLED,))
    for inquiry in (mm1, mm2):
        assert (inquiry.inspected, inquiry.event, inquiry.clock) == (ENDED, M4_AT, M4_AT)
    assert p1.history() == {Record(ENDED, M4_AT, OPEN)}

    # (6)-(9): M3 merges the clock and answers with the record that it finds.
    (mm3,) = messages(p3.step(mm1))
    assert p3.clock == M4_AT
    assert isinstance(mm3, Response)
    assert (mm3.receiver, mm3.inspected) == ("P1", ENDED)
    assert mm3.records == (Record(STARTED, M2_AT, FRM),)
    assert mm3.clock == M4_AT
    (mm4,) = messages(p2.step(mm2))
    assert isinstance(mm4, Response)
    assert mm4.records == (Record(CANCELLED, M5_AT, FRM),)

    # (10)-(12): with both answers the record goes, and nothing is declared.
    assert p1.step(mm3) == []
    assert p1.history() == {Record(ENDED, M4_AT, OPEN)}
    assert p1.step(mm4) == [Declared(M4_AT, None, False, M4)]
    assert p1.history() == set()


@pytest.mark.parametrize("rules", ["paper", "sound"])
def test_without_m5_the_same_m4_is_a_violation(rules: RulesName) -> None:
    p1, p2, p3 = (Node(name, rules) for name in NAMES)
    p3.observes(M2, M2_AT)
    mm1, mm2 = messages(p1.observes(M4, M4_AT))
    (mm3,) = messages(p3.step(mm1))
    (mm4,) = messages(p2.step(mm2))
    p1.step(mm4)
    (declared,) = p1.step(mm3)
    assert isinstance(declared, Declared)
    assert declared.verdict is not None
    assert declared.verdict.kind == "violated"
    assert declared.verdict.transitions == (ENDED,)
    (reason,) = declared.verdict.because
    assert (reason.role, reason.reference, reason.clock, reason.result) == (
        "pre",
        STARTED,
        M2_AT,
        FRM,
    )
    assert (reason.relation, reason.certain) == ("before", True)
    assert p1.history() <= {Record(ENDED, M4_AT, FRM)}
