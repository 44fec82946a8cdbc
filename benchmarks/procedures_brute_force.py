"""Procedures about logs and automata against brute force, on more random cases than tests can
afford.

    python -m benchmarks.procedures_brute_force [--automata N] [--seed N]

Random automata, most of them cyclic and nondeterministic, some of two that go side by side; logs of
their words and walks, cut, mixed and changed; the three modes that automata answer. The questions
are those of `tests/automata/test_procedures.py`, from seed N on, by every procedure; then, of a
tenth as many automata and of others, those of `tests/verify/test_fault.py`: who is to blame, by all
sets of locations. Ends with 1 where there is a disagreement.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import chain
from typing import Final

import click

from choreomon.automata.reference import explains
from tests.automata.asked import QUESTIONS, cases, longer_cases
from tests.automata.test_procedures import procedures
from tests.verify.test_fault import disagreements

MODES: Final = ("accept", "multiprefix", "slice")


@click.command(help=__doc__)
@click.option("--automata", type=click.IntRange(min=1), default=5_000, show_default=True)
@click.option("--seed", default=1_000_000, show_default=True)
def main(automata: int, seed: int) -> None:
    counts = {mode: [0, 0] for mode in MODES}
    decide = procedures()
    for one, logs in chain(cases(automata, seed), longer_cases(automata // 2, seed)):
        for mode, missing in zip(MODES, QUESTIONS, strict=True):
            truth = explains(one, logs, missing)
            counts[mode][truth] += 1
            for name, procedure in decide.items():
                if procedure(one, logs, missing) is not truth:
                    click.echo(f"{name}, {mode}: {logs}\n{one}\nbut brute force says {truth}")
                    sys.exit(1)
    click.echo("".join(f"{name:>14}" for name in ("mode", "explained", "not")))
    for mode, (no, yes) in counts.items():
        click.echo(f"{mode:>14}{yes:>14,}{no:>14,}")
    total = sum(map(sum, counts.values()))
    wrong, met = disagreements(automata // 10, seed)
    kinds: Counter[str] = Counter()
    for (_, kind, _), number in met.items():
        kinds[kind or "none"] += number
    told = ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items()))
    click.echo(f"faults: {told}")
    if wrong:
        click.echo(f"{wrong} of them are wrong")
        sys.exit(1)
    click.echo(
        f"{total:,} cases by {len(decide)} procedures, all as by brute force, and all faults"
    )


if __name__ == "__main__":
    main()
