"""Which tests execute which blocks of statements, how long they take and whether they pass: found
once for each file of tests, and kept until anything that it imports is another one.

A probe at the start of each block costs a fifth of the time that tracing lines takes.
"""

from __future__ import annotations

import ast
import builtins
import functools
import json
import marshal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, Final

import pytest

from benchmarks.mutants.mutation import Mutant
from benchmarks.mutants.sample import files

SHARED: Final = ""
"""Who comes to blocks for all tests of a file: what is imported, kept, or set up for several."""

PROBE: Final = "__reached__"

WERE_RUN: Final = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)


@dataclass(frozen=True, slots=True)
class Test:
    """`seconds` of the processor, and `waited` of the clock, as it was traced."""

    name: str
    seconds: float
    waited: float

    @property
    def file(self) -> str:
        return self.name.partition("::")[0]


def probed(source: str, path: str) -> ast.Module:
    """A module that says which of its blocks it comes to, by path and first line; 0 for what is
    executed as it is imported."""
    tree = ast.parse(source)
    for node in [*ast.walk(tree)]:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if not isinstance(block, list) or not block or isinstance(node, ast.ClassDef):
                continue
            line = 0 if node is tree else block[0].lineno
            place = sum(_comes_first(each) for each in block)
            probe = ast.Expr(
                ast.Call(ast.Name(PROBE, ast.Load()), [ast.Constant(f"{path}:{line}")], [])
            )
            for part in ast.walk(probe):
                ast.copy_location(part, block[0])
            block.insert(place, probe)
    return tree


def _comes_first(node: ast.stmt) -> bool:
    return (isinstance(node, ast.ImportFrom) and node.module == "__future__") or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


class Tracer:
    """A plugin of pytest that notes who comes to which block."""

    def __init__(self) -> None:
        self.now = SHARED
        self.reached: dict[str, set[str]] = defaultdict(set)
        self.took: dict[str, tuple[float, float]] = {}
        self.outcomes: dict[str, str] = {}
        self._switch(SHARED)

    def _switch(self, name: str) -> None:
        self.now = name
        setattr(builtins, PROBE, self.reached[name].add)

    @contextmanager
    def context(self, name: str) -> Generator[None]:
        before = self.now
        self._switch(name)
        try:
            yield
        finally:
            self._switch(before)

    def keep_apart(self) -> None:
        """What a cache of the tests keeps is there for whoever asks later, too."""
        for name in ("cache", "lru_cache"):
            setattr(functools, name, self._cache(getattr(functools, name)))

    def _cache(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def cache(*given: Any, **options: Any) -> Any:
            if given and getattr(given[0], "__module__", "").startswith("tests"):
                inner = given[0]

                @functools.wraps(inner)
                def shared(*arguments: Any, **named: Any) -> Any:
                    with self.context(SHARED):
                        return inner(*arguments, **named)

                given = (shared, *given[1:])
            return real(*given, **options)

        return cache

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        start, begun = time.process_time(), time.perf_counter()
        with self.context(item.nodeid):
            result = yield
        took = time.process_time() - start, time.perf_counter() - begun
        self.took[item.nodeid] = took
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        with self.context(self.now if fixturedef.scope == "function" else SHARED):
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self.outcomes.get(report.nodeid) in (None, "passed"):
            self.outcomes[report.nodeid] = report.outcome


def trace(
    tree: Path, file: str, place: Path, run: Callable[..., int], package: str = "choreomon"
) -> int:
    """Run the tests of a file and keep what they came to, unless they could not be run. In a
    process of its own."""
    real, compiled = SourceFileLoader.get_code, place.parent / "probed"
    compiled.mkdir(exist_ok=True)

    def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
        path = Path(self.get_filename(name))
        if tree / package not in path.parents:
            return real(self, name)
        code = compiled / hash_of(path, before=f"{path} {sys.version}")
        if not code.exists():
            source = path.read_text(encoding="utf-8")
            whole = probed(source, path.relative_to(tree).as_posix())
            code.write_bytes(marshal.dumps(compile(whole, str(path), "exec", dont_inherit=True)))
        found: CodeType = marshal.loads(code.read_bytes())
        return found

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    tracer = Tracer()
    tracer.keep_apart()
    code = run([file], tracer)
    if code not in WERE_RUN:
        return code
    imported = {Path(f) for m in [*sys.modules.values()] if (f := getattr(m, "__file__", None))}
    told = {
        "of": {
            each.relative_to(tree).as_posix(): hash_of(each)
            for each in sorted({*imported, tree / file})
            if tree in each.parents
        },
        "tests": {name: [*took, tracer.outcomes[name]] for name, took in tracer.took.items()},
        "reached": {name: sorted(blocks) for name, blocks in tracer.reached.items()},
    }
    place.write_text(json.dumps(told), encoding="utf-8")
    return code


class Touched:
    """What the tests in these places come to."""

    def __init__(self, tree: Path, kept: Path, places: Iterable[str]) -> None:
        self.tree = tree
        self.kept = kept
        self.files = [
            file.relative_to(tree).as_posix() for file in files(tree, places, "test_*.py")
        ]
        self.tests: dict[str, list[Test]] = {}
        self.failing: list[str] = []
        """Those that fail without a mutant; they are not asked."""
        self.state = hash_of(*(tree / file for file in self.files))
        """Another one whenever a file of tests is another one."""
        self._reaching: dict[str, list[tuple[str, str]]] = defaultdict(list)
        """For each block, the contexts that come to it, with their file."""

    def place(self, file: str) -> Path:
        return self.kept / f"{file.replace('/', '.')}.json"

    def load(self, trace_file: Callable[[str, Path], None]) -> None:
        """Read what is kept of all files; trace those of which it is not true any more."""
        if self.tests:
            return
        for file in self.files:
            told = self._kept(file)
            if told is None:
                trace_file(file, self.place(file))
                told = json.loads(self.place(file).read_text(encoding="utf-8"))
            tests = told["tests"]
            self.tests[file] = [
                Test(name, seconds, waited)
                for name, (seconds, waited, outcome) in tests.items()
                if outcome == "passed"
            ]
            self.failing += [name for name, (*_, outcome) in tests.items() if outcome == "failed"]
            for context, blocks in told["reached"].items():
                for block in blocks:
                    self._reaching[block].append((file, context))

    def _kept(self, file: str) -> Any:
        try:
            told = json.loads(self.place(file).read_text(encoding="utf-8"))
            same = all(hash_of(self.tree / each) == was for each, was in told["of"].items())
        except FileNotFoundError:
            return None
        return told if same else None

    def by(self, mutant: Mutant) -> list[Test]:
        """The tests that come to the block of what was mutated, the quickest first; those that do
        no more than import its module come last. A block that only other processes come to is left
        to the tests that come to anything of the module."""
        inside = {
            context
            for block, contexts in self._reaching.items()
            if block.startswith(f"{mutant.path}:")
            for context in contexts
        }
        here = {*self._reaching.get(f"{mutant.path}:{mutant.block}", inside)}
        found = [
            ((file, test.name) not in inside, test.seconds, test)
            for file, tests in self.tests.items()
            for test in tests
            if (file, SHARED) in here or (file, test.name) in here
        ]
        return [test for *_, test in sorted(found, key=lambda each: each[:2])]


def hash_of(*paths: Path, before: str = "") -> str:
    hashed = sha256(before.encode())
    for path in paths:
        hashed.update(path.read_bytes())
    return hashed.hexdigest()[:24]
