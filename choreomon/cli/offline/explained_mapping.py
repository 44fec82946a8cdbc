"""`choreomon audit --explain-mapping`: what the lines of logs become."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND

if TYPE_CHECKING:
    from choreomon.cli.command_line.log_options import LogReading
    from choreomon.core.recorded import LiveTold


def explain(paths: tuple[str, ...], reading: LogReading, *, as_json: bool) -> int:
    """Show how the first lines of each log are understood; return 2 if some are not."""
    from choreomon.cli.command_line.screen import screens
    from choreomon.terminal.live_table import live_as_json, live_sentences, live_table
    from choreomon.terminal.mapping_table import (
        explained_mapping,
        mapping_as_json,
        mapping_sentences,
        mapping_table,
    )

    screen, _ = screens()
    live = {path: _live(path, reading) for path in paths}
    found = {path: explained_mapping(reading.read(path)) for path in paths}
    if as_json:
        logs = [
            {"log": path, **mapping_as_json(each), **live_as_json(live[path])}
            for path, each in found.items()
        ]
        click.echo(json.dumps({"logs": logs}))
    else:
        for path, each in found.items():
            screen.print(path, style="bold", markup=False)
            screen.print(mapping_table(each))
            for sentence in mapping_sentences(each):
                screen.print(sentence, markup=False, soft_wrap=True)
            if live[path]:
                screen.print(live_table(live[path]))
                for sentence in live_sentences(live[path]):
                    screen.print(sentence, markup=False, soft_wrap=True)
    strange = any(each.strange_kinds["not-understood"] for each in found.values())
    return BAD_INPUT if strange else NOTHING_FOUND


def _live(path: str, reading: LogReading) -> list[LiveTold]:
    """Return what agents would have been told of the spans of a log, live; nothing of other
    logs."""
    from choreomon.cli.command_line.log_options import format_seen
    from choreomon.logs.mappings.mapping_document import built_in
    from choreomon.logs.readers.live_spans import live_spans

    given = reading.choices.log_format or (reading.mapping and reading.mapping.format)
    if (given or format_seen(path)) != "otlp":
        return []
    return list(live_spans(path, reading.mapping or built_in("opentelemetry")))
