"""What pushing monitors tell each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

import pytest

import simulator.linked_channels
from choreomon.agent_files.wire import decode_untrusted, encode
from choreomon.core.message import SEND, Event, Label, Message
from choreomon.core.verdict import (
    FRM,
    FRM_P,
    POSSIBLY_VIOLATED,
    VIOLATED,
    WITHDRAWN,
    Judgement,
    Reference,
    Result,
)
from choreomon.monitor.effects import Declared, Send
from choreomon.monitor.messages import MonitoringMessage, Push
from choreomon.monitor.push import JointVerdicts, PushMonitor
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.reevaluation import Judged
from choreomon.properties.tables import transition_tables
from tests.properties.stated import automaton_of
from tests.simulator.monitored import draw_simulation, judged

PROCESSES = ("P1", "P2")
A = Label(SEND, Message("P1", "a", "P2"))
B = Label(SEND, Message("P2", "b", "P1"))
V = Label(SEND, Message("P1", "v", "P2"))
A_REFERENCE, V_REFERENCE = Reference("q0", "P1", "q1"), Reference("q1", "P1", "q0")


def monitor(process: str) -> PushMonitor:
    """a, then b, unless v in between."""
    automaton = automaton_of("q0", "q2", ("q0", A, "q1"), ("q1", B, "q2"), ("q1", V, "q0"))
    return PushMonitor(transition_tables(automaton, PROCESSES)[process], PROCESSES, SOUND)


def words(effects: Sequence[object]) -> list[str | None]:
    return [
        effect.verdict and effect.verdict.kind for effect in effects if isinstance(effect, Declared)
    ]


def pushed(reference: Reference, count: int, revision: int = 0) -> Push:
    event = (count, 0)
    return Push("P1", "P2", reference, event, "Frm", revision, event)


def test_what_fired_is_pushed_to_its_readers_and_what_did_not_is_not() -> None:
    first = monitor("P1")
    assert first.observe(Event(V, (1, 0)), (1, 0)) == []
    (effect,) = first.observe(Event(A, (2, 0)), (3, 4))
    assert effect == Send(Push("P1", "P2", A_REFERENCE, (2, 0), "Frm", 0, (3, 4)))


def test_a_word_is_revised_as_news_arrives() -> None:
    """b knows a and v, whose news come late: a alone would violate, and v cancels it. Of a
    word that was never only possible nothing is left to withdraw."""
    second = monitor("P2")
    assert words(second.observe(Event(B, (2, 1)), (2, 1))) == [None]
    clock, effects = second.receive(pushed(A_REFERENCE, 1), (2, 1))
    assert clock == (2, 1)
    assert words(effects) == [VIOLATED]
    _, effects = second.receive(pushed(V_REFERENCE, 2), clock)
    assert words(effects) == [None]


def test_a_cancellation_that_is_concurrent_to_the_end_leaves_it_possible() -> None:
    second = monitor("P2")
    second.observe(Event(B, (1, 1)), (1, 1))
    clock, _ = second.receive(pushed(A_REFERENCE, 1), (1, 1))
    clock, effects = second.receive(pushed(V_REFERENCE, 2), clock)
    assert clock == (2, 1)  # what a push says of its clock is merged, and nothing ticked
    assert words(effects) == [POSSIBLY_VIOLATED]


def revised(*results: Result | None) -> list[str | None]:
    """The words about one event of b, of whose only final transition these results became
    known one after the other."""
    (inspected,) = (i for (i,) in monitor("P2").table.inspections.values() if i.final)
    joint_verdicts = JointVerdicts()
    return [
        declared.verdict and declared.verdict.kind
        for revision, result in enumerate(results)
        for _, declared in joint_verdicts.revise(
            [Judged(inspected, (1, 1), Judgement(result), revision)]
        )
    ]


def test_only_a_word_that_was_possible_is_withdrawn() -> None:
    assert revised(None, FRM, None) == [None, VIOLATED, None]
    assert revised(FRM, None, FRM_P, None) == [VIOLATED, None, POSSIBLY_VIOLATED, WITHDRAWN]
    assert revised(FRM_P, FRM, None) == [POSSIBLY_VIOLATED, VIOLATED, WITHDRAWN]
    assert revised(FRM_P, None, FRM) == [POSSIBLY_VIOLATED, WITHDRAWN, VIOLATED]


@pytest.mark.parametrize(
    ("strategy", "seeds"), [("push", (1387, 1510, 1725)), ("central", (281, 2669, 2687))]
)
def test_whole_runs_withdraw_only_what_was_possible_before(
    strategy: str, seeds: tuple[int, ...]
) -> None:
    """Withdrawals are rare: the seeds named have one."""
    withdrawn = gone = 0
    for seed in (*range(100), *seeds):
        found = judged(draw_simulation(Random(seed), seed), seed, strategy=strategy)
        told = defaultdict(set)
        for word in found.words:
            told[word.event_index].add(word.verdict)
        assert all(POSSIBLY_VIOLATED in told[index] for index in found.withdrawn)
        withdrawn += len(found.withdrawn)
        for index in told.keys() - {verdict.event_index for verdict in found.run.verdicts}:
            assert told[index] == {VIOLATED}
            gone += 1
    assert withdrawn >= len(seeds)
    assert gone > 0


def test_other_reasons_for_the_same_result_are_no_news() -> None:
    """A newer record that is concurrent to b too says no more than the older one did."""
    second = monitor("P2")
    second.observe(Event(B, (0, 1)), (0, 1))
    _, effects = second.receive(pushed(A_REFERENCE, 1), (0, 1))
    assert words(effects) == [POSSIBLY_VIOLATED]
    assert second.receive(pushed(A_REFERENCE, 2), (1, 1)) == ((2, 1), [])


def test_the_same_news_twice_is_no_news() -> None:
    second = monitor("P2")
    second.observe(Event(B, (1, 1)), (1, 1))
    second.receive(pushed(A_REFERENCE, 1), (1, 1))
    assert second.receive(pushed(A_REFERENCE, 1), (1, 1)) == ((1, 1), [])


def test_pushes_of_whole_runs_go_to_readers_only_and_each_revision_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[MonitoringMessage] = []

    def recording(message: MonitoringMessage) -> bytes:
        sent.append(message)
        return encode(message)

    monkeypatch.setattr(simulator.linked_channels, "encode", recording)
    count = 0
    for seed in range(150):
        sent.clear()
        simulation = draw_simulation(Random(seed), seed)
        run = judged(simulation, seed, strategy="push").run
        assert simulation.automaton is not None
        tables = transition_tables(simulation.automaton, run.processes)
        revisions = defaultdict(list)
        for push in sent:
            assert isinstance(push, Push)
            assert push.receiver in tables[push.sender].readers[push.reference]
            assert push.reference.process == push.sender != push.receiver
            revisions[push.receiver, push.reference, push.event].append(push.revision)
        assert all(row == sorted(set(row)) for row in revisions.values())
        assert run.monitoring_messages == len(sent)
        assert run.monitoring_bytes == sum(len(encode(push)) for push in sent)
        assert all(decode_untrusted(encode(push), run.processes) == push for push in sent)
        count += len(sent)
    assert count > 500
