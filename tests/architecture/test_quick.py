"""Which tests a change needs (tests/quick.py)."""

from __future__ import annotations

import subprocess
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from tests import quick

IMPORTED = {
    "choreomon/core/label.py": set(),
    "choreomon/monitor/pull.py": {"choreomon/core/label.py"},
    "choreomon/audit/window.py": {"choreomon/monitor/pull.py"},
    "choreomon/runtime/agent.py": {"choreomon/audit/window.py"},
    "choreomon/runtime/far.py": {"choreomon/runtime/agent.py"},
    "tests/core/test_label.py": {"choreomon/core/label.py"},
    "tests/core/test_clock.py": set(),
    "tests/monitor/cases.py": {"choreomon/monitor/pull.py"},
    "tests/monitor/test_pull.py": {"tests/monitor/cases.py"},
    "tests/audit/test_window.py": {"choreomon/audit/window.py"},
    "tests/cli/test_verify.py": set(),
    "tests/runtime/test_far.py": {"choreomon/runtime/far.py"},
    "tests/docs/test_links.py": set(),
    "tests/laws/test_families.py": {"choreomon/monitor/pull.py"},
}
LAWS = "tests/laws/test_families.py"


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        (
            "choreomon/core/label.py",
            [
                *(LAWS, "tests/core/test_label.py", "tests/core/test_clock.py"),
                *("tests/audit/test_window.py", "tests/monitor/test_pull.py"),
            ],
        ),
        (
            "choreomon/monitor/pull.py",
            [LAWS, "tests/monitor/test_pull.py", "tests/audit/test_window.py"],
        ),
        ("tests/monitor/test_pull.py", ["tests/monitor/test_pull.py", LAWS]),
        ("tests/monitor/cases.py", [LAWS, "tests/monitor/test_pull.py"]),
        # No test imports a command, but one has its name.
        ("choreomon/cli/offline/verify.py", [LAWS, "tests/cli/test_verify.py"]),
        ("docs/verify.md", [LAWS, "tests/docs/test_links.py"]),
        ("README.md", [LAWS, "tests/docs/test_links.py"]),
    ],
)
def test_the_nearest_tests_come_first_and_the_far_ones_not_at_all(
    changed: str, tests: list[str]
) -> None:
    assert quick.nearest([changed], IMPORTED) == tests


def test_without_changes_the_laws_remain() -> None:
    assert quick.nearest([], IMPORTED) == [LAWS]


def test_tests_of_a_deleted_module_are_those_that_still_import_it() -> None:
    without = {path: found for path, found in IMPORTED.items() if "window" not in path}
    found = quick.nearest(["choreomon/monitor/gone.py"], without)
    assert found == [LAWS, "tests/monitor/test_pull.py"]


def test_imports_are_found_wherever_they_stand() -> None:
    source = """
import a.b, os
from a import c, name
def f():
    from a.d import (
        g,
    )
"""
    known = {name: f"{name.replace('.', '/')}.py" for name in ("a", "a.b", "a.c", "a.d", "a.e")}
    assert quick.imports(source, known) == {"a/b.py", "a/c.py", "a.py", "a/d.py"}


def test_all_that_is_named_is_there() -> None:
    imported = quick.read(quick.ROOT)
    assert {*quick.IN_SMALL} <= imported.keys()
    places = {folder for some in quick.FOLDERS.values() for folder in some}
    rooms = {f"tests/{path.split('/')[1]}" for path in imported if quick.is_test(path)}
    assert places <= rooms
    # The mirror of each room that has tests of its own.
    assert "tests/monitor/test_pull.py" in quick.nearest(["choreomon/monitor/pull.py"], imported)


def test_changes_are_commits_edits_and_new_files(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True)

    def write(name: str) -> None:
        (tmp_path / name).write_text(name)
        git("add", name)

    git("init", "-q", "-b", "main")
    write("old")
    write("edited")
    git("commit", "-qm", "first")
    git("checkout", "-qb", "branch")
    write("committed")
    git("commit", "-qm", "second")
    (tmp_path / "edited").write_text("now")
    (tmp_path / "new file").write_text("now")
    git("checkout", "-q", "main")
    write("elsewhere")
    git("commit", "-qm", "third", "elsewhere")
    git("checkout", "-q", "branch")
    assert quick.changes(tmp_path, "main") == ["committed", "edited", "new file"]
    with pytest.raises(subprocess.CalledProcessError):
        quick.changes(tmp_path, "no-such-branch")


def test_nothing_begins_after_the_time_and_no_file_takes_more_than_its_share() -> None:
    now = 0.0
    budget = quick.Budget(80, lambda: now)
    budget.begin()
    now += 10
    budget.end("slow")
    assert budget.is_over("slow")
    assert not budget.is_over("other")
    now = 80
    assert budget.is_over("other")


@dataclass
class Item:
    """What is looked at of a test."""

    path: Path


@pytest.mark.parametrize(("seconds", "skipped"), [(1.0, True), (2.0, False)])
def test_what_has_no_time_is_skipped_with_the_reason(seconds: float, skipped: bool) -> None:
    plugin = quick.WithinBudget(quick.Budget(seconds, lambda: 1.0))
    item = cast("pytest.Item", Item(Path("test_it.py")))
    with pytest.raises(pytest.skip.Exception, match="all") if skipped else nullcontext():
        plugin.pytest_runtest_setup(item)


def test_the_time_of_a_test_counts_for_its_file() -> None:
    times = iter((0.0, 5.0, 6.0, 6.0))
    budget = quick.Budget(40, lambda: next(times))
    item = cast("pytest.Item", Item(Path("test_it.py")))
    run = quick.WithinBudget(budget).pytest_runtest_protocol(item)
    next(run)
    with pytest.raises(StopIteration):
        run.send(None)
    assert budget.is_over("test_it.py")
    assert not budget.is_over("test_other.py")
