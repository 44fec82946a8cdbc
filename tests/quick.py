"""Run what a change needs, nearest first, in about a minute: `make test-quick`.

Nearest are tests that were changed; then the layers and the laws in small, tests that import what
was changed, tests of the same room, and tests that import it through others. No test begins after
`--seconds` of a processor, and no file takes more than a share of them; those left out are skipped,
and counted with the reason. `make test` runs all.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[1]
CODE: Final = ("choreomon", "simulator", "tests", "benchmarks", "cluster")
SECONDS: Final = "QUICK_TESTS_SECONDS"
"""The variable that tells each worker after how many seconds of its processor to begin no test, so
that other work on the machine changes nothing."""

IN_SMALL: Final = (
    "tests/architecture/test_architecture.py",
    "tests/laws/test_families.py",
    "tests/laws/test_schedules.py",
)
"""Layers, and the laws on what is said of each event: in drawn runs and in all schedules."""

SHARE: Final = 1 / 12
"""Of the time of a worker, for one file of tests."""

FAR: Final = 4
"""A test is left out that imports what was changed through this many modules."""

FOLDERS: Final = {
    "docs": ("tests/docs",),
    "scenarios": ("tests/scenarios", "tests/simulator"),
    "cluster": ("tests/cluster",),
    "deploy": ("tests/deploy", "tests/docs"),
    "benchmarks": ("tests/benchmarks",),
    "simulator": ("tests/simulator",),
}
"""The tests of whatever is at the top and has no room. Any other file is one of the docs."""


def is_test(path: str) -> bool:
    return path.startswith("tests/") and path.rpartition("/")[2].startswith("test_")


def folders(path: str) -> tuple[str, ...]:
    """The folders of tests that mirror the place of a file, with a slash at the end."""
    top, *inner = path.split("/")
    if top == "choreomon" and len(inner) > 1:
        found: tuple[str, ...] = (f"tests/{inner[0]}",)
    elif top == "tests" and len(inner) > 1:
        found = (path.rpartition("/")[0],)
    else:
        found = FOLDERS.get(top, ("tests/docs",))
    return tuple(f"{folder}/" for folder in found)


def imports(source: str, known: Mapping[str, str]) -> set[str]:
    """The paths of the modules that are imported anywhere in a source, those within functions too.
    `known`: the path of each module by its name."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {known.get(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {
                known.get(f"{node.module}.{alias.name}", known.get(node.module))
                for alias in node.names
            }
    return {path for path in found if path is not None}


def distances(changed: Iterable[str], imported: Mapping[str, set[str]]) -> dict[str, int]:
    """How many imports lead from a file to what was changed, for those below `FAR`."""
    by: dict[str, set[str]] = defaultdict(set)
    for path, others in imported.items():
        for other in others:
            by[other].add(path)
    found = dict.fromkeys(changed, 0)
    layer = set(found)
    for distance in range(1, FAR):
        layer = {each for path in layer for each in by[path]} - found.keys()
        found |= dict.fromkeys(layer, distance)
    return found


def nearest(changed: Iterable[str], imported: Mapping[str, set[str]]) -> list[str]:
    """The files of tests that a change needs, nearest first. `imported`: of each file that there
    is, what it imports."""
    changed = sorted(changed)
    far = distances(changed, imported)
    rooms = tuple({folder for path in changed for folder in folders(path)})
    mirrors = {
        f"{folder}test_{PurePath(path).stem}.py" for path in changed for folder in folders(path)
    }

    def order(path: str) -> tuple[float, bool, str]:
        in_room = path.startswith(rooms)
        rank = min(
            far.get(path, FAR),
            0.5 if path in IN_SMALL else 1 if path in mirrors else 1.5 if in_room else FAR,
        )
        return rank, not in_room, path

    return sorted(filter(lambda path: is_test(path) and order(path)[0] < FAR, imported), key=order)


def read(root: Path) -> dict[str, set[str]]:
    """What each Python file imports, by paths."""
    files = [file for name in CODE for file in sorted((root / name).rglob("*.py"))]
    paths = {file.relative_to(root).as_posix(): file for file in files}
    known = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in paths
    }
    return {path: imports(file.read_text(encoding="utf-8"), known) for path, file in paths.items()}


def changes(root: Path, base: str) -> list[str]:
    """The files that differ from where this branch left `base`, and those that git does not know.
    Raises `CalledProcessError` where there is no such commit."""

    def git(*arguments: str) -> list[str]:
        said = subprocess.run(
            ["git", *arguments], cwd=root, check=True, stdout=subprocess.PIPE, text=True
        )
        return [name for name in said.stdout.split("\0") if name]

    return sorted(
        {
            *git("diff", "--name-only", "--merge-base", "-z", base),
            *git("ls-files", "--others", "--exclude-standard", "-z"),
        }
    )


class Budget:
    """The seconds of the processor that a worker has, and that a file of tests may take of them."""

    def __init__(self, seconds: float, now: Callable[[], float]) -> None:
        self.seconds = seconds
        self._now = now
        self._spent: dict[str, float] = defaultdict(float)
        self._began = 0.0

    def is_over(self, file: str) -> bool:
        return self._now() >= self.seconds or self._spent[file] >= SHARE * self.seconds

    def begin(self) -> None:
        self._began = self._now()

    def end(self, file: str) -> None:
        self._spent[file] += self._now() - self._began


class WithinBudget:
    """A plugin of pytest: what is begun when there is no time left is skipped."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._budget.begin()
        try:
            return (yield)
        finally:
            self._budget.end(str(item.path))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if self._budget.is_over(str(item.path)):
            pytest.skip("the time of quick tests is over: make test runs all")


def pytest_configure(config: pytest.Config) -> None:
    """As a plugin. The time is that of a worker and its children."""
    budget = Budget(float(os.environ[SECONDS]), lambda: sum(os.times()[:4]))
    config.pluginmanager.register(WithinBudget(budget))


def main(given: Sequence[str] | None = None) -> int:
    """The exit code of pytest."""
    parser = argparse.ArgumentParser(prog="python -m tests.quick", description=__doc__)
    parser.add_argument("--base", default="main", help="what the changes are against")
    parser.add_argument("--seconds", default="40", help="of each processor until no test begins")
    parser.add_argument("--list", action="store_true", help="name the files of tests, run none")
    options, more = parser.parse_known_args(given)
    changed = changes(ROOT, options.base)
    tests = nearest(changed, read(ROOT))
    if options.list:
        print(*tests, sep="\n")
        return 0
    print(f"{len(changed)} files differ from {options.base}: {len(tests)} files of tests")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.quick", "-n", "auto"]
    command += ["--maxschedchunk", "1", *more, *tests]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, SECONDS: options.seconds}
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
