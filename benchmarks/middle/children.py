"""Children that ask, some side by side, until all is answered."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

from benchmarks.middle.answers import Answered, from_line
from benchmarks.middle.asking import BEGUN, Task

ROOT = Path(__file__).parents[2]

Lines: TypeAlias = Callable[[Task, Sequence[Answered]], Iterator[str]]
"""What a child writes that is given a task and what was answered already. Raises ChildEnded at the
end of one that did not finish."""


class ChildEndedError(Exception):
    """A child ended by itself, before all was answered."""


def shard(tasks: Sequence[Task], number: int, of: int) -> list[Task]:
    """Every `of`-th, from the `number`-th on; the first is 1."""
    return list(tasks[number - 1 :: of])


def child(task: Task, before: Sequence[Answered]) -> Iterator[str]:
    """A process."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.middle.asking"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join([json.dumps(task), *(each.line() for each in before)]))
        process.stdin.close()
        yield from process.stdout
    if process.returncode:
        raise ChildEndedError(f"{task.interaction}, {task.walk}: exit code {process.returncode}")


def finished(
    task: Task,
    before: Iterable[Answered],
    report: Callable[[Answered], None],
    lines: Lines = child,
) -> None:
    """All that was not answered `before` is told to `report`, as it is answered. A question that
    ends a child is undecided; raises ChildEnded where a child ends without having been asked."""
    known = list(before)

    def tell(answered: Answered) -> None:
        known.append(answered)
        report(answered)

    while True:
        begun: Answered | None = None
        try:
            for line in lines(task, known):
                if line.startswith(BEGUN):
                    begun = from_line(line.removeprefix(BEGUN))
                else:
                    begun = None
                    tell(from_line(line))
        except ChildEndedError:
            if begun is None:
                raise
            tell(begun)
        else:
            return


def all_finished(
    tasks: Sequence[Task],
    before: Iterable[Answered],
    report: Callable[[Answered], None],
    done: Callable[[Task], None],
    jobs: int,
) -> list[str]:
    """Of all tasks, `jobs` side by side. Says which were not to be finished, and why."""
    known: dict[tuple[str, str], list[Answered]] = {}
    for each in before:
        known.setdefault((each.question.interaction, each.question.walk), []).append(each)

    def work(task: Task) -> str:
        try:
            finished(task, known.get((task.interaction, task.walk), ()), report)
        except ChildEndedError as error:
            return str(error)
        done(task)
        return ""

    with ThreadPoolExecutor(jobs) as pool:
        return [failure for failure in pool.map(work, tasks) if failure]
