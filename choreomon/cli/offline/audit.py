"""`choreomon audit`: what recorded logs say about a property."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.log_options import LOG_OPTIONS, LogChoices, log_options
from choreomon.cli.command_line.machine_reports import MachineReports, report_options
from choreomon.cli.command_line.made_with import made_with
from choreomon.cli.command_line.option_groups import GroupedCommand
from choreomon.cli.command_line.options import taken
from choreomon.cli.command_line.rule_options import RULE_OPTIONS, chosen_document, rule_options
from choreomon.cli.command_line.writing import WrittenPath
from choreomon.cli.offline.audit_instances import judged_instances, refuse_sessions
from choreomon.cli.offline.audit_output import AuditOutput
from choreomon.cli.offline.audit_roles import (
    names_of_replicas,
    refuse_followed_roles,
    with_replicas,
)
from choreomon.cli.offline.audit_sessions import (
    OF_SESSIONS,
    SessionChoices,
    SessionsFound,
    followed_sessions,
    judged_sessions,
    refuse_what_does_nothing,
    sessions_options,
    warn_of_one_session,
)
from choreomon.cli.offline.explained_mapping import explain
from choreomon.cli.offline.some_order import in_some_order, read_through
from choreomon.core.stated_rule import Severity

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.audit.auditor import Auditor
    from choreomon.audit.occurrences import Occurrences
    from choreomon.audit.outcome import Outcome
    from choreomon.audit.reading import Diagnostics
    from choreomon.audit.rules import RuleResult
    from choreomon.batch.audits.question import AuditQuestion
    from choreomon.cli.command_line.log_options import LogReading
    from choreomon.core.recorded import Place
    from choreomon.core.verdict import VerdictKind
    from choreomon.documents.read import Document
    from choreomon.properties.automaton import SequenceAutomaton
    from choreomon.reports.junit import Case
    from choreomon.reports.sarif import Finding

SHOWN: Final = 10
"""Verdicts, and diagnostics, that are shown in full."""

_OF_AUDITS: Final = (
    *("report", "junit", "sarif", "strict", "incomplete", "budget", "max_window", "follow", "jobs"),
    *("of", "numbers", "max_events", "max_sessions"),
)
"""Parameters that do nothing where only the mapping is explained."""

_EXAMPLE: Final = "choreomon audit scenarios/lock-violating.yaml runs/run-0.jsonl"


@click.command(
    "audit",
    cls=GroupedCommand,
    groups={
        "Results": ("as_json", "report", *MachineReports._fields, "strict"),
        "Logs": (*LOG_OPTIONS, "explain_mapping"),
        "Sessions in the logs": ("session_key", *OF_SESSIONS),
        "Rules": RULE_OPTIONS,
        "Bounds": ("budget", "max_window"),
    },
    epilog=examples(
        (_EXAMPLE, "Say whether a recorded run did what is forbidden."),
        (f"{_EXAMPLE} --json", "The same for programs."),
    ),
)
@click.argument("paths", metavar="PROPERTY... LOG...", nargs=-1, required=True, type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--report", type=WrittenPath(), help="Write one self-contained HTML page.")
@report_options
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 2 where a label of PROPERTY occurs nowhere in LOGs, or where LOGs are not in "
    "the order of their numbers.",
)
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
@click.option(
    "--for",
    "of",
    multiple=True,
    metavar="NAME=VALUE",
    help="Of a property for each instance: only those where this parameter has this value, as "
    "order=A-17; may be given several times.",
)
@rule_options
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
    strict: bool,
    incomplete: tuple[str, ...],
    budget: int,
    max_window: int,
    of: tuple[str, ...],
    rule: tuple[str, ...],
    fail_on: Severity,
    follow: bool,
    explain_mapping: bool,
    **choices: Any,
) -> int:
    """Say whether the sequences that PROPERTY forbids were formed in what LOGs recorded.

    Only the order within each log, messages and vector clocks say what came before what; times of
    day are ignored. A LOG may be compressed; of a folder all logs in it are read. Exit codes: 0
    nothing was formed, 1 violated, 2 bad usage or input, 3 only possibly violated.
    """
    from choreomon.audit.reading import Diagnostics, tell
    from choreomon.audit.window import Limits
    from choreomon.batch.audits.question import AuditQuestion
    from choreomon.cli.offline.followed_logs import followed

    of_sessions = taken(SessionChoices, choices)
    reading = taken(LogChoices, choices).loaded()
    if explain_mapping:
        refuse_explicit(context, _OF_AUDITS, "without --explain-mapping")
        return explain(reading.with_folders(paths), reading, as_json=as_json)
    files, rest = properties_and_logs(paths)
    if not rest:
        raise click.UsageError("Missing argument 'LOG...'.")
    logs = reading.with_folders(rest)
    document = _loaded(files, rule)
    reports = MachineReports(junit, sarif)
    output = AuditOutput(document, logs, as_json, report, reports, strict, fail_on)
    output.check()
    reading = reading.for_labels(output.automaton.labels)
    limits = Limits(max_cuts=budget, max_window=max_window)
    question = AuditQuestion(
        *(output.automaton, incomplete, limits, of_sessions.numbers, of_sessions.max_events),
        *(strict, names_of_replicas(document, reading.mapping)),
    ).known()
    diagnostics = Diagnostics()
    auditor = _auditor(question, diagnostics)  # refuses processes, of sessions, too
    refuse_what_does_nothing(context, splits=reading.splits, follow=follow)
    output.warn()
    if question.names:
        if follow:
            refuse_followed_roles(document)
        if not reading.splits:
            question = with_replicas(question, reading, logs)
    parameters = None if document.property is None else document.property.parameters
    if parameters is not None:
        if reading.splits or follow:
            refuse_sessions(files[0], parameters)
        reading = reading._replace(parameters=parameters.names)
        summary = judged_instances(question, parameters, reading, logs, of)
        return output.put(SessionsFound(output.automaton, summary))
    refuse_explicit(context, ("of",), "with a property that is for each instance (for_each)")
    if reading.splits:
        if follow:
            summary = followed_sessions(question, reading, of_sessions, output)
        else:
            summary = judged_sessions(question, reading, logs, of_sessions.jobs)
        warn_of_one_session(reading.choices.session_key, summary)
        return output.put(SessionsFound(output.automaton, summary))
    if not follow:
        return output.put(_judged(question, reading, logs, strict=strict))
    say = None if as_json else _announcer(auditor, output)
    with ExitStack() as stack:
        opened, wait = followed(stack, logs, reading, say)
        tell(auditor, opened, diagnostics.add, wait)
    return output.put(_Found(question.automaton, auditor.finish(), diagnostics))


def _loaded(files: Sequence[str], rule: tuple[str, ...]) -> Document:
    """Load the document in these files, with the chosen rules. Raises `UsageError` for a log in its
    place."""
    from choreomon.cli.command_line.log_options import format_seen
    from choreomon.core.errors import DocumentError
    from choreomon.documents.several import load_documents

    try:
        return chosen_document(load_documents(files), rule)
    except DocumentError:
        file = files[0]
        if format_seen(file) is None:
            raise
        told = f"{file} is a log: the property comes first, as in choreomon audit property.yaml"
        raise click.UsageError(f"{told} {file}") from None


def properties_and_logs(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The properties and the logs: the first path is a property, and where it ends in .yaml or
    .yml, so are those after it that do, as no log does."""
    number = 0
    while number < len(paths) and paths[number].lower().endswith((".yaml", ".yml")):
        number += 1
    number = max(number, 1)
    return [*paths[:number]], [*paths[number:]]


def _judged(
    question: AuditQuestion, reading: LogReading, logs: Sequence[str], *, strict: bool
) -> _Found:
    """Judge logs of one run that end."""
    from choreomon.audit.reading import Diagnostics

    def judge(*, mend: bool) -> _Found:
        diagnostics = Diagnostics()
        auditor = _auditor(question, diagnostics)
        read_through(auditor, diagnostics.add, reading, logs, mend=mend)
        return _Found(question.automaton, auditor.finish(), diagnostics)

    return in_some_order(judge, lambda found: found.diagnostics.counts, logs, strict=strict)


def _auditor(question: AuditQuestion, diagnostics: Diagnostics) -> Auditor:
    """The auditor of one run. Raises `UsageError` for an incomplete process that the property does
    not have."""
    from choreomon.audit.auditor import Auditor

    try:
        return Auditor(
            question.automaton,
            incomplete=question.incomplete,
            limits=question.limits,
            on_diagnostic=diagnostics.add,
            roles=question.roles,
        )
    except ValueError as wrong:
        raise click.UsageError(f"--incomplete: {wrong}") from None


@dataclass(frozen=True)
class _Found:
    """Implements `Found` for logs of one run."""

    automaton: SequenceAutomaton
    outcome: Outcome
    diagnostics: Diagnostics
    problems: tuple[str, ...] = ()
    unjudged: int = 0

    @cached_property
    def rules(self) -> tuple[RuleResult, ...]:
        from choreomon.audit.rules import rules_of_run

        return rules_of_run(self.automaton, self.outcome)

    @property
    def events(self) -> int:
        return self.outcome.events

    @property
    def verdict(self) -> VerdictKind | None:
        return self.outcome.overall.kind

    @property
    def occurrences(self) -> Occurrences:
        return self.outcome.occurrences

    @property
    def mended(self) -> int:
        return self.diagnostics.counts["mended"]

    def page(self, name: str, facts: Sequence[tuple[str, str]]) -> str:
        from choreomon.files.lines_at import lines_at
        from choreomon.pages.audit_page import audit_page, places_shown

        told = self.diagnostics
        text = lines_at(places_shown(self.outcome))
        return audit_page(
            name,
            facts,
            self.automaton,
            self.outcome,
            self.rules,
            told.counts,
            told.first,
            made_with(),
            text,
        )

    def json(self) -> str:
        from choreomon.reports.audit_json import audit_json

        return audit_json(self.outcome, self.rules, self.diagnostics.counts, self.diagnostics.first)

    def cases(self, file: str, logs: str) -> Iterable[Case]:
        from choreomon.reports.junit import cases_of_audit

        return cases_of_audit(self.outcome, self.rules, file, logs)

    def findings(self, place: Place) -> Iterable[Finding]:
        from choreomon.properties.parts import first_about
        from choreomon.reports.findings import findings_of_audit

        return findings_of_audit(self.outcome, first_about(self.automaton), place)

    def show(self, screen: Console) -> None:
        _show(screen, self)


def _announcer(auditor: Auditor, output: AuditOutput) -> Callable[[], None]:
    """Prints the verdicts that were not printed yet."""
    from choreomon.cli.command_line.screen import print_indented, screens
    from choreomon.terminal.audit_text import verdict_lines

    screen, _ = screens()
    said = 0

    def say() -> None:
        nonlocal said
        for verdict in auditor.verdicts[said:]:
            with output.unprinted.kept():
                print_indented(screen, verdict_lines(verdict))
        said = len(auditor.verdicts)

    return say


def _show(screen: Console, found: _Found) -> None:
    from choreomon.cli.command_line.screen import print_indented
    from choreomon.core.verdict import VIOLATED
    from choreomon.sentences.wording import counted
    from choreomon.terminal.audit_text import (
        diagnostic_lines,
        gap_sentence,
        overall_text,
        strange_lines,
        verdict_lines,
    )

    outcome, strange = found.outcome, found.diagnostics
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
    for line in strange_lines(strange.first, SHOWN):
        screen.print(line, markup=False, soft_wrap=True)
    if strange.counts:
        screen.print(f"strange: {', '.join(diagnostic_lines(strange.counts))}", soft_wrap=True)
    print_indented(screen, overall_text(outcome, found.rules))
