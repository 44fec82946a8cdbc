"""`choreomon check --against` where services have replicas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon

APPLICATION = """\
application:
  processes:
    - id: shop
      variables: {packed: false}
      handlers:
        pack: [{assign: {packed: true}}]
        ship:
          - if: packed
            then: [{send: {to: carrier, message: parcel}}]
            else: [{send: {to: carrier, message: empty}}]
    - {id: carrier, handlers: {parcel: [], empty: []}}
  start: [{to: shop, message: pack}, {to: shop, message: ship, at: 5}]
"""

EMPTY = """\
rules:
  - id: nothing-empty
    never: "shop -> carrier : empty"
    after: "handle env -> shop : pack"
"""


@pytest.fixture(autouse=True)
def _files() -> None:
    Path("shop.yaml").write_text(f"roles: {{shop: 2}}\n{APPLICATION}", encoding="utf-8")
    Path("one.yaml").write_text(APPLICATION, encoding="utf-8")
    Path("rules.yaml").write_text(f"roles: {{shop: 8}}\n{EMPTY}", encoding="utf-8")
    Path("plain.yaml").write_text(EMPTY, encoding="utf-8")


def test_what_one_process_cannot_do_two_replicas_can() -> None:
    alone = choreomon("check", "plain.yaml", "--against", "one.yaml")
    assert alone.code == 0
    assert "nothing-empty: impossible" in alone.out
    for rules in ("rules.yaml", "plain.yaml"):
        both = choreomon("check", rules, "--against", "shop.yaml", "--picture", "run.svg")
        assert both.code == 1
        assert "nothing-empty: possible" in both.out
        assert '1. handle env -> "shop/0" : pack' in both.out
        assert '"shop/1" -> carrier : empty' in both.out
        picture = Path("run.svg").read_text(encoding="utf-8")
        assert "shop/1" in picture


def test_labels_that_never_happen_are_told_over_roles() -> None:
    text = Path("rules.yaml").read_text(encoding="utf-8")
    Path("rules.yaml").write_text(text.replace(": empty", ": emty"), encoding="utf-8")
    answer = choreomon("check", "rules.yaml", "--against", "shop.yaml", "--json")
    assert answer.code == 0
    assert json.loads(answer.out)["never_happening"] == [
        {
            "label": "shop -> carrier : emty",
            "meant": "; did you mean 'shop -> carrier : empty'?",
        }
    ]


def test_what_every_run_does_is_seen_over_roles() -> None:
    Path("rules.yaml").write_text(
        "roles: {shop: 2}\nrules: [{id: never-pack, never: 'handle env -> shop : pack'}]\n",
        encoding="utf-8",
    )
    answer = choreomon("check", "rules.yaml", "--against", "shop.yaml", "--json")
    (sequence,) = json.loads(answer.out)["sequences"]
    assert sequence["unavoidable"] is True


def test_a_protocol_of_fewer_replicas_is_refused() -> None:
    refused = choreomon("check", "rules.yaml", "--against", "one.yaml")
    assert refused.code == 2
    assert refused.err == (
        "one.yaml: roles: has no role shop, which rules.yaml has: more replicas may do more\n"
    )


def test_replicas_that_come_and_go_are_refused() -> None:
    roles = "roles: {shop: {slots: 2, replicas: 1, changes: [{at: 2, join: 1}]}}\n"
    Path("shop.yaml").write_text(f"name: shops\n{roles}{APPLICATION}", encoding="utf-8")
    refused = choreomon("check", "rules.yaml", "--against", "shop.yaml")
    assert refused.code == 2
    assert refused.err == (
        "shop.yaml:2: roles.shop: replicas that come and go are not looked at: leave replicas and "
        "changes out\n"
    )


def test_interactions_and_automata_are_refused() -> None:
    Path("one.hif").write_text("o", encoding="utf-8")
    refused = choreomon("check", "rules.yaml", "--against", "one.hif")
    assert refused.code == 2
    assert "rules.yaml:1: roles: are services with replicas, of which interactions and" in (
        refused.err
    )


def test_simulated_runs_with_replicas_are_among_those_that_are_possible() -> None:
    Path("both.yaml").write_text(f"roles: {{shop: 2}}\n{APPLICATION}{EMPTY}", encoding="utf-8")
    formed = choreomon("simulate", "both.yaml", "--runs", "5", "--json")
    assert '"formed":[2]' in formed.out
    assert choreomon("check", "both.yaml", "--against", "both.yaml").code == 1
