"""Common ground of `choreomon simulate` and `choreomon run`: options, files, what is printed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.machine_reports import MachineReports, report_options
from choreomon.cli.command_line.options import added
from choreomon.cli.command_line.rule_options import gravest, rule_options
from choreomon.cli.command_line.writing import (
    WrittenPath,
    check_written,
    make_directory,
    opened,
    write,
)
from choreomon.cli.simulation.monitor_options import rules_option
from choreomon.cli.simulation.run_page import RunPage
from choreomon.core.stated_rule import Severity
from choreomon.verify.verdict import MODES

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.cli.command_line.screen import Unprinted
    from choreomon.cli.simulation.run_logs import RunLogs
    from choreomon.core.roles import Roles
    from choreomon.core.run import Run, RunEvent
    from choreomon.documents.read import Document
    from choreomon.properties.exercising import Exercising
    from choreomon.properties.tables import RulesName
    from choreomon.verify.verdict import Mode, Verdict
    from simulator.observation import WindowsName

MAX_RUNS: Final = 10**9

RUNS_WITH_EVENTS: Final = 5
"""Runs of each gravity, and with verdicts of each kind, whose events are kept for the report."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options that both commands have."""

    seed: int
    runs: int
    rules: RulesName | None
    trace_directory: Path | None
    verbose: bool
    as_json: bool
    report: Path | None
    junit: Path | None
    sarif: Path | None
    mode: Mode | None
    windows: WindowsName | None
    rule: tuple[str, ...]
    fail_on: Severity

    @property
    def reports(self) -> MachineReports:
        return MachineReports(self.junit, self.sarif)

    @property
    def seeds(self) -> range:
        return range(self.seed, self.seed + self.runs)


_FIRST: Final = (
    click.option("--seed", default=0, show_default=True, help="Seed of the first run."),
    click.option(
        "--runs",
        type=click.IntRange(1, MAX_RUNS),
        default=1,
        show_default=True,
        help="Number of runs; run i has the seed SEED + i.",
    ),
)
_LAST: Final = (
    rules_option("How monitors judge; default: as the document says."),
    click.option(
        "--trace",
        "trace_directory",
        type=WrittenPath(directory=True),
        help="Write the events of each run to run-<seed>.jsonl in this directory.",
    ),
    click.option(
        "--verbose",
        is_flag=True,
        help="Name the states of the property's automaton where verdicts are explained, and print "
        "all figures. States of a property that was written as an automaton are always named.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else."),
    click.option(
        "--report",
        type=WrittenPath(),
        help="Write one self-contained HTML page.",
    ),
    report_options,
    rule_options,
    click.option(
        "--verify",
        "mode",
        type=click.Choice(MODES),
        default=None,
        help="Verify the logs of each run against the document's interaction.",
    ),
    click.option(
        "--windows",
        type=click.Choice(["document", "whole", "multiprefix", "slice"]),
        default=None,
        help="With --verify, how much of the logs is seen: what the document says (default), all, "
        "random beginnings of them, or random pieces.",
    ),
)


def first_options(command: _Command) -> _Command:
    """Add the options that say which runs: `seed` and `runs` of `RunOptions`."""
    return added(*_FIRST)(command)


def last_options(command: _Command) -> _Command:
    """Add the rest of the options of `RunOptions`: the output that is wanted."""
    return added(*_LAST)(command)


Announce = Callable[..., None]
"""Prints a verdict as soon as it is given. Announcer and runner agree on the arguments."""


class Runner(Protocol):
    """Makes runs of one document. `facts`: names and values that say how, for the report; `rules`:
    those of the monitors. `monitoring_options`: parameters of the command that say nothing where
    nothing is monitored; `files`: what a run with this seed writes besides what every run may."""

    @property
    def facts(self) -> list[tuple[str, str]]: ...

    @property
    def rules(self) -> RulesName: ...

    @property
    def monitoring_options(self) -> tuple[str, ...]: ...

    def files(self, seed: int) -> tuple[Path, ...]: ...

    def run(
        self,
        seed: int,
        *,
        recorder: Callable[[RunEvent], None] | None,
        keep_events: bool,
        announce: Announce | None,
    ) -> Run:
        """Run once."""

    def announcer(self, screen: Console, unprinted: Unprinted) -> Announce:
        """Make what prints verdicts on the screen."""


def carry_out(
    context: click.Context,
    document: Document,
    asked: RunOptions,
    runner: Runner,
    processes: tuple[str, ...],
) -> int:
    """Carry out all runs, one after the other, and print and write everything about them; return
    the exit code. `processes` are those of the document's application."""
    from choreomon.cli.command_line.screen import Unprinted, screens
    from choreomon.cli.simulation.run_logs import run_logs

    if asked.as_json:
        refuse_explicit(context, ["verbose"], "without --json, which names them always")
    verifying = run_logs(document, asked.mode, asked.windows)
    screen, errors = screens()
    for warning in document.warnings:
        _print_warning(errors, str(warning))
    if document.property is None:
        monitoring = (*runner.monitoring_options, "verbose")
        refuse_explicit(context, monitoring, "with a property to monitor")
        if asked.report is not None:
            raise click.UsageError("--report needs a property: there is nothing to report without")
        _print_warning(errors, f"{document.file}: no property: nothing is monitored")
    _check_outputs(document.inputs(), asked, runner)
    live = asked.runs == 1 and not asked.as_json
    written = (asked.report, asked.trace_directory, asked.junit, asked.sarif)
    unprinted = Unprinted(put_off=any(path is not None for path in written))
    outcome = _Outcome(errors, document, unprinted, asked.fail_on)
    runs = _runs(
        runner,
        asked,
        processes,
        verifying,
        document,
        announce=runner.announcer(screen, unprinted) if live else None,
        progress=errors if asked.runs > 1 and errors.is_terminal else None,
    )
    page = RunPage(document, runner, asked.seed, verifying)
    _tell(outcome.followed(runs), page, asked, screen, unprinted)
    unprinted.raise_kept()
    return outcome.exit_code()


def _print_warning(errors: Console, text: str) -> None:
    errors.print(f"warning: {text}", style="yellow", markup=False, soft_wrap=True)


def _tell(
    results: Iterator[Run],
    page: RunPage,
    asked: RunOptions,
    screen: Console,
    unprinted: Unprinted,
) -> None:
    """Prints what came of the runs, and writes the report where there is to be one."""
    from choreomon.cli.simulation.run_output import print_json, show

    report = asked.report
    if asked.as_json and report is None and not asked.reports.wanted:
        print_json(results, unprinted)
        return
    kept = [*results]
    try:  # first, since the reader of what is printed may leave
        if report is not None:
            write(report, page.of(kept))
        _write_reports(asked.reports, page.document, kept)
    finally:
        if asked.as_json:
            print_json(kept, unprinted)
        else:
            show(screen, page.document, kept, page.verifying, verbose=asked.verbose)
    if report is not None and not asked.as_json:
        screen.print(f"Report: {report}", markup=False, soft_wrap=True)


def _write_reports(reports: MachineReports, document: Document, runs: list[Run]) -> None:
    if not reports.wanted:
        return
    from choreomon.core.recorded import Place
    from choreomon.reports.findings import findings_of_runs
    from choreomon.reports.junit import cases_of_run

    automaton = None if document.property is None else document.property.automaton
    rules = [] if automaton is None else [stated for stated, _ in automaton.rules]
    reports.write(
        f"choreomon {document.name}",
        (case for run in runs for case in cases_of_run(run, document.file, rules)),
        findings_of_runs(runs, Place(document.file, document.property_line)),
        [stopped(document, run) for run in runs if run.reached_max_events],
    )


def _check_outputs(inputs: tuple[str, ...], asked: RunOptions, runner: Runner) -> None:
    """Check before any work is done. Raises `UsageError` where one is read, or is another one, and
    `ClickException` where one cannot be written."""
    traces: list[Path] = []
    if asked.trace_directory is not None:
        make_directory(asked.trace_directory)
        for seed in asked.seeds:
            traces += [_trace_file(asked.trace_directory, seed), *runner.files(seed)]
    check_written(traces, inputs)
    report = asked.report
    check_written((*asked.reports, report), inputs)
    if report is not None and os.path.realpath(report) in map(os.path.realpath, traces):
        raise click.UsageError(f"{report}: is a trace of these runs, too: write another file")


class _Outcome:
    """The result of all runs, taken down as they pass."""

    def __init__(
        self, errors: Console, document: Document, unprinted: Unprinted, fail_on: Severity
    ) -> None:
        self._errors = errors
        self._document = document
        self._unprinted = unprinted
        self._fail_on = fail_on
        self._words: set[str] = set()
        self._logs: set[Verdict] = set()
        self._stopped = False

    def followed(self, runs: Iterable[Run]) -> Iterator[Run]:
        from choreomon.sentences.verification import verdict_of

        for run in runs:
            about = ((verdict.rule, verdict.verdict) for verdict in run.verdicts)
            self._words |= gravest(about, self._fail_on)
            if run.verification is not None:
                self._logs.add(verdict_of(run.verification))
            if run.reached_max_events:
                self._stopped = True
                said = stopped(self._document, run)
                with self._unprinted.kept():
                    self._errors.print(said, style="red", markup=False, soft_wrap=True)
            yield run

    def exit_code(self) -> int:
        if self._stopped:
            return BAD_INPUT
        unknown = {verdict for verdict in self._logs if verdict.inconclusive}
        failed = {verdict for verdict in self._logs - unknown if not verdict.passes}
        if failed or "violated" in self._words:
            return VIOLATION
        return ONLY_POSSIBLE if unknown or "possibly-violated" in self._words else NOTHING_FOUND


def _runs(
    runner: Runner,
    asked: RunOptions,
    processes: tuple[str, ...],
    verifying: RunLogs | None,
    document: Document,
    *,
    announce: Announce | None,
    progress: Console | None,
) -> Iterator[Run]:
    from choreomon.cli.command_line.screen import tracked
    from choreomon.properties.exercising import Exercising
    from choreomon.properties.progress import rules_of
    from choreomon.sentences.run_findings import kinds_in
    from choreomon.sentences.summary import gravity
    from simulator.recording import each_of, tracing

    seeds, stated = asked.seeds, document.property
    rules = () if stated is None else rules_of(stated.automaton)
    roles = document.replicas.roles
    kept: Counter[object] = Counter()
    for seed in tracked(seeds, progress, "Running", len(seeds)) if progress else seeds:
        with ExitStack() as stack:
            recorders: list[Callable[[RunEvent], None]] = []
            if asked.trace_directory is not None:
                sink = stack.enter_context(opened(_trace_file(asked.trace_directory, seed)))
                recorders.append(tracing(sink, processes))
            logbook = None if verifying is None else verifying.logbook()
            if logbook is not None:
                recorders.append(logbook.record)
            exercising = None
            if stated is not None:
                exercising = Exercising(stated.automaton, rules, stated.parameters)
                recorders.append(partial(_take_label, exercising, roles))
            run = runner.run(
                seed,
                recorder=each_of(*recorders),
                keep_events=not asked.as_json or asked.report is not None or asked.reports.wanted,
                announce=announce,
            )
        if verifying is not None and logbook is not None:
            run = replace(run, verification=verifying.verification(logbook, seed))
        if exercising is not None:
            run = replace(run, exercise=exercising.found())
        kinds: set[object] = {gravity(run), *kinds_in(run)}
        kept.update(kinds)
        if len(seeds) > 1 and min(kept[kind] for kind in kinds) > RUNS_WITH_EVENTS:
            run = replace(run, kept_events=(), kept_messages=())
        yield run


def _take_label(exercising: Exercising, roles: Roles, event: RunEvent) -> None:
    exercising.add(roles.of_roles(event.label) if roles else event.label, event.values)


def _trace_file(directory: Path, seed: int) -> Path:
    return directory / f"run-{seed}.jsonl"


def stopped(document: Document, run: Run) -> str:
    """A sentence about a run that reached `network.max_events`."""
    from choreomon.core.errors import Problem

    problem = Problem(
        document.file,
        document.max_events_line,
        "network.max_events",
        f"stopped after {run.events} events, with seed {run.seed}: raise it if the run should be "
        "longer, or look for handlers that send to each other without end",
    )
    return str(problem)
