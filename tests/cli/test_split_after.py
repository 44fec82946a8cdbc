"""`choreomon split --after`: a system that follows an earlier one, and what it says of that."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from choreomon.agent_files.table_file import load_table
from tests.cli.command_line import choreomon

ONE = 'property: {sequences: [{steps: ["a -> b : off", "b -> a : charge"]}]}\n'
TWO = (
    'property: {sequences: [{steps: ["a -> b : off", "b -> a : charge"]}, '
    '{steps: ["a -> b : on", "b -> a : charge"]}]}\n'
)
OTHERS = 'property: {sequences: [{steps: ["a -> b : off", "c -> a : charge"]}]}\n'


@pytest.fixture(autouse=True)
def old(place: Path) -> str:
    """The system of the first split."""
    for name, text in (("one", ONE), ("two", TWO), ("others", OTHERS)):
        place.joinpath(f"{name}.yaml").write_text(text, encoding="utf-8")
    assert choreomon("split", "one.yaml", "-o", "old").code == 0
    return load_table("old/a.json").system_id


def test_a_system_that_follows_says_whose_history_it_takes_over(old: str) -> None:
    answer = choreomon("split", "two.yaml", "-o", "new", "--after", "old", columns=300)
    assert answer.code == 0
    assert (
        f"It follows {old}, and takes over the history of 1 of 2 transitions that others ask "
        "about; all else that happened before is a gap to it."
    ) in answer.out
    said = json.loads(choreomon("split", "two.yaml", "-o", "x", "--after", "old", "--json").out)
    assert said["after"] == {"system": old, "cannot": "", "alike": 1, "transitions": 2}
    tables = [load_table(f"new/{name}.json") for name in "ab"]
    assert {table.clock_id for table in tables} == {old}
    assert {table.system_id for table in tables}.isdisjoint([old])


def test_one_of_other_processes_does_not_follow(old: str) -> None:
    answer = choreomon("split", "others.yaml", "-o", "new", "--after", "old", columns=300)
    assert answer.code == 0
    assert (
        f"It does not follow {old}: its processes are others, or in another order. It can be "
        "opened beside that one all the same, with a clock of its own; what happened before is a "
        "gap to it."
    ) in answer.out
    table = load_table("new/a.json")
    assert table.clock_id == table.system_id


def test_by_literal_rules_nothing_is_alike(old: str) -> None:
    arguments = ("two.yaml", "-o", "new", "--after", "old", "--rules", "paper", "--json")
    assert json.loads(choreomon("split", *arguments).out)["after"]["alike"] == 0


def lacking() -> None:
    Path("old/a.json").unlink()


def mixed() -> None:
    assert choreomon("split", "one.yaml", "-o", "again").code == 0
    shutil.copy("again/a.json", "old/z.json")


def emptied() -> None:
    for file in Path("old").iterdir():
        file.unlink()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (emptied, "old: holds no table: name a folder that `choreomon split` wrote"),
        (lacking, "old: lacks the table of a: all of a split are needed"),
        (mixed, "old: holds tables of 2 systems: take away those of all but one"),
        (lambda: shutil.rmtree("old"), "old: cannot be read: No such file or directory"),
    ],
)
def test_a_folder_that_is_no_whole_split_is_refused(spoil: object, told: str) -> None:
    spoil()  # type: ignore[operator]
    answer = choreomon("split", "two.yaml", "-o", "new", "--after", "old", columns=300)
    assert (answer.code, answer.out, answer.err.strip()) == (2, "", told)
    assert not Path("new").exists()
