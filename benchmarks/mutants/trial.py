"""One mutant after the other, in a copy of the tree and a process each: forked from one that has
imported what the tests need of others, and nothing of what is tested."""

from __future__ import annotations

import faulthandler
import os
import resource
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import Final

import hypothesis
import pytest

from benchmarks.mutants.touched import Test

LIBRARIES: Final = (
    "click msgspec numpy pyarrow pydantic regex rich.console yaml zmq asyncio sqlite3"
)
MEMORY: Final = 6 << 30
IMPORTING: Final = 120.0
"""Seconds until a process must have begun its first test."""


def patience(test: Test) -> tuple[float, float]:
    """How many seconds of the processor and of the clock a test may take; it took some without a
    mutant. Of the clock so many that another one's work is not taken for a loop."""
    return 10 + 10 * test.seconds, 120 + 20 * test.waited


@dataclass(frozen=True, slots=True)
class Ended:
    """By which test a mutant was killed, in which way; `None`: it was not."""

    by: str | None = None
    how: str = ""


def copy(root: Path, place: Path) -> None:
    """Bring a copy of the tree up to date, as far as git knows it or would."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
    )
    names = listed.stdout.decode().split("\0")
    wanted = {name for name in names if name and (root / name).is_file()}
    for old in sorted(place.rglob("*")):
        known = old.relative_to(place).as_posix() in wanted or "__pycache__" in old.parts
        if old.is_file() and not known:
            old.unlink()
    for name in sorted(wanted):
        source, target = root / name, place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or source.read_bytes() != target.read_bytes():
            shutil.copy2(source, target)


class Chosen:
    """A plugin of pytest: these tests alone, in this order, each within its time."""

    def __init__(self, tests: Sequence[Test], told: Callable[[str], None]) -> None:
        self.tests = {test.name: test for test in tests}
        self.told = told

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        places = {name: place for place, name in enumerate(self.tests)}
        items[:] = [item for item in items if item.nodeid in places]
        items.sort(key=lambda item: places[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.told(f"began {nodeid}")
        worked, waited = patience(self.tests[nodeid])
        signal.setitimer(signal.ITIMER_PROF, worked)  # which ends the process, as nobody listens
        faulthandler.dump_traceback_later(waited, exit=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.told(f"failed {report.nodeid}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.told(f"failed {report.nodeid}")


class Server:
    """Where processes come from. `place` is the folder of the copy and of what is kept."""

    def __init__(self, place: Path) -> None:
        self.tree = place / "tree"
        self.place = place
        for library in LIBRARIES.split():
            __import__(library)
        # The same examples each time, and none that only a slow machine is to blame for.
        hypothesis.settings.register_profile(
            "mutants", derandomize=True, database=None, deadline=None
        )
        hypothesis.settings.load_profile("mutants")

    def fork(self, work: Callable[[Callable[..., int]], int]) -> int:
        """Do it in a process of its own, with its output in a file. Returns how that ended, as
        `os.waitpid` has it; nothing of it is left."""
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            code = 70
            try:
                self._begin()
                code = work(self._run)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        try:
            _, status = os.waitpid(child, 0)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
        return status

    def _begin(self) -> None:
        os.setsid()
        out = os.open(self.place / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for target in (1, 2):
            os.dup2(out, target)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(self.tree)
        sys.path[:] = [str(self.tree), *(each for each in sys.path[1:] if each)]
        os.environ["PYTHONPATH"] = str(self.tree)
        for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
            del sys.modules[name]

    def _run(self, tests: Sequence[str], plugin: object, *more: str) -> int:
        scratch = Path(gettempdir(), f"mutants-{os.getppid()}")
        # Nothing is rewritten, so that the modules that are tested are compiled as ever.
        options = ["-q", "--assert=plain", "--rootdir", str(self.tree)]
        # How long each test may take is said here; what the project says is left out.
        options += ["--basetemp", str(scratch), "-o", "faulthandler_timeout=0", *more]
        for plugin_ in ("cacheprovider", "xdist"):
            options += ["-p", f"no:{plugin_}"]
        return int(pytest.main([*options, *tests], plugins=[plugin]))

    def run(self, tests: Sequence[Test]) -> Ended:
        """How these tests end in the copy as it is, at the first that fails."""
        if not tests:
            return Ended()
        told = self.place / "told"
        told.write_text("", encoding="utf-8")

        def work(run: Callable[..., int]) -> int:
            faulthandler.enable()
            faulthandler.dump_traceback_later(IMPORTING, exit=True)
            with told.open("a", encoding="utf-8", buffering=1) as lines:
                chosen = Chosen(tests, lambda line: lines.write(line + "\n"))
                return run(sorted({test.file for test in tests}), chosen, "-x")

        status = self.fork(work)
        return ended(told.read_text(encoding="utf-8"), os.waitstatus_to_exitcode(status))


@contextmanager
def mutated(file: Path, text: str) -> Generator[None]:
    """A file of the copy as long as it is another one. Its time says which one, so that nothing
    that was compiled from another text is taken for it."""
    before, stat = file.read_bytes(), file.stat()
    modified = int.from_bytes(sha256(text.encode()).digest()[:4]) // 2
    try:
        file.write_text(text, encoding="utf-8")
        os.utime(file, (modified, modified))
        yield
    finally:
        file.write_bytes(before)
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def ended(told: str, code: int) -> Ended:
    """What a process told before it ended with an exit code, which is a negative one for a signal.
    It survived where nothing failed, even if a test has another name now and was not run."""
    lines = told.splitlines()
    failed = [line.partition(" ")[2] for line in lines if line.startswith("failed ")]
    if failed:
        return Ended(failed[0], "failed")
    began = [line.partition(" ")[2] for line in lines if line.startswith("began ")]
    if code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return Ended()
    how = "time" if code in (1, -signal.SIGPROF) else f"signal {-code}" if code < 0 else "ended"
    return Ended(began[-1] if began else "", how)
