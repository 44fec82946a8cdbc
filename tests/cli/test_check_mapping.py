"""`choreomon check` of mappings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command_line import choreomon

FIVE_LINES = """\
format: otlp
processes: {"billing:8000": billing, refunds: billing}
routes: ["POST /orders/{order}/cancel"]
parameters: {order: [route.order, headers.x-order]}
"""
OWN_RULES = "format: jsonl\nprocess: svc\nname: what\nkind: {constant: local}\n"


def test_a_mapping_is_checked_and_shown(place: Path) -> None:
    place.joinpath("mapping.yaml").write_text(FIVE_LINES)
    said = choreomon("check", "mapping.yaml")
    assert said.code == 0
    assert said.out.startswith(
        "mapping.yaml: the mapping is valid: events of spans by OpenTelemetry's conventions, "
        "1 process, 1 route\n"
    )
    shown = choreomon("check", "--json", "mapping.yaml")
    assert json.loads(shown.out) == {
        "file": "mapping.yaml",
        "kind": "mapping",
        "format": "otlp",
        "by_conventions": True,
        "rules": 8,
        "processes": {"billing:8000": "billing", "refunds": "billing"},
        "routes": ["POST /orders/{order}/cancel"],
        "parameters": ["order"],
    }


def test_so_is_one_of_lines_of_json(place: Path) -> None:
    place.joinpath("mapping.yaml").write_text(OWN_RULES)
    said = choreomon("check", "mapping.yaml")
    assert said.code == 0
    assert said.out == "mapping.yaml: the mapping is valid: events of jsonl by 0 rules\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("routes: [orders]", "routes[0]: is no route: 'orders'"),
        ("routes: ['/a/{b']", "routes[0]: has a place without a name"),
        ("routes: ['/{a}/{a}']", "routes[0]: names a place twice"),
        ("processes: {}", "processes: "),
        ("processes: {a: [b]}", "processes.a: should be text"),
    ],
)
def test_what_is_wrong_is_told_with_its_field(line: str, told: str, place: Path) -> None:
    place.joinpath("mapping.yaml").write_text(f"format: otlp\n{line}\n")
    said = choreomon("check", "mapping.yaml")
    assert said.code == 2
    assert f"mapping.yaml:2: {told}" in said.err


@pytest.mark.parametrize("option", ["--tables", "--verbose"])
def test_what_says_nothing_about_a_mapping_is_refused(option: str, place: Path) -> None:
    place.joinpath("mapping.yaml").write_text(FIVE_LINES)
    said = choreomon("check", option, "mapping.yaml")
    assert said.code == 2
    assert "is a mapping" in said.err or "holds a mapping" in said.err
