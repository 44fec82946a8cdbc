"""Audits of each instance over roles, against brute force over roles of each slice of the log."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from choreomon.audit import instances as instances_module
from choreomon.audit.instances import InstancesAuditor
from choreomon.audit.oracle import truth
from choreomon.audit.outcome import Outcome
from choreomon.core.binding import Binding, in_words
from choreomon.core.errors import DocumentError
from choreomon.core.recorded import RecordedEvent
from choreomon.properties.instances import Parameters
from tests.audit.cases import faults
from tests.audit.cases_of_roles import CaseOfRoles, case_of_roles


def sliced(one: CaseOfRoles, events: list[RecordedEvent], order: str) -> list[RecordedEvent]:
    """The log in which what is of other orders is something else, at both ends of messages."""
    return [
        event if event.values["order"] == order else event._replace(name=f"other {event.name}")
        for event in events
    ]


def outcomes(one: CaseOfRoles, events: list[RecordedEvent]) -> dict[str, Outcome]:
    messages = {label.message for label in one.automaton.labels}
    parameters = Parameters(("order",), dict.fromkeys(messages, ("order",)))
    auditor = InstancesAuditor(
        one.automaton, parameters, incomplete=one.over_replicas.incomplete, roles=one.roles
    )
    found: dict[str, Outcome] = {}

    def add(rank: Any, name: str, outcome: Outcome, rules: Any, binding: Binding) -> None:
        found[name] = outcome

    auditor.summary.add = add  # type: ignore[method-assign]
    for event in events:
        auditor.add(event)
    auditor.finish()
    return found


def wrong(seeds: range) -> tuple[list[str], int]:
    """What is wrong, and how many instances there were. What is counted differs in a slice."""
    found: list[str] = []
    instances = 0
    for seed in seeds:
        one = case_of_roles(seed)
        if one.over_replicas.says == "counts":
            continue
        random = Random(seed)
        orders: dict[str | None, str] = {}
        events = []
        for event in one.over_replicas.events:
            order = orders.setdefault(event.message_id, random.choice("12"))
            if event.message_id is None:
                order = random.choice("12")
            events.append(event._replace(values={"order": order}))
        try:
            judged = outcomes(one, events)
        except DocumentError:
            continue
        for order in "12":
            outcome = judged.get(in_words((("order", order),)))
            if outcome is None:
                continue
            instances += 1
            own = sliced(one, events, order)
            case = replace(one.over_replicas, events=tuple(own))
            true = truth(one.automaton, own, one.over_replicas.incomplete, one.roles)
            found += [f"seed {seed}, order {order}: {each}" for each in faults(case, outcome, true)]
    return found, instances


def test_each_instance_is_judged_as_brute_force_over_roles_judges_its_slice() -> None:
    found, instances = wrong(range(500))
    assert found == []
    assert instances > 200


def test_parameters_over_roles_alone_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No message of a replica carries anything then."""
    monkeypatch.setattr(
        instances_module, "parameters_over_slots", lambda parameters, automaton, roles: parameters
    )
    assert wrong(range(100))[1] < 20
