"""`choreomon simulate`: run an application with its monitors in virtual time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.given import refuse_given
from choreomon.cli.writing import (
    WrittenPath,
    check_not_read,
    check_writable,
    make_directory,
    opened,
    write,
)

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.cli.run_logs import RunLogs
    from choreomon.cli.screen import Unprinted
    from choreomon.core.run import Run, RunVerdict
    from choreomon.core.verdict import Word
    from choreomon.formats.read import Document
    from choreomon.properties.tables import RulesName
    from choreomon.verify.verdict import Mode, Verdict
    from simulator.monitoring import StrategyName
    from simulator.observation import WindowsName
    from simulator.run import Simulation
    from simulator.world import Recorder

MAX_RUNS: Final = 10**9

RUNS_WITH_EVENTS: Final = 5
"""Runs of each gravity whose events are kept for the report."""


@click.command("simulate")
@click.argument("file", type=click.Path())
@click.option("--seed", default=0, show_default=True, help="Seed of the first run.")
@click.option(
    "--runs",
    type=click.IntRange(1, MAX_RUNS),
    default=1,
    show_default=True,
    help="Number of runs; run i has the seed SEED + i.",
)
@click.option(
    "--strategy",
    type=click.Choice(["pull", "push", "central"]),
    default="pull",
    show_default=True,
    help="Who tells whom: monitors ask, monitors tell, one is told all.",
)
@click.option(
    "--rules",
    type=click.Choice(["sound", "paper"]),
    default=None,
    help="How monitors judge; default: as the document says.",
)
@click.option(
    "--trace",
    "trace_directory",
    type=WrittenPath(directory=True),
    help="Write the events of each run to run-<seed>.jsonl in this directory.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option(
    "--report",
    type=WrittenPath(),
    help="Write one self-contained HTML page.",
)
@click.option(
    "--verify",
    "mode",
    type=click.Choice(["accept", "test", "prefix", "multiprefix", "simulate", "slice"]),
    default=None,
    help="Verify the logs of each run against the document's interaction.",
)
@click.option(
    "--windows",
    type=click.Choice(["document", "whole", "multiprefix", "slice"]),
    default=None,
    help="With --verify, what of the logs is seen: what the document says (default), all, "
    "random beginnings of them, or random pieces.",
)
@click.pass_context
def command(
    context: click.Context,
    file: str,
    seed: int,
    runs: int,
    strategy: StrategyName,
    rules: RulesName | None,
    trace_directory: Path | None,
    as_json: bool,
    report: Path | None,
    mode: Mode | None,
    windows: WindowsName | None,
) -> int:
    """Run the application in FILE with its monitors, and say what they declare.

    Times are virtual. One seed gives one run, on every machine.
    """
    from choreomon.cli.run_logs import run_logs
    from choreomon.cli.run_output import announcer, print_json, show
    from choreomon.cli.screen import Unprinted, screens
    from choreomon.formats.read import load_document
    from simulator.run import simulation

    document = load_document(file)
    prepared = simulation(document)
    verifying = run_logs(document, mode, windows)
    screen, errors = screens()
    for warning in document.warnings:
        errors.print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    if document.property is None:
        refuse_given(context, ("strategy", "rules"), "with a property to monitor")
        if report is not None:
            raise click.UsageError("--report needs a property: there is nothing to report without")
        errors.print(
            f"warning: {file}: no property: nothing is monitored",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )
    seeds = range(seed, seed + runs)
    _check_outputs(document.inputs(), trace_directory, seeds, report)
    live = runs == 1 and not as_json
    unprinted = Unprinted(put_off=report is not None or trace_directory is not None)
    outcome = _Outcome(errors, document, unprinted)
    results = outcome.followed(
        _runs(
            prepared,
            seeds,
            strategy,
            rules,
            trace_directory,
            verifying,
            keep_events=not as_json or report is not None,
            on_word=announcer(screen, unprinted) if live else None,
            progress=errors if runs > 1 and errors.is_terminal else None,
        )
    )
    if as_json and report is None:
        print_json(results, unprinted)
    else:
        kept = [*results]
        try:  # first, since the reader of what is printed may leave
            if report is not None:
                used = rules or prepared.rules
                write(report, _page(document, kept, strategy, used, seed, verifying))
        finally:
            if as_json:
                print_json(kept, unprinted)
            else:
                show(screen, document, kept, verifying)
        if report is not None and not as_json:
            screen.print(f"Report: {report}", markup=False, soft_wrap=True)
    unprinted.raise_kept()
    return outcome.exit_code()


def _check_outputs(
    inputs: tuple[str, ...], trace_directory: Path | None, seeds: range, report: Path | None
) -> None:
    """Before any work is done for them. Raises `UsageError` where one is read, or is another
    one, and `ClickException` where one cannot be written."""
    traces: list[Path] = []
    if trace_directory is not None:
        make_directory(trace_directory)
        traces = [_trace_file(trace_directory, seed) for seed in seeds]
    for trace in traces:
        check_not_read(trace, inputs)
        check_writable(trace)
    if report is not None:
        check_not_read(report, inputs)
        check_writable(report)
        if os.path.realpath(report) in map(os.path.realpath, traces):
            raise click.UsageError(f"{report}: is a trace of these runs, too: write another file")


class _Outcome:
    """What all runs come to, taken down as they pass."""

    def __init__(self, errors: Console, document: Document, unprinted: Unprinted) -> None:
        self._errors = errors
        self._document = document
        self._unprinted = unprinted
        self._words: set[Word] = set()
        self._logs: set[Verdict] = set()
        self._stopped = False

    def followed(self, runs: Iterable[Run]) -> Iterator[Run]:
        from choreomon.render.verification import verdict_of

        for run in runs:
            self._words.update(verdict.verdict for verdict in run.verdicts)
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
    prepared: Simulation,
    seeds: range,
    strategy: StrategyName,
    rules: RulesName | None,
    trace_directory: Path | None,
    verifying: RunLogs | None,
    *,
    keep_events: bool,
    on_word: Callable[[RunVerdict], None] | None,
    progress: Console | None,
) -> Iterator[Run]:
    from choreomon.cli.screen import tracked
    from choreomon.render.summary import gravity
    from simulator.recording import each_of, tracing

    many = len(seeds) > 1
    kept: Counter[int] = Counter()
    for seed in tracked(seeds, progress, "Running", len(seeds)) if progress else seeds:
        with ExitStack() as stack:
            recorders: list[Recorder] = []
            if trace_directory is not None:
                sink = stack.enter_context(opened(_trace_file(trace_directory, seed)))
                recorders.append(tracing(sink, prepared.application.processes))
            logbook = None if verifying is None else verifying.logbook()
            if logbook is not None:
                recorders.append(logbook.record)
            run = prepared.run(
                seed,
                strategy=strategy,
                rules=rules,
                recorder=each_of(*recorders) if recorders else None,
                keep_events=keep_events,
                on_word=on_word,
            )
        if verifying is not None and logbook is not None:
            run = replace(run, verification=verifying.verification(logbook, seed))
        how_grave = gravity(run)
        kept[how_grave] += 1
        if many and kept[how_grave] > RUNS_WITH_EVENTS:
            run = replace(run, kept_events=())
        yield run


def _trace_file(directory: Path, seed: int) -> Path:
    return directory / f"run-{seed}.jsonl"


def stopped(document: Document, run: Run) -> str:
    """What to say of a run that reached `network.max_events`."""
    from choreomon.core.errors import Problem

    problem = Problem(
        document.file,
        document.max_events_line,
        "network.max_events",
        f"stopped after {run.events} events, with seed {run.seed}: raise it if the run should be "
        "longer, or look for handlers that send to each other without end",
    )
    return str(problem)


def _page(
    document: Document,
    runs: list[Run],
    strategy: str,
    rules: RulesName,
    seed: int,
    verifying: RunLogs | None,
) -> str:
    from choreomon.properties.tables import transition_tables
    from choreomon.render.report import report_page

    assert document.property is not None
    automaton = document.property.automaton
    facts = [
        ("document", document.file),
        ("strategy", strategy),
        ("rules", rules),
        ("seeds", str(seed) if len(runs) == 1 else f"{seed} to {seed + len(runs) - 1}"),
    ]
    interaction = None
    if verifying is not None:
        interaction = verifying.interaction
        facts += [("verified, mode", verifying.mode), ("logs seen", verifying.windows)]
    tables = transition_tables(automaton, document.processes, rules)
    return report_page(
        document.name,
        facts,
        automaton,
        runs,
        tables=[table for table in tables.values() if table.rows],
        interaction=interaction,
    )
