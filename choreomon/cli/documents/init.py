"""`choreomon init`: files to begin with."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final, NamedTuple

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.writing import WrittenPath, check_writable, write_new
from choreomon.cli.documents.beginnings import (
    Beginning,
    from_diagram,
    from_logs,
    from_nothing,
    from_services,
)

SCHEMA: Final = "choreomon-document.schema.json"

KINDS: Final = ("logs", "diagram", "services", "nothing")


class _Asked(NamedTuple):
    """The answers on what there is; empty for nothing."""

    logs: tuple[str, ...] = ()
    diagram: str | None = None
    services: str | None = None
    session_key: str | None = None

    @property
    def given(self) -> bool:
        return bool(self.logs or self.diagram or self.services)


@click.command(
    "init",
    epilog=examples(
        ("choreomon init", "Ask what there is, and write what fits to begin with it."),
        ("choreomon init shop.yaml --force", "Write another file, in place of one that is there."),
    ),
)
@click.argument("file", type=WrittenPath(whole=False), default="property.yaml")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option(
    "--logs", multiple=True, metavar="LOG", help="There are logs. May be given several times."
)
@click.option(
    "--session-key", metavar="FIELD", help="With --logs: the field that tells their runs apart."
)
@click.option("--diagram", metavar="FILE", help="There is a diagram of what should happen.")
@click.option("--services", metavar="NAME,NAME", help="There are services, which are called so.")
@click.option(
    "--mapping",
    type=WrittenPath(whole=False),
    default="mapping.yaml",
    show_default=True,
    help="With --logs: where a draft of their mapping is written, where they need one.",
)
def command(
    file: Path,
    force: bool,
    logs: tuple[str, ...],
    session_key: str | None,
    diagram: str | None,
    services: str | None,
    mapping: Path,
) -> int:
    """Write commented rules to FILE, property.yaml where none is named, and what else fits to
    what there is; and say the first commands. In a terminal it asks what there is, unless options
    say it. Beside the rules comes the JSON Schema that its first line names to editors, in place
    of what has the schema's name.
    """
    from choreomon.cli.documents.schemas import document_schema

    if file.suffix not in (".yaml", ".yml"):
        raise click.UsageError(f"{file}: is written as YAML: end its name in .yaml")
    asked = _Asked(logs, diagram, services, session_key)
    if sum(map(bool, (logs, diagram, services))) > 1:
        raise click.UsageError("say one of --logs, --diagram and --services")
    if session_key is not None and not logs:
        raise click.UsageError("--session-key can only be used with --logs")
    if not asked.given and sys.stdin.isatty() and sys.stdout.isatty():
        asked = _ask()
    beginning = _beginning(asked, file, mapping)
    schema = file.with_name(SCHEMA)
    if file in beginning.texts:
        check_writable(schema)
    texts = {path: text.replace("SCHEMA", SCHEMA) for path, text in beginning.texts.items()}
    write_new(texts, force=force)
    if file in texts:
        write_new({schema: json.dumps(document_schema(), indent=2) + "\n"}, force=True)
        click.echo(f"{file}: rules. Say what must not happen, then: {beginning.commands[-1]}")
        click.echo(f"{schema}: what editors know of its fields.")
    for path in texts:
        if path != file:
            click.echo(f"{path}: a draft of a mapping, to be looked at.")
    if len(beginning.commands) > 1:
        click.echo("To begin with:")
        for typed in beginning.commands:
            click.echo(f"  {typed}")
    return NOTHING_FOUND


def _ask() -> _Asked:
    """Ask at most four questions, each with an answer to begin with."""
    kind = click.prompt("What is there to begin with", type=click.Choice(KINDS), default="nothing")
    if kind == "logs":
        logs = click.prompt("Which log, or which folder of logs", default=".")
        key = click.prompt("Which field of them tells runs apart, if one does", default="none")
        return _Asked(logs=(logs,), session_key=None if key == "none" else key)
    if kind == "diagram":
        return _Asked(diagram=click.prompt("Which file", default="diagram.mmd"))
    if kind == "services":
        return _Asked(services=click.prompt("What are they called", default="shop,bank"))
    return _Asked()


def _beginning(asked: _Asked, file: Path, mapping: Path) -> Beginning:
    if asked.logs:
        return from_logs(file, mapping, asked.logs, asked.session_key)
    if asked.diagram:
        return from_diagram(asked.diagram)
    if asked.services:
        from choreomon.core.names import names_of_list

        return from_services(file, [name for name in names_of_list(asked.services) if name])
    return from_nothing(file)
