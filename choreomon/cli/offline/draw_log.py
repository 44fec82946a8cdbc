"""`choreomon draw LOG --run`: what a log recorded, as a space-time diagram."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from choreomon.cli.command_line.log_options import LogChoices
from choreomon.cli.command_line.pictures import put_picture
from choreomon.cli.simulation.draw_run import check_view

if TYPE_CHECKING:
    from choreomon.core.recorded import RecordedEvent
    from choreomon.pictures.space_time.window import View


def is_drawn_log(file: str, logs: LogChoices) -> bool:
    """Return whether a file is a log, also one of our own, and no document."""
    from choreomon.cli.command_line.log_options import LogReading

    own = Path(file).suffix.lower() == ".jsonl"
    document = Path(file).suffix.lower() in (".yaml", ".yml")
    return own or (LogReading(logs).is_log(file) and (logs.given or not document))


def draw_log(file: str, output: Path, logs: LogChoices, view: View, *, as_json: bool) -> int:
    """Draw the first session of a log; what is left out is said. The exit code.

    Raises DocumentError for a log that cannot be read, and ClickException for one that has no
    sends and no handles.
    """
    from choreomon.logs.readers.run_events import run_events
    from choreomon.pictures.as_text.mermaid import run_sequence_diagram
    from choreomon.pictures.space_time.diagram import space_time_picture

    found: list[RecordedEvent] = []
    sessions: dict[str, None] = {}
    for event in logs.loaded().events(file):
        sessions[event.session] = None
        if event.session == next(iter(sessions)):
            found.append(event)
    events, processes = run_events(found)
    if not events:
        raise click.ClickException(
            f"{file}: has no sends and no handles, only local events: say which events they are by "
            "--mapping FILE"
        )
    if len(sessions) > 1:
        first = next(iter(sessions)) or "the one without a name"
        click.echo(f"{file}: has {len(sessions):,} sessions; drawn is {first}", err=True)
    check_view(view, events)
    picture = space_time_picture(events, processes, timed=False, view=view)
    in_text = output.suffix.lower() == ".mmd"
    text = run_sequence_diagram(events, processes, view=view) if in_text else None
    return put_picture(output, picture, text, as_json=as_json)
