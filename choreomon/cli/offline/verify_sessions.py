"""`choreomon verify --sessions`: do the sessions of a file fit?"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import file_digest, sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from choreomon.cli import BAD_INPUT, NOTHING_FOUND, ONLY_POSSIBLE, VIOLATION
from choreomon.cli.command_line.clocks import shared_clocks
from choreomon.cli.command_line.explicit_options import refuse_explicit
from choreomon.cli.command_line.jobs import loss_told
from choreomon.cli.command_line.log_options import LOG_OPTIONS
from choreomon.cli.command_line.writing import (
    STANDARD_OUTPUT,
    check_written,
    write,
)
from choreomon.cli.experiments.engines import EngineName
from choreomon.cli.offline.protocol_options import Protocol

if TYPE_CHECKING:
    from choreomon.batch.sessions.judging import Judging, Sessions
    from choreomon.batch.sessions.question import SessionsQuestion
    from choreomon.core.action import Action
    from choreomon.hibou.signature import Signature
    from choreomon.sessions.results import Result, ResultsFile

_STANDARD_INPUT: Final = "standard input"
SHOWN: Final = 10
"""Sessions that do not fit, and problems, that are shown on the screen."""

SYNTHESIS: Final = 10_000
"""States that may be made to find out whether an interaction has an automaton."""

_OTHERS: Final = (
    *("config", "por", "paper_por", "local", "local_on", "whole_graph", "strategy", "method"),
    *("max_states", "explain", "junit", "sarif"),
)
"""Parameters that are about files of one multi-trace alone."""


def verify_sessions(
    context: click.Context, sessions: str, protocol: Protocol, choices: dict[str, Any]
) -> int:
    """Verify sessions; `choices` are the other parameters of the command. The exit code."""
    _check_extra()
    from choreomon.batch.sessions.judging import Judging, Sessions
    from choreomon.batch.sessions.question import MAX_ACTIONS
    from choreomon.interaction_files.loading import load_signature
    from choreomon.sessions.source import Fields, session_files
    from choreomon.verify.verdict import Verdict

    asked = context.params
    if asked["traces"]:
        raise click.UsageError("give TRACE... or --sessions, one of the two")
    refuse_explicit(context, (*LOG_OPTIONS, *_OTHERS), "without --sessions")
    output: Path | None = choices["output"]
    as_json = asked["as_json"] or output == STANDARD_OUTPUT
    if output == STANDARD_OUTPUT:
        output = None
    declared = None if protocol.signature is None else load_signature(protocol.signature)
    question = _question(asked, protocol, declared)
    fields = Fields(
        choices["session_key"] or "session",
        choices["lifeline_key"],
        choices["kind_key"],
        choices["message_key"],
    )
    if twice := fields.twice:
        raise click.UsageError(f"two fields of JSON lines are called {twice!r}: see --session-key")
    with _input(sessions) as path:
        files = tuple(session_files(path))
        report: Path | None = asked["report"]
        check_written((output, report), (*protocol, *files))
        given = Sessions(
            files,
            fields,
            declared,
            choices["max_actions"] or MAX_ACTIONS,
            called=_STANDARD_INPUT if sessions == "-" else None,
        )
        results = None if output is None else _results(output, question, given, sessions == "-")
        telling = _Telling(question.mode, results, as_json)
        judging = Judging(question, given)
        telling.tell(judging, asked["jobs"], choices["engine"])
        if not as_json and telling.whole and any(telling.found[one.value] for one in Verdict):
            for sentence in _occurring(question, telling.actions):
                click.echo(sentence)
        if report is not None:
            _write_page(report, protocol.file, sessions, telling, judging)
    return telling.code


def _occurring(question: SessionsQuestion, actions: set[Action]) -> list[str]:
    """Sentences on actions that no session has, and on those that only sessions have."""
    from choreomon.batch.judge import letters_of
    from choreomon.interaction_files.offline_json import read_interaction_json
    from choreomon.sentences.occurring_actions import occurring_sentences

    if question.interaction is not None:
        letters = letters_of(read_interaction_json(question.interaction))
    else:
        assert question.automaton is not None
        letters = letters_of(question.automaton)
    unseen = sum(1 << place for place, letter in enumerate(letters) if letter not in actions)
    strange = dict.fromkeys(sorted(actions.difference(letters))[:SHOWN], 0)
    return occurring_sentences(letters, unseen, strange)


def _write_page(
    report: Path, protocol: str, sessions: str, telling: _Telling, judging: Judging
) -> None:
    from choreomon.batch.sessions.explaining import explained_failures
    from choreomon.cli.command_line.made_with import made_with
    from choreomon.pages.verify_page import verified_sessions_page

    facts = (("interaction", protocol), ("sessions", sessions), ("mode", telling.mode))
    found = {one.trace: one for one in explained_failures(judging, telling.failed)}
    failed = [found[name]._replace(trace=_shown(name)) for name in telling.failed if name in found]
    counts = telling.found
    write(report, verified_sessions_page(protocol, counts, failed, facts, made_with()))


def _question(
    asked: dict[str, Any], protocol: Protocol, declared: Signature | None
) -> SessionsQuestion:
    from choreomon.batch.bounds import MEMORY
    from choreomon.batch.sessions.question import SessionsQuestion
    from choreomon.verify.verdict import DEFAULT_MODE

    mode = _mode(asked["mode"] or DEFAULT_MODE)
    automaton, interaction = _read(protocol, declared)
    return SessionsQuestion(
        automaton=automaton,
        interaction=interaction,
        mode=mode,
        together=shared_clocks(asked["clocks"], "--colocated"),
        budget=asked["budget"],
        memory=asked["memory"] or MEMORY,
    )


def _check_extra() -> None:
    """Raises `MissingExtra` where numpy or pyarrow are missing."""
    from choreomon.core.errors import MissingExtra

    if find_spec("numpy") is None or find_spec("pyarrow") is None:
        raise MissingExtra("--sessions needs numpy and pyarrow", "batch")


def _mode(mode: Any) -> Any:
    from choreomon.verify.automaton_verifier import AUTOMATON_MODES, automaton_mode

    try:
        return automaton_mode(mode)
    except ValueError:
        told = f"of sessions these can be asked: {', '.join(AUTOMATON_MODES)}; not {mode}"
        raise click.BadParameter(told, param_hint="--mode") from None


def _read(protocol: Protocol, signature: Signature | None) -> tuple[Any, str | None]:
    """The automaton, None where an interaction has none that is small enough; and the interaction,
    as JSON."""
    from choreomon.automata.minimization import minimal
    from choreomon.core.errors import BudgetExceeded
    from choreomon.documents.interactions import load_interaction
    from choreomon.interaction_files.automaton_file import load_automaton, load_locations
    from choreomon.interaction_files.offline_json import write_interaction_json
    from choreomon.verify.synthesis import synthesize

    interaction, automaton, locations, _ = protocol
    if interaction is None:
        assert automaton is not None
        places = None if locations is None else load_locations(locations)
        return load_automaton(automaton, places), None
    read = load_interaction(interaction, signature)
    try:
        text = write_interaction_json(read)
    except ValueError as error:
        raise click.ClickException(f"{interaction}: {error}") from None
    try:
        return minimal(synthesize(read, max_states=SYNTHESIS).automaton, SYNTHESIS), text
    except BudgetExceeded as error:
        click.echo(f"{interaction}: {error}: each session is decided alone", err=True)
        return None, text


@contextmanager
def _input(sessions: str) -> Iterator[str]:
    """The path to read: standard input is kept in a temporary file, as only its end shows whether
    the rows of sessions stand together. Raises DocumentError for one without lines."""
    if sessions != "-":
        yield sessions
        return
    from choreomon.core.errors import DocumentError
    from choreomon.files.input_files import limit
    from choreomon.files.whole_file import named
    from choreomon.sessions.json_lines import ENDLESS, LONGEST_LINE, endless

    longest = limit(LONGEST_LINE)
    number = 1
    unended = 0
    with TemporaryDirectory() as folder:
        path = Path(folder, "standard-input.jsonl")
        with named(path), path.open("wb") as kept:
            stream = sys.stdin.buffer
            while piece := stream.read(1 << 20):
                number += piece.count(b"\n")
                end = piece.rfind(b"\n")
                unended = len(piece) - end - 1 if end >= 0 else unended + len(piece)
                if unended > ENDLESS * longest:
                    raise DocumentError((endless(_STANDARD_INPUT, number, longest),))
                kept.write(piece)
        yield str(path)


def _results(
    output: Path, question: SessionsQuestion, sessions: Sessions, from_stream: bool
) -> ResultsFile:
    from choreomon.sessions.results import ResultsFile

    return ResultsFile(output, question.mode, _digest(output, question, sessions, from_stream))


def _digest(output: Path, question: SessionsQuestion, sessions: Sessions, from_stream: bool) -> str:
    """Compute a digest of everything that results depend on. Files count as equal by name, size and
    time."""
    inputs: list[object] = []
    for file in sessions.files:
        if from_stream:
            with open(file, "rb") as stream:
                inputs.append(file_digest(stream, "sha256").hexdigest())
        else:
            with_name = os.stat(file) if os.path.exists(file) else None
            said = None if with_name is None else (with_name.st_size, with_name.st_mtime_ns)
            inputs.append((os.path.abspath(file), said))
    parts = (
        "1",
        None if question.automaton is None else question.automaton.digest,
        question.interaction,
        question.mode,
        question.together,
        question.budget,
        question.memory,
        repr(sessions.fields),
        repr(sessions.signature),
        sessions.most,
        output.suffix.lower(),
        inputs,
    )
    return sha256(json.dumps(parts).encode()).hexdigest()


class _Telling:
    """Prints and writes results, and knows the exit code in the end."""

    def __init__(self, mode: str, results: ResultsFile | None, as_json: bool) -> None:
        self.mode = mode
        self._results = results
        self._as_json = as_json
        self.found: Counter[str | None] = Counter() if results is None else results.verdicts.copy()
        self.failed: list[str] = [] if results is None else results.failed[:SHOWN]
        self.actions: set[Action] = set()
        self.whole = results is None or not results.done
        """True if all sessions are judged now, none of them before."""
        self._problems = 0
        self._errors = 0

    def tell(self, judging: Judging, jobs: int, engine: EngineName) -> None:
        """Print and write the results as they come."""
        from choreomon.sessions.results import Result

        skip = 0 if self._results is None else self._results.done
        if skip:
            click.echo(f"{skip:,} sessions were judged before", err=True)
        with _progress(judging.count, skip) as advance, loss_told():
            for judged in judging.judged(jobs=jobs, engine=engine, skip=skip):
                for name, answer in zip(judged.names, judged.answers, strict=True):
                    if isinstance(answer, str):
                        self._take(Result(name, None, answer))
                    else:
                        self._take(Result(name, answer.verdict.value, answer.reason))
                self.actions.update(each for each in judged.actions if each.lifeline)
                advance(len(judged.names))
        for problem in judging.lost:
            self._complain(problem)
        if self._results is not None:
            self._results.finish()
        self._say()

    def _take(self, result: Result) -> None:
        from choreomon.sessions.results import result_line

        self.found[result.verdict] += 1
        if result.verdict is None:
            self._complain(result.reason)
        elif result.verdict == "Fail" and len(self.failed) < SHOWN:
            self.failed.append(result.session)
        if self._results is not None:
            self._results.add(result)
        if self._as_json:
            click.echo(result_line(result, self.mode))

    def _complain(self, problem: str) -> None:
        self._problems += 1
        if self._problems <= SHOWN:
            click.echo(problem, err=True)

    def _say(self) -> None:
        more = self._problems - SHOWN
        if more > 0:
            click.echo(
                f"{more:,} more problems are not shown here; results have those of sessions",
                err=True,
            )
        if self._as_json:
            return
        total = sum(self.found.values())
        known = sorted((each, n) for each, n in self.found.items() if each is not None)
        parts = [f"{number:,} {verdict}" for verdict, number in known]
        if self.found[None]:
            parts.append(f"{self.found[None]:,} not judged")
        told = ", ".join(parts)
        click.echo(f"{total:,} session{'' if total == 1 else 's'}{': ' * bool(told)}{told}")
        if self.failed:
            number = self.found["Fail"]
            dots = ", .." if number > len(self.failed) else ""
            click.echo(f"Fail: {', '.join(map(_shown, self.failed))}{dots}")

    @property
    def code(self) -> int:
        """The exit code: bad input before failures, failures before open questions."""
        if self._problems or self.found[None]:
            return BAD_INPUT
        if self.found["Fail"]:
            return VIOLATION
        return ONLY_POSSIBLE if self.found["Inconc"] else NOTHING_FOUND


def _shown(name: str) -> str:
    """The name of a session on a screen, on one line and without commands to the terminal."""
    return name if name and name.isprintable() else json.dumps(name)


@contextmanager
def _progress(total: int | None, done: int) -> Iterator[Callable[[int], None]]:
    """Shows on a terminal how far it is."""
    from choreomon.cli.command_line.screen import screens

    _, errors = screens()
    if not errors.is_terminal:
        yield lambda _: None
        return
    from rich.progress import Progress

    with Progress(console=errors, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("Sessions", total=total, completed=done)
        yield lambda number: bar.advance(task, number)
