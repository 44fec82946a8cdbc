"""The published JSON Schema says what the reader does, as far as a shape can."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from choreomon.cli.documents.schemas import document_schema
from choreomon.files.source_positions import read_positioned
from tests.documents.documents_for_tests import EXAMPLE, SEQUENCES, variation

SCHEMA = document_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def accepted(text: str) -> bool:
    return VALIDATOR.is_valid(read_positioned(text, "f.yaml", as_json=False).value)


def test_it_is_a_json_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_documented_example_and_sequences_validate() -> None:
    assert accepted(EXAMPLE)
    assert accepted(SEQUENCES)
    assert accepted(variation('{not: "P2 -> P1 : resume"}', '{and: [true, {not: "a -> b : c"}]}'))
    assert accepted(variation("in_order: true", "deadline: 5"))


FOR_EACH = """property:
  for_each: [tenant, order]
  fresh: ["a -> b : open(tenant, order)", "handle env -> b : closed( order )"]
  sequences:
    - steps: ["a -> b : x(tenant)", "a -> b : y(order,tenant)"]
      cancel: [{on: "a -> b : z", after: [1, 1], back_to: 0}]
"""


def test_what_is_for_each_instance_validates() -> None:
    assert accepted(FOR_EACH)
    for wrong in ("open(tenant, order", "open()", "open(a b)", "open(tenant,)"):
        assert not accepted(FOR_EACH.replace("open(tenant, order)", wrong)), wrong
    assert not accepted(FOR_EACH.replace("[tenant, order]", "[1]"))
    assert accepted(FOR_EACH + "  forget_after: 30 days\n")
    assert not accepted(FOR_EACH + "  forget_after: 30 seconds\n")
    assert not accepted(FOR_EACH + "  forget_after: 30\n")
    assert not accepted(FOR_EACH.replace("fresh: [", "fresh: [1, "))
    automaton = "automaton: {initial: [p], final: [q], transitions: [{from: p, to: q, on: LABEL}]}"
    head = FOR_EACH[: FOR_EACH.index("  sequences")] + "  "
    assert accepted(head + automaton.replace("LABEL", '"a -> b : x(order)"'))
    assert not accepted(head + automaton.replace("LABEL", '"a -> b : x(order"'))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: smart-home", "nam: smart-home"),
        ("id: P2", "id: 2"),
        ("id: P2", 'id: ""'),
        ("away: false", "away: 1.5"),
        ("away: false", "a b: false"),
        ("- send: {to: P2, message: turnOff}", "- sned: {}"),
        ("- send: {to: P2, message: turnOff}", "- {}"),
        ("- if: away", "- if: true"),
        ("{uniform: [1, 20]}", "{uniform: [1]}"),
        ("{uniform: [1, 20]}", "{uniform: [-1, 1]}"),
        ("{uniform: [1, 20]}", "{exponential: 0}"),
        ("{uniform: [1, 20]}", "{constant: 1, exponential: 1}"),
        ("max_events: 1000000", "max_events: 0"),
        ("rules: sound", "rules: exact"),
        ("initial: [q0]", "initial: []"),
        ('on: "P1 -> P3 : turnOn"', 'on: "P1 > P3 : turnOn"'),
        ('on: "P1 -> P3 : turnOn"', 'on: "P1 -> P3 : turnOn", when: true'),
        ('{not: "P2 -> P1 : resume"}', "false"),
        ('{not: "P2 -> P1 : resume"}', "{and: []}"),
        ("  automaton:", "  sequences: [{steps: ['a -> b : c']}]\n  automaton:"),
        ("  automaton:", "  automata:"),
    ],
)
def test_wrong_shapes_do_not_validate(old: str, new: str) -> None:
    assert not accepted(variation(old, new))


def test_empty_lists_of_sequences_steps_and_processes_do_not_validate() -> None:
    assert not accepted("property: {sequences: []}")
    assert not accepted("property: {sequences: [{steps: []}]}")
    assert not accepted("application: {processes: []}")
    assert not accepted("name: x")
    assert not accepted("application: null\nproperty: null")


def parts(schema: Any) -> list[tuple[str, dict[str, Any]]]:
    """Every field of every part of the schema."""
    found = list(schema["properties"].items())
    for part in schema["$defs"].values():
        found += part.get("properties", {}).items()
    return found


def test_every_field_says_what_it_means() -> None:
    assert len(parts(SCHEMA)) > 30
    for name, field in parts(SCHEMA):
        assert field.get("description"), name


def test_defaults_are_published() -> None:
    defaults = {name: field["default"] for name, field in parts(SCHEMA) if "default" in field}
    assert defaults["rules"] == "precise"
    assert defaults["undecidable_self_loop"] == "reject"
    assert defaults["max_events"] == 1_000_000
    assert defaults["in_order"] is True
    assert defaults["deadline"] is None
    assert defaults["at"] == 0
    assert defaults["delay"] == {"uniform": [1.0, 20.0]}
    assert defaults["network"]["monitoring"]["service"] == {"constant": 0.0}
