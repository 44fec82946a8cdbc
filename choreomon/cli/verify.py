"""`choreomon verify`: do logs fit an interaction?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.automata.centralized import MAX_STATES
from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.analysis_options import (
    analysis_of,
    analysis_options,
    any_method_option,
    strategy_option,
)
from choreomon.cli.clocks import clocks_of_logs
from choreomon.cli.examples import examples
from choreomon.cli.explicit_options import refuse_explicit
from choreomon.cli.jobs import jobs_option, loss_told
from choreomon.cli.log_options import LOG_OPTIONS, LogChoices, log_options
from choreomon.cli.machine_reports import MachineReports, report_options
from choreomon.cli.seconds import Seconds
from choreomon.cli.sessions_options import (
    SESSIONS_ALONE,
    refuse_without_sessions,
    sessions_options,
)
from choreomon.cli.verify_hints import say_hints

if TYPE_CHECKING:
    from choreomon.batch.question import Question, Source
    from choreomon.cli.graphs import SearchPictures
    from choreomon.verify.outcome import Conclusion, Outcome, Tally
    from choreomon.verify.verdict import Mode

EXIT_CODES: Final[dict[Conclusion, int]] = {
    "bad input": BAD_INPUT,
    "failed": VIOLATION,
    "inconclusive": ONLY_POSSIBLE,
    "passed": NOTHING_FOUND,
}

SEARCHING: Final = (
    *("config", "por", "paper_por", "local", "local_on", "whole_graph", "strategy"),
)
"""Options about a search of interactions."""

EXPLAINED: Final = 10
"""Multi-traces that are explained on the screen, the worst of them."""


@click.command(
    "verify",
    epilog=examples(
        ("choreomon verify -i order.hif logs", "Which runs fit? Each log may have stopped early."),
        (
            "choreomon verify -i order.hif --mode slice --explain logs/late.htf",
            "Logs may have begun late, too; and say what explains them.",
        ),
    ),
)
@click.argument("traces", metavar="TRACE...", nargs=-1, type=click.Path())
@click.option(
    "--interaction",
    "-i",
    type=click.Path(),
    help="What should happen: a .hif, .hsf, .json, .mmd (Mermaid) or .puml (PlantUML) file, or a "
    "document (.yaml) that states it.",
)
@click.option(
    "--automaton",
    type=click.Path(),
    help="What should happen, instead: an automaton, .json or .timbuk.",
)
@click.option(
    "--locations",
    type=click.Path(),
    help="Of an automaton whose letters are no actions: a .json file that says where they are.",
)
@click.option(
    "--signature",
    "-s",
    type=click.Path(),
    help="Which lifelines and messages there are: a .hsf or .json file. Others are bad input.",
)
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
@report_options
@log_options(session_key=False)
@sessions_options
@click.pass_context
def command(
    context: click.Context,
    /,
    traces: tuple[str, ...],
    interaction: str | None,
    automaton: str | None,
    locations: str | None,
    signature: str | None,
    clocks: tuple[str, ...],
    jobs: int,
    budget: float | None,
    memory: int | None,
    explain: bool,
    as_json: bool,
    junit: Path | None,
    sarif: Path | None,
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
    protocol = _protocol(context, interaction, automaton, locations)
    if sessions is not None:
        from choreomon.cli.verify_sessions import verify_sessions

        refuse_explicit(context, LOG_OPTIONS, "without --sessions")
        for name in LOG_OPTIONS:
            del choices[name]
        return verify_sessions(
            context,
            sessions=sessions,
            interaction=interaction,
            automaton=automaton,
            locations=locations,
            signature=signature,
            clocks=clocks,
            jobs=jobs,
            budget=budget,
            memory=memory,
            as_json=as_json,
            choices=choices,
        )
    refuse_without_sessions(context)
    if not traces:
        raise click.UsageError("Missing argument 'TRACE...'.")
    from choreomon.batch import bounds
    from choreomon.batch.question import Question
    from choreomon.cli.trace_files import trace_files

    logs = LogChoices.taken(choices).loaded()
    for name in SESSIONS_ALONE:
        choices.pop(name, None)
    analysis, loggers = analysis_of(**choices)
    if automaton is not None:
        _check_mode(analysis.mode)
    paths = trace_files(traces)
    read = {path for path in paths if logs.is_log(path)}
    if not read and logs.choices.session_key is not None:
        raise click.UsageError("--session-key can only be used with --sessions, or with logs")
    groups = clocks_of_logs(clocks, paths, read)
    config: str | None = choices["config"]
    sources, problems = logs.sources(paths, read, groups, signature)
    names = [source if isinstance(source, str) else source[0] for source in sources]
    pictures: SearchPictures | None = None
    if loggers:
        from choreomon.cli.graphs import search_pictures

        pictures = search_pictures(
            analysis, loggers, names, interaction=protocol, signature=signature, config=config
        )
    reports = MachineReports(junit, sarif)
    reports.check((protocol, locations, signature, config, *paths))
    question = Question(
        interaction=interaction,
        automaton=automaton,
        locations=locations,
        signature=signature,
        analysis=analysis,
        clocks=groups,
        budget=budget,
        memory=bounds.MEMORY if memory is None else memory,
        explain=explain or sarif is not None,
        on_search=pictures,
    )
    found = _outcomes(question, sources, problems, jobs)
    tally = _Telling(protocol, analysis.mode, as_json, explain, reports).told(
        found, searched=analysis.search is not None
    )
    say_hints(protocol, tally, budget)
    for place in pictures.folders if pictures is not None else ():
        click.echo(f"graphs drawn in {'this folder' if place == Path() else place}", err=True)
    return EXIT_CODES[tally.conclusion]


def _protocol(
    context: click.Context, interaction: str | None, automaton: str | None, locations: str | None
) -> str:
    """The file that says what should happen. Raises `UsageError` where there is none or two, and
    for options that do nothing with it."""
    if (interaction is None) is (automaton is None):
        raise click.UsageError(
            "say what should happen: by --interaction FILE or by --automaton FILE, one of the two"
        )
    if interaction is not None:
        refuse_explicit(context, ("locations",), "with --automaton")
        return interaction
    refuse_explicit(context, SEARCHING, "with --interaction")
    if context.params["method"] in ("removal", "search"):
        method = context.params["method"]
        raise click.UsageError(f"--method {method} can only be used with --interaction")
    assert automaton is not None
    return automaton


def _check_mode(mode: Mode) -> None:
    """Raises `BadParameter` for a mode that automata do not answer."""
    from choreomon.verify.automaton_verifier import automaton_mode

    try:
        automaton_mode(mode)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--mode") from None


def _outcomes(
    question: Question,
    sources: list[Source],
    problems: list[tuple[str, str]],
    jobs: int,
) -> Iterator[Outcome]:
    """What becomes of each file; where the errors go to a terminal it says how far it is."""
    from choreomon.batch.outcomes import outcomes
    from choreomon.cli.screen import is_terminal
    from choreomon.verify.outcome import Outcome

    try:
        found = outcomes(question, sources, jobs)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    for path, problem in problems:
        yield Outcome(path, question.analysis.mode, None, 0.0, problem=problem)
    if len(sources) > 1 and is_terminal(sys.stderr):
        from choreomon.cli.screen import screens, tracked

        found = tracked(found, screens()[1], "Verifying", len(sources))
    with loss_told():
        yield from found


@dataclass(frozen=True)
class _Telling:
    """Where outcomes are printed and written; `protocol` is the file of the interaction, or of the
    automaton."""

    protocol: str
    mode: Mode
    as_json: bool
    explain: bool
    reports: MachineReports

    def told(self, outcomes: Iterator[Outcome], *, searched: bool) -> Tally:
        """All of them, counted: as soon as they are known what is wrong with files, and lines of
        JSON; all else at the end."""
        from choreomon.cli.screen import Unprinted
        from choreomon.verify.outcome import Tally

        tally = Tally()
        kept: list[Outcome] = []
        unprinted = Unprinted(put_off=self.reports.wanted)
        for outcome in outcomes:
            tally.add(outcome)
            with unprinted.kept():
                self._tell(self._shown(outcome))
            if not self.as_json or self.reports.wanted:
                kept.append(outcome)
        try:  # first, since the reader of what is printed may leave
            self._write_reports(kept)
        finally:
            if not self.as_json:
                _show([*map(self._shown, kept)], tally, self.mode, searched=searched)
        unprinted.raise_kept()
        return tally

    def _shown(self, outcome: Outcome) -> Outcome:
        """Explained only where that was asked for: SARIF has explanations always."""
        return outcome if self.explain else outcome._replace(explanation=None)

    def _tell(self, outcome: Outcome) -> None:
        if outcome.answer is None:
            from choreomon.cli.screen import screens

            screens()[1].print(outcome.problem, style="red", markup=False, soft_wrap=True)
        if self.as_json:
            from choreomon.formats.outcome_json import outcome_line

            click.echo(outcome_line(outcome))

    def _write_reports(self, outcomes: list[Outcome]) -> None:
        if not self.reports.wanted:
            return
        from choreomon.core.recorded import Place
        from choreomon.formats.findings import findings_of_outcomes
        from choreomon.formats.junit import case_of_outcome

        self.reports.write(
            f"choreomon verify {self.protocol}",
            map(case_of_outcome, outcomes),
            findings_of_outcomes(outcomes, Place(self.protocol, 1)),
            [outcome.problem for outcome in outcomes if outcome.answer is None],
        )


def _gravity(outcome: Outcome) -> int:
    return [*EXIT_CODES].index(outcome.conclusion)


def _show(outcomes: list[Outcome], tally: Tally, mode: Mode, *, searched: bool) -> None:
    from choreomon.cli.screen import print_bold, print_grid
    from choreomon.render.outcomes_grid import outcomes_grid, outcomes_headline

    print_grid(outcomes_grid(outcomes, vertices=searched))
    explained = [outcome for outcome in outcomes if outcome.explanation is not None]
    if explained:
        _explain(explained)
    print_bold(outcomes_headline(tally, mode))


def _explain(outcomes: list[Outcome]) -> None:
    """Those that have an explanation, the worst of them first."""
    from choreomon.cli.screen import print_indented, screens
    from choreomon.render.outcomes import explanation_text

    screen, _ = screens()
    for outcome in sorted(outcomes, key=_gravity)[:EXPLAINED]:
        print_indented(screen, explanation_text(outcome))
    if len(outcomes) > EXPLAINED:
        screen.print(f"{len(outcomes) - EXPLAINED:,} more are not explained here: --json does")
