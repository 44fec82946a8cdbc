"""`python -m benchmarks.middle`: what is asked, and how, says the package."""

from __future__ import annotations

import argparse
import json
import platform
import shlex
import sys
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TextIO

import benchmarks.middle
from benchmarks.middle.answers import Answered, from_line
from benchmarks.middle.asking import Task
from benchmarks.middle.children import all_finished, shard
from benchmarks.middle.corpora import WALKS, interactions, lengths_to
from benchmarks.middle.table import report
from choreomon.hibou.model import read_interaction
from choreomon.interaction.term import LOOPS, subterms


class Premises(NamedTuple):
    """Answers under others are not to be mixed."""

    seed: int
    budget: float
    memory: int


def kept_in(path: Path, premises: Premises) -> list[Answered]:
    """What was answered already. Raises SystemExit where that was under other premises."""
    found: list[Answered] = []
    if path.exists():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.startswith("{"):
                theirs = Premises(**json.loads(line))
                if theirs != premises:
                    sys.exit(f"{path}:{number}: answered with {theirs}, now it is {premises}")
            else:
                found.append(from_line(line))
    return found


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=benchmarks.middle.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--most", type=int, default=100_000, help="actions (default: 100000)")
    parser.add_argument("--only", default="", help="interactions with this in their names")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds (default: 5)")
    parser.add_argument("--memory", type=int, default=2048, help="megabytes (default: 2048)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="children side by side (default: 1)")
    parser.add_argument("--shard", type=_shard, default=(1, 1), metavar="K/N", help="only a part")
    parser.add_argument("--keep-asking", action="store_true", help="at greater lengths, too")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="go on with these")
    parser.add_argument("--write", type=Path, metavar="FILE", help="the report, as Markdown")
    parser.add_argument("--list", action="store_true", help="every answer as it comes")
    return parser


def _shard(text: str) -> tuple[int, int]:
    number, of = map(int, text.split("/"))
    if not 1 <= number <= of:
        raise ValueError
    return number, of


def main(arguments: list[str]) -> int:
    given = options().parse_args(arguments)
    premises = Premises(given.seed, given.budget, given.memory)
    answered: list[Answered] = []
    if given.answers is not None:
        answered = kept_in(given.answers, premises)
    texts = {name: text for name, text in interactions().items() if given.only in name}
    endless = [
        name
        for name, text in texts.items()
        if any(part.operator in LOOPS for part in subterms(read_interaction(text)))
    ]
    finite = texts.keys() - set(endless)
    lengths = lengths_to(given.most)
    tasks = shard(
        [
            Task(name, walk, lengths, *premises, given.keep_asking)
            for name in endless
            for walk in WALKS
        ],
        *given.shard,
    )
    kept = None if given.answers is None else given.answers.open("a", encoding="utf-8")
    if kept is not None and not answered:
        print(json.dumps(premises._asdict()), file=kept, flush=True)
    failures = _all_answered(tasks, answered, kept, given.jobs, given.list)
    if kept is not None:
        kept.close()
    command = shlex.join(["python", "-m", "benchmarks.middle", *arguments])
    lines = [
        f"`{command}`",
        "",
        f"{platform.machine()}, Python {platform.python_version()}, seed {given.seed}; "
        f"{given.budget:g} s of the processor and {given.memory:,} MB for a question; "
        f"interactions: {len(endless)}"
        + (f", part {'/'.join(map(str, given.shard))}" if given.shard != (1, 1) else "")
        + f"; left out, since without loops: {', '.join(sorted(finite)) or 'none'}.",
        "",
        *report(answered),
        *(f"- Not finished: {failure}." for failure in failures),
    ]
    text = "\n".join(lines) + "\n"
    if given.write is not None:
        given.write.write_text(text, encoding="utf-8")
    print(text, end="")
    return 1 if failures else 0


def _all_answered(
    tasks: list[Task], answered: list[Answered], kept: TextIO | None, jobs: int, every: bool
) -> list[str]:
    """Everything else is answered, appended to `answered` and written to `kept`."""
    lock = Lock()
    before = list(answered)
    finished = 0

    def tell(one: Answered) -> None:
        with lock:
            answered.append(one)
            if kept is not None:
                print(one.line(), file=kept, flush=True)
            if every:
                print(one.line(), file=sys.stderr, flush=True)

    def done(task: Task) -> None:
        nonlocal finished
        with lock:
            finished += 1
            print(
                f"{finished} of {len(tasks)}: {task.interaction}, {task.walk}; "
                f"{len(answered):,} answers, {sum(bool(one.reason) for one in answered):,} "
                "undecided",
                file=sys.stderr,
                flush=True,
            )

    return all_finished(tasks, before, tell, done, jobs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
