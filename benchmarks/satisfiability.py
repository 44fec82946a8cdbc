"""How long formulas take that are asked about as interactions: deciding multi-traces is NP-hard,
and this is where it is.

    python -m benchmarks.satisfiability [FILE...] [--seconds S] [--random N] [--seed N]

For each formula in DIMACS form, those of `tests/data/offline/sat` where none is named: whether it
can be made true (the removal paper, Property 11: `multiprefix`), and whether with exactly one true
literal in each clause (the small-step paper, section 4.4: `accept`). Then N random formulas of 25
variables with 4.27 clauses to each, which are as hard as random ones of their size are. Every
answer is compared with that by truth tables. Times are of the processor, reading excluded; after S
seconds a question is given up, as `--budget` does it.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time
from typing import Final, NamedTuple

import click

from choreomon.batch.collector import collector_at_rest
from choreomon.interaction.term import Interaction
from choreomon.verify.exact import ExactDecider
from choreomon.verify.verdict import Mode, Verdict
from tests.papers.formulas import (
    Formula,
    one_each,
    one_in_three,
    read_formula,
    satisfiability,
    truth_table,
    variables,
)

FORMULAS: Final = Path(__file__).parents[1] / "tests" / "data" / "offline" / "sat"
VARIABLES: Final = 25
CLAUSES: Final = 107


class Question(NamedTuple):
    name: str
    term: Callable[[Formula], Interaction]
    mode: Mode
    kind: str
    exactly_one: bool


QUESTIONS: Final = (
    Question("satisfiable", satisfiability, "multiprefix", "?", False),
    Question("one in three", one_in_three, "accept", "!", True),
)


class Asked(NamedTuple):
    """How long a question took, and whether the answer was right; None where there was none."""

    seconds: float
    right: bool | None


def ask(formula: Formula, question: Question, limit: float) -> Asked:
    decider = ExactDecider(question.term(formula), question.mode)
    logs = one_each(formula, question.kind)
    begun = process_time()
    with collector_at_rest():  # as `choreomon verify` does
        answer = decider.decide(
            logs, lambda: "TimedOut" if process_time() - begun > limit else None
        )
    seconds = process_time() - begun
    if answer.verdict is Verdict.INCONC:
        return Asked(seconds, None)
    expected = truth_table(formula, exactly_one=question.exactly_one) != 0
    return Asked(seconds, answer.verdict.passes is expected)


def drawn(rng: Random) -> Formula:
    """Three literals of different variables in each clause."""
    return tuple(
        tuple(rng.choice((1, -1)) * variable for variable in sorted(rng.sample(range(1, 26), 3)))
        for _ in range(CLAUSES)
    )


def report(name: str, formulas: list[tuple[str, Formula]], limit: float) -> int:
    """Prints a table; how many answers were wrong."""
    wrong = 0
    print(f"{name}\n")
    print("| question | formulas | right | wrong | given up | mean s | longest s | of |")
    print("|---|---|---|---|---|---|---|---|")
    for question in QUESTIONS:
        asked = [(ask(formula, question, limit), called) for called, formula in formulas]
        answers = [one.right for one, _ in asked]
        wrong += answers.count(False)
        times = [one.seconds for one, _ in asked]
        longest, called = max((one.seconds, called) for one, called in asked)
        print(
            f"| {question.name} | {len(asked)} | {answers.count(True)} | {answers.count(False)} | "
            f"{answers.count(None)} | {sum(times) / len(times):.2f} | {longest:.2f} | {called} |",
            flush=True,
        )
    print()
    return wrong


@click.command(help=__doc__)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--seconds", default=60.0, show_default=True, help="for each question")
@click.option("--random", "count", default=10, show_default=True, help="random formulas")
@click.option("--seed", default=0, show_default=True)
def main(files: tuple[Path, ...], seconds: float, count: int, seed: int) -> None:
    print(f"python -m benchmarks.satisfiability --random {count} --seed {seed}")
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    paths = files or sorted(FORMULAS.glob("*.cnf"))
    formulas = [(path.stem, read_formula(path.read_text(encoding="utf-8"))) for path in paths]
    most = max(len(variables(formula)) for _, formula in formulas)
    wrong = report(f"Files, of up to {most} variables:", formulas, seconds)
    if count:
        rng = Random(seed)
        made = [(f"random {number}", drawn(rng)) for number in range(count)]
        wrong += report(f"Random, of {VARIABLES} variables and {CLAUSES} clauses:", made, seconds)
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
