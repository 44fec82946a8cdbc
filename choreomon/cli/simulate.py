"""`choreomon simulate`: run an application with its monitors in virtual time."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
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
    from choreomon.core.run import Run, RunVerdict
    from choreomon.core.verdict import Word
    from choreomon.formats.read import Document
    from choreomon.properties.tables import RulesName
    from choreomon.verify.verdict import Mode, Verdict
    from simulator.monitoring import StrategyName
    from simulator.observation import WindowsName
    from simulator.run import Simulation
    from simulator.world import Recorder

EXPLAINED: Final = 10
"""Verdicts of a single run that are explained on the screen."""

ANNOUNCED: Final = 50
"""Words of a single run that are printed as they are given."""

GRAVEST_FIRST: Final = ("violated", "possibly-violated", "withdrawn")

RUNS_WITH_EVENTS: Final = 5
"""Runs of each outcome whose events are kept for the report."""


@click.command("simulate")
@click.argument("file", type=click.Path())
@click.option("--seed", default=0, show_default=True, help="Seed of the first run.")
@click.option(
    "--runs",
    type=click.IntRange(min=1),
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
def command(
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
    from choreomon.cli.screen import screens
    from choreomon.formats.read import load_document
    from simulator.run import simulation

    document = load_document(file)
    prepared = simulation(document)
    verifying = run_logs(document, mode, windows)
    screen, errors = screens()
    for warning in document.warnings:
        errors.print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    if document.property is None:
        if report is not None:
            raise click.UsageError("--report needs a property: there is nothing to report without")
        errors.print(
            f"warning: {file}: no property: nothing is monitored",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )
    seeds = range(seed, seed + runs)
    _check_outputs(file, trace_directory, seeds, report)
    live = runs == 1 and not as_json
    outcome = _Outcome(errors, file)
    results = outcome.followed(
        _runs(
            prepared,
            seeds,
            strategy,
            rules,
            trace_directory,
            verifying,
            keep_events=not as_json or report is not None,
            screen=screen if live else None,
            progress=errors if runs > 1 and errors.is_terminal else None,
        )
    )
    if as_json:
        from choreomon.formats.results import runs_json_pieces

        kept = [] if report is None else [*results]
        for piece in runs_json_pieces(results if report is None else kept):
            sys.stdout.write(piece)
        sys.stdout.write("\n")
    else:
        kept = [*results]
        if document.property is not None:
            _show(screen, kept)
        else:
            _show_unmonitored(screen, kept)
        if verifying is not None:
            _show_verification(screen, kept, verifying)
    if report is not None:
        write(report, _page(document, kept, strategy, rules or prepared.rules, seed, verifying))
        if not as_json:
            screen.print(f"Report: {report}", markup=False, soft_wrap=True)
    return outcome.exit_code()


def _check_outputs(
    file: str, trace_directory: Path | None, seeds: range, report: Path | None
) -> None:
    """Before any work is done for them."""
    outputs = [] if report is None else [report]
    if trace_directory is not None:
        make_directory(trace_directory)
        outputs = [*(_trace_file(trace_directory, seed) for seed in seeds), *outputs]
    for output in outputs:
        check_not_read(output, (file,))
        check_writable(output)


class _Outcome:
    """What all runs come to, taken down as they pass."""

    def __init__(self, errors: Console, file: str) -> None:
        self._errors = errors
        self._file = file
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
                self._errors.print(
                    stopped(self._file, run), style="red", markup=False, soft_wrap=True
                )
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
    screen: Console | None,
    progress: Console | None,
) -> Iterator[Run]:
    from choreomon.render.summary import missed, worst_word
    from simulator.recording import each_of, tracing

    many = len(seeds) > 1
    kept: Counter[str] = Counter()
    for seed in _tracked(seeds, progress) if progress else seeds:
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
                on_word=_announcer(screen) if screen else None,
            )
        if verifying is not None and logbook is not None:
            run = replace(run, verification=verifying.verification(logbook, seed))
        outcome = "missed" if missed(run) else str(worst_word(run))
        kept[outcome] += 1
        if many and kept[outcome] > RUNS_WITH_EVENTS:
            run = replace(run, kept_events=())
        yield run


def _tracked(seeds: range, screen: Console) -> Iterator[int]:
    """The seeds, with a progress bar."""
    from rich.progress import Progress

    # The output is not the bar's to redirect: JSON is written while it is shown.
    with Progress(console=screen, transient=True, redirect_stdout=False) as bar:
        yield from bar.track(seeds, description="Running")


def _trace_file(directory: Path, seed: int) -> Path:
    return directory / f"run-{seed}.jsonl"


def stopped(file: str, run: Run) -> str:
    """What to say of a run that reached `network.max_events`."""
    from choreomon.core.errors import Problem

    # A run does not know where the document states its bound, nor whether it does.
    problem = Problem(
        file,
        0,
        "network.max_events",
        f"stopped after {run.events} events, with seed {run.seed}: raise it if the run should be "
        "longer, or look for handlers that send to each other without end",
    )
    return str(problem)


def _announcer(screen: Console) -> Callable[[RunVerdict], None]:
    """Says the words as they are given, in virtual time, each once: a monitor that finds
    other reasons for the same word gives it again. At most `ANNOUNCED` of them."""
    from choreomon.render.sentences import word_line

    said: dict[int, tuple[Word, tuple[str, ...], bool]] = {}
    lines = 0

    def announce(verdict: RunVerdict) -> None:
        nonlocal lines
        word = (verdict.verdict, verdict.silent, verdict.early)
        if lines > ANNOUNCED or said.get(verdict.event_index) == word:
            return
        said[verdict.event_index] = word
        lines += 1
        if lines > ANNOUNCED:
            screen.print(f"{'...':>12}  and so on")
        else:
            screen.print(word_line(verdict), soft_wrap=True)

    return announce


def _show_unmonitored(screen: Console, runs: list[Run]) -> None:
    from choreomon.render.wording import counted

    events = sum(run.events for run in runs)
    screen.print(
        f"{counted(len(runs), 'run')}, {counted(events, 'event')}: nothing was monitored",
        style="bold",
    )


def _show(screen: Console, runs: list[Run]) -> None:
    from choreomon.cli.screen import print_indented
    from choreomon.render.sentences import formed_text
    from choreomon.render.summary import headline
    from choreomon.render.text import runs_table, summary_table, verdict_text
    from choreomon.render.wording import counted

    if len(runs) > 1:
        screen.print(runs_table(runs))
    else:
        (run,) = runs
        explained = sorted(run.verdicts, key=_gravity)[:EXPLAINED]
        for verdict in sorted(explained, key=lambda verdict: verdict.event_index):
            screen.print()
            print_indented(screen, verdict_text(verdict, run.kept_events))
        if len(run.verdicts) > EXPLAINED:
            left = counted(len(run.verdicts) - EXPLAINED, "more verdict")
            screen.print(f"\n{left}, not graver than these: --json prints all")
        if run.verdicts:
            screen.print()
        screen.print(formed_text(run))
    screen.print(summary_table(runs))
    screen.print(headline(runs), style="bold", soft_wrap=True)


def _show_verification(screen: Console, runs: list[Run], verifying: RunLogs) -> None:
    """Of a single run whose logs do not fit also where their explanation breaks."""
    from rich.text import Text

    from choreomon.cli.screen import print_indented
    from choreomon.render.verification import passes, verification_headline

    if len(runs) == 1 and not passes(runs[0]):
        print_indented(screen, Text("\n".join(verifying.why())))
    screen.print(verification_headline(runs), style="bold")


def _gravity(verdict: RunVerdict) -> int:
    return GRAVEST_FIRST.index(verdict.verdict)


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
