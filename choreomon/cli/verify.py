"""`choreomon verify`: do logs fit an interaction?"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.analysis_options import analysis_of, analysis_options, strategy_option
from choreomon.cli.clocks import shared_clocks
from choreomon.cli.pictures import check_picture
from choreomon.cli.processes import jobs_option
from choreomon.cli.seconds import Seconds
from choreomon.cli.writing import (
    WrittenPath,
    check_not_read,
    check_writable,
    make_directory,
    write,
)

if TYPE_CHECKING:
    from rich.console import Console

    from choreomon.cli.analysis_options import Analysis
    from choreomon.verify.outcome import Conclusion, Outcome, Tally

EXIT_CODES: Final[dict[Conclusion, int]] = {
    "bad input": BAD_INPUT,
    "failed": VIOLATION,
    "inconclusive": ONLY_POSSIBLE,
    "passed": NOTHING_FOUND,
}

EXPLAINED: Final = 10
"""Multi-traces that are explained on the screen, the worst of them."""


@click.command("verify")
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--interaction",
    "-i",
    required=True,
    type=click.Path(),
    help="What should happen: a .hif, .hsf or .json file, or a document (.yaml) that states it.",
)
@click.option(
    "--signature",
    "-s",
    type=click.Path(),
    help="Which lifelines and messages there are: a .hsf or .json file. Others are bad input.",
)
@analysis_options
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
    "Default: none, but 0.5 for interactions that are nested more than 200 deep.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    help="Megabytes for each process; where they are used up, the rest is Inconc.",
)
@click.option("--explain", is_flag=True, help="Show a witness, or where the explanation breaks.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each multi-trace.")
@click.option("--junit", type=WrittenPath(), help="Write the results as JUnit XML, too.")
def command(
    traces: tuple[str, ...],
    interaction: str,
    signature: str | None,
    clocks: tuple[str, ...],
    jobs: int,
    budget: float | None,
    memory: int | None,
    explain: bool,
    as_json: bool,
    junit: Path | None,
    **choices: Any,
) -> int:
    """Verify multi-traces against an interaction.

    Each TRACE is a file, or a folder with all that is in it: .htf, .json, and run-*.jsonl, the
    event logs that `choreomon simulate --trace` writes. A file is one run, with the logs of all its
    machines; `choreomon join` puts logs in files of their own together.

    Exit codes: 0 all pass (Pass, WeakPass), 1 some fail, 2 bad usage or input, 3 some are not
    known (Inconc, WeakFail); of several the first of 2, 1, 3.
    """
    from choreomon.cli import judging
    from choreomon.cli.judging import Question, outcomes
    from choreomon.cli.screen import Unprinted, screens, tracked
    from choreomon.cli.trace_files import trace_files
    from choreomon.verify.outcome import Tally

    analysis = analysis_of(**choices)
    paths = trace_files(traces)
    if clocks and not any(Path(path).suffix.lower() == ".jsonl" for path in paths):
        raise click.BadParameter(
            "is about event logs (.jsonl), and there are none: in other files the components "
            "themselves say who shares a clock",
            param_hint="--colocated",
        )
    groups = shared_clocks(clocks, "--colocated")
    for alone in [group for group in groups if len(group) == 1]:
        raise click.BadParameter(
            f"{alone[0]!r} shares no clock: name two processes or more, such as a,b",
            param_hint="--colocated",
        )
    question = Question(
        interaction,
        signature,
        analysis,
        clocks=groups,
        seconds=budget,
        megabytes=memory,
        explain=explain,
        pictures=_pictures(analysis, interaction, paths, (signature, choices["config"])),
    )
    if junit is not None:
        check_not_read(junit, (interaction, signature, choices["config"], *paths))
        check_writable(junit)
    screen, errors = screens()
    found = outcomes(question, paths, jobs)
    if len(paths) > 1 and errors.is_terminal:
        found = tracked(found, errors, "Verifying", len(paths))
    tally = Tally()
    kept: list[Outcome] = []
    unprinted = Unprinted(put_off=junit is not None)
    for outcome in found:
        tally.add(outcome)
        with unprinted.kept():
            if outcome.answer is None:
                errors.print(outcome.problem, style="red", markup=False, soft_wrap=True)
            if as_json:
                _print_line(outcome)
        if not as_json or junit is not None:
            kept.append(outcome)
    try:  # first, since the reader of what is printed may leave
        if junit is not None:
            _write_junit(junit, interaction, kept)
    finally:
        if not as_json:
            _show(screen, kept, tally, searched=question.analysis.search is not None)
    unprinted.raise_kept()
    if budget is None and tally.reasons["TimedOut"]:
        # Nothing else has a bound where none was asked for.
        click.echo(
            f"{interaction}: operators are nested more than {judging.DEEP} deep, so each decision "
            f"had {judging.DECIDING_DEEP:g} s; --budget SECONDS gives it more",
            err=True,
        )
    if tally.apart:
        click.echo(
            "each file was verified as a run of its own, and no two have actions of one lifeline: "
            "if they are the logs of one run, `choreomon join` makes one file of them",
            err=True,
        )
    for place in sorted({one.parent for some in question.pictures.values() for one in some}):
        click.echo(f"graphs drawn in {'this folder' if place == Path() else place}", err=True)
    return EXIT_CODES[tally.conclusion]


def _pictures(
    analysis: Analysis, interaction: str, paths: list[str], others: tuple[str | None, ...]
) -> dict[str, tuple[Path, ...]]:
    """The files that the loggers of a configuration draw, by multi-trace. A logger's name is that
    of the file, or, where there are several multi-traces, what the names of the files begin with.

    Raises `UsageError` where one of them is read, and `ClickException` for a folder that cannot
    be made.
    """
    from choreomon.cli.loggers import check_different, picture_path
    from choreomon.cli.written_traces import stem

    if not analysis.graphics:
        return {}
    for logger in analysis.graphics:
        check_picture(picture_path(logger, ""))
    read = {os.path.realpath(path) for path in (interaction, *others, *paths) if path}
    given: Counter[str] = Counter()
    found: dict[str, tuple[Path, ...]] = {}
    for path in dict.fromkeys(paths):
        given[stem(path)] += 1
        again = f"-again-{given[stem(path)]}" if given[stem(path)] > 1 else ""
        drawn: list[Path] = []
        for logger in analysis.graphics:
            own = f"{logger.name or stem(interaction)}-{stem(path)}{again}"
            if len(paths) > 1 and logger.name:
                logger = logger._replace(name=own)
            drawn.append(picture_path(logger, own))
            if os.path.realpath(drawn[-1]) in read:
                raise click.UsageError(f"{drawn[-1]}: is read, too: name another file")
        found[path] = tuple(drawn)
    check_different([one for drawings in found.values() for one in drawings], others[-1] or "")
    for folder in {one.parent for drawings in found.values() for one in drawings}:
        make_directory(folder)
    return found


def _write_junit(junit: Path, interaction: str, outcomes: list[Outcome]) -> None:
    from choreomon.formats.junit import junit_xml

    write(junit, junit_xml(f"choreomon verify {interaction}", outcomes))


def _print_line(outcome: Outcome) -> None:
    from choreomon.formats.outcome_json import outcome_line

    click.echo(outcome_line(outcome))


def _gravity(outcome: Outcome) -> int:
    return [*EXIT_CODES].index(outcome.conclusion)


def _show(screen: Console, outcomes: list[Outcome], tally: Tally, *, searched: bool) -> None:
    from choreomon.cli.screen import print_indented
    from choreomon.render.outcomes import explanation_text, outcomes_headline, outcomes_table

    screen.print(outcomes_table(outcomes, vertices=searched))
    explained = [outcome for outcome in outcomes if outcome.explanation is not None]
    for outcome in sorted(explained, key=_gravity)[:EXPLAINED]:
        print_indented(screen, explanation_text(outcome))
    if len(explained) > EXPLAINED:
        screen.print(f"{len(explained) - EXPLAINED:,} more are not explained here: --json does")
    screen.print(outcomes_headline(tally), style="bold")
