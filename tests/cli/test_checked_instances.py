"""`choreomon check` and `draw` of properties for each instance: what labels carry and cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon

PROPERTY = """property:
  for_each: [tenant, order]
  sequences:
    - steps:
        - "shop -> bank : pay(tenant)"
        - "bank -> shop : paid(tenant, order)"
        - "shop -> carrier : ship(tenant, order)"
      cancel:
        - {on: "bank -> shop : undo(tenant, order)", after: [2, 2], back_to: 0}
        - {on: "admin -> bank : reset", after: [1, 2], back_to: 0}
"""


@pytest.fixture(autouse=True)
def _files(place: Path) -> None:
    Path("p.yaml").write_text(PROPERTY, encoding="utf-8")


def test_check_says_what_labels_carry_where_they_are_kept_and_who_is_asked() -> None:
    said = choreomon("check", "p.yaml").out
    for line in (
        "for each tenant and order:",
        "  shop -> bank : pay(tenant) is recorded by shop for each tenant; nobody is asked",
        "  bank -> shop : paid(tenant, order) is recorded by bank for each tenant and order; bank "
        "asks shop and admin",
        "  shop -> carrier : ship(tenant, order) is not recorded; shop asks bank and admin",
        "  bank -> shop : undo(tenant, order) is recorded by bank for each tenant and order; what "
        "it takes back depends on what there is, and bank asks admin",
        "  admin -> bank : reset is recorded by admin once, for all of them; what it takes back is "
        "certain at once, and nobody is asked",
        "  bank -> shop : undo(tenant, order) after step 2 of sequence 1 takes back steps 1 and 2",
    ):
        assert line in said.splitlines()


def test_check_says_it_as_json() -> None:
    told = json.loads(choreomon("check", "p.yaml", "--json").out)["property"]
    by_label = {each.pop("label"): each for each in told["labels"]}
    assert by_label["bank -> shop : undo"] == {
        "carries": ["tenant", "order"],
        "watched_by": "bank",
        "recorded": True,
        "cancels": True,
        "certain": False,
        "asks": ["admin"],
    }
    assert by_label["admin -> bank : reset"]["certain"]
    assert not by_label["shop -> carrier : ship"]["recorded"]
    assert told["for_each"] == ["tenant", "order"]


def test_without_instances_nothing_is_said_of_them() -> None:
    text = PROPERTY.replace("  for_each: [tenant, order]\n", "")
    for written in ("(tenant, order)", "(tenant)"):
        text = text.replace(written, "")
    Path("p.yaml").write_text(text, encoding="utf-8")
    assert "recorded" not in choreomon("check", "p.yaml").out
    assert "labels" not in json.loads(choreomon("check", "p.yaml", "--json").out)["property"]
    assert choreomon("draw", "p.yaml", "-o", "p.mmd").code == 0
    assert "(tenant" not in Path("p.mmd").read_text(encoding="utf-8")


def test_tables_are_those_of_monitors_of_instances() -> None:
    said = choreomon("check", "p.yaml", "--tables").out
    admin = said[said.index("Transition table of admin") :]
    assert "(q1, admin -> bank : reset, q0) │ ⊥     │ ∅ " in admin
    assert "pay(tenant)" in said[said.index("Transition table of shop") :]


def test_a_table_says_what_own_labels_carry() -> None:
    assert choreomon("split", "p.yaml", "-o", "agents").code == 0
    asked = ("check", "agents/bank.json")
    assert ", for each tenant and order" in " ".join(choreomon(*asked).out.split())
    told = json.loads(choreomon(*asked, "--json").out)
    assert told["for_each"] == ["tenant", "order"]
    assert told["carries"]["bank -> shop : paid"] == ["tenant", "order"]
    assert "paid(tenant," in choreomon(*asked, "--tables").out


def test_pictures_write_labels_with_their_parameters() -> None:
    assert choreomon("draw", "p.yaml", "-o", "p.mmd").code == 0
    assert choreomon("draw", "p.yaml", "-o", "p.svg").code == 0
    label = "shop → carrier : ship(tenant, order)"
    assert f'-->|"{label}"|' in Path("p.mmd").read_text(encoding="utf-8")
    title = "shop -&gt; carrier : ship(tenant, order), watched by shop"
    assert title in Path("p.svg").read_text(encoding="utf-8")
    drawn = json.loads(choreomon("draw", "p.yaml", "-o", "p.svg", "--json").out)
    labels = [label for edge in drawn["edges"] for label in edge["labels"]]
    assert "shop -> bank : pay(tenant)" in labels
    assert "admin -> bank : reset" in labels


@pytest.mark.parametrize(
    ("written", "said", "seconds"),
    [
        ("30 days", "30 days", 2592000),
        ("1 hour", "1 hour", 3600),
        ("90m", "90 minutes", 5400),
    ],
)
def test_check_says_what_is_forgotten_and_so_does_that_of_a_table(
    written: str, said: str, seconds: float
) -> None:
    text = """property:
  for_each: [order]
  sequences: [{steps: ["billing -> bank : refund(order)", "shop -> carrier : ship(order)"]}]
  fresh: ["billing -> bank : open(order)"]
  forget_after: """
    Path("p.yaml").write_text(f"{text}{written}\n", encoding="utf-8")
    line = f"agents forget what they know by (order) once it was idle for {said}"
    assert line in choreomon("check", "p.yaml").out.splitlines()
    told = json.loads(choreomon("check", "p.yaml", "--json").out)["property"]
    assert (told["forget_after"], told["forgets"]) == (seconds, [["order"]])
    assert choreomon("split", "p.yaml", "-o", "tables").code == 0
    table = json.loads(choreomon("check", "tables/billing.json", "--json").out)
    assert (table["forget_after"], table["forgets"]) == (seconds, [["order"]])
