"""`choreomon check` of mappings: that they can be read, and what they say of logs and messages."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from choreomon.logs.mappings.mapping_document import Mapping

_OWN: Final = frozenset(
    ("format", "kind", "events", "processes", "routes", "parser", "plain_names", "process")
)
_FOREIGN: Final = frozenset(("application", "property", "rules", "tables", "listen", "local"))


def is_mapping_file(file: str) -> bool:
    """Tell whether a file has keys of a mapping, and none of a document or of an agent's
    configuration. That it is a right one is not known."""
    from choreomon.core.errors import DocumentError
    from choreomon.files.input_files import beginning
    from choreomon.files.source_positions import MAX_BYTES, read_positioned

    with suppress(DocumentError):
        as_json = file.lower().endswith(".json")
        content = beginning(file, MAX_BYTES + 1)
        keys = read_positioned(content, file, as_json=as_json).value.keys()
        return bool(_OWN & keys) and not _FOREIGN & keys
    return False


def check_mapping(file: str, *, as_json: bool) -> None:
    """Check a mapping, and print what it maps. Raises `DocumentError`."""
    from choreomon.logs.mappings.mapping_document import load_mapping

    facts = _facts(load_mapping(file))
    if as_json:
        click.echo(json.dumps({"file": file, "kind": "mapping", **facts}, indent=2))
        return
    from choreomon.cli.command_line.screen import print_bold, print_grid
    from choreomon.sentences.wording import counted
    from choreomon.terminal.grid import Cell, Grid

    said = [f"events of {facts['format'] or 'any format'} by {counted(facts['rules'], 'rule')}"]
    if facts["by_conventions"]:
        said = ["events of spans by OpenTelemetry's conventions"]
    if facts["processes"]:
        said.append(counted(len({*facts["processes"].values()}), "process", "processes"))
    if facts["routes"]:
        said.append(counted(len(facts["routes"]), "route"))
    print_bold(f"{file}: the mapping is valid: {', '.join(said)}")
    rows = [("is a process", where, who) for where, who in facts["processes"].items()]
    rows += [("is a route", route, "") for route in facts["routes"]]
    rows += [("is a parameter", name, "") for name in facts["parameters"]]
    replicas = facts.get("replicas", {}).items()
    rows += [("is a replica", name, role) for role, names in replicas for name in names]
    if rows:
        cells = tuple((Cell(name), Cell(what), Cell(of)) for what, name, of in rows)
        print_grid(Grid(("name", "", "of"), cells))


def _facts(mapping: Mapping) -> dict[str, Any]:
    one = mapping.document
    rules = one.events
    parameters = {name for each in (one, *rules) for name in each.parameters}
    return {
        "format": mapping.format,
        "by_conventions": mapping.by_conventions,
        "rules": len(rules),
        "processes": dict(one.processes or {}),
        "routes": list(one.routes or ()),
        "parameters": sorted(parameters),
        **({"replicas": dict(one.replicas)} if one.replicas else {}),
    }
