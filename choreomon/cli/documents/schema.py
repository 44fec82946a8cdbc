"""`choreomon schema`: the JSON Schema of documents, of agents' configurations, of mappings of logs,
of automata, and of what `choreomon verify` prints."""

from __future__ import annotations

import json
from typing import Any

import click

from choreomon.cli.command_line.examples import examples


@click.command(
    "schema",
    epilog=examples(
        ("choreomon schema", "Print the schema of properties and scenarios."),
        ("choreomon schema --of agent", "Print that of agents' configurations."),
    ),
)
@click.option(
    "--of",
    "kind",
    type=click.Choice(
        [
            *("document", "agent", "deployment", "mapping", "automaton", "locations"),
            *("verifier", "area", "outcome"),
        ]
    ),
    default="document",
    show_default=True,
    metavar="KIND",
    help="document (scenarios and properties), agent (the configuration of one), deployment (of "
    "all agents), mapping (what logs mean), automaton, locations (of its letters), verifier, area, "
    "or outcome (the lines of choreomon verify --json).",
)
def command(kind: str) -> None:
    """Print the JSON Schema of documents, of agents' configurations, of automata and what belongs
    to them, or of the lines of choreomon verify --json, with defaults."""
    click.echo(json.dumps(_schema(kind), indent=2))


def _schema(kind: str) -> dict[str, Any]:
    if kind in ("automaton", "locations"):
        from choreomon.interaction_files.automaton_file import automaton_schema, locations_schema

        return automaton_schema() if kind == "automaton" else locations_schema()
    if kind in ("verifier", "area"):
        from choreomon.interaction_files.verifier_file import area_schema, verifier_schema

        return verifier_schema() if kind == "verifier" else area_schema()
    if kind == "outcome":
        from choreomon.reports.outcome_json import outcome_schema

        return outcome_schema()
    from choreomon.cli.documents import schemas as schema

    match kind:
        case "agent":
            return schema.agent_schema()
        case "deployment":
            return schema.deployment_schema()
        case "mapping":
            return schema.mapping_schema()
        case _:
            return schema.document_schema()
