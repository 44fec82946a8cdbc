"""Exact verdicts against brute force, on more random cases than tests can afford.

    python -m benchmarks.slices_brute_force [--interactions N] [--seed N] [--discrete]

Random interactions over all operators, nested loops included; slices, multi-prefixes and mutants
of their traces over five partitions; all four exact modes. The questions are those of
`tests/verify/test_exact.py`, from seed N on, with larger interactions too. With `--discrete` the
questions of `tests/verify/test_discrete.py`: seven of eight are about logs of one lifeline each,
which automata decide where there is one, and there are more `coreg`. Ends with 1 at the first
disagreement.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Final

import click

from choreomon.interaction.generation import ALL_OPERATORS
from choreomon.verify.verifier import Verifier
from tests.verify.exact_cases import DISCRETE, EXACT_MODES, PARTITIONS, questions

LARGEST: Final = (9, 13)
"""Symbols that an interaction may have; larger ones leave fewer questions that can be judged."""


HEAD: Final = ("mode", "Pass", "WeakPass", "Fail", "by automata")


@click.command(help=__doc__)
@click.option("--interactions", type=click.IntRange(min=1), default=1_000, show_default=True)
@click.option("--seed", default=1_000_000, show_default=True)
@click.option("--discrete", is_flag=True)
def main(interactions: int, seed: int, discrete: bool) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    automata: Counter[str] = Counter()
    partitions = DISCRETE if discrete else PARTITIONS
    operators = (*ALL_OPERATORS, "coreg", "coreg", "par") if discrete else ALL_OPERATORS
    for number in range(interactions):
        verifiers: dict[str, Verifier] = {}
        largest = LARGEST[number % 2]
        for question in questions(seed + number, EXACT_MODES, operators, largest, partitions):
            mode = question.mode
            if mode not in verifiers:
                verifiers[mode] = Verifier(question.interaction, mode)
            verdict, _, _, method = verifiers[mode].decide(question.multitrace)
            automata[mode] += method == "reduced"
            counts[mode, question.verdict.value] += 1
            if verdict is not question.verdict:
                click.echo(f"seed {seed + number}: {question}\nbut found {verdict.value}")
                sys.exit(1)
    click.echo("".join(f"{name:>14}" for name in HEAD))
    for mode in EXACT_MODES:
        row = (mode, *(counts[mode, word] for word in HEAD[1:4]), automata[mode])
        click.echo("".join(f"{value:>14}" for value in row))
    click.echo(f"{counts.total()} cases, all as by brute force")


if __name__ == "__main__":
    main()
