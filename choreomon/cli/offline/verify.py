"""`choreomon verify`: do logs fit an interaction?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from choreomon.automata.centralized import MAX_STATES
from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.command_line.analysis_options import (
    analysis_of,
    analysis_options,
    any_method_option,
    strategy_option,
)
from choreomon.cli.command_line.clocks import clocks_of_logs
from choreomon.cli.command_line.examples import examples
from choreomon.cli.command_line.jobs import jobs_option, loss_told
from choreomon.cli.command_line.log_options import LOG_OPTIONS, LogChoices, log_options
from choreomon.cli.command_line.machine_reports import MachineReports, report_options
from choreomon.cli.command_line.option_groups import GroupedCommand
from choreomon.cli.command_line.options import taken
from choreomon.cli.command_line.seconds import Seconds
from choreomon.cli.command_line.writing import (
    WrittenPath,
    check_written,
    write,
)
from choreomon.cli.offline.protocol_options import SEARCHING, Protocol, protocol_options
from choreomon.cli.offline.sessions_options import (
    SESSIONS_ALONE,
    refuse_without_sessions,
    sessions_options,
)
from choreomon.cli.offline.verify_hints import say_hints

if TYPE_CHECKING:
    from choreomon.batch.question import Question, Source
    from choreomon.cli.command_line.log_options import LogReading
    from choreomon.cli.interactions.graphs import SearchPictures
    from choreomon.hibou.configuration import GraphicLogger
    from choreomon.multitrace.projection import Partition
    from choreomon.verify.outcome import Conclusion, Outcome, Tally
    from choreomon.verify.papers.options import Analysis

EXIT_CODES: Final[dict[Conclusion, int]] = {
    "bad input": BAD_INPUT,
    "failed": VIOLATION,
    "inconclusive": ONLY_POSSIBLE,
    "passed": NOTHING_FOUND,
}

EXPLAINED: Final = 10
"""Multi-traces that are explained on the screen, the worst of them."""


@click.command(
    "verify",
    cls=GroupedCommand,
    groups={
        "Results": ("explain", "as_json", "report", *MachineReports._fields),
        "Logs": (*LOG_OPTIONS, "clocks"),
        "Many sessions in one file (--sessions)": ("sessions", *SESSIONS_ALONE),
        "How it is decided": (*SEARCHING, "method", "max_states"),
        "Bounds": ("jobs", "budget", "memory"),
    },
    epilog=examples(
        ("choreomon verify -i order.hif logs", "Which runs fit? Each log may have stopped early."),
        (
            "choreomon verify -i order.hif --mode slice --explain logs/late.htf",
            "Logs may have begun late, too; and say what explains them.",
        ),
    ),
)
@click.argument("traces", metavar="TRACE...", nargs=-1, type=click.Path())
@protocol_options
@analysis_options
@any_method_option
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    help="Of --method centralized and semi-centralized: with more states the multi-trace is "
    f"Inconc. Default: {MAX_STATES:,}.",
)
@strategy_option
@click.option(
    "--colocated",
    "clocks",
    metavar="NAME,NAME",
    multiple=True,
    help="Of event logs: processes that share a clock. May be given several times.",
)
@jobs_option
@click.option(
    "--budget",
    type=Seconds(),
    help="Seconds for each multi-trace; what takes longer is Inconc. As many for --explain. "
    "Default: 60 for --explain; else none, but 0.5 for interactions nested more than 200 deep.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    help="Megabytes for each process; a decision that needs more is Inconc. Default: 1,000.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Say why: a run that explains the logs, or which action does not fit.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each multi-trace.")
@click.option("--report", type=WrittenPath(), help="Write one self-contained HTML page.")
@report_options
@log_options(session_key=False)
@sessions_options
@click.pass_context
def command(
    context: click.Context,
    /,
    traces: tuple[str, ...],
    clocks: tuple[str, ...],
    jobs: int,
    budget: float | None,
    memory: int | None,
    explain: bool,
    as_json: bool,
    report: Path | None,
    sessions: str | None,
    **choices: Any,
) -> int:
    """Verify the logs of distributed runs against an interaction, or against an automaton.

    What was recorded of one run is a multi-trace: a log for each clock. Each TRACE is a file with
    the logs of one run, or of several sessions, or a folder with such files: .htf, .json, and
    run-*.jsonl, the event logs that `choreomon simulate --trace` writes; or logs in another format
    (docs/logs.md). Where each machine has a file of its own, `choreomon join` makes one file of
    them. --sessions FILE is for many runs in one file.

    Exit codes: 0 all pass (Pass, WeakPass), 1 some fail, 2 bad usage or input, 3 some are not
    known (Inconc, WeakFail); of several the first of 2, 1, 3.
    """
    from choreomon.batch.bounds import MEMORY
    from choreomon.batch.question import Question

    protocol = Protocol.taken(context, choices)
    if sessions is not None:
        from choreomon.cli.offline.verify_sessions import verify_sessions

        return verify_sessions(context, sessions, protocol, choices)
    refuse_without_sessions(context)
    if not traces:
        raise click.UsageError("Missing argument 'TRACE...'.")
    logs = taken(LogChoices, choices).loaded()
    reports = taken(MachineReports, choices)
    for name in SESSIONS_ALONE:
        choices.pop(name, None)
    analysis, loggers = analysis_of(**choices)
    protocol.check(analysis.mode)
    given = _Given.read(traces, logs, clocks, protocol.signature)
    pictures = _pictures(analysis, loggers, given, protocol, choices["config"])
    check_written((report, *reports), (*protocol, choices["config"], *given.paths))
    question = Question(
        **protocol._asdict(),
        analysis=analysis,
        clocks=given.clocks,
        budget=budget,
        memory=memory or MEMORY,
        explain=explain or bool(reports.sarif or report),
        on_search=pictures,
    )
    telling = _Telling(protocol.file, question, as_json, explain, reports, report)
    tally = telling.told(_outcomes(question, given, jobs))
    say_hints(protocol.file, tally, budget)
    for place in pictures.folders if pictures is not None else ():
        click.echo(f"graphs drawn in {'this folder' if place == Path() else place}", err=True)
    return EXIT_CODES[tally.conclusion]


class _Given(NamedTuple):
    """The multi-traces to verify, with the `problems` of logs that could not be read."""

    paths: list[str]
    sources: list[Source]
    problems: list[tuple[str, str]]
    clocks: Partition

    @classmethod
    def read(
        cls,
        traces: tuple[str, ...],
        logs: LogReading,
        clocks: tuple[str, ...],
        signature: str | None,
    ) -> _Given:
        """Return the files of TRACE..., and the sessions in those that are logs."""
        from choreomon.cli.command_line.trace_files import trace_files

        paths = trace_files(traces)
        read = {path for path in paths if logs.is_log(path)}
        if not read and logs.choices.session_key is not None:
            raise click.UsageError("--session-key can only be used with --sessions, or with logs")
        groups = clocks_of_logs(clocks, paths, read)
        return cls(paths, *logs.sources(paths, read, groups, signature), groups)

    @property
    def names(self) -> list[str]:
        return [source if isinstance(source, str) else source[0] for source in self.sources]


def _pictures(
    analysis: Analysis,
    loggers: tuple[GraphicLogger, ...],
    given: _Given,
    protocol: Protocol,
    config: str | None,
) -> SearchPictures | None:
    if not loggers:
        return None
    from choreomon.cli.interactions.graphs import search_pictures

    return search_pictures(
        analysis,
        loggers,
        given.names,
        interaction=protocol.file,
        signature=protocol.signature,
        config=config,
    )


def _outcomes(question: Question, given: _Given, jobs: int) -> Iterator[Outcome]:
    """Judge each file; on a terminal the progress is shown with the errors."""
    from choreomon.batch.outcomes import outcomes
    from choreomon.cli.command_line.screen import is_terminal
    from choreomon.verify.outcome import Outcome

    try:
        found = outcomes(question, given.sources, jobs)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    for path, problem in given.problems:
        yield Outcome(path, question.analysis.mode, None, 0.0, problem=problem)
    if len(given.sources) > 1 and is_terminal(sys.stderr):
        from choreomon.cli.command_line.screen import screens, tracked

        found = tracked(found, screens()[1], "Verifying", len(given.sources))
    with loss_told():
        yield from found


@dataclass(frozen=True)
class _Telling:
    """Prints and writes outcomes; `protocol` is the file of the interaction, or of the
    automaton."""

    protocol: str
    question: Question
    as_json: bool
    explain: bool
    reports: MachineReports
    report: Path | None

    @property
    def _writes(self) -> bool:
        return self.reports.wanted or self.report is not None

    def told(self, outcomes: Iterator[Outcome]) -> Tally:
        """Print and write all of them: as soon as they are known what is wrong with files, and
        lines of JSON; all else at the end. Returns their tally."""
        from choreomon.cli.command_line.screen import Unprinted
        from choreomon.verify.outcome import Tally

        tally = Tally()
        kept: list[Outcome] = []
        unprinted = Unprinted(put_off=self._writes)
        for outcome in outcomes:
            tally.add(outcome)
            with unprinted.kept():
                self._tell(self._shown(outcome))
            if not self.as_json or self._writes:
                kept.append(outcome)
        try:  # first, since the reader of what is printed may leave
            self._write_reports(kept, tally)
        finally:
            if not self.as_json:
                _show([*map(self._shown, kept)], tally, self.question.analysis)
                for sentence in self._occurring(tally):
                    click.echo(sentence)
        unprinted.raise_kept()
        return tally

    def _occurring(self, tally: Tally) -> list[str]:
        """Sentences on actions that no log has, and on those that only logs have."""
        if not tally.unseen and not tally.strange:
            return []
        from choreomon.batch.judge import letters_of, read_protocol
        from choreomon.sentences.occurring_actions import occurring_sentences

        letters = letters_of(read_protocol(self.question)) if tally.unseen else ()
        return occurring_sentences(letters, tally.unseen or 0, tally.strange)

    def _shown(self, outcome: Outcome) -> Outcome:
        """Explained only where that was asked for: SARIF has explanations always."""
        return outcome if self.explain else outcome._replace(explanation=None)

    def _tell(self, outcome: Outcome) -> None:
        if outcome.answer is None:
            from choreomon.cli.command_line.screen import screens

            screens()[1].print(outcome.problem, style="red", markup=False, soft_wrap=True)
        if self.as_json:
            from choreomon.reports.outcome_json import outcome_line

            click.echo(outcome_line(outcome))

    def _write_reports(self, outcomes: list[Outcome], tally: Tally) -> None:
        if self.report is not None:
            self._write_page(self.report, outcomes, self._occurring(tally))
        if not self.reports.wanted:
            return
        from choreomon.core.recorded import Place
        from choreomon.reports.findings import findings_of_outcomes
        from choreomon.reports.junit import case_of_outcome

        self.reports.write(
            f"choreomon verify {self.protocol}",
            map(case_of_outcome, outcomes),
            findings_of_outcomes(outcomes, Place(self.protocol, 1)),
            [outcome.problem for outcome in outcomes if outcome.answer is None],
        )

    def _write_page(self, report: Path, outcomes: list[Outcome], told: list[str]) -> None:
        from choreomon.cli.command_line.made_with import made_with
        from choreomon.pages.verify_page import verify_page

        facts = (("interaction", self.protocol), ("mode", self.question.analysis.mode))
        write(report, verify_page(self.protocol, outcomes, facts, made_with(), told))


def _gravity(outcome: Outcome) -> int:
    return [*EXIT_CODES].index(outcome.conclusion)


def _show(outcomes: list[Outcome], tally: Tally, analysis: Analysis) -> None:
    from choreomon.cli.command_line.screen import print_bold, print_grid
    from choreomon.terminal.outcomes_grid import outcomes_grid, outcomes_headline

    print_grid(outcomes_grid(outcomes, vertices=analysis.search is not None))
    explained = [outcome for outcome in outcomes if outcome.explanation is not None]
    if explained:
        _explain(explained)
    print_bold(outcomes_headline(tally, analysis.mode))


def _explain(outcomes: list[Outcome]) -> None:
    """Print explanations, the worst outcomes first."""
    from choreomon.cli.command_line.screen import print_indented, screens
    from choreomon.terminal.outcomes import explanation_text

    screen, _ = screens()
    for outcome in sorted(outcomes, key=_gravity)[:EXPLAINED]:
        print_indented(screen, explanation_text(outcome))
    if len(outcomes) > EXPLAINED:
        screen.print(f"{len(outcomes) - EXPLAINED:,} more are not explained here: --json does")
