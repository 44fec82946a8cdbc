"""Exact verdicts against brute force, on more random cases than tests can afford.

    python -m benchmarks.slices_brute_force [--interactions N] [--seed N]

Random interactions over all operators, nested loops included; slices, multi-prefixes and mutants
of their traces over five partitions; all four exact modes. The questions are those of
`tests/verify/test_exact.py`, from seed N on, with larger interactions too. Ends with 1 at the
first disagreement.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Final

import click

from choreomon.verify.exact import ExactDecider
from tests.verify.exact_cases import EXACT_MODES, questions

LARGEST: Final = (9, 13)
"""Symbols that an interaction may have; larger ones leave fewer questions that can be judged."""


@click.command(help=__doc__)
@click.option("--interactions", type=click.IntRange(min=1), default=1_000, show_default=True)
@click.option("--seed", default=1_000_000, show_default=True)
def main(interactions: int, seed: int) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for number in range(interactions):
        deciders: dict[str, ExactDecider] = {}
        for question in questions(seed + number, largest=LARGEST[number % 2]):
            mode = question.mode
            if mode not in deciders:
                deciders[mode] = ExactDecider(question.interaction, mode)
            verdict = deciders[mode].decide(question.multitrace).verdict
            counts[mode, question.verdict.value] += 1
            if verdict is not question.verdict:
                click.echo(f"seed {seed + number}: {question}\nbut found {verdict.value}")
                sys.exit(1)
    click.echo("".join(f"{name:>14}" for name in ("mode", "Pass", "WeakPass", "Fail")))
    for mode in EXACT_MODES:
        row = (mode, *(counts[mode, word] for word in ("Pass", "WeakPass", "Fail")))
        click.echo("".join(f"{value:>14}" for value in row))
    click.echo(f"{counts.total()} cases, all as by brute force")


if __name__ == "__main__":
    main()
