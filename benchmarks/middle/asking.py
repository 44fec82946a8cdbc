"""The child process of one interaction and walk: asks, and writes every answer as it comes.

It reads what to do as JSON, one `Task`, and what was answered already, a line each. Before each
question it writes a line beginning with `?`, the rest of which is the answer if that is never
given; then the answer itself.
"""

from __future__ import annotations

import gc
import json
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from time import thread_time
from types import FrameType
from typing import Final, NamedTuple, TypeAlias

from benchmarks.middle.answers import CRASHED, OVERDUE, Answered, from_line, why_undecided
from benchmarks.middle.corpora import Question, Walk, interactions, questions
from choreomon.hibou.model import read_interaction
from choreomon.interaction.term import Interaction
from choreomon.multitrace.multitrace import MultiTrace
from choreomon.verify.verdict import Answer, Mode, Verdict
from choreomon.verify.verifier import Verifier

GRACE: Final = 3
"""Who never asks whether to stop is stopped after so many times the budget."""
BEGUN: Final = "?"


class Task(NamedTuple):
    """`budget` in seconds of the processor for each question, `memory` in megabytes."""

    interaction: str
    walk: Walk
    lengths: list[int]
    seed: int
    budget: float
    memory: int
    keep_asking: bool


Decide: TypeAlias = Callable[[Interaction, MultiTrace, Mode, float], Answer]


class _NeverAskedError(Exception):
    """Time was up long ago."""


def decided(
    interaction: Interaction, multitrace: MultiTrace, mode: Mode, budget: float = 60.0
) -> Answer:
    """Decided afresh, and given up after `budget` seconds of the processor."""
    end = thread_time() + budget
    verifier = Verifier(
        interaction, mode, should_stop=lambda: "TimedOut" if thread_time() > end else None
    )
    return verifier.decide(multitrace)


def answers(
    task: Task, before: Iterable[Answered], decide: Decide = decided
) -> Iterator[Answered | tuple[Question, int]]:
    """Of all questions that were not answered `before`: first each question itself, if it is to be
    asked at all, then its answer."""
    known = {(each.question, each.length): each for each in before}
    gave_up: dict[Question, Answered] = {}
    interaction = read_interaction(interactions()[task.interaction])
    asked = questions(task.interaction, interaction, task.walk, task.lengths, task.seed)
    for question, length, multitrace in asked:
        answer = known.get((question, length))
        if answer is None:
            earlier = gave_up.get(question)
            if earlier is not None and not task.keep_asking:
                answer = earlier._replace(length=length, asked=False)
            else:
                yield question, length
                answer = _answer(question, length, interaction, multitrace, task.budget, decide)
            yield answer
        if answer.reason:
            gave_up[question] = answer


def _answer(
    question: Question,
    length: int,
    interaction: Interaction,
    multitrace: MultiTrace,
    budget: float,
    decide: Decide,
) -> Answered:
    began = thread_time()
    try:
        answer = decide(interaction, multitrace, question.mode, budget)
    except MemoryError:
        verdict, reason = Verdict.INCONC, "OutOfMemory"
    except _NeverAskedError:
        verdict, reason = Verdict.INCONC, OVERDUE
    except Exception as error:
        # A mistake of the verifier, which must not end the benchmark.
        verdict, reason = Verdict.INCONC, type(error).__name__
    else:
        verdict = answer.verdict
        reason = why_undecided(answer, question.mode, thread_time() - began, budget)
    milliseconds = round((thread_time() - began) * 1e3, 3)
    return Answered(question, length, milliseconds, verdict, reason, True, _megabytes())


def _megabytes() -> float:
    """Linux counts kilobytes."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def _alarm(number: int, frame: FrameType | None) -> None:
    raise _NeverAskedError


def _watched(interaction: Interaction, multitrace: MultiTrace, mode: Mode, budget: float) -> Answer:
    """`decided`, interrupted where nobody asks. While this timer runs, Linux tells the time of the
    process in ticks of some milliseconds, but that of its one thread exactly."""
    signal.setitimer(signal.ITIMER_PROF, GRACE * budget)
    try:
        return decided(interaction, multitrace, mode, budget)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main() -> None:
    first, *others = sys.stdin.read().splitlines()
    task = Task(*json.loads(first))
    limit = task.memory * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.signal(signal.SIGPROF, _alarm)
    # Cycles are collected between questions, and not at the cost of any: so do commands.
    gc.disable()
    gc.freeze()
    for one in answers(task, map(from_line, others), _watched):
        if isinstance(one, Answered):
            print(one.line(), flush=True)
        else:
            lost = Answered(*one, task.budget * 1e3, Verdict.INCONC, CRASHED)
            print(BEGUN + lost.line(), flush=True)
            gc.collect()


if __name__ == "__main__":
    main()
