"""What is known of mutants, and how to find out: kept in a file of JSON lines."""

from __future__ import annotations

import json
import os
import sys
import time
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any

from benchmarks.mutants.mutation import Mutant
from benchmarks.mutants.page import By, Result
from benchmarks.mutants.sample import LAWS, Room
from benchmarks.mutants.touched import WERE_RUN, Test, Touched, trace
from benchmarks.mutants.trial import Ended, Server, mutated


class Trials:
    """Trials in a folder, each with so many seconds of tests in its room, and of laws."""

    def __init__(self, place: Path, seconds: float) -> None:
        self.seconds = seconds
        self.server = Server(place)
        self.kept = place / "results.jsonl"
        self.traces = place / "touched"
        self.traces.mkdir(exist_ok=True)
        self.touched: dict[tuple[str, ...], Touched] = {}
        self.known: dict[str, dict[str, Any]] = {}
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
        status = self.server.fork(lambda run: trace(self.server.tree, file, place, run))
        if os.waitstatus_to_exitcode(status) not in WERE_RUN:
            said = (self.server.place / "output").read_text(encoding="utf-8")
            sys.exit(f"{file} cannot be run, so no mutant is noticed by it:\n{said[-2000:]}")
        print(f"traced {file}: {time.perf_counter() - start:.1f} s", file=sys.stderr)

    def failing(self) -> list[str]:
        return [name for touched in self.touched.values() for name in touched.failing]

    def result(self, mutant: Mutant, room: Room) -> Result:
        """What became of it, as far as that is known; or else by a trial."""
        source = (self.server.tree / mutant.path).read_text(encoding="utf-8")
        module = sha256(source.encode()).hexdigest()
        asked = " ".join(
            (*(self.tests(each).state for each in (room.tests, LAWS)), f"{self.seconds}")
        )
        told = self.known.get(mutant.key)
        if told is None or told["module"] != module or not (told["by"] or told["asked"] == asked):
            start = time.perf_counter()
            by, end = self._tried(mutant, mutant.applied(source), room)
            told = {"key": mutant.key, "module": module, "asked": asked, "by": by}
            told |= {"test": end.by or "", "how": end.how}
            with self.kept.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(told) + "\n")
            print(
                f"{time.perf_counter() - start:7.2f} s {by or 'SURVIVED':8} {mutant.path}:"
                f"{mutant.first} {mutant.line} => {mutant.becomes}  {end.how} {end.by or ''}",
                file=sys.stderr,
            )
        return Result(mutant, room.name, told["by"], told["test"], told["how"])

    def _tried(self, mutant: Mutant, text: str, room: Room) -> tuple[By, Ended]:
        who: tuple[tuple[By, tuple[str, ...]], ...] = (("room", room.tests), ("laws", LAWS))
        for by, places in who:
            tests = self.by(mutant, self.tests(places))  # as the tree is without it
            with mutated(self.server.tree / mutant.path, text):
                end = self.server.run(tests)
            if end.by is not None:
                return by, end
        return "", Ended()

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
    few = sum(each <= seconds for each in sums)
    return tests[: max(few, 1)]
