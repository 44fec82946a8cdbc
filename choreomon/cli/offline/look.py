"""`choreomon look`: what is in logs, before anything is forbidden."""

from __future__ import annotations

import json
from typing import Any

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.log_options import LogChoices, log_options
from choreomon.cli.command_line.options import taken


@click.command(
    "look",
    epilog=examples(
        ("choreomon look runs/run-0.jsonl", "Show what is in a log."),
        (
            "choreomon look runs/run-0.jsonl --json",
            "The same for programs.",
        ),
    ),
)
@click.argument("paths", metavar="LOG...", nargs=-1, required=True, type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Rows of each table, the most frequent first.",
)
@log_options()
def command(paths: tuple[str, ...], as_json: bool, most: int, **choices: Any) -> int:
    """Show what is in LOGs: processes, messages with how often they were sent and handled, other
    events, and what was not understood. LOGs may be folders.

    Exit codes: 0, and 2 where a log cannot be read or nothing in it was understood.
    """
    from choreomon.cli.command_line.screen import screens
    from choreomon.core.contents import Looking
    from choreomon.terminal.contents_tables import contents_parts

    reading = taken(LogChoices, choices).loaded()
    looking = Looking()
    for path in reading.with_folders(paths):
        for each in reading.read(path):
            looking.add(each)
    found = looking.found()
    if as_json:
        click.echo(json.dumps(_plain(found)))
    else:
        screen, _ = screens()
        for part in contents_parts(found, most):
            screen.print(part, soft_wrap=isinstance(part, str))
    return NOTHING_FOUND if found.events else BAD_INPUT


def _plain(value: Any) -> Any:
    """Named tuples as objects."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value
