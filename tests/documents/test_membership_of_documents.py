"""Replicas that come and go, as documents write them, and what is wrong with some."""

from __future__ import annotations

import pytest

from choreomon.actors.membership import Change, Membership
from choreomon.core.errors import DocumentError
from choreomon.documents.read import parse_document
from choreomon.documents.scenario import scenario

DOCUMENT = """\
roles:
  shop: {role}
application:
  processes: [{{id: shop, handlers: {{go: []}}}}]
  start: [{{to: shop, message: go}}]
"""


def test_changes_are_in_the_order_of_their_times() -> None:
    role = (
        "{slots: 3, replicas: 1, lease: 7, "
        "changes: [{at: 5, kill: shop/1}, {at: 2, join: 2}, {at: 9, leave: shop/0}]}"
    )
    stated = parse_document(DOCUMENT.format(role=role), "r.yaml").replicas.memberships["shop"]
    changes = [Change(2000, "join")] * 2 + [Change(5000, "kill", 1), Change(9000, "leave", 0)]
    assert stated == Membership(3, 1, tuple(changes), lease=7000)


def test_random_changes_and_what_stands_for_nothing() -> None:
    role = "{slots: 3, changes: {every: 40}}"
    stated = parse_document(DOCUMENT.format(role=role), "r.yaml").replicas.memberships["shop"]
    assert stated == Membership(3, 3, every=40.0, lease=100_000)
    plain = parse_document(DOCUMENT.format(role="{slots: 3, lease: 3}"), "r.yaml")
    assert plain.replicas.memberships == {}


@pytest.mark.parametrize(
    ("role", "wrong"),
    [
        ("{slots: 2, replicas: 3}", "r.yaml:2: roles.shop.replicas: is more than there are slots"),
        ("{slots: 1, changes: {every: 4}}", "roles.shop.changes: needs two slots at least"),
        ("{slots: 2, changes: {every: 0}}", "roles.shop.changes.every: "),
        ("{slots: 2, changes: 7}", "roles.shop.changes: should be a list of changes or"),
        ("{slots: 2, changes: [{at: 1}]}", r"changes\[0\]: should say one thing that happens"),
        ("{slots: 2, changes: [{at: 1, join: 1, kill: shop/0}]}", "should say one thing"),
        ("{slots: 2, changes: [{at: 1, join: 1}]}", r"\[0\].join: is one replica more than the 2"),
        (
            "{slots: 2, changes: [{at: 3, kill: shop/0}, {at: 1, leave: shop/0}]}",
            r"changes\[0\].kill: names a slot at which no replica is then: name another one",
        ),
        (
            "{slots: 2, changes: [{at: 3, leave: shop/7}]}",
            r"changes\[0\].leave: .*: the slots are shop/0 to shop/1",
        ),
    ],
)
def test_what_cannot_be_is_refused_at_its_line(role: str, wrong: str) -> None:
    with pytest.raises(DocumentError, match=wrong):
        parse_document(DOCUMENT.format(role=role), "r.yaml")


def test_real_replicas_stay() -> None:
    document = parse_document(DOCUMENT.format(role="{slots: 3, replicas: 2}"), "r.yaml")
    assert scenario(document, "run").application.replicas.memberships
    document = parse_document(DOCUMENT.format(role="{slots: 3, changes: {every: 1}}"), "r.yaml")
    with pytest.raises(DocumentError, match=r"roles.shop.changes: are for simulated runs"):
        scenario(document, "run")
