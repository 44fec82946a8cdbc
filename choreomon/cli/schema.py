"""`choreomon schema`: the JSON Schema of documents, or of agents' configurations."""

from __future__ import annotations

import json

import click


@click.command("schema")
@click.option(
    "--of",
    "kind",
    type=click.Choice(["document", "agent"]),
    default="document",
    show_default=True,
    help="Of scenario and property documents, or of the configuration of an agent.",
)
def command(kind: str) -> None:
    """Print the JSON Schema of documents or of agents' configurations, with defaults."""
    from choreomon.formats.schema import agent_schema, document_schema

    schema = agent_schema() if kind == "agent" else document_schema()
    click.echo(json.dumps(schema, indent=2))
