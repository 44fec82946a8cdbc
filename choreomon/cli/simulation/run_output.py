"""Output of `simulate` and `run`: verdicts as they are given, runs when they are over."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from choreomon.cli.command_line.screen import Unprinted
    from choreomon.cli.simulation.run_logs import RunLogs
    from choreomon.core.run import Run, RunVerdict
    from choreomon.core.stated_rule import StatedRule
    from choreomon.core.verdict import VerdictKind
    from choreomon.deployment.event_records import Timing
    from choreomon.deployment.instructions import Said
    from choreomon.documents.read import Document
    from choreomon.properties.automaton import SequenceAutomaton

EXPLAINED: Final = 10
"""Verdicts of a single run that are explained on the screen."""

ANNOUNCED: Final = 50
"""Verdicts of a single run that are printed as they are given."""

GRAVEST_FIRST: Final = ("violated", "possibly-violated", "withdrawn")


def announcer(screen: Console, unprinted: Unprinted) -> Callable[[RunVerdict], None]:
    """Prints verdicts as they are given, in virtual time, each once: a monitor that finds other
    reasons for the same verdict gives it again. At most `ANNOUNCED` of them."""
    from choreomon.terminal.sentences import word_line

    said: dict[tuple[int, StatedRule | None], tuple[VerdictKind, tuple[str, ...], bool]] = {}
    say = _a_few(screen, unprinted)

    def announce(verdict: RunVerdict) -> None:
        said_now = (verdict.verdict, verdict.silent, verdict.early)
        about = verdict.event_index, verdict.rule
        if said.get(about) != said_now:
            said[about] = said_now
            say(lambda: word_line(verdict))

    return announce


def live_announcer(screen: Console, unprinted: Unprinted) -> Callable[[Said, Timing], None]:
    """Prints verdicts that live monitors give: the times are real ones, and events are not numbered
    through yet."""
    from choreomon.deployment.links import MICROSECONDS
    from choreomon.terminal.live_verdict import timed_word_line

    say = _a_few(screen, unprinted)

    def announce(said: Said, timing: Timing) -> None:
        at = timing.document_time(said.at * MICROSECONDS)
        say(lambda: timed_word_line(said.verdict, at))

    return announce


def _a_few(screen: Console, unprinted: Unprinted) -> Callable[[Callable[[], Text]], None]:
    """Prints `ANNOUNCED` lines, and then that there are more."""
    lines = 0

    def say(line: Callable[[], Text]) -> None:
        nonlocal lines
        lines += 1
        if lines <= ANNOUNCED + 1:
            with unprinted.kept():
                shown = line() if lines <= ANNOUNCED else f"{'...':>12}  and so on"
                screen.print(shown, soft_wrap=True)

    return say


def print_json(runs: Iterable[Run], unprinted: Unprinted) -> None:
    from choreomon.reports.results import runs_json_pieces

    for piece in runs_json_pieces(runs):
        with unprinted.kept():
            sys.stdout.write(piece)
    with unprinted.kept():
        sys.stdout.write("\n")


def show(
    screen: Console,
    document: Document,
    runs: list[Run],
    verifying: RunLogs | None,
    *,
    verbose: bool = False,
) -> None:
    """Show the runs. With `verbose` explanations name the states of the automaton, and all figures
    are told."""
    if document.property is not None:
        _show_monitored(screen, runs, document.property.automaton, verbose=verbose)
    else:
        _show_unmonitored(screen, runs)
    if verifying is not None:
        _show_verification(screen, runs, verifying)


def _show_unmonitored(screen: Console, runs: list[Run]) -> None:
    from choreomon.sentences.wording import counted

    events = sum(run.events for run in runs)
    screen.print(
        f"{counted(len(runs), 'run')}, {counted(events, 'event')}: nothing was monitored",
        style="bold",
    )


def _show_monitored(
    screen: Console, runs: list[Run], automaton: SequenceAutomaton, *, verbose: bool
) -> None:
    from choreomon.cli.command_line.screen import print_indented
    from choreomon.sentences.exercised import exercise_sentences
    from choreomon.sentences.summary import headline
    from choreomon.sentences.wording import counted
    from choreomon.terminal.sentences import formed_text
    from choreomon.terminal.text import runs_table, summary_table, verdict_text

    if len(runs) > 1:
        screen.print(runs_table(runs))
    else:
        (run,) = runs
        ordered = sorted(run.verdicts, key=lambda each: (_gravity(each), each.event_index))
        explained = ordered[:EXPLAINED]
        for verdict in explained:
            screen.print()
            told = verdict_text(
                *(verdict, run.kept_events, automaton),
                verbose=verbose,
                messages=run.kept_messages,
                processes=run.processes,
            )
            print_indented(screen, told)
        if len(run.verdicts) > EXPLAINED:
            left = counted(len(run.verdicts) - EXPLAINED, "more verdict")
            screen.print(f"\n{left}, not graver than these: --json prints all")
        if run.verdicts:
            screen.print()
        screen.print(formed_text(run, automaton))
    screen.print()
    screen.print(summary_table(runs, brief=not verbose))
    for sentence in exercise_sentences(run.exercise for run in runs):
        screen.print(sentence, markup=False, soft_wrap=True)
    screen.print(headline(runs, automaton), style="bold", soft_wrap=True)


def _show_verification(screen: Console, runs: list[Run], verifying: RunLogs) -> None:
    """Show the verification; for a single run whose logs do not fit also where their explanation
    breaks."""
    from rich.text import Text

    from choreomon.cli.command_line.screen import print_indented
    from choreomon.sentences.verification import passes, verification_headline

    if len(runs) == 1 and not passes(runs[0]):
        print_indented(screen, Text("\n".join(verifying.why())))
    screen.print(verification_headline(runs), style="bold")


def _gravity(verdict: RunVerdict) -> int:
    return GRAVEST_FIRST.index(verdict.verdict)
