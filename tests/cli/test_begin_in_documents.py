"""`begin` as a step of sequences and automata, through the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from choreomon.agent_files.table_file import load_table, read_table, write_table
from choreomon.core.errors import DocumentError
from choreomon.core.message import BEGINNING
from tests.cli.command_line import choreomon

SHOP = """\
application:
  processes:
    - id: shop
      handlers:
        order: [{send: {to: bank, message: pay}}, {send: {to: carrier, message: ship}}]
        paid: []
    - {id: bank, handlers: {pay: [{send: {to: shop, message: paid}}]}}
    - {id: carrier, handlers: {ship: []}}
  start: [{to: shop, message: order}]
property:
  sequences:
    - steps: [begin, "shop -> carrier : ship"]
      cancel: [{on: "bank -> shop : paid", after: [1, 1], back_to: 0}]
"""
UNPAID_FOR_EACH = """\
property:
  for_each: [order]
  sequences:
    - steps: [begin, "shop -> carrier : ship(order)"]
      cancel: [{on: "bank -> shop : paid(order)", after: [1, 1], back_to: 0}]
  fresh: ["customer -> shop : open(order)"]
"""
AUTOMATON = """\
property:
  automaton:
    initial: [q0]
    final: [q2]
    transitions:
      - {from: q0, to: q1, on: begin}
      - {from: q1, to: q2, on: "shop -> carrier : ship"}
      - {from: q1, to: q0, on: "bank -> shop : paid"}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    file = tmp_path / "shop.yaml"
    file.write_text(SHOP, encoding="utf-8")
    return file


def written(directory: Path, text: str) -> Path:
    file = directory / "property.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_check_says_who_answers_for_it(shop: Path) -> None:
    answer = choreomon("check", shop)
    assert (answer.code, answer.err) == (0, "")
    assert "begin                  │ every monitor" in answer.out
    assert "1. begin, then shop -> carrier : ship" in answer.out
    told = json.loads(choreomon("check", "--json", shop).out)["property"]["transitions"]
    assert (told[0]["on"], told[0]["monitor"]) == ("begin", None)


def test_check_says_what_begins_an_instance_anew(tmp_path: Path) -> None:
    answer = choreomon("check", written(tmp_path, UNPAID_FOR_EACH))
    assert "open(order) after step 1 of sequence 1 takes back step 1, and begins anew" in answer.out
    assert "ship(order) is not recorded; shop asks bank and customer" in answer.out
    assert "2." not in answer.out


def test_a_verdict_says_that_its_step_was_before_everything_else(shop: Path) -> None:
    answer = choreomon("simulate", shop)
    assert "The step before it happened before everything else." in answer.out
    assert "may have been cancelled at event 4 (send bank -> shop : paid)" in answer.out
    ((verdict,),) = [
        run["verdicts"] for run in json.loads(choreomon("simulate", "--json", shop).out)["runs"]
    ]
    assert [(each["event_index"], each.get("of")) for each in verdict["because"]] == [
        (-1, None),
        (4, -1),
    ]


def test_it_is_drawn_as_what_leads_to_a_first_state(tmp_path: Path) -> None:
    picture = tmp_path / "automaton.svg"
    assert choreomon("draw", written(tmp_path, AUTOMATON), "-o", picture).code == 0
    text = picture.read_text(encoding="utf-8")
    assert "q0 -&gt; q1 on begin<" in text
    assert BEGINNING not in text


def test_tables_name_it_and_ask_nobody(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    answer = choreomon("split", written(tmp_path, UNPAID_FOR_EACH), "-o", tables)
    assert answer.code == 0
    shop = load_table(tables / "shop.json")
    assert shop.asked == ("bank", "customer")
    assert [each for each in shop.table.skeleton if each.process == BEGINNING]
    assert read_table(write_table(shop), "again") == shop
    assert not any(
        each.process == BEGINNING for each in load_table(tables / "bank.json").table.skeleton
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            '["q0", "(begin)", "q1"], "pre": null',
            '["q0", "(begin)", "q1"], "pre": ["q9", "bank", "q0"]',
            "should be null, as nothing is before begin",
        ),
        (
            '["q1", "bank", "q0"], "pre": null, "vio": []',
            '["q1", "bank", "q0"], "pre": ["q0", "(begin)", "q1"],'
            ' "vio": [["q0", "(begin)", "q1"]]',
            "has begin in it, which takes nothing back",
        ),
        ('"rules": "precise"', '"rules": "sound"', "is begin, of which sound rules know nothing"),
        ('"bank", "customer"]', '"bank", "(begin)"]', "is reserved for the beginning of runs"),
    ],
)
def test_tables_in_which_it_cannot_be_are_refused(
    tmp_path: Path, before: str, after: str, told: str
) -> None:
    choreomon("split", written(tmp_path, UNPAID_FOR_EACH), "-o", tmp_path / "tables")
    text = (tmp_path / "tables" / "shop.json").read_text(encoding="utf-8")
    assert before in text
    with pytest.raises(DocumentError) as caught:
        read_table(text.replace(before, after).encode(), "shop.json")
    assert any(told in str(problem) for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("before", "after", "line", "told"),
    [
        ('on: "bank -> shop : paid"', "on: begin", 13, "should be a label, not begin"),
        ('[begin, "shop', '["bank -> shop : paid", begin, "shop', 12, "let it be the first step"),
        (', "shop -> carrier : ship"]', "]", 12, "is all of the sequence"),
        ("property:\n", "property:\n  rules: sound\n", 13, "leave property.rules out, or begin"),
        ("[begin,", "[Begin,", 12, "should be a label"),
    ],
)
def test_where_it_cannot_be_it_is_refused_with_line_and_fix(
    tmp_path: Path, before: str, after: str, line: int, told: str
) -> None:
    assert before in SHOP
    answer = choreomon("check", written(tmp_path, SHOP.replace(before, after)))
    assert answer.code == 2
    assert any(
        f"property.yaml:{line}:" in each and told in each for each in answer.err.splitlines()
    )


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("{from: q0, to: q1, on: begin}", "{from: q0, to: q0, on: begin}", "is a self-loop"),
        ('on: "shop -> carrier : ship"}', "on: begin}", "which is not initial"),
        ('on: "bank -> shop : paid"}', "when: begin}", "should be a label, not begin"),
    ],
)
def test_in_automata_too(tmp_path: Path, before: str, after: str, told: str) -> None:
    text = AUTOMATON.replace("{from: q1, to: q0, when", "{from: q1, to: q1, when")
    assert before in text
    text = text.replace(before, after).replace("to: q0, when", "to: q1, when")
    answer = choreomon("check", written(tmp_path, text))
    assert answer.code == 2
    assert told in answer.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("simulate", "--strategy", "push"),
            "with the strategy push know of no beginning",
        ),
        (("simulate", "--rules", "sound"), "monitors by the rules sound know of no beginning"),
        (("run", "--rules", "paper"), "monitors by the rules paper know of no beginning"),
        (("split", "--rules", "sound"), "has begin, of which sound rules know nothing"),
    ],
)
def test_who_knows_nothing_of_it_refuses_it(
    shop: Path, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    more = ("-o", tmp_path / "tables") if arguments[0] == "split" else ()
    answer = choreomon(*arguments, shop, *more)
    assert answer.code == 2
    assert told in answer.err
