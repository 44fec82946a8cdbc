"""`choreomon schema`: the JSON Schema of documents, of agents' configurations, of mappings of logs,
of automata, and of what `choreomon verify` prints."""

from __future__ import annotations

import json
from typing import Any

import click

from choreomon.cli.examples import examples


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
        ["document", "agent", "mapping", "automaton", "locations", "verifier", "area", "outcome"]
    ),
    default="document",
    show_default=True,
    help="Of scenario and property documents, of the configuration of an agent, of what logs mean, "
    "of automata, of the locations of their letters, of local verifiers and areas, or of the lines "
    "of choreomon verify --json.",
)
def command(kind: str) -> None:
    """Print the JSON Schema of documents, of agents' configurations, of automata and what belongs
    to them, or of the lines of choreomon verify --json, with defaults."""
    click.echo(json.dumps(_schema(kind), indent=2))


def _schema(kind: str) -> dict[str, Any]:
    if kind in ("automaton", "locations"):
        from choreomon.formats.automaton_file import automaton_schema, locations_schema

        return automaton_schema() if kind == "automaton" else locations_schema()
    if kind in ("verifier", "area"):
        from choreomon.formats.verifier_file import area_schema, verifier_schema

        return verifier_schema() if kind == "verifier" else area_schema()
    if kind == "outcome":
        from choreomon.formats.outcome_json import outcome_schema

        return outcome_schema()
    from choreomon.formats.schema import agent_schema, document_schema, mapping_schema

    if kind == "mapping":
        return mapping_schema()
    return agent_schema() if kind == "agent" else document_schema()
