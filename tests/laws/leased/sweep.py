"""The rules of leases in many random runs, and how many of them notice each planted bug.

    python -m tests.laws.leased.sweep --runs 21000 --write benchmarks/results/leases.md

Rounds follow each other until there are so many runs. The page is written after each, so that what
is there when it is stopped is the page of fewer runs. `--jobs N` processes share the work.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from tests.laws.leased.playing import FLAVORS, played
from tests.laws.leased.world import BUGS

SHARES: Final = {"any": 5, "busy": 5, "losing": 4, "hanging": 3, "everything": 3, "long": 1}
"""How many of 21 runs have each flavor."""

NOTICING: Final = ("busy", "hanging", "losing", "long")
"""Flavors in which bugs are looked for."""

COLUMNS: Final = {
    "events": "events", "formed": "formed", "violated": "violated", "possibly": "possibly",
    "avoidable": "avoidable", "taken": "taken", "commits refused": "refused", "kills": "kills",
    "leaves": "leaves", "restarts": "restarts", "lost stores": "lost stores",
    "fenced first": "fenced first", "used answers of fenced agents": "used",
}  # fmt: skip

ROUND: Final = 10
"""Runs in a round of a flavor whose share is 1."""


class Swept(NamedTuple):
    """What was counted in runs, and in how many each kind of error showed."""

    counts: Counter[str]
    errors: Counter[str]
    wrong: tuple[int, ...]


def sweep(flavor: str, bug: str, seeds: range) -> Swept:
    """These runs."""
    counts: Counter[str] = Counter(runs=len(seeds))
    errors: Counter[str] = Counter()
    bad = []
    for seed in seeds:
        world, found = played(seed, FLAVORS[flavor], bug)
        counts += world.counts
        errors.update({kind for kind, _ in found})
        if found:
            bad.append(seed)
    return Swept(counts, errors, tuple(bad))


def added(parts: Iterable[Swept]) -> Swept:
    """All of it."""
    counts: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    bad: tuple[int, ...] = ()
    for part in parts:
        counts += part.counts
        errors += part.errors
        bad += part.wrong
    return Swept(counts, errors, bad)


class Rounds:
    """Rounds of runs by the right rules, in each kind of world, and of some with each bug."""

    def __init__(self, pool: ProcessPoolExecutor, planted: int) -> None:
        self.pool, self.most, self.planted = pool, planted, 0
        self.right = dict.fromkeys(SHARES, added(()))
        self.by_bug = {(bug, flavor): added(()) for bug in BUGS for flavor in NOTICING}

    def one_more(self, number: int) -> None:
        """The round of this number, from 0."""
        first = number * ROUND
        shares = [range(first * share, (first + ROUND) * share) for share in SHARES.values()]
        parts = self.pool.map(sweep, SHARES, [""] * len(SHARES), shares)
        for flavor, part in zip(SHARES, parts, strict=True):
            self.right[flavor] = added([self.right[flavor], part])
            if part.wrong:
                print(flavor, part.wrong, dict(part.errors), file=sys.stderr, flush=True)
        if self.planted < self.most:
            bugs, flavors = zip(*self.by_bug, strict=True)
            seeds = [range(self.planted, self.planted + 1)] * len(bugs)
            parts = self.pool.map(sweep, flavors, bugs, seeds)
            for key, part in zip([*self.by_bug], parts, strict=True):
                self.by_bug[key] = added([self.by_bug[key], part])
            self.planted += 1


def row(cells: Iterable[object]) -> str:
    """A line of a table."""
    return "| " + " | ".join(f"{c:,}" if isinstance(c, int) else str(c) for c in cells) + " |"


def page(rounds: Rounds) -> str:
    """The page of results, with the right rules and with each bug."""
    total = added(rounds.right.values())
    right = [
        row([name, *(each.counts[kind] for kind in ("runs", *COLUMNS)), len(each.wrong)])
        for name, each in (*rounds.right.items(), ("**all**", total))
    ]
    planted = []
    for bug in BUGS:
        each = [rounds.by_bug[bug, flavor] for flavor in NOTICING]
        both = added(each)
        told = "; ".join(f"{kind} {n}" for kind, n in both.errors.most_common(3))
        used = both.counts["used answers of fenced agents"]
        seen = [len(part.wrong) for part in each]
        planted.append(row([bug, *seen, used, told or "only move by move"]))
    rest = f"--runs {total.counts['runs']} --planted {rounds.planted}"
    return "\n".join(
        [
            "# Leases of slots, in every order",
            "",
            f"    python -m tests.laws.leased.sweep {rest}",
            "",
            f"on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}.",
            "Replicas join, leave, are killed, hang and go on, their agents are started again,",
            "stores and frames are lost, in a random order (`tests/laws/leased`). *Wrong* are runs",
            "in which anything was missed, made up, avoidable and not announced, lost, counted",
            "twice, or open at the end. *Used* are answers of agents that were fenced by then and",
            "changed what their asker knows: with the right rules only of steps that changed",
            "nothing.",
            "",
            row(["worlds", "runs", *COLUMNS.values(), "wrong"]),
            "|---|" + "--:|" * (len(COLUMNS) + 2),
            *right,
            "",
            "## Planted bugs",
            "",
            f"Runs in which something is wrong, of {rounds.planted} in each kind of world.",
            "`tests/laws/test_leases_move_by_move.py` has the moves that show each of them.",
            "",
            row(["planted", *NOTICING, "used", "most often"]),
            "|---|" + "--:|" * (len(NOTICING) + 1) + "---|",
            *planted,
            "",
        ]
    )  # fmt: skip


def main(given: Sequence[str]) -> None:
    """Sweep, and write the page after each round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21_000)
    parser.add_argument("--planted", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", type=Path, required=True)
    arguments = parser.parse_args(given)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        rounds = Rounds(pool, arguments.planted)
        for number in range(arguments.runs // (ROUND * sum(SHARES.values()))):
            rounds.one_more(number)
            arguments.write.write_text(page(rounds), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
