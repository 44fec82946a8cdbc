"""`choreomon schema`: the JSON Schema of documents, of agents' configurations, and of automata."""

from __future__ import annotations

import json
from typing import Any

import click


@click.command("schema")
@click.option(
    "--of",
    "kind",
    type=click.Choice(["document", "agent", "automaton", "locations"]),
    default="document",
    show_default=True,
    help="Of scenario and property documents, of the configuration of an agent, of automata, or "
    "of the locations of their letters.",
)
def command(kind: str) -> None:
    """Print the JSON Schema of documents, of agents' configurations, of automata or of the
    locations of their letters, with defaults."""
    click.echo(json.dumps(_schema(kind), indent=2))


def _schema(kind: str) -> dict[str, Any]:
    if kind in ("automaton", "locations"):
        from choreomon.formats.automaton_file import automaton_schema, locations_schema

        return automaton_schema() if kind == "automaton" else locations_schema()
    from choreomon.formats.schema import agent_schema, document_schema

    return agent_schema() if kind == "agent" else document_schema()
