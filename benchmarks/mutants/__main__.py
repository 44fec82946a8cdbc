"""Draw mutants by a seed, and let the tests of their rooms and the laws look for them. What was
found is kept below `build/mutants`, so that a run that was stopped goes on: who was killed stays
killed while its module is the same, who survived is tried again when a test changed."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
from pathlib import Path
from tempfile import gettempdir

from benchmarks.command_line import load_at_the, machine
from benchmarks.mutants.page import Result, enough, page, survivors_of
from benchmarks.mutants.results import Trials
from benchmarks.mutants.sample import ROOMS, all_mutants, equivalents, said, sample
from benchmarks.mutants.trial import copy

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


def main() -> int:
    """0 where enough were killed, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--rooms", nargs="*", choices=[room.name for room in ROOMS])
    parser.add_argument(
        "--seconds", type=float, default=30, help="of tests for one mutant, in its room and in laws"
    )
    parser.add_argument(
        "--survivors-of", type=Path, help="only those of them that survived on this page"
    )
    parser.add_argument("--write", type=Path, help="write the page to this file, too")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and nothing that was begun goes on
    place = ROOT / "build" / "mutants"
    place.mkdir(parents=True, exist_ok=True)
    copy(ROOT, place / "tree")
    rooms = {room.name: room for room in ROOMS}
    found = {each: room.name for room in ROOMS for each in all_mutants(place / "tree", room)}
    equivalent = equivalents((HERE / "equivalent.toml").read_text(encoding="utf-8"), [*found])
    drawn = sample(place / "tree", found, given.seed, given.count)
    drawn = [each for each in drawn if not given.rooms or found[each] in given.rooms]
    if given.survivors_of is not None:
        drawn = survivors_of(given.survivors_of.read_text(encoding="utf-8"), drawn)
    trials = Trials(place, given.seconds)
    try:
        results = [
            Result(each, found[each], "")
            if said(each) in equivalent
            else trials.result(each, rooms[found[each]])
            for each in drawn
        ]
        doubtful = trials.doubtful(results)
    finally:
        shutil.rmtree(Path(gettempdir(), f"mutants-{os.getpid()}"), ignore_errors=True)
    order = [room.name for room in ROOMS]
    results.sort(key=lambda each: (order.index(each.room), each.mutant.path, each.mutant.span))
    command = f"python -m benchmarks.mutants --seed {given.seed} --count {given.count}"
    if given.seconds != parser.get_default("seconds"):
        command += f" --seconds {given.seconds:g}"
    if given.rooms:
        command += f" --rooms {' '.join(given.rooms)}"
    if given.survivors_of is not None:
        command += f" --survivors-of {given.survivors_of}"
    text = "\n".join(
        page(
            results,
            equivalent,
            command=command,
            measured=f"{machine()}; {load_at_the('end')}. {len(found):,} mutants to draw from.",
            failing=trials.failing(),
            found=(HERE / "found.md").read_text(encoding="utf-8"),
        )
    )
    print(text)
    if given.write is not None:
        given.write.write_text(text + "\n", encoding="utf-8")
    for test in doubtful:
        print(f"fails without a mutant, too, with others before it: {test}", file=sys.stderr)
    return 0 if enough(results, equivalent) and not doubtful else 1


if __name__ == "__main__":
    sys.exit(main())
