"""Audits of each instance, beside audits of each slice of the log by itself."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from choreomon.audit import instances as instances_module
from choreomon.audit.auditor import Auditor
from choreomon.audit.instances import InstancesAuditor
from choreomon.audit.outcome import Outcome
from choreomon.audit.summary import SessionsOutcome
from choreomon.audit.units import Units
from choreomon.audit.verdicts import Verdicts
from choreomon.audit.window import Limits
from choreomon.core.binding import Binding, agree, in_words
from choreomon.core.errors import DocumentError
from choreomon.core.message import SEND, Label, Message
from choreomon.core.recorded import Place, RecordedEvent
from choreomon.properties.instances import Parameters, instance_defects
from choreomon.properties.progress import rules_of
from choreomon.properties.sequences import Cancellation, MessageSequence, sequences_automaton
from tests.audit.cases import Case, case

NAMES = ("order", "tenant")


def carrying(random: Random, one: Case) -> Parameters | None:
    """Parameters for the labels of a property that may be so."""
    messages = list(dict.fromkeys(label.message for label in one.automaton.labels))
    for _ in range(20):
        drawn = {
            message: tuple(name for name in NAMES if random.random() < 0.6) for message in messages
        }
        found = Parameters(NAMES, drawn)
        if any(drawn.values()) and not [*instance_defects(one.automaton, found, {})]:
            return found
    return None


def valued(random: Random, one: Case, parameters: Parameters) -> list[RecordedEvent]:
    """The events with values; all of them, so that each event carries what its message does."""
    return [
        event._replace(values={name: random.choice("12") for name in NAMES}) for event in one.events
    ]


def outcomes(
    one: Case, parameters: Parameters, events: list[RecordedEvent]
) -> dict[str, list[Outcome]]:
    """Of each binding, one for each group of parts."""
    auditor = InstancesAuditor(one.automaton, parameters, incomplete=one.incomplete)
    found: dict[str, list[Outcome]] = {}

    def add(rank: Any, name: str, outcome: Outcome, rules: Any) -> None:
        found.setdefault(name, []).append(outcome)

    auditor.summary.add = add  # type: ignore[method-assign]
    for event in events:
        auditor.add(event)
    auditor.finish()
    return found


def sliced(
    one: Case, parameters: Parameters, events: list[RecordedEvent], binding: Binding
) -> list[RecordedEvent]:
    """The log in which what is of other instances is something else."""
    found = []
    for event in events:
        for label in one.automaton.labels:
            sender, name, receiver = label.message
            own, other = (sender, receiver) if label.kind == "send" else (receiver, sender)
            told = (event.kind, event.process, event.name) == (label.kind, own, name)
            if told and event.peer in (None, other):
                of = parameters.binding(label, event.values)
                assert of is not None
                if not agree(binding, of):
                    event = event._replace(name=f"other {name}")
                break
        found.append(event)
    return found


def said(outcome: Outcome) -> object:
    verdicts = Counter(
        (each.item.event.place, each.kind, each.undecided)
        for each in outcome.verdicts
        if each.item.event is not None
    )
    return verdicts, outcome.overall.kind, outcome.overall.undecided


def wrong(seeds: range) -> tuple[list[int], int]:
    """The seeds of logs with an instance that is judged otherwise than its slice; and how many
    instances there were."""
    found, instances = [], 0
    for seed in seeds:
        random = Random(seed)
        one = case(seed, lossy=False if seed % 2 else None)
        counted = one.says not in ("clocks", "ids")  # what is counted differs in a slice
        if counted or len(rules_of(one.automaton)) != 1 or not one.events:
            continue
        parameters = carrying(random, one)
        if parameters is None:
            continue
        events = valued(random, one, parameters)
        names = instances_module.names_of(one.automaton.labels, parameters)
        try:
            judged = outcomes(one, parameters, events)
        except DocumentError:
            continue
        for values in [(x, y) for x in "12" for y in "12"]:
            binding = tuple((n, v) for n, v in zip(NAMES, values, strict=True) if n in names)
            if in_words(binding) not in judged:
                continue
            (mine,) = judged.pop(in_words(binding))
            instances += 1
            auditor = Auditor(one.automaton, incomplete=one.incomplete)
            for event in sliced(one, parameters, events, binding):
                auditor.add(event)
            if said(mine) != said(auditor.finish()):
                found.append(seed)
                break
    return found, instances


def test_an_instance_is_judged_as_its_slice() -> None:
    found, instances = wrong(range(600))
    assert found == []
    assert instances > 300


def test_planted_bugs_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared items are forgotten, at the beginning and at the end; gaps too; instances mix."""

    def without_gaps(auditor: InstancesAuditor, units: Units) -> Verdicts:
        return Verdicts(units, auditor._knowledge, Limits())

    parts = instances_module._Parts
    for owner, name, planted, seeds in (
        (parts, "_take_all", lambda *_: None, range(200)),
        (parts, "take_the_rest", lambda *_, **__: None, range(600)),
        (InstancesAuditor, "_new", without_gaps, range(400, 800)),
        (instances_module, "agree", lambda one, other: True, range(200)),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, planted)
            assert wrong(seeds)[0], name


def event(label: Label, line: int, **values: str) -> RecordedEvent:
    kind, (sender, name, receiver) = label
    own, other = (sender, receiver) if kind == SEND else (receiver, sender)
    return RecordedEvent(own, kind, name, Place("log", line), other, number=line, values=values)


PAY = Label(SEND, Message("shop", "pay", "bank"))
SHIP = Label(SEND, Message("shop", "ship", "carrier"))
CLOSE = Label(SEND, Message("shop", "close", "bank"))
AUTOMATON = sequences_automaton(
    [MessageSequence((PAY, SHIP), (Cancellation(CLOSE, (1, 1), 0),)), MessageSequence((CLOSE, PAY))]
)
ORDERS = Parameters(("order",), {PAY.message: ("order",), SHIP.message: ("order",)})


def audited(*events: RecordedEvent, **options: Any) -> SessionsOutcome:
    auditor = InstancesAuditor(AUTOMATON, ORDERS, **options)
    for each in events:
        auditor.add(each)
    return auditor.finish({"shop"}).outcome()


def test_orders_do_not_mix_and_what_carries_less_belongs_to_all() -> None:
    assert [*instance_defects(AUTOMATON, ORDERS, {})] == []
    one = audited(event(PAY, 1, order="1"), event(SHIP, 2, order="2"))
    assert (one.sessions, one.verdict, one.called) == (2, None, "instance")
    assert one.labelled == 2
    same = audited(event(PAY, 1, order="1"), event(SHIP, 2, order="1"))
    assert [each.names for each in same.kinds] == [("order=1",)]
    closed = audited(event(PAY, 1, order="1"), event(CLOSE, 2), event(SHIP, 3, order="1"))
    assert closed.verdict is None
    late = audited(event(CLOSE, 1), event(PAY, 2, order="7"), event(PAY, 3, order="8"))
    assert [each.sessions for each in late.kinds] == [2]
    counted = zip(late.occurrences.labels, late.occurrences.sessions, strict=True)
    assert dict(counted) == {PAY: 2, SHIP: 0, CLOSE: 2}


def test_an_event_without_its_value_may_be_of_any_instance() -> None:
    found = audited(event(PAY, 1), event(SHIP, 2, order="1"))
    assert found.verdict == "possibly-violated"
    assert found.verdicts == {"possibly-violated": 1}


def test_instances_are_bounded() -> None:
    events = [event(PAY, number, order=f"{number}") for number in range(1, 6)]
    auditor = InstancesAuditor(AUTOMATON, ORDERS, most=3)
    for each in events:
        auditor.add(each)
    summary = auditor.finish({"shop"})
    assert summary.sessions == 3
    (strange,) = summary.diagnostics()
    assert strange.message.startswith("2 events are of more than 3 instances")


def test_an_incomplete_process_is_so_for_all_instances() -> None:
    found = audited(event(SHIP, 1, order="1"), event(SHIP, 2, order="2"), incomplete=["shop"])
    assert found.verdicts == {"possibly-violated": 2}
    with pytest.raises(ValueError, match="did you mean 'shop'"):
        audited(incomplete=["shpo"])
