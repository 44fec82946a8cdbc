"""`choreomon init`: a property to begin with."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Final

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.writing import WrittenPath, check_writable, write_new

SCHEMA: Final = "choreomon-document.schema.json"


@click.command(
    "init",
    epilog=examples(
        ("choreomon init", "Write property.yaml, with its schema beside it for editors."),
        ("choreomon init shop.yaml --force", "Write another file, in place of one that is there."),
    ),
)
@click.argument("file", type=WrittenPath(whole=False), default="property.yaml")
@click.option("--force", is_flag=True, help="Replace FILE where it is there.")
def command(file: Path, force: bool) -> int:
    """Write a commented property to FILE, property.yaml where none is named, and beside it the
    JSON Schema that its first line names to editors, in place of what has the schema's name.
    """
    from choreomon.cli.documents.schemas import document_schema

    if file.suffix not in (".yaml", ".yml"):
        raise click.UsageError(f"{file}: is written as YAML: end its name in .yaml")
    text = (files("choreomon.cli.documents") / "property_to_begin_with.yaml").read_text("utf-8")
    schema = file.with_name(SCHEMA)
    check_writable(schema)
    write_new({file: text.replace("SCHEMA", SCHEMA)}, force=force)
    write_new({schema: json.dumps(document_schema(), indent=2) + "\n"}, force=True)
    click.echo(f"{file}: a property. Say what must not happen, then: choreomon check {file}")
    click.echo(f"{schema}: what editors know of its fields.")
    return NOTHING_FOUND
