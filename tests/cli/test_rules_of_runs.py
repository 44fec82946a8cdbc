"""Runs of documents with rules: whatever is shown says which rule it is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import choreomon

SHOP = """
name: shop
application:
  processes:
    - id: shop
      handlers:
        refund: [{send: {to: bank, message: refunded}}]
        done: [{send: {to: carrier, message: ship}}]
    - {id: bank, handlers: {refunded: [{send: {to: shop, message: done}}]}}
    - {id: carrier, handlers: {ship: []}}
  start: [{to: shop, message: refund}]
network: {delay: {constant: 5}}
rules:
  - id: not-after-a-refund
    description: Nothing is shipped once it was refunded.
    never: "shop -> carrier : ship"
    after: "shop -> bank : refunded"
  - id: nothing-leaves
    severity: warning
    never: "shop -> carrier : ship"
  - id: no-refund-once-shipped
    never: "shop -> bank : refunded"
    after: "shop -> carrier : ship"
"""
"""However fast anything is, event 5 violates the first two rules."""

COMMANDS: tuple[tuple[Any, ...], ...] = (("simulate",), ("run", "--speed", 20, "--embedded"))


@pytest.fixture(autouse=True)
def shop(place: Path) -> None:
    place.joinpath("shop.yaml").write_text(SHOP, encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command[0]))
class TestEachRule:
    def test_is_announced_and_explained_by_itself(self, command: tuple[Any, ...]) -> None:
        answer = choreomon(*command, "shop.yaml")
        assert answer.code == 1
        announced = [line for line in answer.out.splitlines() if " ms  shop violated at" in line]
        assert sorted(line.rpartition(": ")[2] for line in announced) == [
            "not-after-a-refund",
            "nothing-leaves",
        ]
        assert "Violated: not-after-a-refund, nothing-leaves." in answer.out

    def test_is_formed_by_itself_in_the_real_order(self, command: tuple[Any, ...]) -> None:
        answer = choreomon(*command, "shop.yaml")
        assert (
            "one was violated 2 times:\n"
            "  at event 5, by events 1, 5: not-after-a-refund\n"
            "  at event 5, by events 5: nothing-leaves\n"
        ) in answer.out

    def test_has_a_suite_with_what_was_found_of_it(self, command: tuple[Any, ...]) -> None:
        choreomon(*command, "shop.yaml", "--junit", "junit.xml")
        text = Path("junit.xml").read_text(encoding="utf-8")
        assert [suite.partition('"')[0] for suite in text.split('<testsuite name="')[1:]] == [
            "not-after-a-refund",
            "nothing-leaves",
            "no-refund-once-shipped",
        ]
        assert [suite.count("<failure") for suite in text.split("<testsuite name=")[1:]] == [
            1,
            1,
            0,
        ]

    def test_is_named_in_json(self, command: tuple[Any, ...]) -> None:
        (run,) = json.loads(choreomon(*command, "shop.yaml", "--json").out)["runs"]
        assert [verdict["rule"]["id"] for verdict in run["verdicts"]] == [
            "not-after-a-refund",
            "nothing-leaves",
        ]
        assert run["formed"] == [5]
        assert run["formed_rules"] == [
            {"event_index": 5, "rule": "not-after-a-refund"},
            {"event_index": 5, "rule": "nothing-leaves"},
        ]

    def test_is_checked_against_the_real_order_on_pages(self, command: tuple[Any, ...]) -> None:
        choreomon(*command, "shop.yaml", "--report", "page.html")
        page = Path("page.html").read_text(encoding="utf-8")
        assert page.count("only the simulator knows: formed there.") == 2
        assert "not formed there" not in page


def test_pictures_of_a_run_say_of_each_verdict_which_rule_it_is_about() -> None:
    assert choreomon("draw", "shop.yaml", "--run", "-o", "run.mmd").code == 0
    assert (
        "shop declares violated: not-after-a-refund, shop declares violated: nothing-leaves"
    ) in Path("run.mmd").read_text(encoding="utf-8")
    assert choreomon("draw", "shop.yaml", "--run", "-o", "run.svg").code == 0
    drawn = Path("run.svg").read_text(encoding="utf-8")
    assert "violated: not-after-a-refund, declared by shop" in drawn


def test_a_name_that_is_wider_than_the_picture_is_not_in_its_badge() -> None:
    name = "no-" + "very-" * 30 + "long-name"
    Path("long.yaml").write_text(SHOP.replace("not-after-a-refund", name), encoding="utf-8")
    assert choreomon("draw", "long.yaml", "--run", "-o", "run.svg").code == 0
    drawn = Path("run.svg").read_text(encoding="utf-8")
    assert ">violated, declared by shop at" in drawn


def test_rules_are_drawn_below_their_names_also_those_of_several_files() -> None:
    Path("more.yaml").write_text(
        "rules: [{id: more, description: No more., never: 'a -> b : c'}]", encoding="utf-8"
    )
    assert choreomon("draw", "shop.yaml", "more.yaml", "-o", "rules.svg").code == 0
    drawn = Path("rules.svg").read_text(encoding="utf-8")
    places = [drawn.index(f">{name}<") for name in ("not-after-a-refund", "more", "No more.")]
    assert places == sorted(places)
    assert choreomon("draw", "shop.yaml", "more.yaml", "-o", "rules.mmd").code == 0
    assert 'subgraph rule3["more: No more."]' in Path("rules.mmd").read_text(encoding="utf-8")
    refused = choreomon("draw", "shop.yaml", "more.yaml", "--run", "-o", "run.svg")
    assert (refused.code, "--run can only be used with one FILE" in refused.err) == (2, True)
