"""Documents about each instance: what they may say, and what refuses them."""

from __future__ import annotations

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.message import SEND, Label, Message
from choreomon.documents.read import parse_document
from choreomon.documents.scenario import scenario
from choreomon.testing.monitored_run import MonitoredRun

GOOD = """property:
  for_each: [tenant, order]
  sequences:
    - steps: ["billing -> bank : refund(tenant, order)", "shop -> carrier : ship(tenant, order)"]
      cancel: [{on: "billing -> bank : reverse(tenant, order)", after: [1, 1], back_to: 0}]
    - steps: ["admin -> billing : suspend(tenant)", "billing -> bank : charge(tenant, order)"]
      cancel: [{on: "admin -> billing : resume", after: [1, 1], back_to: 0}]
"""


def wrong(*changes: tuple[str, str]) -> list[str]:
    text = GOOD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "p.yaml")
    return [f"{each.line}: {each.message}" for each in caught.value.problems]


def test_labels_say_what_their_messages_carry() -> None:
    loaded = parse_document(GOOD, "p.yaml").property
    assert loaded is not None
    assert loaded.parameters is not None
    assert loaded.parameters.names == ("tenant", "order")
    suspend = Label(SEND, Message("admin", "suspend", "billing"))
    assert loaded.parameters.of(suspend) == ("tenant",)
    assert loaded.parameters.binding(suspend, {"tenant": "t", "order": "1"}) == (("tenant", "t"),)
    assert loaded.parameters.binding(suspend, {"order": "1"}) is None
    assert suspend in loaded.automaton.labels


def test_an_automaton_may_be_for_each_instance() -> None:
    text = """property:
  for_each: [order]
  automaton:
    initial: [q0]
    final: [q1]
    transitions: [{from: q0, to: q1, on: "shop -> carrier : ship( order )"}]
"""
    loaded = parse_document(text, "p.yaml").property
    assert loaded is not None
    assert loaded.parameters is not None
    assert [*loaded.parameters.carried.values()] == [("order",)]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ([("for_each: [tenant, order]", "for_each: [tenant]")], "4: carries 'order', which is no"),
        ([("for_each: [tenant, order]", "rules: sound")], "4: carries 'tenant', which is no param"),
        ([("for_each: [tenant, order]", "for_each: [tenant, order, x]")], "2: is 'x', which no me"),
        ([("ship(tenant, order)", "ship(tenant, ordr)")], "did you mean 'order'"),
        ([("ship(tenant, order)", "ship(tenant)")], "4: carries no order, and other labels of its"),
        ([("reverse(tenant, order)", "reverse(tenant, ")], "should end in names of parameters"),
        ([("reverse(tenant, order)", "reverse(order, order)")], "each once"),
        ([("charge(tenant, order)", "charge(tenant, order)\", \"admin -> billing : suspend")],
         "carries (), and elsewhere (tenant): one message carries the same everywhere"),
        (
            [("charge(tenant, order)\"]", "x(tenant, order)\", \"a -> b : y(tenant)\", "
              "\"a -> b : z(tenant, order)\"]")],
            "carries no order, and a step before it does",
        ),
        (
            [
                ("ship(tenant, order)\"]", "x(tenant, order)\", \"a -> b : z(tenant, order)\"]"),
                ("reverse(tenant, order)\", after: [1, 1], back_to: 0", "reverse(tenant)\", "
                 "after: [2, 2], back_to: 0"),
            ],
            "carries no order, and what it takes back does",
        ),
        (
            [
                ("charge(tenant, order)\"]", "x(tenant)\", \"a -> b : z(tenant, order)\"]"),
                ("resume\", after: [1, 1]", "resume(order)\", after: [1, 1]"),
            ],
            "6: carries no order, and admin -> billing : resume, which takes back a step before it",
        ),
        (
            [
                ("charge(tenant, order)\"]", "x(tenant)\", \"a -> b : z(tenant, order)\"]"),
                (
                    "resume\", after: [1, 1], back_to: 0}",
                    "resume(tenant)\", after: [2, 2], back_to: 0}, "
                    "{on: \"a -> b : y(tenant, order)\", after: [2, 2], back_to: 1}",
                ),
            ],
            "7: carries no order, and a -> b : y, which takes back the same, does: every instance",
        ),
        (
            [
                (
                    "{on: \"admin -> billing : resume\", after: [1, 1], back_to: 0}",
                    "{on: \"admin -> billing : resume\", after: [1, 1], back_to: 0}, "
                    "{on: \"admin -> bank : reset(tenant)\", after: [1, 1], back_to: 0}",
                ),
            ],
            "7: carries (tenant), and admin -> billing : resume, which does the same and is "
            "watched by admin, too, carries (): nobody who asks admin could say which of the two "
            "is meant; let both carry the same",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_told_of_which_instance_is_refused(
    changes: list[tuple[str, str]], told: str
) -> None:
    assert any(told in each for each in wrong(*changes)), wrong(*changes)


def test_monitors_know_of_no_instances() -> None:
    text = "application: {processes: [{id: shop}, {id: bank, handlers: {pay: []}}]}\n"
    text += 'property: {for_each: [o], sequences: [{steps: ["shop -> bank : pay(o)"]}]}\n'
    document = parse_document(text, "p.yaml")
    with pytest.raises(DocumentError, match=r"p.yaml:2: property.for_each: is under"):
        scenario(document, "simulate")
    with pytest.raises(DocumentError, match="audits of logs alone"):
        MonitoredRun(document)
