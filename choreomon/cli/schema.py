"""`choreomon schema`: the JSON Schema of scenario and property documents."""

from __future__ import annotations

import json

import click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of scenario and property documents, with defaults."""
    from choreomon.formats.schema import document_schema

    click.echo(json.dumps(document_schema(), indent=2))
