"""`choreomon export LOG...`: what logs recorded, in the formats of others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from choreomon.cli.command_line.log_options import LogChoices, LogReading
from choreomon.interaction_files.offline_kind import offline_kind

if TYPE_CHECKING:
    from choreomon.core.recorded import RecordedEvent

OF_LOGS: Final = ("shiviz", "otlp", "jsonl", "mermaid", "plantuml")
_DIAGRAMS: Final = ("mermaid", "plantuml")
_SHOWN: Final = 5
"""Sessions that an error names."""


def is_exported_log(file: str, logs: LogChoices) -> bool:
    """Return whether a file is a log, and no trace of ours, document or interaction."""
    suffix = Path(file).suffix.lower()
    if suffix in (".yaml", ".yml"):
        return logs.given
    kind = None if suffix == ".json" else offline_kind(file)
    return kind in (None, "multi-trace") and LogReading(logs).is_log(file)


def log_text(files: tuple[str, ...], form: str, logs: LogChoices, session: str | None) -> str:
    """The events of logs, or of one session of them, in a format; what was not understood is told.

    Raises DocumentError for a log that cannot be read, and ClickException where the format has no
    place for what was recorded, and for a session that the logs do not have.
    """
    named = ", ".join(files)
    reading = logs.loaded()
    events = [event for file in files for event in reading.events(file)]
    sessions = tuple(dict.fromkeys(event.session for event in events))
    if session is not None:
        if session not in sessions:
            raise click.ClickException(
                f"{named}: has no session {session!r}, but {_listed(sessions)}"
            )
        events = [event for event in events if event.session == session]
    elif form in _DIAGRAMS and len(sessions) > 1:
        raise click.ClickException(
            f"{named}: has {len(sessions):,} sessions, and a diagram is of one: choose by "
            f"--session one of {_listed(sessions)}"
        )
    try:
        return _written(events, form)
    except ValueError as error:
        raise click.ClickException(f"{named}: {error}") from None


def _written(events: list[RecordedEvent], form: str) -> str:
    """Write the events in a format. Raises ValueError, which says what is missing."""
    from choreomon.logs.readers.run_events import run_events
    from choreomon.logs.writers.json_lines import json_lines
    from choreomon.logs.writers.made_clocks import with_clocks
    from choreomon.logs.writers.otlp import recorded_otlp_request
    from choreomon.logs.writers.shiviz import recorded_shiviz_log
    from choreomon.pictures.as_text.arrow_order import in_order_of_arrows
    from choreomon.pictures.as_text.run_text import mermaid_run, plantuml_run

    if form == "jsonl":
        return json_lines(events)
    if form == "otlp":
        return recorded_otlp_request(events)
    if form == "shiviz":
        return recorded_shiviz_log(with_clocks(events))
    made, processes = run_events(events)
    ordered = in_order_of_arrows(made)
    if not made:
        raise ValueError(
            "has no sends and no handles, only local events, of which a sequence diagram has none: "
            "say which events they are by --mapping FILE"
        )
    write_text = mermaid_run if form == "mermaid" else plantuml_run
    return write_text(
        ordered, processes, unlogged={*processes} - {event.process for event in events}
    )


def _listed(sessions: tuple[str, ...]) -> str:
    named = ", ".join(map(repr, sessions[:_SHOWN]))
    return named if len(sessions) <= _SHOWN else f"{named}, ..."
