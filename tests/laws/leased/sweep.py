"""The rules of leases in many random runs, and how many of them notice each planted bug.

    python -m tests.laws.leased.sweep --runs 21000 --write benchmarks/results/leases.md

`--seed N` is the first one; `--jobs N` processes share the work.
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

BATCH: Final = 50


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


def swept(pool: ProcessPoolExecutor, flavor: str, bug: str, seeds: range) -> Swept:
    """The same, shared by processes."""
    parts = [seeds[at : at + BATCH] for at in range(0, len(seeds), BATCH)]
    counts: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    bad: tuple[int, ...] = ()
    for part in pool.map(sweep, [flavor] * len(parts), [bug] * len(parts), parts):
        counts += part.counts
        errors += part.errors
        bad += part.wrong
    return Swept(counts, errors, bad)


def row(cells: Iterable[object]) -> str:
    """A line of a table."""
    return "| " + " | ".join(f"{c:,}" if isinstance(c, int) else str(c) for c in cells) + " |"


def page(arguments: argparse.Namespace, rest: str) -> str:
    """The page of results, with the right rules and with each bug."""
    first, total = arguments.seed, Counter[str]()
    with ProcessPoolExecutor(arguments.jobs) as pool:
        right, whole = [], 0
        for flavor, share in SHARES.items():
            runs = arguments.runs * share // sum(SHARES.values())
            found = swept(pool, flavor, "", range(first, first + runs))
            total += found.counts
            whole += len(found.wrong)
            cells = [found.counts[each] for each in COLUMNS]
            right.append(row([flavor, found.counts["runs"], *cells, len(found.wrong)]))
            print(right[-1], found.wrong[:5], file=sys.stderr, flush=True)
        cells = [total[each] for each in COLUMNS]
        right.append(row(["**all**", total["runs"], *cells, whole]))
        planted = []
        for bug in BUGS:
            each = [
                swept(pool, flavor, bug, range(first, first + arguments.planted))
                for flavor in NOTICING
            ]
            errors = sum((found.errors for found in each), Counter[str]())
            told = "; ".join(f"{kind} {n}" for kind, n in errors.most_common(3))
            seen = [len(found.wrong) for found in each]
            used = sum(found.counts["used answers of fenced agents"] for found in each)
            planted.append(row([bug, *seen, used, told or "only move by move"]))
            print(planted[-1], file=sys.stderr, flush=True)
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
            f"Runs in which something is wrong, of {arguments.planted} in each kind of world.",
            "`tests/laws/test_leases_move_by_move.py` has the moves that show each of them.",
            "",
            row(["planted", *NOTICING, "used", "most often"]),
            "|---|" + "--:|" * (len(NOTICING) + 1) + "---|",
            *planted,
            "",
        ]
    )  # fmt: skip


def main(given: Sequence[str]) -> None:
    """Sweep, and write or print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21_000)
    parser.add_argument("--planted", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args(given)
    text = page(arguments, " ".join(given))
    if arguments.write is None:
        print(text)
    else:
        arguments.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
