"""The audit against brute force, on more random cases than tests can afford.

    python -m benchmarks.audit_brute_force [--cases N] [--seed N] [--look-ups] [--mixed]
        [--orders N]

Random properties and logs of three processes and a fourth that the property does not have, with
clocks, message ids or neither, most with events, ends or whole logs missing; with `--mixed` each
log says something else, and clocks, numbers or ids are missing here and there. Brute force walks
every order of all events and everything that gaps may hide; each order that the audit shows is
replayed by the reference. The cases are those of `tests/audit/cases.py`. With `--orders N` each is
read in all orders that keep that of each process, or in N drawn ones where there are more, and all
must say the same. Ends with 1 at the first disagreement.
"""

from __future__ import annotations

import sys
from collections import Counter

import click

from choreomon.audit.window import Limits
from choreomon.core.errors import DocumentError
from tests.audit.cases import case, faults
from tests.audit.reading_orders import read_in_orders


@click.command(help=__doc__)
@click.option("--cases", type=click.IntRange(min=1), default=20_000, show_default=True)
@click.option("--seed", default=1_000_000, show_default=True)
@click.option("--look-ups", is_flag=True, help="Try look-ups before every search.")
@click.option("--mixed", is_flag=True, help="Logs of which each says something else.")
@click.option("--orders", type=click.IntRange(min=1), help="Read each case in so many orders.")
def main(cases: int, seed: int, look_ups: bool, mixed: bool, orders: int | None) -> None:
    logs: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    for number in range(cases):
        one = case(seed + number, mixed=mixed)
        if orders is not None:
            read = read_in_orders(one, at_most=orders)
            if read.wrong:
                click.echo(f"seed {seed + number}: {'; '.join(read.wrong)}")
                sys.exit(1)
            logs["audits"] += read.read
            logs["logs read in every order"] += read.read == read.orders
        try:
            outcome = one.audit(Limits(few_cuts=1, patience=one.patience) if look_ups else None)
        except DocumentError as error:
            click.echo(f"seed {seed + number}: {error}")
            sys.exit(1)
        wrong = faults(one, outcome, one.truth())
        if wrong:
            click.echo(f"seed {seed + number}: {'; '.join(wrong)}")
            sys.exit(1)
        logs[f"logs with {one.says}"] += 1
        logs["logs with gaps"] += bool(outcome.gaps)
        for verdict in outcome.verdicts:
            kind = f"{verdict.kind}, undecided" if verdict.undecided else verdict.kind
            verdicts[kind] += 1
            verdicts["possibly-violated because of a gap"] += bool(verdict.gaps)
        overall = outcome.overall
        kind = "undecided" if overall.undecided else overall.kind or "not formed"
        logs[f"logs as a whole {kind}"] += 1
    for counts in (logs, verdicts):
        for name, count in sorted(counts.items()):
            click.echo(f"{count:>8} {name}")
    click.echo(f"{cases} cases, all as by brute force")


if __name__ == "__main__":
    main()
