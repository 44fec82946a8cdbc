"""`choreomon audit` of logs of many sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.explicit_options import refuse_explicit
from choreomon.cli.jobs import jobs_option, loss_told
from choreomon.cli.options import added
from choreomon.cli.writing import write

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.audit.numbers import Counted
    from choreomon.audit.sessions import SessionsAuditor
    from choreomon.audit.summary import SessionsOutcome, Summary
    from choreomon.batch.audits.audits import Doing
    from choreomon.batch.audits.question import AuditQuestion
    from choreomon.cli.log_options import LogReading
    from choreomon.cli.machine_reports import MachineReports
    from choreomon.cli.screen import Unprinted
    from choreomon.formats.read import Document

_Command = TypeVar("_Command", bound=Callable[..., Any])

SHOWN: Final = 10
"""Kinds, gaps, problems and diagnostics that are shown on the screen."""

_OF_SESSIONS: Final = ("jobs", "max_events", "numbers", "max_sessions")


def sessions_options(command: _Command) -> _Command:
    """Adds the options to `choreomon audit`; they are the parameters of `SessionChoices`."""
    return added(
        jobs_option,
        click.option(
            "--numbers",
            type=click.Choice(["session", "process"]),
            help="Of sessions: numbers and clocks begin anew in each, or go on through all that a "
            "process does. Default: as they look; with --follow: session.",
        ),
        click.option(
            "--max-events",
            type=click.IntRange(1),
            default=1_000_000,
            show_default=True,
            help="Of sessions: one with more events is not judged.",
        ),
        click.option(
            "--max-sessions",
            type=click.IntRange(1),
            default=10_000,
            show_default=True,
            help="Of sessions, with --follow: so many are open. When one more begins, the one that "
            "had no event for longest is over.",
        ),
    )(command)


@dataclass(frozen=True)
class SessionChoices:
    """The parameters."""

    jobs: int
    numbers: Counted | None
    max_events: int
    max_sessions: int

    @classmethod
    def taken(cls, choices: dict[str, Any]) -> SessionChoices:
        """Those of parameters, which are taken out of them."""
        return cls(**{name: choices.pop(name) for name in _OF_SESSIONS})


def refuse_what_does_nothing(context: click.Context, *, splits: bool, follow: bool) -> None:
    """Raises `UsageError` for options that do nothing where there are no sessions, or where logs
    are followed, or are not."""
    if not splits:
        told = "where sessions are told apart: by --session-key, --delimiter, or the mapping"
        refuse_explicit(context, _OF_SESSIONS, told)
    if follow:
        refuse_explicit(context, ("jobs", "max_events"), "without --follow")
    else:
        refuse_explicit(context, ("max_sessions",), "with --follow")


def judged_sessions(
    question: AuditQuestion, reading: LogReading, logs: tuple[str, ...], jobs: int
) -> Summary:
    """What the sessions of logs that end come to. Raises DocumentError, ClickException."""
    from choreomon.batch.audits.audits import audits

    with _progress() as progress, loss_told():
        return audits(question, reading, logs, jobs=jobs, progress=progress)


@contextmanager
def _progress() -> Iterator[Callable[[Doing, int, int], None]]:
    """Shows on a terminal how far it is."""
    from choreomon.cli.screen import screens

    _, errors = screens()
    if not errors.is_terminal:
        yield lambda *_: None
        return
    from rich.progress import Progress

    with Progress(console=errors, transient=True, redirect_stdout=False) as bar:
        tasks = {
            "reading": bar.add_task("Reading", total=None),
            "judging": bar.add_task("Judging", total=None, visible=False),
        }

        def show(doing: Doing, done: int, of: int) -> None:
            bar.update(tasks[doing], completed=done, total=of, visible=True)

        yield show


def announcer(
    auditor: SessionsAuditor, screen: Console, unprinted: Unprinted
) -> Callable[[], None]:
    """Says the verdicts that were not said yet: the first one of each kind in full."""
    from choreomon.audit.kinds import Kind, kind_of
    from choreomon.cli.screen import print_indented
    from choreomon.render.audit_text import session_name, verdict_line, verdict_lines

    met: dict[Kind, str] = {}

    def say() -> None:
        for verdict in auditor.news():
            kind = kind_of(verdict)
            lines = verdict_lines(verdict)
            event = verdict.item.event
            if kind in met:
                lines = verdict_line(verdict)
                lines.append(f", as in session {session_name(met[kind])}")
            elif event is not None and len(met) < MOST_MET:
                met[kind] = event.session
            with unprinted.kept():
                print_indented(screen, lines)

    return say


MOST_MET: Final = 1_000
"""Kinds that are remembered to have been told in full."""


def tell_sessions(
    summary: Summary,
    document: Document,
    logs: tuple[str, ...],
    *,
    as_json: bool,
    report: Path | None,
    reports: MachineReports,
    unprinted: Unprinted,
) -> int:
    """Writes and prints what was found; the exit code."""
    from choreomon.cli.screen import screens

    screen, errors = screens()
    outcome = summary.outcome()
    try:
        if report is not None:
            write(report, _page(document, logs, outcome, summary))
        _write_reports(reports, document, logs, outcome)
    finally:
        with unprinted.kept():
            if as_json:
                from choreomon.formats.audit_json import sessions_json

                click.echo(sessions_json(outcome, summary.strange, summary.diagnostics()))
            else:
                _show(screen, outcome, summary)
                if report is not None:
                    screen.print(f"Report: {report}", markup=False, soft_wrap=True)
    unprinted.raise_kept()
    for problem in outcome.problems[:SHOWN]:
        errors.print(problem, markup=False, soft_wrap=True)
    if outcome.unjudged > SHOWN:
        errors.print(f"and {outcome.unjudged - SHOWN:,} more sessions that could not be judged")
    if not outcome.events:
        errors.print("no event was understood in these logs", style="red", soft_wrap=True)
        return BAD_INPUT
    if outcome.unjudged:
        return BAD_INPUT
    if outcome.verdict is None:
        return NOTHING_FOUND
    return VIOLATION if outcome.verdict == "violated" else ONLY_POSSIBLE


def _show(screen: Console, outcome: SessionsOutcome, summary: Summary) -> None:
    from choreomon.cli.screen import print_indented
    from choreomon.render.audit_text import diagnostic_lines
    from choreomon.render.sessions_text import (
        gap_lines,
        kind_lines,
        sessions_overall_text,
        worst_sentence,
    )
    from choreomon.render.wording import counted

    say = partial(screen.print, markup=False, soft_wrap=True)
    for example in outcome.kinds[:SHOWN]:
        print_indented(screen, kind_lines(example))
        say()
    more = len(outcome.kinds) - SHOWN
    if more > 0 or outcome.others:
        dots = "or more " if outcome.others else ""
        say(f"{counted(max(more, 0), f'more {dots}kind')} of verdicts: --json prints the first\n")
    for line in gap_lines(outcome, SHOWN):
        say(line)
    for strange in summary.diagnostics()[:SHOWN]:
        if strange.kind not in ("gap", "log-missing"):
            say(": ".join(filter(None, (str(strange.place), strange.message))))
    if summary.strange:
        say(f"strange: {', '.join(diagnostic_lines(summary.strange))}")
    if (told := worst_sentence(outcome)) is not None:
        say(told)
    print_indented(screen, sessions_overall_text(outcome))


def _write_reports(
    reports: MachineReports, document: Document, logs: tuple[str, ...], outcome: SessionsOutcome
) -> None:
    from choreomon.core.recorded import Place
    from choreomon.formats.findings import findings_of_sessions
    from choreomon.formats.junit import cases_of_sessions

    reports.write(
        f"choreomon audit {document.name}",
        cases_of_sessions(outcome, document.file, ", ".join(logs)),
        findings_of_sessions(outcome, Place(document.file, document.property_line)),
        outcome.problems,
    )


def _page(
    document: Document, logs: tuple[str, ...], outcome: SessionsOutcome, summary: Summary
) -> str:
    from choreomon.cli.made_with import made_with
    from choreomon.render.sessions_page import sessions_page

    assert document.property is not None
    return sessions_page(
        document.name,
        [("property", document.file), ("logs", ", ".join(logs))],
        document.property.automaton,
        outcome,
        summary.strange,
        summary.diagnostics(),
        made_with(),
    )
