"""The tables of the page on operating agents are those of the code, row by row."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGTERM
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from choreomon import cli
from choreomon.agent_files.agent_document import AgentDocument, parse_agent_config
from choreomon.agent_files.table_file import SplitTable
from choreomon.core.live import InstancesStatus, LiveVerdict
from choreomon.files.shape_schema import json_schema
from choreomon.properties.tables import TransitionTable
from choreomon.runtime.operations import metrics
from choreomon.runtime.operations.exposition import Exposition
from choreomon.runtime.operations.metrics import Metrics
from choreomon.runtime.operations.status import PropertyReadings, Readings
from choreomon.runtime.verdict_counts import VerdictCounts
from tests.docs.tables import table_under
from tests.scenarios.console_blocks import ROOT, blocks_of

PAGE = ROOT / "docs" / "operations.md"
TEXT = PAGE.read_text(encoding="utf-8")
SCHEMA = json_schema(AgentDocument)
TEXTS = {"name", "path", "address", "URL"}
"""What the page calls values that are a string in JSON."""


def names_under(heading: str) -> list[str]:
    return [row[0].strip("`") for row in table_under(TEXT, heading)]


# agent.yaml


def alternatives(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """What a value may be, references resolved."""
    if "$ref" in schema:
        return alternatives(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    parts = schema.get("anyOf") or schema.get("oneOf")
    return [each for part in parts for each in alternatives(part)] if parts else [schema]


def leaves(schema: dict[str, Any], path: str = "") -> dict[str, dict[str, Any]]:
    """Each field that has no fields of its own, by its path."""
    found: dict[str, dict[str, Any]] = {}
    for part in alternatives(schema):
        if "items" in part and leaves(part["items"]):
            found |= leaves(part["items"], f"{path}[]")
        for name, field in part.get("properties", {}).items():
            here = f"{path}.{name}" if path else name
            within = leaves(field, here)
            plain = [each for each in alternatives(field) if each["type"] == "string"]
            if within and plain:
                found[here] = {**plain[0], "default": field.get("default", "")}
            found |= within or {here: field}
    return found


def value_of(field: dict[str, Any]) -> str:
    """What the page calls the values of a field; of a string only that it is one."""
    parts = [part for part in alternatives(field) if part["type"] != "null"]
    if {part["type"] for part in parts} == {"string", "number"}:
        return "time"
    (part,) = parts
    if "enum" in part:
        *first, last = [f"`{each}`" for each in part["enum"]]
        return f"{', '.join(first)} or {last}"
    match part["type"]:
        case "integer":
            return f"{part['minimum']} to {part['maximum']}"
        case "boolean":
            return "true or false" if "default" in field else "true"
        case "array":
            assert part["items"]["type"] == "string"
            return "list of paths"
        case "object":
            return "text by name"
        case other:
            assert other == "string"
            return "text"


FIELDS = {path: field for path, field in leaves(SCHEMA).items() if path != "$schema"}
"""Without the one that is for editors alone."""


def test_every_field_is_in_the_table_with_its_values_and_its_default() -> None:
    shown = {
        name.strip("`"): (
            "text" if value in TEXTS else re.sub(r"\w+ by name", "text by name", value),
            yaml.safe_load(default.strip("`")) if default else "",
        )
        for name, value, default, _ in table_under(TEXT, "agent.yaml")
    }
    assert shown == {
        path: (value_of(field), field.get("default", "")) for path, field in FIELDS.items()
    }


def test_a_default_of_null_is_told_from_none() -> None:
    assert {path for path, field in FIELDS.items() if field.get("default", "") is None} == {
        "advertise",
        "store",
        "store.holder",
        "http",
        "verdicts[].webhook.headers_file",
        "verdicts[].webhook.secret_file",
        "verdicts[].webhook.dead_letter_file",
    }


def test_the_configuration_on_the_page_is_one() -> None:
    (block,) = blocks_of(PAGE, "yaml")
    assert parse_agent_config(block, "agent.yaml").process == "billing"


# What it tells


def exported() -> set[str]:
    """Of an agent with a property for each instance: others have fewer."""
    table = SplitTable("0" * 32, "each", "precise", ("P",), TransitionTable("P", (), {}))
    one = PropertyReadings(
        0, (), 0, {}, 0, False, VerdictCounts(), False, 0, InstancesStatus(*[0] * 4)
    )
    metrics = Metrics("P", [table], now=lambda: 0.0)
    exposition = Exposition(metrics, read=lambda: Readings((one,), 0, 0, 0))
    suffixes = {"counter": "_total", "info": "_info"}
    return {
        f"{each.name.removesuffix('_info')}{suffixes.get(each.type, '')} {each.type}"
        for each in text_string_to_metric_families(exposition.text()[0].decode())
        if each.name.startswith("choreomon_")
    }


def test_every_metric_is_in_the_table_with_its_type() -> None:
    shown = [f"{row[0].strip('`')} {row[1]}" for row in table_under(TEXT, "Metrics")]
    # The text form has no type for facts.
    assert {each.replace("_info gauge", " gauge") for each in shown} == exported()
    named = set(re.findall(r"\bchoreomon_[a-z_]+", TEXT))
    assert named == {each.partition(" ")[0] for each in shown}


def test_every_reason_of_a_refusal_is_in_the_table() -> None:
    assert sorted(names_under("What is refused")) == sorted(metrics.REASONS)


def test_reasons_in_alerts_are_reasons() -> None:
    (alert,) = re.findall(r'reason=~"(.*?)"', TEXT)
    assert {*alert.replace("\\", "").split("|")} <= {*metrics.REASONS}


def test_every_field_of_a_verdict_is_in_the_table() -> None:
    written = ["for" if each.name == "instance" else each.name for each in fields(LiveVerdict)]
    assert names_under("Verdicts") == written


def test_every_exit_code_is_in_the_table() -> None:
    codes = [value for name, value in vars(cli).items() if name.isupper() and type(value) is int]
    codes += [128 + number for number in (SIGHUP, SIGINT, SIGTERM)]
    told = ", ".join(names_under("Exit codes")).split(", ")
    assert sorted(map(int, told)) == sorted(codes)


def test_everything_that_is_logged_is_in_the_table() -> None:
    sources = [
        Path(ROOT, "choreomon", name)
        for name in (
            *("runtime/agent.py", "runtime/adopting.py", "runtime/operations/logs.py"),
            "proxies/front.py",
        )
    ]
    said = [
        message
        for source in sources
        for message in re.findall(
            r"(?:log|self)\.(?:info|warning|error|seldom)\(\s*(?:f?\"[^\"]*\",\s+|reason, )?"
            r"\"([^\"]+)\"",
            source.read_text(encoding="utf-8"),
        )
    ]
    assert sorted(names_under("Logs")) == sorted(said)


@pytest.mark.parametrize(
    "heading", ["agent.yaml", "Metrics", "What is refused", "Verdicts", "Exit codes", "Logs"]
)
def test_no_row_is_there_twice(heading: str) -> None:
    names = names_under(heading)
    assert len(names) == len({*names})
