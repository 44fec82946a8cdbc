"""Mutants: which there are, which are drawn, and that a test that notices one kills it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.mutants.mutation import Mutant, is_python, mutants
from benchmarks.mutants.page import Result, enough, page, survivors_of
from benchmarks.mutants.sample import ROOMS, Stale, all_mutants, equivalents, said, sample
from benchmarks.mutants.trial import Ended, ended

ROOT = Path(__file__).parents[2]

TOY = '''"""A toy."""
from __future__ import annotations

MOST = 3


def few(found: list[int], *, most: int | None = None) -> bool:
    """At most so many."""
    assert len(found) >= 0
    if most is None or found and not most:
        most = MOST
    for each in found:
        if each < 0:
            continue
        most -= 1
    return most >= 0


def never(found: list[int]) -> int:
    return min(found, default=7)


def last(step: int) -> int:
    while step:
        step -= 1
    return step


class Named:
    def __repr__(self) -> str:
        return "a" if 1 < 2 else "b"
'''

TESTS = """
from toy.toy import few, last, never

def test_as_many_as_may_be() -> None:
    assert few([1, 2, 3])

def test_too_many() -> None:
    assert not few([1, 2, 3, 4])

def test_it_ends() -> None:
    assert last(3) == 0

def test_something_else() -> None:
    assert never([5]) == 5
"""


def becoming(line: str) -> set[str]:
    return {each.becomes for each in mutants("toy.py", TOY) if each.line == line}


def test_what_decides_is_changed() -> None:
    assert becoming("MOST = 3") == {"MOST = 4", "MOST = (2)"}
    assert becoming("if each < 0:") == {
        "if False:",
        "if True:",
        "if each <= 0:",
        "if each < 1:",
    }
    assert becoming("most -= 1") == {"pass", "most += 1", "most -= 2", "most -= (0)"}
    assert becoming("continue") == {"break"}
    assert becoming("for each in found:") == {"for each in ():"}
    assert "return max(found, default=7)" in becoming("return min(found, default=7)")
    assert "return min(found)" in becoming("return min(found, default=7)")
    assert "if (most is None):" in becoming("if most is None or found and not most:")


def test_what_decides_nothing_is_not_changed() -> None:
    lines = {each.line for each in mutants("toy.py", TOY)}
    assert not [line for line in lines if line.startswith(("def ", "assert", '"""', "class "))]
    assert not [line for line in lines if '"a"' in line]


def test_each_mutant_has_a_name_of_its_own_and_is_another_text() -> None:
    found = mutants("toy.py", TOY)
    assert len({each.key for each in found}) == len(found) > 20
    assert all(is_python(each.applied(TOY)) and each.applied(TOY) != TOY for each in found)


def test_lines_above_do_not_change_what_a_mutant_is_called() -> None:
    names = {each.key for each in mutants("toy.py", TOY)}
    longer = TOY.replace("MOST = 3", "# Why.\n\n\nMOST = 3")
    assert {each.key for each in mutants("toy.py", longer)} == names


def test_a_larger_sample_has_the_smaller_one_in_it(tmp_path: Path) -> None:
    tmp_path.joinpath("toy.py").write_text(TOY)
    found = mutants("toy.py", TOY)
    large = sample(tmp_path, found, 1, 15)
    assert len(large) == 15
    assert sample(tmp_path, reversed(found), 1, 5) == large[:5]
    assert sample(tmp_path, found, 2, 5) != large[:5]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_rooms_and_their_tests_are_there(room: object) -> None:
    assert isinstance(room, type(ROOMS[0]))
    assert all(ROOT.joinpath(place).exists() for place in (*room.sources, *room.tests))


def test_what_is_said_to_be_equivalent_is_a_mutant_of_this_tree() -> None:
    text = ROOT.joinpath("benchmarks", "mutants", "equivalent.toml").read_text(encoding="utf-8")
    found = [each for room in ROOMS for each in all_mutants(ROOT, room)]
    assert all(reason.endswith(".") for reason in equivalents(text, found).values())


def entry(mutant: Mutant) -> str:
    names = zip(("file", "within", "line", "becomes"), said(mutant), strict=True)
    lines = [f"{name} = {json.dumps(value)}" for name, value in names]
    return "\n".join(["[[equivalent]]", *lines, 'reason = "Nobody asks."'])


def test_what_is_no_mutant_any_more_is_stale() -> None:
    found = mutants("toy.py", TOY)
    text = entry(found[0])
    assert equivalents(text, found) == {said(found[0]): "Nobody asks."}
    with pytest.raises(Stale, match="no such mutant"):
        equivalents(text.replace("MOST", "LEAST"), found)


def test_how_a_process_ended_says_who_killed_a_mutant() -> None:
    assert ended("began a\nbegan b\nfailed b\n", 1) == Ended("b", "failed")
    assert ended("began a\n", 0) == Ended()
    assert ended("began a\nbegan b\n", 1) == Ended("b", "time")
    assert ended("began a\nbegan b\n", -27) == Ended("b", "time")
    assert ended("began a\n", -11) == Ended("a", "signal 11")
    assert ended("", 70) == Ended("", "ended")


def results(room: int, laws: int, survived: int) -> list[Result]:
    one = mutants("toy.py", TOY)[0]
    by = ["room"] * room + ["laws"] * laws + [""] * survived
    return [
        Result(replace(one, number=place), "toy", who, "t", "failed" if who else "")  # type: ignore[arg-type]
        for place, who in enumerate(by)
    ]


def test_shares_are_of_those_that_are_not_equivalent() -> None:
    assert enough(results(85, 10, 5), {})
    assert not enough(results(84, 11, 5), {})
    assert not enough(results(90, 4, 6), {})
    one = mutants("toy.py", TOY)[0]
    assert enough(results(85, 10, 50), {said(one): "Nobody asks."})


def test_the_page_names_survivors_and_says_why_others_are_equivalent() -> None:
    first, second = mutants("toy.py", TOY)[:2]
    both = [Result(first, "toy", ""), Result(second, "toy", "")]
    some = results(2, 1, 0)
    lines = "\n".join(
        page(
            [*some, *both],
            {said(second): "Nobody asks."},
            command="command",
            measured="Here.",
            failing=[],
            found="## What it found\n\nNothing.",
        )
    )
    assert "| toy | 5 | 2 | 1 | 1 | 1 | 50.0% | 75.0% |" in lines
    survived, equivalent = lines.split("## Survived")[1].split("## Equivalent")
    assert first.becomes in survived
    assert "Nobody asks." not in survived
    assert f"``{second.becomes}``. Nobody asks." in equivalent
    assert survivors_of(lines, [second, *mutants("toy.py", TOY)[2:], first]) == [first]


TRIED = """
import json, sys
from pathlib import Path
from benchmarks.mutants import trial
from benchmarks.mutants.mutation import mutants
from benchmarks.mutants.touched import Touched, trace
from benchmarks.mutants.trial import Server, mutated

place = Path(sys.argv[1])
trial.patience = lambda test: (0.5, 120)
server = Server(place)
touched = Touched(server.tree, place, ["tests"])
touched.load(
    lambda file, kept: server.fork(lambda run: trace(server.tree, file, kept, run, "toy"))
)
source = server.tree.joinpath("toy/toy.py").read_text()
told = {}
for mutant in mutants("toy/toy.py", source):
    if f"{mutant.line} => {mutant.becomes}" not in sys.argv[2:]:
        continue
    tests = touched.by(mutant)
    with mutated(server.tree / mutant.path, mutant.applied(source)):
        end = server.run(tests)
    told[f"{mutant.line} => {mutant.becomes}"] = [len(tests), end.by, end.how]
assert server.tree.joinpath("toy/toy.py").read_text() == source
print(json.dumps(told))
"""


def test_a_mutant_is_killed_by_the_tests_that_come_to_it_or_survives(tmp_path: Path) -> None:
    ours = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name, text in (
        ("pyproject.toml", ours),  # which says how tests are run
        *(("toy/__init__.py", ""), ("toy/toy.py", TOY), ("tests/test_toy.py", TESTS)),
    ):
        file = tmp_path / "tree" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    passed, largest = (
        "most -= 1 => pass",
        "return min(found, default=7) => return max(found, default=7)",
    )
    fewer, ended_early = "MOST = 3 => MOST = (2)", "continue => break"
    endless = "step -= 1 => pass"
    asked = [passed, largest, fewer, ended_early, endless]
    command = [sys.executable, "-c", TRIED, str(tmp_path), *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    name = "tests/test_toy.py::test_"
    assert told == {
        passed: [2, f"{name}too_many", "failed"],
        fewer: [4, f"{name}as_many_as_may_be", "failed"],
        largest: [1, None, ""],
        endless: [1, f"{name}it_ends", "time"],
        ended_early: [4, None, ""],  # nobody comes to it, and these to its module
    }
