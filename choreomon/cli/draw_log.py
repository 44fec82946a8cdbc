"""`choreomon draw LOG --run`: what a log recorded, as a space-time diagram."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from choreomon.cli import NOTHING_FOUND
from choreomon.cli.draw_run import check_view
from choreomon.cli.log_options import LogChoices, tell_strange
from choreomon.cli.pictures import write_picture
from choreomon.cli.writing import write

if TYPE_CHECKING:
    from choreomon.core.recorded import RecordedEvent
    from choreomon.render.window import View


def is_drawn_log(file: str, logs: LogChoices) -> bool:
    """Whether a file is a log, also one of our own, and no document."""
    from choreomon.cli.log_options import LogReading

    own = Path(file).suffix.lower() == ".jsonl"
    document = Path(file).suffix.lower() in (".yaml", ".yml")
    return own or (LogReading(logs).is_log(file) and (logs.given or not document))


def draw_log(file: str, output: Path, logs: LogChoices, view: View, *, as_json: bool) -> int:
    """Draw the first session of a log; what is left out is said. The exit code.

    Raises DocumentError for a log that cannot be read, and ClickException for one that has no
    sends and no handles.
    """
    from choreomon.core.recorded import Diagnostic
    from choreomon.formats.recorded.run_events import run_events
    from choreomon.render.mermaid import run_sequence_diagram
    from choreomon.render.space_time import space_time_picture

    found: list[RecordedEvent] = []
    strange: list[Diagnostic] = []
    sessions: dict[str, None] = {}
    for recorded in logs.loaded().read(file):
        if isinstance(recorded, Diagnostic):
            strange.append(recorded)
            continue
        sessions[recorded.session] = None
        if recorded.session == next(iter(sessions)):
            found.append(recorded)
    tell_strange(file, strange, len(strange))
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
    if output.suffix.lower() == ".mmd":
        write(output, run_sequence_diagram(events, processes, view=view))
    else:
        write_picture(output, picture)
    if as_json:
        import json

        click.echo(json.dumps(picture.structure, indent=2))
    return NOTHING_FOUND
