"""`choreomon look`: what is in logs, before anything is forbidden."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.explicit_options import explicit_options
from choreomon.cli.command_line.log_options import LOG_OPTIONS, LogChoices, log_options
from choreomon.cli.command_line.made_with import made_with
from choreomon.cli.command_line.option_groups import GroupedCommand
from choreomon.cli.command_line.options import taken
from choreomon.cli.command_line.writing import WrittenPath, check_written, write, write_new

if TYPE_CHECKING:
    from choreomon.cli.command_line.log_options import LogReading
    from choreomon.core.contents import Contents
    from choreomon.core.recorded import RecordedEvent
    from choreomon.logs.mappings.mapping import Recorded

_TOLD_EVERY: Final = 10_000
"""Events between two looks at how far it is."""


@click.command(
    "look",
    cls=GroupedCommand,
    groups={
        "Which events": ("process", "name", "session"),
        "Results": ("as_json", "most", "report", "skip", "limit", "output", "rules", "force"),
        "Logs": (*LOG_OPTIONS, "session_key"),
    },
    epilog=examples(
        ("choreomon look runs/run-0.jsonl", "Show what is in a log."),
        (
            "choreomon look runs/run-0.jsonl --report look.html --limit 20",
            "A page, with a diagram of the first 20 sends and handles.",
        ),
    ),
)
@click.argument("paths", metavar="LOG...", nargs=-1, required=True, type=click.Path())
@click.option("--process", multiple=True, help="Only events of this process. Several times: any.")
@click.option("--name", multiple=True, help="Only events with this name. Several times: any.")
@click.option("--session", multiple=True, help="Only events of this session. Several times: any.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Rows of each table, the most frequent first.",
)
@click.option("--report", type=WrittenPath(), help="Write one self-contained HTML page.")
@click.option(
    "--skip",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Events that are left out at first, of a table of events and of the page's diagram.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=60,
    show_default=True,
    help="Show a table of so many events; and draw so many sends and handles on the page.",
)
@click.option(
    "--output",
    "-o",
    type=WrittenPath(),
    help="Write a draft of a mapping for these logs, and show what it makes of them.",
)
@click.option(
    "--rules", type=WrittenPath(), help="Write a skeleton of a property over their messages."
)
@click.option("--force", is_flag=True, help="Replace a mapping or rules that are there.")
@log_options()
@click.pass_context
def command(
    context: click.Context,
    /,
    paths: tuple[str, ...],
    process: tuple[str, ...],
    name: tuple[str, ...],
    session: tuple[str, ...],
    as_json: bool,
    most: int,
    report: Path | None,
    skip: int,
    limit: int,
    output: Path | None,
    rules: Path | None,
    force: bool,
    **choices: Any,
) -> int:
    """Show what is in LOGs: processes, messages with how often they were sent and handled, other
    events by what is alike in their texts, how much of the order is known, which fields could tell
    instances apart, and what was not understood. LOGs may be folders.

    Exit codes: 0, and 2 where a log cannot be read or nothing in it was understood.
    """
    from choreomon.logs.mappings.mapping_document import parse_mapping
    from choreomon.terminal.mapping_table import events_as_json

    reading = taken(LogChoices, choices).loaded()._replace(names_kept=True)
    if output is not None and reading.mapping is not None:
        raise click.UsageError("--output drafts a mapping: leave --mapping out")
    logs = reading.with_folders(paths)
    check_written((report, output, rules), logs)
    written: dict[Path, str] = {}
    if output is not None:
        written[output] = _draft(reading, logs)
        reading = reading._replace(mapping=parse_mapping(written[output], str(output)))
    listed = bool(explicit_options(context, ("skip", "limit")))
    chosen = _Chosen(process, name, session, skip, limit, listed)
    found = _looked(reading, logs, chosen)
    apart = _telling_apart(reading, logs)
    if rules is not None:
        written[rules] = _rules(found, paths)
    write_new(written, force=force)  # somebody may have mended them
    if report is not None:
        written[report] = _page(found, chosen, paths)
        write(report, written[report])
    if as_json:
        listed_ = {"first": events_as_json(chosen.first)} if listed else {}
        click.echo(json.dumps({**_plain(found), "instance_fields": apart, **listed_}))
    else:
        _show(found, chosen, most, apart)
        for path in written:
            click.echo(f"written: {path}")
    if not found.events:
        click.echo("no event of these logs is like that", err=True)
        return BAD_INPUT
    return NOTHING_FOUND


@dataclass
class _Chosen:
    """The events selected, and of these the ones that are drawn."""

    processes: tuple[str, ...]
    names: tuple[str, ...]
    sessions: tuple[str, ...]
    skip: int
    limit: int
    listed: bool
    drawn: list[RecordedEvent] = field(default_factory=list)
    drawable: int = 0
    first: list[RecordedEvent] = field(default_factory=list)
    seen: int = 0

    def has(self, event: RecordedEvent) -> bool:
        """Tell whether an event is selected."""
        return (
            (not self.processes or event.process in self.processes)
            and (not self.names or event.name in self.names)
            and (not self.sessions or event.session in self.sessions)
        )

    def keep(self, event: RecordedEvent) -> None:
        """Keep an event for the list and for the picture, as far as it is selected; the picture has
        only the session of its first event."""
        self.seen += 1
        if self.listed and self.seen > self.skip and len(self.first) < self.limit:
            self.first.append(event)
        if event.kind == "local" or (self.drawn and event.session != self.drawn[0].session):
            return
        self.drawable += 1
        if self.drawable > self.skip and len(self.drawn) < self.limit:
            self.drawn.append(event)


def _looked(reading: LogReading, logs: tuple[str, ...], chosen: _Chosen) -> Contents:
    from choreomon.core.contents import Looking
    from choreomon.core.recorded import RecordedEvent

    looking = Looking()
    for each in _told(_read(reading, logs)):
        if isinstance(each, RecordedEvent):
            if not chosen.has(each):
                continue
            chosen.keep(each)
        looking.add(each)
    return looking.found()


def _read(reading: LogReading, logs: tuple[str, ...]) -> Iterator[Recorded]:
    for path in logs:
        yield from reading.read(path)


def _told(read: Iterator[Recorded]) -> Iterator[Recorded]:
    """Pass on the events, and show the progress on a terminal."""
    from choreomon.cli.command_line.screen import screens

    _, errors = screens()
    if not errors.is_terminal:
        yield from read
        return
    with errors.status("Reading") as status:
        for number, each in enumerate(read, 1):
            if not number % _TOLD_EVERY:
                status.update(f"Reading: {number:,} events")
            yield each


def _telling_apart(reading: LogReading, logs: tuple[str, ...]) -> list[dict[str, Any]]:
    """The fields of lines of JSON that could tell instances apart, with how many values they
    have."""
    from choreomon.cli.command_line.log_options import format_seen
    from choreomon.logs.drafts.drafting import fields_seen
    from choreomon.logs.drafts.roles import roles_of, telling_apart

    given = reading.choices.log_format
    lines = [path for path in logs if (given or format_seen(path)) == "jsonl"]
    seen = fields_seen(lines)
    return [
        {
            "field": each.path,
            "values": len(each.values),
            **({} if each.complete else {"more": True}),
            "records": each.records,
        }
        for each in telling_apart(seen, roles_of(seen))[:10]
    ]


def _draft(reading: LogReading, logs: tuple[str, ...]) -> str:
    from choreomon.logs.drafts.drafting import drafted

    one = reading.choices
    return drafted(logs, one.log_format, one.parser, one.delimiter)


def _rules(found: Contents, paths: tuple[str, ...]) -> str:
    from choreomon.documents.rules_draft import rules_draft

    try:
        return rules_draft(found, ", ".join(paths))
    except ValueError as wrong:
        raise click.ClickException(f"--rules: {wrong}") from None


def _page(found: Contents, chosen: _Chosen, paths: tuple[str, ...]) -> str:
    from choreomon.logs.readers.run_events import run_events
    from choreomon.pages.look_page import look_page

    events, processes = run_events(chosen.drawn)
    left_out = chosen.drawable - len(chosen.drawn)
    facts = [("logs", ", ".join(paths))]
    for key, values in (
        ("processes", chosen.processes),
        ("names", chosen.names),
        ("sessions", chosen.sessions),
    ):
        if values:
            facts.append((f"only {key}", ", ".join(values)))
    return look_page(", ".join(paths), facts, found, events, processes, left_out, made_with())


def _show(found: Contents, chosen: _Chosen, most: int, apart: list[dict[str, Any]]) -> None:
    from choreomon.cli.command_line.screen import screens
    from choreomon.terminal.contents_tables import contents_parts
    from choreomon.terminal.mapping_table import events_table

    screen, _ = screens()
    if chosen.first:
        screen.print(events_table(chosen.first, chosen.seen - len(chosen.first)))
    for part in contents_parts(found, most):
        screen.print(part, soft_wrap=isinstance(part, str))
    if apart:
        told = ", ".join(
            f"{each['field']} ({each['values']:,}{' or more' * ('more' in each)} values)"
            for each in apart
        )
        screen.print(
            f"These fields could tell instances apart (--session-key): {told}.",
            markup=False,
            soft_wrap=True,
        )


def _plain(value: Any) -> Any:
    """Named tuples as objects."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value
