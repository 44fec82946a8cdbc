"""`choreomon audit`: what recorded logs say about a property."""

from __future__ import annotations

import signal
from collections import Counter
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final, cast

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.audit_sessions import (
    SessionChoices,
    announcer,
    judged_sessions,
    refuse_what_does_nothing,
    sessions_options,
    tell_sessions,
)
from choreomon.cli.examples import examples
from choreomon.cli.explained_mapping import explain
from choreomon.cli.explicit_options import refuse_explicit
from choreomon.cli.log_options import LogChoices, log_options
from choreomon.cli.machine_reports import MachineReports, report_options
from choreomon.cli.signals import Ended
from choreomon.cli.writing import WrittenPath, check_not_read, check_writable, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from rich.console import Console

    from choreomon.audit.auditor import Auditor
    from choreomon.audit.outcome import Outcome
    from choreomon.audit.reading import Log
    from choreomon.audit.sessions import SessionsAuditor
    from choreomon.audit.summary import Summary
    from choreomon.batch.audits.question import AuditQuestion
    from choreomon.cli.log_options import LogReading
    from choreomon.cli.screen import Unprinted
    from choreomon.core.recorded import Diagnostic
    from choreomon.formats.read import Document

SHOWN: Final = 10
"""Verdicts, and diagnostics, that are shown in full."""

DIAGNOSTICS: Final = 1_000
"""Diagnostics that `--json` prints. Others are counted."""

_OF_AUDITS: Final = (
    *("report", "junit", "sarif", "incomplete", "budget", "max_window", "follow", "jobs"),
    *("numbers", "max_events", "max_sessions"),
)
"""Parameters that do nothing where only the mapping is explained."""

SECONDS_BETWEEN_LOOKS: Final = 0.5


_EXAMPLE: Final = "choreomon audit scenarios/lock-violating.yaml runs/run-0.jsonl"


@click.command(
    "audit",
    epilog=examples(
        (_EXAMPLE, "Say whether a recorded run did what is forbidden."),
        (f"{_EXAMPLE} --json", "The same for programs."),
    ),
)
@click.argument("paths", metavar="PROPERTY LOG...", nargs=-1, required=True, type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--report", type=WrittenPath(), help="Write one self-contained HTML page.")
@report_options
@click.option(
    "--incomplete",
    multiple=True,
    metavar="PROCESS",
    help="The log of this process may lack events, anywhere. May be given several times.",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    default=50_000,
    show_default=True,
    help="How many consistent cuts one search may visit. What it does not decide stays undecided.",
)
@click.option(
    "--max-window",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="How many events that the property names may wait until all processes heard of them.",
)
@click.option("--follow", is_flag=True, help="Go on when a log grows, until interrupted.")
@log_options()
@sessions_options
@click.option(
    "--explain-mapping",
    is_flag=True,
    help="Without PROPERTY: show what the first lines of each LOG became, and count what was not "
    "understood.",
)
@click.pass_context
def command(
    context: click.Context,
    /,
    paths: tuple[str, ...],
    as_json: bool,
    report: Path | None,
    junit: Path | None,
    sarif: Path | None,
    incomplete: tuple[str, ...],
    budget: int,
    max_window: int,
    follow: bool,
    explain_mapping: bool,
    **choices: Any,
) -> int:
    """Say whether the sequences that PROPERTY forbids were formed in what LOGs recorded.

    What happened before what is what the logs say and nothing else. Exit codes: 0 nothing was
    formed, 1 violated, 2 bad usage or input, 3 only possibly violated.
    """
    from choreomon.audit.auditor import Auditor
    from choreomon.audit.window import Limits
    from choreomon.cli.screen import Unprinted, screens
    from choreomon.formats.read import load_document

    of_sessions = SessionChoices.taken(choices)
    reading = LogChoices.taken(choices).loaded()
    if explain_mapping:
        refuse_explicit(context, _OF_AUDITS, "without --explain-mapping")
        return explain(paths, reading, as_json=as_json)
    file, *rest = paths
    logs = tuple(rest)
    if not logs:
        raise click.UsageError("Missing argument 'LOG...'.")
    document = load_document(file)
    if document.property is None:
        raise click.UsageError(f"{file}: has no property: nothing is forbidden")
    if report is not None:
        for path in (*document.inputs(), *logs):
            check_not_read(report, (path,))
        check_writable(report)
    reports = MachineReports(junit, sarif)
    reports.check((*document.inputs(), *logs))
    strange = _Strange()
    limits = Limits(max_cuts=budget, max_window=max_window)
    automaton = document.property.automaton
    try:
        auditor = Auditor(
            automaton, incomplete=incomplete, limits=limits, on_diagnostic=strange.add
        )
    except ValueError as wrong:
        raise click.UsageError(f"--incomplete: {wrong}") from None
    refuse_what_does_nothing(context, splits=reading.splits, follow=follow)
    screen, errors = screens()
    for warning in document.warnings:
        errors.print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    unprinted = Unprinted(put_off=report is not None or reports.wanted)
    if reading.splits:
        from choreomon.batch.audits.question import AuditQuestion

        question = AuditQuestion(
            automaton, incomplete, limits, of_sessions.numbers, of_sessions.max_events
        )
        if follow:
            summary = _followed_sessions(
                question, reading, logs, of_sessions, None if as_json else screen, unprinted
            )
        else:
            summary = judged_sessions(question, reading, logs, of_sessions.jobs)
        return tell_sessions(
            summary,
            document,
            logs,
            as_json=as_json,
            report=report,
            reports=reports,
            unprinted=unprinted,
        )
    say = None if as_json or not follow else _announcer(auditor, screen, unprinted)
    with ExitStack() as stack:
        opened: list[Log] = []
        if follow:
            opened = _followed(stack, logs, reading)
        else:
            opened += map(reading.read, logs)
        read(auditor, opened, strange.add, _waiting(follow, say))
    outcome = auditor.finish()
    try:
        if report is not None:
            write(report, _page(document, logs, outcome, strange))
        _write_reports(reports, document, logs, outcome)
    finally:
        with unprinted.kept():
            if as_json:
                from choreomon.formats.audit_json import audit_json

                click.echo(audit_json(outcome, strange.counts, strange.first))
            else:
                _show(screen, outcome, strange)
                if report is not None:
                    screen.print(f"Report: {report}", markup=False, soft_wrap=True)
    unprinted.raise_kept()
    if not outcome.events:
        errors.print("no event was understood in these logs", style="red", soft_wrap=True)
        return BAD_INPUT
    return _exit_code(outcome)


def _followed_sessions(
    question: AuditQuestion,
    reading: LogReading,
    logs: tuple[str, ...],
    chosen: SessionChoices,
    screen: Console | None,
    unprinted: Unprinted,
) -> Summary:
    """What the sessions of logs that grow come to, when nobody wants to wait any more."""
    from choreomon.audit.sessions import SessionsAuditor
    from choreomon.audit.summary import BEFORE

    auditor = SessionsAuditor(
        question.automaton,
        incomplete=question.incomplete,
        limits=question.limits,
        counted=question.counted or "session",
        most=chosen.max_sessions,
        news=screen is not None,
    )
    say = None if screen is None else announcer(auditor, screen, unprinted)
    with ExitStack() as stack:
        opened = _followed(stack, logs, reading)
        read(auditor, opened, partial(auditor.summary.tell, BEFORE), _waiting(True, say))
    return auditor.finish()


def read(
    auditor: Auditor | SessionsAuditor,
    logs: list[Log],
    strange: Callable[[Diagnostic], None],
    wait: Callable[[], bool],
) -> None:
    """Tells the auditor of all events. When no log has anything at the moment, decides what can be
    decided, and goes on if `wait()` says so."""
    from choreomon.audit.reading import side_by_side
    from choreomon.core.recorded import RecordedEvent

    add = auditor.add
    for what in side_by_side(logs, auditor.waits):
        if what is None:
            auditor.settle()
            if not wait():
                return
        elif isinstance(what, RecordedEvent):
            add(what)
        else:
            strange(what)


class _Strange:
    """Diagnostics, counted, of which the first are kept."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        self.counts[diagnostic.kind] += 1
        if len(self.first) < DIAGNOSTICS:
            self.first.append(diagnostic)


def _followed(stack: ExitStack, paths: tuple[str, ...], reading: LogReading) -> list[Log]:
    """The logs, each read by a thread of its own until the block is over."""
    from choreomon.cli.followed_logs import GrowingFile, in_background
    from choreomon.formats.unreadable import unreadable

    stop = Event()
    stack.callback(stop.set)

    def wait() -> bool:
        return not stop.wait(SECONDS_BETWEEN_LOOKS)

    logs: list[Log] = []
    for path in paths:
        try:
            file = stack.enter_context(open(path, "rb", buffering=0))  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from None
        growing = cast("BinaryIO", GrowingFile(file, wait))
        logs.append(in_background(reading.read(path, growing), stop))
    return logs


def _waiting(follow: bool, say: Callable[[], None] | None) -> Callable[[], bool]:
    """What to do when nothing is there to be read: wait a little, until interrupted."""
    from time import sleep

    def wait() -> bool:
        if say is not None:
            say()
        try:
            sleep(SECONDS_BETWEEN_LOOKS)
        except KeyboardInterrupt as interrupt:
            if isinstance(interrupt, Ended):
                if interrupt.number != signal.SIGINT:
                    raise
                interrupt.answer()
            return False
        return follow

    return wait


def _announcer(auditor: Auditor, screen: Console, unprinted: Unprinted) -> Callable[[], None]:
    """Says the verdicts that were not said yet."""
    from choreomon.cli.screen import print_indented
    from choreomon.render.audit_text import verdict_lines

    said = 0

    def say() -> None:
        nonlocal said
        for verdict in auditor.verdicts[said:]:
            with unprinted.kept():
                print_indented(screen, verdict_lines(verdict))
        said = len(auditor.verdicts)

    return say


def _show(screen: Console, outcome: Outcome, strange: _Strange) -> None:
    from choreomon.cli.screen import print_indented
    from choreomon.core.verdict import VIOLATED
    from choreomon.render.audit_text import (
        diagnostic_lines,
        gap_sentence,
        overall_text,
        verdict_lines,
    )
    from choreomon.render.wording import counted

    gravest = sorted(outcome.verdicts, key=lambda verdict: verdict.kind != VIOLATED)[:SHOWN]
    for verdict in sorted(gravest, key=lambda verdict: verdict.item.number):
        print_indented(screen, verdict_lines(verdict))
        screen.print()
    if len(outcome.verdicts) > SHOWN:
        left = counted(len(outcome.verdicts) - SHOWN, "more verdict")
        screen.print(f"{left}, not graver than these: --json prints all\n")
    for gap in outcome.gaps[:SHOWN]:
        screen.print(f"gap: {gap_sentence(gap)}", markup=False, soft_wrap=True)
    if len(outcome.gaps) > SHOWN:
        screen.print(f"and {counted(len(outcome.gaps) - SHOWN, 'more gap')}")
    for diagnostic in strange.first[:SHOWN]:
        if diagnostic.kind not in ("gap", "log-missing"):
            told = ": ".join(filter(None, (str(diagnostic.place), diagnostic.message)))
            screen.print(told, markup=False, soft_wrap=True)
    if strange.counts:
        screen.print(f"strange: {', '.join(diagnostic_lines(strange.counts))}", soft_wrap=True)
    print_indented(screen, overall_text(outcome))


def _exit_code(outcome: Outcome) -> int:
    if outcome.overall.kind is None:
        return NOTHING_FOUND
    return VIOLATION if outcome.overall.kind == "violated" else ONLY_POSSIBLE


def _write_reports(
    reports: MachineReports, document: Document, logs: tuple[str, ...], outcome: Outcome
) -> None:
    from choreomon.core.recorded import Place
    from choreomon.formats.findings import findings_of_audit
    from choreomon.formats.junit import case_of_audit

    reports.write(
        f"choreomon audit {document.name}",
        [case_of_audit(outcome, document.file, ", ".join(logs))],
        findings_of_audit(outcome, Place(document.file, document.property_line)),
    )


def _page(document: Document, logs: tuple[str, ...], outcome: Outcome, strange: _Strange) -> str:
    from choreomon.cli.made_with import made_with
    from choreomon.render.audit_page import audit_page

    assert document.property is not None
    facts = [("property", document.file), ("logs", ", ".join(logs))]
    told = (outcome, strange.counts, strange.first, made_with())
    return audit_page(document.name, facts, document.property.automaton, *told)
