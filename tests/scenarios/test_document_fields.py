"""The page about documents names every field, with its default."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from choreomon.cli.documents.schemas import document_schema
from tests.scenarios.console_blocks import ROOT

PAGE = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
OTHER_PAGES = "".join(
    (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("properties.md", "simulation.md")
)
SCHEMA = document_schema()

_ROW = re.compile(r"^\| `([$\w.\[\]]+)`[^|]*\| (?:`([^`|]+)`)? *\|", re.MULTILINE)


def field_at(path: str) -> dict[str, Any]:
    """The schema of the field at `a.b[].c`."""
    found: dict[str, Any] = SCHEMA
    for name in path.replace("[]", "").split("."):
        found = resolved(found)["properties"][name]
    return found


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """The object that a schema stands for: through references, lists, and what may be null."""
    while "properties" not in schema:
        if "$ref" in schema:
            schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
        elif "items" in schema:
            schema = schema["items"]
        else:
            schema = schema["anyOf"][0]
    return schema


ROWS = [(path, default) for path, default in _ROW.findall(PAGE) if not path.startswith("...")]


@pytest.mark.parametrize(("path", "default"), ROWS)
def test_every_field_of_the_table_has_the_default_that_it_says(path: str, default: str) -> None:
    found = field_at(path)
    shown = yaml.safe_load(default) if default else None
    assert found.get("default") == shown


def test_every_field_of_the_schema_is_on_a_page() -> None:
    fields = {
        name for part in (SCHEMA, *SCHEMA["$defs"].values()) for name in part.get("properties", {})
    }
    assert len(fields) > 30
    pages = PAGE + OTHER_PAGES
    assert [
        name for name in sorted(fields) if not re.search(rf"(?<!\w){re.escape(name)}\b", pages)
    ] == []


def test_the_table_names_the_fields_that_have_defaults() -> None:
    assert len(ROWS) >= 16
