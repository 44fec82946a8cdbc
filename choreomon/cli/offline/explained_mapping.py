"""`choreomon audit --explain-mapping`: what the lines of logs become."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND

if TYPE_CHECKING:
    from choreomon.cli.command_line.log_options import LogReading


def explain(paths: tuple[str, ...], reading: LogReading, *, as_json: bool) -> int:
    """Show what the first lines of each log became; 2 where something was not understood."""
    from choreomon.cli.command_line.screen import screens
    from choreomon.terminal.mapping_table import (
        explained_mapping,
        mapping_as_json,
        mapping_sentences,
        mapping_table,
    )

    screen, _ = screens()
    found = {path: explained_mapping(reading.read(path)) for path in paths}
    if as_json:
        logs = [{"log": path, **mapping_as_json(each)} for path, each in found.items()]
        click.echo(json.dumps({"logs": logs}))
    else:
        for path, each in found.items():
            screen.print(path, style="bold", markup=False)
            screen.print(mapping_table(each))
            for sentence in mapping_sentences(each):
                screen.print(sentence, markup=False, soft_wrap=True)
    strange = any(each.strange_kinds["not-understood"] for each in found.values())
    return BAD_INPUT if strange else NOTHING_FOUND
