"""The audit of a property over roles, of logs of their replicas, against brute force over roles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest

from choreomon.audit import auditor, causality, messages
from choreomon.audit.auditor import Auditor
from choreomon.audit.messages import Messages, Told
from choreomon.audit.messages_of_roles import SendsToRole
from choreomon.audit.outcome import Outcome
from choreomon.audit.to_record import to_record
from choreomon.audit.window import Limits
from choreomon.core.errors import DocumentError
from choreomon.core.message import HANDLE, SEND, Label, Message
from choreomon.core.recorded import Diagnostic, Place, RecordedEvent
from choreomon.core.roles import Roles
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from tests.audit.cases import faults
from tests.audit.cases_of_roles import case_of_roles
from tests.audit.reading_orders import drawn

SEEDS = range(250)

ROLES = Roles({"shop": 2, "till": 2}, {"shop": ("shop-a", "shop-b"), "till": ("till/0", "till/1")})


def found(seeds: Iterable[int], limits: Limits | None = None) -> list[str]:
    wrong = []
    for seed in seeds:
        one = case_of_roles(seed)
        try:
            outcome = one.audit(limits)
        except DocumentError as error:
            wrong.append(f"seed {seed}: {error}")
            continue
        wrong += [
            f"seed {seed}: {each}" for each in faults(one.over_replicas, outcome, one.truth())
        ]
    return wrong


def test_verdicts_and_orders_are_those_of_brute_force_over_roles() -> None:
    assert found(SEEDS) == []


def test_a_sender_that_is_called_by_its_role_and_by_its_name_is_one() -> None:
    """A replica handles two messages of one that sent a single one, and its log calls the sender
    `p3-y` and `P3`."""
    assert found([17797]) == []


def test_so_they_are_under_a_budget_that_does_not_suffice_and_by_look_ups() -> None:
    assert found(range(150), Limits(max_cuts=3, patience=2)) == []
    assert found(range(150), Limits(few_cuts=1)) == []


def test_the_cases_have_what_there_is_to_find() -> None:
    cases = [case_of_roles(seed) for seed in SEEDS]
    outcomes = [one.audit() for one in cases]
    kinds = [verdict.kind for outcome in outcomes for verdict in outcome.verdicts]
    assert kinds.count("violated") > 200
    assert kinds.count("possibly-violated") > 100
    assert sum(max(one.roles.slots.values(), default=0) > 1 for one in cases) > 100


def test_so_they_are_in_whatever_order_logs_are_read() -> None:
    for seed in range(80):
        one = case_of_roles(seed)
        logs: dict[str, list[RecordedEvent]] = {}
        for event in one.over_replicas.events:
            logs.setdefault(event.process, []).append(event)
        random = Random(f"order {seed}")
        for _ in range(4):
            events = drawn(random, [*logs.values()])
            again = one._replace(over_replicas=replace(one.over_replicas, events=events))
            assert faults(again.over_replicas, again.audit(), again.truth()) == []


def test_what_is_forgotten_of_messages_to_roles_makes_nothing_sure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where more is in flight than may be, verdicts are at most less sure, and all are there."""
    monkeypatch.setattr(messages, "MAX_IN_FLIGHT", 0)
    less_sure = 0
    for seed in SEEDS:
        one = case_of_roles(seed)
        true = one.truth()
        outcome = one.audit()
        said = {each.item.event.place: each.kind for each in outcome.verdicts if each.item.event}
        for place, event in enumerate(one.over_replicas.events):
            kind, formed = said.get(event.place), true.events[place]
            assert kind != "violated" or formed == {True}
            assert kind is not None or True not in formed or outcome.late
            less_sure += kind == "possibly-violated" and formed == {True}
    assert less_sure > 0


# ---------------------------------------------------------------- planted


def test_counting_by_replica_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Senders name the role, so no reception ever finds its send."""

    monkeypatch.setattr(causality, "Messages", lambda *told: Messages(*told[:3]))
    assert found(range(100))


def test_one_queue_for_all_replicas_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which replica was first would be what was read first."""

    def of_the_role(self: SendsToRole[Told], reception: RecordedEvent) -> Told | None:
        self._place[self._role] = place = self._place.get(self._role, 0) + 1
        return self._sends[place - 1][0] if place <= len(self._sends) else None

    monkeypatch.setattr(SendsToRole, "receive", of_the_role)
    assert found(range(200))


def test_sends_that_all_replicas_together_lack_are_missed_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert found([4208]) == []
    monkeypatch.setattr(Messages, "lacking", lambda self, logged: ())
    assert found([4208])


def test_the_other_end_as_it_is_written_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found((279, 475)) == []
    monkeypatch.setattr(auditor, "of_only_replica", lambda event, roles: event)
    assert found((279, 475))


# ---------------------------------------------------------------- by hand


def happened(kind: str, process: str, name: str, peer: str, line: int) -> RecordedEvent:
    assert kind in (SEND, HANDLE)
    return RecordedEvent(process, SEND if kind == SEND else HANDLE, name, Place("log", line), peer)


def ordered_then_paid() -> SequenceAutomaton:
    """A shop ships, then a till pays."""
    labels = (
        Label(HANDLE, Message("till", "order", "shop")),
        Label(SEND, Message("till", "pay", "bank")),
    )
    return sequence_automaton(
        initial=["q0"],
        final=["q2"],
        transitions=[
            StatedTransition(f"q{place}", label, f"q{place + 1}")
            for place, label in enumerate(labels)
        ],
    )


def audited(
    automaton: SequenceAutomaton, *events: RecordedEvent, incomplete: tuple[str, ...] = ()
) -> tuple[Outcome, list[Diagnostic]]:
    strange: list[Diagnostic] = []
    made = Auditor(automaton, roles=ROLES, incomplete=incomplete, on_diagnostic=strange.append)
    for event in events:
        made.add(event)
    return made.finish(), strange


def test_the_first_reception_at_each_replica_may_be_of_the_first_send() -> None:
    """Two orders of till/0 are handled by two shops: each may have been the first, so whether the
    second shop's is before what was paid between them is open."""
    outcome, strange = audited(
        ordered_then_paid(),
        happened(SEND, "till/0", "order", "shop", 1),
        happened(SEND, "till/0", "order", "shop", 2),
        happened(HANDLE, "shop-a", "order", "till/0", 3),
        happened(HANDLE, "shop-b", "order", "till/0", 4),
        happened(SEND, "till/0", "pay", "bank", 5),
        happened(SEND, "till/1", "pay", "bank", 6),
    )
    assert [(one.kind, str(one.item.label)) for one in outcome.verdicts] == [
        ("possibly-violated", '"till/0" -> bank : pay'),
        ("possibly-violated", '"till/1" -> bank : pay'),
    ]
    assert strange == []
    assert not outcome.gaps


def test_more_receptions_than_sends_are_a_gap_of_the_sender() -> None:
    outcome, strange = audited(
        ordered_then_paid(),
        happened(SEND, "till/0", "order", "shop", 1),
        happened(HANDLE, "shop-a", "order", "till/0", 2),
        happened(HANDLE, "shop-b", "order", "till/0", 3),
        happened(SEND, "till/1", "pay", "bank", 4),
    )
    assert [each.kind for each in strange] == ["reception-without-send"]
    assert [gap.reason for gap in outcome.gaps] == [
        "the log of till/0 lacks the send of order to shop-b"
    ]


def test_what_one_replica_was_sent_is_for_no_other() -> None:
    _, strange = audited(
        ordered_then_paid(),
        happened(SEND, "till/0", "order", "shop-a", 1),
        happened(HANDLE, "shop-b", "order", "till/0", 2),
        happened(SEND, "shop-a", "done", "till", 3),
        happened(SEND, "till/1", "pay", "bank", 4),
    )
    assert [each.kind for each in strange] == ["reception-without-send"]


def test_labels_that_occur_nowhere_are_over_roles() -> None:
    outcome, _ = audited(
        ordered_then_paid(),
        happened(SEND, "till/0", "order", "shop", 1),
        happened(HANDLE, "shop-a", "ordr", "till/0", 2),
        happened(SEND, "till/1", "pay", "bank", 3),
    )
    assert [each.sentence() for each in outcome.occurrences.nowhere()] == [
        "Not exercised: handle till -> shop : order occurs nowhere in these logs; did you mean "
        "handle till -> shop : ordr, which occurs once?"
    ]


def test_a_role_that_is_incomplete_is_so_in_all_its_replicas() -> None:
    outcome, _ = audited(
        ordered_then_paid(),
        happened(SEND, "till/1", "pay", "bank", 1),
        incomplete=("shop",),
    )
    assert {gap.process for gap in outcome.gaps} >= {"shop-a", "shop-b"}
    with pytest.raises(ValueError, match="no label of a process 'shopp'; did you mean"):
        Auditor(ordered_then_paid(), roles=ROLES, incomplete=("shopp",))


def test_what_should_be_recorded_is_told_of_replicas() -> None:
    automaton = sequence_automaton(
        initial=["q0"],
        final=["q2"],
        transitions=[
            StatedTransition("q0", Label(SEND, Message("till", "pay", "bank")), "q1"),
            StatedTransition("q1", Label(SEND, Message("shop", "ship", "till")), "q2"),
        ],
    )
    outcome, _ = audited(
        automaton,
        happened(SEND, "till/0", "pay", "bank", 1),
        happened(SEND, "shop-a", "ship", "till", 2),
        happened(SEND, "till/1", "pay", "bank", 3),
        happened(SEND, "shop-b", "ship", "till", 4),
    )
    assert "what till/0 handled, or vector clocks" in "".join(
        to_record(outcome.verdicts, outcome.occurrences)
    )
