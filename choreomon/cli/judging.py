"""Many multi-traces verified against one interaction: read, decided, explained, by one process or
by several.

Results come in the order of the files, whatever the number of processes, and a file that cannot
be read, or whose picture cannot be drawn, spoils its own result alone. Each process reads the
interaction once and keeps what it finds out of it.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import click

from choreomon.cli.analysis_options import Analysis
from choreomon.cli.collector import collector_at_rest
from choreomon.cli.processes import processes

if TYPE_CHECKING:
    from choreomon.formats.hibou import Signature
    from choreomon.interaction.term import Interaction
    from choreomon.multitrace.multitrace import MultiTrace
    from choreomon.verify.explanation import Explanation
    from choreomon.verify.outcome import Outcome
    from choreomon.verify.search.graph import SearchResult
    from choreomon.verify.verdict import Answer, Mode, Verdict

Decider: TypeAlias = "Callable[[MultiTrace], Answer]"

MOST_AT_ONCE: Final = 64
"""Files that a process is given together: for small ones handing them out costs more than they."""

EXPLAINING: Final = 5.0
"""Seconds for each explanation, where nothing else is said. The verdict is there already."""

DEEP: Final = 200
"""Operators that are nested deeper than this (`nesting`) are a mistake or an attack more often than
a diagram, and deciding may take time that grows with the cube of the depth."""

DECIDING_DEEP: Final = 0.5
"""Seconds for a decision about those where nothing else is said, and as many for explaining it."""

LARGE: Final = 1_000
"""Of interactions with more symbols, a stop watch looks at its clock whenever it is asked."""

_POLLS: Final = 8
"""A stop watch is asked so often before it looks at its clock, where nothing else is said."""


@dataclass(frozen=True)
class Question:
    """Everything that a process needs, as plain values that can be sent to it.

    `clocks` are groups of processes that share a clock in event logs. `seconds` is a bound for
    each multi-trace, and once more for its explanation (None: none, and `EXPLAINING`; or
    `DECIDING_DEEP` for both); `megabytes` is one for the process (None: none). `pictures` are the
    files, for each multi-trace, that the loggers of the analysis draw, in their order.
    """

    interaction: str
    signature: str | None
    analysis: Analysis
    clocks: tuple[tuple[str, ...], ...] = ()
    seconds: float | None = None
    megabytes: int | None = None
    explain: bool = False
    pictures: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)


class Bounds:
    """Time and memory that a decision may take. `start` before each of them; to be asked whether
    to stop is what the rest is for."""

    def __init__(
        self, seconds: float | None, megabytes: int | None, *, polls: int = _POLLS
    ) -> None:
        self._polls = polls
        self._seconds = seconds
        self._megabytes = megabytes
        self._until = float("inf")
        self._asked = 0

    def start(self) -> None:
        self._asked = 0
        if self._seconds is not None:
            self._until = time.perf_counter() + self._seconds

    def __call__(self) -> Literal["TimedOut", "OutOfMemory"] | None:
        self._asked += 1
        if (self._asked - 1) % self._polls:
            return None
        if time.perf_counter() > self._until:
            return "TimedOut"
        if self._megabytes is not None and _megabytes() > self._megabytes:
            return "OutOfMemory"
        return None


def _megabytes() -> float:
    """What this process has had in memory at most."""
    import resource
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def decider(interaction: Interaction, analysis: Analysis, bounds: Bounds) -> Decider:
    """What answers about one multi-trace after the other, within bounds.

    Raises ValueError where the options do not fit the mode, and when asked about a multi-trace
    that the method does not fit.
    """
    from choreomon.verify.verifier import Verifier

    return Verifier(
        interaction,
        analysis.mode,
        method=analysis.method,
        options=analysis.search,
        portfolio=analysis.portfolio,
        should_stop=bounds,
    ).decide


def explained(
    interaction: Interaction,
    multitrace: MultiTrace,
    mode: Mode,
    verdict: Verdict,
    *,
    seconds: float | None = None,
    megabytes: int | None = None,
) -> Explanation:
    """The explanation, if it is found in time (None: `EXPLAINING`) and within memory. If not, its
    `verdict` is the one that is passed in, and its reason says that none was found."""
    from choreomon.verify.explanation import Explanation, explain

    # A step through a deep interaction may take long: the clock is looked at after each.
    bounds = Bounds(EXPLAINING if seconds is None else seconds, megabytes, polls=1)
    stopped: list[str] = []

    def should_stop() -> bool:
        reason = bounds()
        if reason is not None:
            stopped.append(reason)
        return reason is not None

    bounds.start()
    try:
        found = explain(interaction, multitrace, mode, should_stop=should_stop)
    except MemoryError:
        stopped.append("OutOfMemory")
        found = Explanation(verdict, None, None)
    if found.witness is not None or found.failure is not None:
        return found
    reason = found.reason
    if stopped:
        within = "within memory" if stopped[-1] == "OutOfMemory" else "in time"
        reason = f"no explanation was found {within}"
    return Explanation(verdict, None, None, reason)


class Judge:
    """Answers a question about one multi-trace after the other.

    Raises `DocumentError` for an interaction or a signature that cannot be used, `UsageError`
    where the options do not fit the mode.
    """

    def __init__(self, question: Question) -> None:
        from choreomon.formats.hibou.files import load_interaction, load_signature
        from choreomon.interaction.lifelines import names
        from choreomon.interaction.measures import nesting

        self._question = question
        self._signature: Signature | None = (
            None if question.signature is None else load_signature(question.signature)
        )
        self.interaction: Interaction = load_interaction(question.interaction, self._signature)
        self._lifelines = tuple(names(self.interaction.lifelines))
        self._seconds = question.seconds
        if self._seconds is None and nesting(self.interaction) > DEEP:
            self._seconds = DECIDING_DEEP
        # Between two questions whether to stop, much is done where interactions are large.
        polls = 1 if self.interaction.size > LARGE else _POLLS
        self._bounds = Bounds(self._seconds, question.megabytes, polls=polls)
        self._searched: SearchResult | None = None
        try:
            self._decide = (
                self._recorder(question.analysis)
                if question.analysis.graphics
                else decider(self.interaction, question.analysis, self._bounds)
            )
        except ValueError as error:
            raise click.UsageError(str(error)) from None

    def _recorder(self, analysis: Analysis) -> Decider:
        """What answers by a search whose graph is kept until the next one. Raises ValueError as
        `decider` does."""
        from choreomon.verify.search.engine import Searcher
        from choreomon.verify.verdict import Answer

        assert analysis.search is not None
        options = replace(analysis.search, record=True, should_stop=self._bounds)
        searcher = Searcher(self.interaction, analysis.mode, options)

        def decide(multitrace: MultiTrace) -> Answer:
            self._searched = found = searcher.search(multitrace)
            return Answer(found.verdict, found.reason, found.vertices)

        return decide

    def judge(self, path: str) -> Outcome:
        """What becomes of the multi-trace of a file."""
        from choreomon.core.errors import DocumentError
        from choreomon.verify.outcome import Outcome
        from choreomon.verify.verdict import Answer, Verdict

        mode = self._question.analysis.mode
        begun = time.perf_counter()
        self._searched = None  # where memory runs out there is nothing to draw
        self._bounds.start()
        try:
            multitrace = self._read(path)
            answer = self._decide(multitrace)
        except DocumentError as error:
            return Outcome(path, mode, None, time.perf_counter() - begun, problem=str(error))
        except MemoryError:
            answer = Answer(Verdict.INCONC, "OutOfMemory")
        except ValueError as error:  # the options do not fit the multi-trace
            problem = f"{path}: {error}"
            return Outcome(path, mode, None, time.perf_counter() - begun, problem=problem)
        seconds = time.perf_counter() - begun
        if self._searched is not None:
            try:
                self._draw(self._searched, self._question.pictures[path])
            except click.ClickException as error:
                problem = f"{path}: is {answer.verdict.value}, but {error.message}"
                return Outcome(path, mode, None, seconds, problem=problem)
        explanation = None
        if self._question.explain:
            explanation = explained(
                self.interaction,
                multitrace,
                mode,
                answer.verdict,
                seconds=self._seconds,
                megabytes=self._question.megabytes,
            )
        recorded = tuple(
            name for part in multitrace.components if part.actions for name in part.lifelines
        )
        return Outcome(path, mode, answer, seconds, explanation, recorded=recorded)

    def _draw(self, found: SearchResult, outputs: tuple[Path, ...]) -> None:
        """Raises `ClickException` for a picture that is too large, or cannot be written."""
        from choreomon.cli.graphs import search_picture
        from choreomon.cli.pictures import write_picture
        from choreomon.core.errors import ChoreomonError

        analysis = self._question.analysis
        for logger, output in zip(analysis.graphics, outputs, strict=True):
            try:
                picture = search_picture(self.interaction, analysis, found, logger)
            except ChoreomonError as error:
                raise click.ClickException(f"{output}: cannot be drawn: {error}") from None
            write_picture(output, picture)

    def _read(self, path: str) -> MultiTrace:
        from choreomon.formats.hibou.files import load_multi_trace

        return load_multi_trace(path, self._lifelines, self._signature, self._question.clocks)


_judge: Judge | None = None
"""That of a process that works for another one."""


def _engage(question: Question) -> None:
    global _judge
    gc.disable()  # for good: see `collector_at_rest`
    _judge = Judge(question)


def _judged(path: str) -> Outcome:
    assert _judge is not None
    return _judge.judge(path)


def outcomes(question: Question, paths: Sequence[str], jobs: int) -> Iterator[Outcome]:
    """What becomes of each multi-trace, in the order of `paths`, by `jobs` processes; by this one
    where a file is a pipe, which no other process can read.

    Raises as `Judge` does, before the first of them.
    """
    judge = Judge(question)  # here, too, so that what is wrong with it is said once, and first
    jobs = min(jobs, len(paths))
    if jobs < 2 or any(map(_is_pipe, (question.interaction, question.signature or "", *paths))):
        with collector_at_rest():
            yield from map(judge.judge, paths)
        return
    at_once = max(1, min(MOST_AT_ONCE, len(paths) // (4 * jobs)))
    with processes(jobs, _engage, question) as pool:
        yield from pool.map(_judged, paths, chunksize=at_once)


def _is_pipe(path: str) -> bool:
    """Or a device: what is gone when it has been read, or means something else elsewhere."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
