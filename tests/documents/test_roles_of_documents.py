"""Roles in documents: what is read, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from choreomon.actors.balancing import ByKey
from choreomon.core.errors import DocumentError
from choreomon.documents.read import parse_document
from choreomon.documents.several import load_documents

RULES = """
rules:
  - id: no-parcel-after-refund
    for_each: [order]
    never: "shop -> carrier : ship(order)"
    after: "billing -> bank : refund(order)"
"""
APPLICATION = """
application:
  processes:
    - {id: shop, handlers: {order: [{send: {to: carrier, message: ship}}]}}
    - {id: carrier, handlers: {ship: []}}
  start: [{to: shop, message: order}]
property: {sequences: [{steps: ["shop -> carrier : ship"]}]}
"""


def refused(text: str) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "roles.yaml")
    return [str(problem) for problem in caught.value.problems]


def test_a_document_speaks_of_roles_and_is_monitored_over_their_slots() -> None:
    document = parse_document(f"roles: {{shop: 2, billing: {{slots: 3}}}}\n{RULES}", "roles.yaml")
    assert document.processes == ("shop", "carrier", "billing", "bank")
    assert document.property is not None
    assert [str(label) for label in document.property.automaton.labels] == [
        "billing -> bank : refund",
        "shop -> carrier : ship",
    ]
    over = document.over_slots()
    assert over.processes == (
        *("shop/0", "shop/1", "carrier", "billing/0", "billing/1", "billing/2", "bank"),
    )
    assert over.property is not None
    assert over.property.parameters is not None
    owners = [label.process for label in over.property.automaton.labels]
    assert owners == ["billing/0", "billing/1", "billing/2", "shop/0", "shop/1"]
    assert {*over.property.parameters.carried.values()} == {("order",)}
    assert over.over_slots() == over


def test_a_document_without_roles_is_over_slots_as_it_is() -> None:
    document = parse_document(RULES, "roles.yaml")
    assert document.over_slots() is document
    stated = parse_document(f"{RULES}\nroles: {{}}", "roles.yaml")
    assert replace(stated, roles_line=0) == document


def test_messages_are_balanced_as_the_document_says() -> None:
    text = "roles: {shop: {slots: 2, balance: random}, carrier: {slots: 2, balance: {by: order}}}"
    document = parse_document(f"{text}\n{APPLICATION}", "roles.yaml")
    assert document.replicas.balancing == {"shop": "random", "carrier": ByKey("order")}


@pytest.mark.parametrize(
    ("roles", "told"),
    [
        ("{shop: 0}", "roles.yaml:1: roles.shop: should be at least 1, not 0"),
        ("{shop: 1025}", "roles.yaml:1: roles.shop: should be at most 1024, not 1025"),
        (
            "{shop: many}",
            "roles.yaml:1: roles.shop: should be a number of slots or {slots: NUMBER}, not 'many'",
        ),
        (
            "{shop: {slots: 0}}",
            "roles.yaml:1: roles.shop.slots: should be at least 1, not 0",
        ),
        (
            "{shopp: 2}",
            "roles.yaml:1: roles.shopp: unknown process 'shopp'; did you mean 'shop'?",
        ),
        ("{env: 2}", "roles.yaml:1: roles.env: 'env' has no replicas: name a process"),
        (
            "{shop: 1000, billing: 30}",
            "roles.yaml:1: roles: come to 1032 processes with all slots; at most 1024 are "
            "supported: use fewer slots",
        ),
        (
            "{shop: 2, shop: 3}",
            "roles.yaml:1: roles.shop: comes twice, first on line 1: keep one of the two",
        ),
    ],
)
def test_what_is_wrong_with_roles(roles: str, told: str) -> None:
    assert told in refused(f"roles: {roles}\n{RULES}")


def test_labels_name_roles() -> None:
    text = RULES.replace('"shop -> carrier', '\'"shop/1" -> carrier').replace(
        'ship(order)"', "ship(order)'"
    )
    told = refused(f"roles: {{shop: 2}}\n{text}")
    assert any(
        "names the slot shop/1, and labels are about all of shop: write shop" in each
        for each in told
    )


def test_a_slot_is_no_process_of_the_application() -> None:
    text = (
        APPLICATION.replace("id: carrier", 'id: "shop/1"')
        .replace("to: carrier", 'to: "shop/1"')
        .replace("shop -> carrier", "shop -> shop")
    )
    told = refused(f"roles: {{shop: 2}}\n{text}")
    wanted = "roles.shop: has a slot shop/1, which is a process, too: call one of the two otherwise"
    assert any(wanted in each for each in told)


def test_an_interaction_knows_no_replicas() -> None:
    text = f'roles: {{shop: 2}}\n{APPLICATION}\ninteraction: "shop -- ship ->| carrier"\n'
    assert any(
        "interaction: knows nothing of replicas: leave it out, or roles" in each
        for each in refused(text)
    )


def test_who_knows_no_replicas_refuses_a_document_with_roles() -> None:
    document = parse_document(f"{RULES}\nroles: {{shop: 2}}", "roles.yaml")
    with pytest.raises(DocumentError) as caught:
        document.without_roles("audits")
    assert str(caught.value) == (
        "roles.yaml:8: roles: are services with replicas, of which audits know nothing: leave "
        "roles out"
    )
    alone = parse_document(RULES, "roles.yaml")
    assert alone.without_roles("audits") is alone


def test_roles_of_several_documents_are_those_of_all(tmp_path: Path) -> None:
    one, two, three = (tmp_path / f"{name}.yaml" for name in ("one", "two", "three"))
    one.write_text(f"roles: {{shop: 2}}\n{RULES}", encoding="utf-8")
    other = RULES.replace("no-parcel-after-refund", "another")
    two.write_text(f"roles: {{shop: 2, billing: 3}}\n{other}", encoding="utf-8")
    three.write_text(f"roles: {{shop: 4}}\n{other}", encoding="utf-8")
    document = load_documents([one, two])
    assert document.replicas.roles.slots == {"shop": 2, "billing": 3}
    assert "billing/2" in document.over_slots().processes
    with pytest.raises(DocumentError, match=r"three.yaml:1: roles.shop: is another role than in"):
        load_documents([one, three])
