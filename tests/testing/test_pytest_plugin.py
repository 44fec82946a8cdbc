"""The plugin, in tests of its own that fail and pass as they should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from choreomon.testing.report_files import file_stem

ROOT = Path(__file__).parents[2]

PROPERTY = """
property:
  sequences:
    - steps: ["A -> B : a", "B -> A : b"]
"""
TESTS = """
import pytest

from choreomon.testing import monitored


@pytest.mark.choreomon("p.yaml")
def test_threads(choreomon):
    a, b = choreomon.blocking("A"), choreomon.blocking("B")
    b.handling(a.sending("B", "a"))
    a.handling(b.sending("A", "b"))


@pytest.mark.asyncio
@pytest.mark.choreomon("p.yaml")
async def test_loop(choreomon):
    a, b = choreomon.process("A"), choreomon.process("B")
    await b.handling(await a.sending("B", "a"))
    await a.handling(await b.sending("A", "b"))


@pytest.mark.choreomon("p.yaml")
@pytest.mark.parametrize("number", [1, 2])
def test_good(choreomon, number):
    choreomon.blocking("A").sending("B", "a")


@pytest.mark.choreomon("p.yaml", possible=False)
def test_only_possible(choreomon):
    choreomon.blocking("A").sending("B", "a")
    choreomon.blocking("B").sending("A", "b")


@pytest.mark.choreomon("p.yaml")
def test_itself(choreomon):
    choreomon.blocking("A").sending("B", "a")
    assert 1 == 2


def test_several(choreomon_monitored):
    for _ in range(2):
        with choreomon_monitored("p.yaml") as run:
            run.blocking("A").sending("B", "a")


def test_unmarked(choreomon):
    pass


@pytest.mark.choreomon("missing.yaml")
def test_missing(choreomon):
    pass


@pytest.mark.choreomon("empty.yaml")
def test_no_property(choreomon):
    pass


@pytest.mark.choreomon(file="p.yaml")
def test_wrongly_marked(choreomon):
    pass


@pytest.mark.choreomon("p.yaml")
def test_inert():
    pass
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "p.yaml").write_text(PROPERTY, encoding="utf-8")
    empty = "application: {processes: [{id: A}]}\n"
    (tmp_path / "empty.yaml").write_text(empty, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    return tmp_path


def printed_by(place: Path, *options: str) -> str:
    """What pytest prints there."""
    installed = "from importlib.metadata import entry_points as e; print([*e(group='pytest11')])"
    there = subprocess.run([sys.executable, "-c", installed], capture_output=True, text=True)
    assert "choreomon.testing.plugin" in there.stdout, "install the checkout again: make test"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rA", *options],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def outcomes(printed: str) -> dict[str, str]:
    found = re.findall(r"^(PASSED|FAILED|ERROR) test_it\.py::(\S+)", printed, re.MULTILINE)
    return {test: outcome for outcome, test in found}


def test_tests_fail_with_the_explanation_where_something_is_declared(place: Path) -> None:
    printed = printed_by(place)
    assert outcomes(printed) == {
        "test_threads": "FAILED",
        "test_loop": "FAILED",
        "test_good[1]": "PASSED",
        "test_good[2]": "PASSED",
        "test_only_possible": "PASSED",
        "test_itself": "FAILED",
        "test_several": "PASSED",
        "test_unmarked": "ERROR",
        "test_missing": "ERROR",
        "test_no_property": "ERROR",
        "test_wrongly_marked": "ERROR",
        "test_inert": "PASSED",
    }
    assert printed.count("B declares violated at event 2 (send B -> A : b") >= 2
    assert "assert 1 == 2" in printed
    assert '@pytest.mark.choreomon("property.yaml")' in printed
    assert "missing.yaml: cannot be read: there" in printed
    assert "empty.yaml: has no property: nothing would be monitored" in printed
    assert "the marker is choreomon(property, possible=True)" in printed
    assert "warnings summary" not in printed


def test_pages_and_logs_of_failing_tests_are_kept(place: Path) -> None:
    printed_by(place, "--choreomon-report", "kept")
    pages = sorted(path.name for path in (place / "kept").glob("*.html"))
    assert [name.partition("-")[0] for name in pages] == ["test_it.py"] * 3
    assert [re.sub(r"-\w{8}\.html", "", name) for name in pages] == [
        "test_it.py-test_itself",
        "test_it.py-test_loop",
        "test_it.py-test_threads",
    ]
    for name in pages:
        assert "<svg" in (place / "kept" / name).read_text(encoding="utf-8")
    (log,) = (place / "kept").glob("*threads*.jsonl")
    lines = log.read_text(encoding="ascii").splitlines()
    assert [line.partition('"event":"')[2][:6] for line in lines] == ['send",', "handle"] * 2
    assert not [*(place / "kept").glob("*good*")]


def test_nothing_of_choreomon_is_imported_where_no_test_asks_for_it(place: Path) -> None:
    (place / "test_it.py").write_text(
        "import sys\n\n\ndef test_it():\n"
        "    names = {name for name in sys.modules if name.split('.')[0] == 'choreomon'}\n"
        "    assert names <= {'choreomon', 'choreomon.testing', 'choreomon.testing.plugin'}\n"
        "    assert 'zmq' not in sys.modules\n",
        encoding="utf-8",
    )
    assert outcomes(printed_by(place)) == {"test_it": "PASSED"}


def test_tests_have_files_of_their_own() -> None:
    assert file_stem("test_a") == "test_a"
    assert file_stem("t.py::test[a/b]") != file_stem("t.py::test[a:b]")
    assert len(file_stem("x" * 1000)) < 200
    assert re.fullmatch(r"[\w.-]+", file_stem("../ä b"))


def test_what_no_test_had_to_do_with_is_told_at_the_end(place: Path) -> None:
    told = printed_by(place, "-k", "good")
    assert "p.yaml: The forbidden sequence came 1 of 2 steps far in 2 of 2 tests." in told
    assert "p.yaml: Not exercised, since it occurs in no test: B -> A : b." in told
    assert "steps far" not in printed_by(place, "-k", "good or threads")
    assert "steps far" not in printed_by(place, "-k", "inert")
