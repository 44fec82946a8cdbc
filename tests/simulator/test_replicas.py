"""Simulated runs with replicas: who handles what, and what monitors say."""

from __future__ import annotations

from collections import Counter

import pytest

from choreomon.core.message import HANDLE, SEND
from choreomon.core.run import RunEvent
from choreomon.documents.read import parse_document
from simulator.run import simulation

DOCUMENT = """
roles: {{shop: {shop}, carrier: 2}}
application:
  processes:
    - id: shop
      variables: {{closed: false}}
      handlers:
        order: [{{send: {{to: carrier, message: ship, with: {{order: $order}}}}}}]
    - {{id: carrier, handlers: {{ship: []}}}}
  start:
    - {{to: shop, message: order, at: 1, repeat: {{order: "1..30", every: 5}}}}
rules:
  - {{id: shipped-twice, for_each: [order], steps:
      ["shop -> carrier : ship(order)", "handle shop -> carrier : ship(order)"]}}
"""


def events_with(shop: str) -> list[RunEvent]:
    events: list[RunEvent] = []
    prepared = simulation(parse_document(DOCUMENT.format(shop=shop), "roles.yaml"))
    run = prepared.run(7, recorder=events.append)
    assert run.processes == ("shop/0", "shop/1", "shop/2", "carrier/0", "carrier/1")
    assert len(run.verdicts) == 30
    assert {verdict.verdict for verdict in run.verdicts} == {"violated"}
    return events


def handled(events: list[RunEvent], role: str) -> Counter[str]:
    own = [event for event in events if event.kind == HANDLE and event.process.startswith(role)]
    return Counter(event.process for event in own)


def test_round_robin_serves_each_replica_in_turn() -> None:
    events = events_with("3")
    assert handled(events, "shop") == {"shop/0": 10, "shop/1": 10, "shop/2": 10}
    assert handled(events, "carrier") == {"carrier/0": 15, "carrier/1": 15}


def test_each_end_is_a_slot_for_its_owner_and_a_role_for_the_other() -> None:
    for event in events_with("3"):
        message = event.message
        if event.kind == SEND:
            assert (message.sender, message.receiver) == (event.process, "carrier")
        else:
            assert message.receiver == event.process
            assert message.sender in ("shop", "env")


def test_random_serves_any_and_is_drawn_by_the_seed() -> None:
    once = events_with("{slots: 3, balance: random}")
    counts = handled(once, "shop")
    assert sum(counts.values()) == 30
    assert len(counts) == 3
    assert {*counts.values()} != {10}
    assert events_with("{slots: 3, balance: random}") == once


def test_by_a_key_the_same_replica_serves_the_same_value() -> None:
    events = events_with("{slots: 3, balance: {by: order}}")
    counts = handled(events, "shop")
    assert sum(counts.values()) == 30
    assert len(counts) == 3
    assert {*counts.values()} != {10}


@pytest.mark.parametrize("shop", ["3", "{slots: 3, balance: random}"])
def test_the_seed_decides_everything(shop: str) -> None:
    assert events_with(shop) == events_with(shop)
