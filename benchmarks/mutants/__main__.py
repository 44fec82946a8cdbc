"""Draw mutants by a seed, and let the tests of their rooms and the laws look for them. What was found
is kept below `build/mutants`, so that a run that was stopped goes on: a mutant that was killed stays
killed while its module is the same, one that survived is tried again when any test changed."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from tempfile import gettempdir

from benchmarks.command_line import load_at_the, machine
from benchmarks.mutants.mutation import Mutant
from benchmarks.mutants.page import Result, enough, page
from benchmarks.mutants.sample import LAWS, ROOMS, Room, all_mutants, equivalents, said, sample
from benchmarks.mutants.touched import Test, Touched, trace
from benchmarks.mutants.trial import Ended, Server, copy

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


def main() -> int:
    """0 where enough were killed, else 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--rooms", nargs="*", choices=[room.name for room in ROOMS])
    parser.add_argument(
        "--seconds", type=float, default=60, help="of tests for one mutant, in its room and in laws"
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
    trials = Trials(place, given.seconds)
    try:
        results = [
            trials.result(each, rooms[found[each]], known=said(each) in equivalent)
            for each in drawn
        ]
        doubtful = trials.doubtful(results)
    finally:
        shutil.rmtree(Path(gettempdir(), f"mutants-{os.getpid()}"), ignore_errors=True)
    order = [room.name for room in ROOMS]
    results.sort(key=lambda each: (order.index(each.room), each.mutant.path, each.mutant.span))
    text = "\n".join(
        page(
            results,
            equivalent,
            command=f"python -m benchmarks.mutants --seed {given.seed} --count {given.count}",
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


class Trials:
    """What is known of mutants, and how to find out."""

    def __init__(self, place: Path, seconds: float) -> None:
        self.seconds = seconds
        self.server = Server(place)
        self.kept = place / "results.jsonl"
        self.traces = place / "touched"
        self.traces.mkdir(exist_ok=True)
        self.touched: dict[tuple[str, ...], Touched] = {}
        self.known = {}
        if self.kept.exists():
            for line in self.kept.read_text(encoding="utf-8").splitlines():
                told = json.loads(line)
                self.known[told["key"]] = told

    def tests(self, places: tuple[str, ...]) -> Touched:
        if places not in self.touched:
            self.touched[places] = Touched(self.server.tree, self.traces, places)
        return self.touched[places]

    def by(self, mutant: Mutant, touched: Touched) -> list[Test]:
        """The tests of a mutant; traced, where they are not."""
        touched.load(self._trace)
        return _within(touched.by(mutant), self.seconds)

    def _trace(self, file: str, place: Path) -> None:
        start = time.perf_counter()
        self.server.fork(lambda run: trace(self.server.tree, file, place, run))
        print(f"traced {file}: {time.perf_counter() - start:.1f} s", file=sys.stderr)

    def failing(self) -> list[str]:
        return [name for touched in self.touched.values() for name in touched.failing]

    def result(self, mutant: Mutant, room: Room, *, known: bool) -> Result:
        """What became of it; an equivalent one survives without a trial."""
        if known:
            return Result(mutant, room.name, "")
        rooms, laws = self.tests(room.tests), self.tests(LAWS)
        source = (self.server.tree / mutant.path).read_text(encoding="utf-8")
        module = sha256(source.encode()).hexdigest()
        asked = f"{rooms.state} {laws.state} {self.seconds}"
        told = self.known.get(mutant.key)
        if told is None or told["module"] != module or not (told["by"] or told["asked"] == asked):
            start = time.perf_counter()
            by = ""
            with self.server.mutated(mutant.path, mutant.applied(source)):
                for by, touched in (("room", rooms), ("laws", laws)):
                    end = self.server.run(self.by(mutant, touched))
                    if end.by is not None:
                        break
                else:
                    by = ""
            told = {
                "key": mutant.key,
                "module": module,
                "asked": asked,
                "by": by,
                "test": end.by or "",
                "how": end.how,
                "seconds": round(time.perf_counter() - start, 2),
            }
            with self.kept.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(told) + "\n")
            print(
                f"{told['seconds']:7.2f} s {by or 'SURVIVED':8} {mutant.path}:{mutant.first} "
                f"{mutant.line} => {mutant.becomes}  {told['how']} {told['test']}",
                file=sys.stderr,
            )
        return Result(mutant, room.name, told["by"], told["test"], told["how"])

    def doubtful(self, results: list[Result]) -> list[str]:
        """Who killed mutants, and fails in a tree without one as well."""
        by = {each.test for each in results if each.by}
        tests = [
            test
            for touched in self.touched.values()
            for some in touched.tests.values()
            for test in some
            if test.name in by
        ]
        failed: list[str] = []
        while (end := self.server.run(tests)) != Ended():
            failed.append(f"{end.by} ({end.how})")
            tests = [test for test in tests if test.name != end.by]
            if len(failed) > 20:
                break
        return failed


def _within(tests: list[Test], seconds: float) -> list[Test]:
    """The first ones of them that take so long together, and one in any case."""
    sums = accumulate(test.seconds for test in tests)
    return [test for place, (test, s) in enumerate(zip(tests, sums)) if s <= seconds or not place]


if __name__ == "__main__":
    sys.exit(main())
