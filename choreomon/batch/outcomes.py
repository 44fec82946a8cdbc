"""Many multi-traces, by one process or by several."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from choreomon.batch.collector import collector_at_rest
from choreomon.batch.judge import Judge
from choreomon.batch.question import Question, Source
from choreomon.interaction.term import Interaction
from choreomon.verify.outcome import Outcome

MOST_AT_ONCE: Final = 64
"""Multi-traces per task: for small ones the hand-over costs more than the work."""


def outcomes(question: Question, sources: Sequence[Source], jobs: int = 1) -> Iterator[Outcome]:
    """Judge each multi-trace, in the order of `sources`, each as soon as it is known, whatever the
    number of processes. A problem of one spoils its own outcome alone. Each process reads the
    interaction or automaton once and keeps what it learns about it.

    `jobs` is how many processes share the work, at least 1; this one does it alone where that is
    1, or where a file is a pipe, which no other process can read. They end when the iterator is
    closed, too. Where this process works alone, its cycle collector rests until then. A script
    that asks for several calls this below `if __name__ == "__main__":`, as `multiprocessing` wants.

    Raises at once DocumentError for an interaction, an automaton or a signature that cannot be
    used, and ValueError for an analysis that does not fit its mode or an automaton, and for an
    interaction whose names cannot be sent to another process; while outcomes are asked for,
    WorkerLost where a process was killed.
    """
    if jobs < 1:
        raise ValueError(f"{jobs} processes do no work: use 1 or more")
    judge = Judge(
        question
    )  # also if others do the work, so that a problem is reported once, and first
    jobs = min(jobs, len(sources))
    if jobs < 2 or any(map(_is_pipe, _files(question, sources))):
        return _judged_here(judge, sources)
    text = None
    if isinstance(question.interaction, Interaction):  # it lives in one process
        from choreomon.interaction_files.offline_json import write_interaction_json

        text = write_interaction_json(question.interaction)
        question = replace(question, interaction=None)
    return _judged_elsewhere(question, text, sources, jobs)


def _judged_here(judge: Judge, sources: Sequence[Source]) -> Iterator[Outcome]:
    with collector_at_rest():
        yield from map(judge.judge, sources)


def _judged_elsewhere(
    question: Question, text: str | None, sources: Sequence[Source], jobs: int
) -> Iterator[Outcome]:
    from choreomon.batch.workers import workers

    at_once = max(1, min(MOST_AT_ONCE, len(sources) // (4 * jobs)))
    with workers(jobs, _engage, question, text) as pool:
        yield from pool.map(_judged, sources, at_once)


_judge: Judge | None = None
"""The judge of a worker process."""


def _engage(question: Question, text: str | None) -> None:
    global _judge
    gc.disable()  # for good: see `collector_at_rest`
    if text is not None:
        from choreomon.interaction_files.offline_json import read_interaction_json

        question = replace(question, interaction=read_interaction_json(text))
    _judge = Judge(question)


def _judged(source: Source) -> Outcome:
    assert _judge is not None
    return _judge.judge(source)


def _files(question: Question, sources: Sequence[Source]) -> Iterator[str]:
    asked = (question.interaction, question.automaton, question.locations, question.signature)
    for one in (*asked, *sources):
        if isinstance(one, str):
            yield one


def _is_pipe(path: str) -> bool:
    """Tell whether a path is a pipe or a device: gone once read, or something else in another
    process."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
