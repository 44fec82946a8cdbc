"""`choreomon check` of an agent's configuration and of the table of one process."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from choreomon.formats.read import load_document
from choreomon.formats.table_file import load_table
from tests.cli.command_line import SCENARIOS, choreomon

SAGA = SCENARIOS / "payment-saga-violating.yaml"
AGENT = """\
process: shipping
tables: [tables/shipping.json]
listen: tcp://127.0.0.1:7600
peers:
  customer: tcp://127.0.0.1:7601
  payment: tcp://127.0.0.1:7602
  stock: tcp://127.0.0.1:7603
local: {path: run/shipping.sock}
insecure: true
store: shipping.db
http: 127.0.0.1:7680
"""


@pytest.fixture(autouse=True)
def agent(place: Path) -> Path:
    """`agent.yaml`, with the tables of the saga beside it."""
    assert choreomon("split", SAGA, "-o", "tables").code == 0
    path = place / "agent.yaml"
    path.write_text(AGENT, encoding="utf-8")
    return path


def test_a_configuration_is_explained_with_whom_its_agent_asks() -> None:
    answer = choreomon("check", "agent.yaml", columns=140)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("agent.yaml: the configuration of the agent of shipping is valid")
    assert re.search(
        r"│ tables/shipping.json │ payment-saga, violating │ sound │ +3 │ "
        r"customer, payment, stock │ nobody +│",
        answer.out,
    )
    for said in (
        load_table("tables/shipping.json").system_id,
        "stock at tcp://127.0.0.1:7603",
        "plain text",
        "run/shipping.sock",
        "process, shipping.db",
        "1 s; judged for good after 60 s",
        "http://127.0.0.1:7680",
    ):
        assert said in answer.out
    assert "parcel" not in answer.out


def test_its_rows_are_shown_where_asked_for() -> None:
    answer = choreomon("check", "agent.yaml", "--tables", columns=140)
    assert "Transition table of shipping" in answer.out
    assert "shipping -> customer : parcel" in answer.out


def test_json_is_the_configuration_with_its_tables_and_nothing_else() -> None:
    said = json.loads(choreomon("check", "agent.yaml", "--json").out)
    assert (said["kind"], said["process"], said["deadline"]) == ("agent", "shipping", 1.0)
    assert said["local"] == {
        "path": "run/shipping.sock",
        "tcp": None,
        "token": None,
        "group": False,
    }
    assert said["http"] == "127.0.0.1:7680"
    assert said["verdicts"] == ["the output"]
    (table,) = said["tables"]
    assert (table["rows"], table["asks"]) == (3, ["customer", "payment", "stock"])
    assert "table" not in table
    shown = json.loads(choreomon("check", "agent.yaml", "--json", "--tables").out)
    assert shown["tables"][0]["table"][0]["on"] == "shipping -> customer : parcel"


def test_other_ways_in_and_sinks_are_said_too(agent: Path) -> None:
    text = AGENT.replace("{path: run/shipping.sock}", "{tcp: 127.0.0.1:7604, token: secret}")
    sinks = "verdicts: [{file: v.jsonl}, {webhook: {url: http://127.0.0.1:9/x}}]\n"
    keys = "keys: {secret: keys/shipping.key, peers: keys}\ndurability: off\n"
    text = text.replace("insecure: true\nstore: shipping.db\n", keys) + sinks
    agent.write_text(text, encoding="utf-8")
    answer = choreomon("check", "agent.yaml", columns=140)
    assert (answer.code, answer.err) == (0, "")
    for said in ("127.0.0.1:7604", "keys/shipping.key", "v.jsonl, http://127.0.0.1:9/x", "│ off"):
        assert said in answer.out
    said = json.loads(choreomon("check", "agent.yaml", "--json").out)
    assert said["local"]["tcp"] == "127.0.0.1:7604"
    assert said["keys"] == {"secret": "keys/shipping.key", "peers": "keys"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("process: shipping", "process: orders", "agent.yaml:2: tables[0]: is the table of shippi"),
        ("  stock: tcp://127.0.0.1:7603\n", "", "agent.yaml:4: peers: have no address of stock"),
        ("tables/shipping.json", "tables/ship.json", "tables/ship.json: there is no such file"),
        ("http: ", "htp: ", "agent.yaml:11: htp: is no key of this mapping; did you mean 'http'?"),
    ],
)
def test_what_is_wrong_with_it_is_told_as_of_a_configuration(
    agent: Path, old: str, new: str, told: str
) -> None:
    agent.write_text(AGENT.replace(old, new), encoding="utf-8")
    answer = choreomon("check", "agent.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(told)
    assert "application" not in answer.err


def test_what_has_parts_of_a_document_is_taken_for_one() -> None:
    Path("mixed.yaml").write_text("process: a\nproperty: {}\n", encoding="utf-8")
    answer = choreomon("check", "mixed.yaml")
    assert answer.code == 2
    assert "mixed.yaml:1: process: is no key of this mapping; known here: name, appl" in answer.err


def test_the_table_of_one_process_is_explained() -> None:
    plain = choreomon("check", "tables/stock.json")
    assert (plain.code, plain.err) == (0, "")
    assert plain.out.startswith("tables/stock.json: the table of stock is valid")
    assert "released" not in plain.out
    assert (
        "stock -> orders : released"
        in choreomon("check", "tables/stock.json", "--tables", columns=120).out
    )
    said = json.loads(choreomon("check", "tables/stock.json", "--json").out)
    document = load_document(SAGA)
    assert (said["kind"], said["asked_by"]) == ("table", ["shipping"])
    assert said["processes"] == list(document.processes)


def test_a_broken_table_is_refused_as_a_table() -> None:
    text = Path("tables/stock.json").read_text().replace('"sound"', '"loud"')
    Path("tables/stock.json").write_text(text)
    answer = choreomon("check", "tables/stock.json")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("tables/stock.json:6: rules: should be sound or paper")


def test_the_schema_of_agents_is_one_that_the_configuration_fulfils() -> None:
    answer = choreomon("schema", "--of", "agent")
    assert (answer.code, answer.err) == (0, "")
    schema = json.loads(answer.out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(AGENT), schema)
    assert choreomon("schema", "--of", "document").out == choreomon("schema").out != answer.out
