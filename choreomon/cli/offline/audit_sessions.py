"""`choreomon audit` of logs of many sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from choreomon.batch.audits.question import MAX_EVENTS
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.jobs import jobs_option, loss_told
from choreomon.cli.command_line.made_with import made_with
from choreomon.cli.command_line.options import added

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.audit.numbers import Counted
    from choreomon.audit.occurrences import Occurrences
    from choreomon.audit.rules import RuleResult
    from choreomon.audit.sessions import SessionsAuditor
    from choreomon.audit.summary import SessionsOutcome, Summary
    from choreomon.batch.audits.audits import Doing
    from choreomon.batch.audits.question import AuditQuestion
    from choreomon.cli.command_line.log_options import LogReading
    from choreomon.cli.offline.audit_output import AuditOutput
    from choreomon.core.recorded import Place
    from choreomon.core.verdict import VerdictKind
    from choreomon.properties.automaton import SequenceAutomaton
    from choreomon.reports.junit import Case
    from choreomon.reports.sarif import Finding

_Command = TypeVar("_Command", bound=Callable[..., Any])

SHOWN: Final = 10
"""Kinds, gaps, problems and diagnostics that are shown on the screen."""

OF_SESSIONS: Final = ("jobs", "max_events", "numbers", "max_sessions")
"""Parameters that do nothing where there are none."""


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
            default=MAX_EVENTS,
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


def refuse_what_does_nothing(context: click.Context, *, splits: bool, follow: bool) -> None:
    """Raises `UsageError` for options that do nothing where there are no sessions, or where logs
    are followed, or are not."""
    if not splits:
        told = "where sessions are told apart: by --session-key, --delimiter, or the mapping"
        refuse_explicit(context, OF_SESSIONS, told)
    if follow:
        refuse_explicit(context, ("jobs", "max_events"), "without --follow")
    else:
        refuse_explicit(context, ("max_sessions",), "with --follow")


def judged_sessions(
    question: AuditQuestion, reading: LogReading, logs: tuple[str, ...], jobs: int
) -> Summary:
    """Judge the sessions of logs that end. Raises DocumentError, ClickException."""
    from choreomon.batch.audits.audits import audits

    with _progress() as progress, loss_told():
        return audits(question, reading, logs, jobs=jobs, progress=progress)


@contextmanager
def _progress() -> Iterator[Callable[[Doing, int, int], None]]:
    """Shows on a terminal how far it is."""
    from choreomon.cli.command_line.screen import screens

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


def warn_of_one_session(key: str | None, summary: Summary) -> None:
    """Warn that no event has the field that should tell sessions apart."""
    if key is not None and summary.sessions == 1 and not summary.named:
        told = f"no event has the field {key!r} (--session-key): all are judged as one session"
        click.echo(f"warning: {told}; choreomon look says which fields there are", err=True)


def followed_sessions(
    question: AuditQuestion,
    reading: LogReading,
    chosen: SessionChoices,
    output: AuditOutput,
) -> Summary:
    """Judge the sessions of logs that grow, until interrupted."""
    from choreomon.audit.reading import tell
    from choreomon.audit.sessions import SessionsAuditor
    from choreomon.audit.summary import BEFORE
    from choreomon.cli.offline.followed_logs import followed

    auditor = SessionsAuditor(
        question.automaton,
        incomplete=question.incomplete,
        limits=question.limits,
        counted=question.counted or "session",
        most=chosen.max_sessions,
        news=not output.as_json,
    )
    say = None if output.as_json else announcer(auditor, output)
    with ExitStack() as stack:
        opened, wait = followed(stack, output.logs, reading, say)
        tell(auditor, opened, partial(auditor.summary.tell, BEFORE), wait)
    return auditor.finish()


def announcer(auditor: SessionsAuditor, output: AuditOutput) -> Callable[[], None]:
    """Prints the verdicts that were not printed yet: the first one of each kind in full."""
    from choreomon.audit.kinds import Kind, kind_of
    from choreomon.cli.command_line.screen import print_indented, screens
    from choreomon.terminal.audit_text import session_name, verdict_line, verdict_lines

    screen, _ = screens()
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
            with output.unprinted.kept():
                print_indented(screen, lines)

    return say


MOST_MET: Final = 1_000
"""Kinds that are remembered to have been told in full."""


@dataclass(frozen=True)
class SessionsFound:
    """Implements `Found` for logs of many sessions."""

    automaton: SequenceAutomaton
    summary: Summary

    @cached_property
    def outcome(self) -> SessionsOutcome:
        return self.summary.outcome()

    @cached_property
    def rules(self) -> tuple[RuleResult, ...]:
        from choreomon.audit.rules import rules_of_sessions

        return rules_of_sessions(self.automaton, self.outcome)

    @property
    def events(self) -> int:
        return self.outcome.events

    @property
    def verdict(self) -> VerdictKind | None:
        return self.outcome.verdict

    @property
    def occurrences(self) -> Occurrences:
        return self.outcome.occurrences

    @property
    def mended(self) -> int:
        return self.summary.strange["mended"]

    @property
    def problems(self) -> tuple[str, ...]:
        return self.outcome.problems

    @property
    def unjudged(self) -> int:
        return self.outcome.unjudged

    def page(self, name: str, facts: Sequence[tuple[str, str]]) -> str:
        from choreomon.pages.sessions_page import sessions_page

        told = self.summary.strange, self.summary.diagnostics()
        return sessions_page(
            name, facts, self.automaton, self.outcome, self.rules, *told, made_with()
        )

    def json(self) -> str:
        from choreomon.reports.audit_json import sessions_json

        told = self.summary.strange, self.summary.diagnostics()
        return sessions_json(self.outcome, self.rules, *told)

    def cases(self, file: str, logs: str) -> Iterable[Case]:
        from choreomon.reports.junit import cases_of_sessions

        return cases_of_sessions(self.outcome, file, logs)

    def findings(self, place: Place) -> Iterable[Finding]:
        from choreomon.properties.parts import first_about
        from choreomon.reports.findings import findings_of_sessions

        return findings_of_sessions(self.outcome, first_about(self.automaton), place)

    def show(self, screen: Console) -> None:
        _show(screen, self)


def _show(screen: Console, found: SessionsFound) -> None:
    from choreomon.cli.command_line.screen import print_indented
    from choreomon.sentences.wording import counted
    from choreomon.terminal.audit_text import diagnostic_lines, strange_lines
    from choreomon.terminal.sessions_text import (
        gap_lines,
        kind_lines,
        sessions_overall_text,
        worst_sentence,
    )

    outcome, summary = found.outcome, found.summary
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
    for line in strange_lines(summary.diagnostics(), SHOWN):
        say(line)
    if summary.strange:
        say(f"strange: {', '.join(diagnostic_lines(summary.strange))}")
    if (told := worst_sentence(outcome)) is not None:
        say(told)
    print_indented(screen, sessions_overall_text(outcome, found.rules))
