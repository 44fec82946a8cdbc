"""Commands that show runs of documents with roles: pages, pictures, traces and exports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon

DOCUMENT = """\
roles:
  shop: {slots: 3, replicas: 2, changes: [{at: 60, kill: shop/0}, {at: 70, join: 1}], lease: 50}
  carrier: 2
application:
  processes:
    - id: shop
      handlers:
        order: [{send: {to: bank, message: charge, with: {order: $order}}}]
        charged: [{send: {to: carrier, message: ship, with: {order: $order}}}]
    - {id: bank, handlers: {charge: [{send: {to: shop, message: charged, with: {order: $order}}}]}}
    - {id: carrier, handlers: {ship: []}}
  start: [{to: shop, message: order, repeat: {order: "1..30", every: 5}}]
network: {delay: {uniform: [1, 20]}}
rules:
  - id: shipped
    for_each: [order]
    steps: ["shop -> bank : charge(order)", "handle shop -> carrier : ship(order)"]
"""
"""One replica of the shop is killed while a message is on its way to it."""
SLOTS = {"shop/0", "shop/1", "shop/2", "carrier/0", "carrier/1"}
FORMS = ["shiviz", "otlp", "mermaid", "plantuml"]


@pytest.fixture
def document(place: Path) -> str:
    path = place / "roles.yaml"
    path.write_text(DOCUMENT, encoding="utf-8")
    return path.name


def test_a_page_shows_runs_by_slot(document: str) -> None:
    answer = choreomon("simulate", document, "--report", "page.html")
    assert answer.code == 1
    page = Path("page.html").read_text(encoding="utf-8")
    assert "shop/0 -&gt; bank : charge(1)" in page
    assert "shop/0 -&gt; carrier/0 : ship(1)" in page


@pytest.mark.parametrize("name", ["run.svg", "run.mmd"])
def test_runs_are_drawn_by_slot(document: str, name: str) -> None:
    assert choreomon("draw", "--run", document, "-o", name).code == 0
    drawn = Path(name).read_text(encoding="utf-8").replace("#47;", "/")
    assert "shop/0" in drawn
    assert "carrier/0" in drawn


def test_a_trace_names_the_slots_that_sent(document: str) -> None:
    choreomon("simulate", document, "--trace", "traces")
    lines = Path("traces/run-0.jsonl").read_text(encoding="utf-8").splitlines()
    senders = {
        (message["sender"], message["name"])
        for line in map(json.loads, lines)
        if line["event"] == "handle"
        for message in [line["message"]]
    }
    charging = {sender for sender, name in senders if name == "charge"}
    shipping = {sender for sender, name in senders if name == "ship"}
    assert charging == shipping == {"shop/0", "shop/1", "shop/2"}
    assert ("bank", "charged") in senders


@pytest.mark.parametrize("form", FORMS)
def test_exports_of_runs_and_of_their_traces_are_the_same(document: str, form: str) -> None:
    results = choreomon("simulate", document, "--trace", "traces", "--json")
    Path("r.json").write_text(results.out, encoding="utf-8")
    made = choreomon("export", document, "--to", form)
    read = choreomon("export", "traces/run-0.jsonl", "--to", form, "--results", "r.json")
    assert made.code == read.code == 0
    plain = made.out.replace("#47;", "/").replace("<U+002F>", "/")
    assert all(slot in plain for slot in SLOTS)
    if form in ("shiviz", "otlp"):
        assert made.out == read.out
    else:  # where the generated ids of participants follow their order
        assert len(made.out.splitlines()) == len(read.out.splitlines())
        assert made.out.count("->") == read.out.count("->")


def test_check_says_whose_the_table_of_a_role_is(document: str) -> None:
    choreomon("split", document, "-o", "tables")
    answer = choreomon("check", "tables/shop.json")
    assert answer.out.startswith("tables/shop.json: the table of shop, one for its 3 slots, is ")
    assert "│ carrier " in answer.out
    said = json.loads(choreomon("check", "tables/shop.json", "--json").out)
    assert (said["process"], said["slots"]) == ("shop", 3)
    assert "slots" not in json.loads(choreomon("check", "tables/bank.json", "--json").out)


@pytest.mark.parametrize(("form", "lost"), [("mermaid", "bank-xshop: "), ("plantuml", "->x shop")])
def test_a_lost_message_goes_to_the_role(document: str, form: str, lost: str) -> None:
    written = choreomon("export", document, "--to", form).out
    assert "participant shop\n" in written
    assert lost in written
