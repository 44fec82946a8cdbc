"""Output of audits: files, the screen, and the exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.command_line.machine_reports import MachineReports
from choreomon.cli.command_line.rule_options import gravest
from choreomon.cli.command_line.screen import Unprinted, screens
from choreomon.cli.command_line.writing import check_written, write
from choreomon.core.recorded import Place
from choreomon.core.stated_rule import SEVERITIES, Severity
from choreomon.core.verdict import POSSIBLY_VIOLATED, VIOLATED

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.audit.occurrences import Occurrences
    from choreomon.audit.rules import RuleResult
    from choreomon.core.verdict import VerdictKind
    from choreomon.documents.read import Document
    from choreomon.properties.automaton import SequenceAutomaton
    from choreomon.reports.junit import Case
    from choreomon.reports.sarif import Finding

PROBLEMS: Final = 10
"""Problems that are shown on the screen."""


class Found(Protocol):
    """The result of an audit, of one run or of many sessions. `problems` are the first reasons why
    some of them, `unjudged`, could not be judged."""

    @property
    def events(self) -> int: ...
    @property
    def verdict(self) -> VerdictKind | None: ...
    @property
    def occurrences(self) -> Occurrences: ...
    @property
    def mended(self) -> int:
        """The number of events that were wrong and were mended."""

    @property
    def problems(self) -> tuple[str, ...]: ...
    @property
    def unjudged(self) -> int: ...
    @property
    def rules(self) -> Sequence[RuleResult]: ...

    def page(self, name: str, facts: Sequence[tuple[str, str]]) -> str:
        """The HTML page about it."""

    def json(self) -> str:
        """The text of `--json`."""

    def cases(self, file: str, logs: str) -> Iterable[Case]:
        """Test cases of a property in this file."""

    def findings(self, place: Place) -> Iterable[Finding]:
        """Findings, with the place of the property."""

    def show(self, screen: Console) -> None:
        """Prints it for people."""


@dataclass(frozen=True)
class AuditOutput:
    """Writes and prints the result of an audit; the document says the property. `strict`: a label
    that occurs nowhere is bad input. `fail_on`: rules that are less severe are no failure."""

    document: Document
    logs: tuple[str, ...]
    as_json: bool
    report: Path | None
    reports: MachineReports
    strict: bool
    fail_on: Severity = SEVERITIES[-1]

    @cached_property
    def unprinted(self) -> Unprinted:
        """Keeps errors of printing."""
        return Unprinted(put_off=self.report is not None or self.reports.wanted)

    @property
    def automaton(self) -> SequenceAutomaton:
        """The property. Raises `UsageError` for a document without one."""
        if self.document.property is None:
            raise click.UsageError(f"{self.document.file}: has no property: nothing is forbidden")
        return self.document.property.automaton

    def check(self) -> None:
        """Check files to write as `check_written` does."""
        check_written((self.report, *self.reports), (*self.document.inputs(), *self.logs))

    def warn(self) -> None:
        """Prints the warnings about the document."""
        for warning in self.document.warnings:
            screens()[1].print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)

    def put(self, found: Found) -> int:
        """Writes and prints what was found; the exit code. Files come first, since the reader of
        what is printed may leave."""
        from choreomon.sentences.wording import counted

        screen, errors = screens()
        try:
            self._write(found)
        finally:
            with self.unprinted.kept():
                if self.as_json:
                    click.echo(found.json())
                else:
                    found.show(screen)
                    if self.report is not None:
                        screen.print(f"Report: {self.report}", markup=False, soft_wrap=True)
        self.unprinted.raise_kept()
        for problem in found.problems[:PROBLEMS]:
            errors.print(problem, markup=False, soft_wrap=True)
        if (more := found.unjudged - PROBLEMS) > 0:
            errors.print(f"and {more:,} more sessions that could not be judged")
        if not found.events:
            errors.print("no event was understood in these logs", style="red", soft_wrap=True)
        if self.strict and found.mended:
            errors.print(f"--strict: {counted(found.mended, 'event')} had to be mended")
        if self.strict and (found.mended or found.occurrences.nowhere()):
            return BAD_INPUT
        if not found.events or found.unjudged:
            return BAD_INPUT
        verdict = found.verdict
        if verdict is not None and self.automaton.rules:
            words = gravest(((rule.stated, rule.word) for rule in found.rules), self.fail_on)
            verdict = next((each for each in (VIOLATED, POSSIBLY_VIOLATED) if each in words), None)
        if verdict is None:
            return NOTHING_FOUND
        return VIOLATION if verdict == VIOLATED else ONLY_POSSIBLE

    def _write(self, found: Found) -> None:
        document, logs = self.document, ", ".join(self.logs)
        if self.report is not None:
            facts = [("property", document.file), ("logs", logs)]
            write(self.report, found.page(document.name, facts))
        if self.reports.wanted:
            self.reports.write(
                f"choreomon audit {document.name}",
                found.cases(document.file, logs),
                found.findings(Place(document.file, document.property_line)),
                found.problems,
            )
