"""Sets of processes in the files of tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from choreomon.agent_files.table_file import SplitTable, read_table, write_table
from choreomon.agent_files.table_sets import Sets, WrittenOut
from choreomon.core.errors import DocumentError
from choreomon.core.message import SEND, Label, Message
from choreomon.core.verdict import Reference
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.resting import MANY
from choreomon.properties.tables import RULES_NAMES, RulesName, transition_tables

SYSTEM = "9f0c6ab1d2e34f5061728394a5b6c7d8"


def split_of(crowd: int, rules: RulesName = "precise") -> dict[str, SplitTable]:
    """Three steps and a cancellation, each by any of a crowd; one of the steps by `boss`, too."""
    workers = [f"w{number}" for number in range(crowd)]
    processes = ("boss", *workers)

    def stated(source: str, name: str, target: str, *more: str) -> list[StatedTransition]:
        return [
            StatedTransition(source, Label(SEND, Message(each, name, "db")), target)
            for each in (*workers, *more)
        ]

    automaton = sequence_automaton(
        initial=["q0"],
        final=["q3"],
        transitions=[
            *stated("q0", "a", "q1"),
            *stated("q1", "b", "q2", "boss"),
            *stated("q2", "c", "q3"),
            *stated("q1", "x", "q0"),
            *stated("q2", "x", "q0"),
        ],
    )
    tables = transition_tables(automaton, processes, rules)
    return {
        process: SplitTable(SYSTEM, "crowd", rules, processes, table)
        for process, table in tables.items()
    }


@pytest.mark.parametrize("rules", RULES_NAMES)
@pytest.mark.parametrize("crowd", [1, MANY - 2, MANY, 3 * MANY])
def test_a_table_with_sets_says_what_the_table_written_out_says(
    crowd: int, rules: RulesName
) -> None:
    for table in split_of(crowd, rules).values():
        text = write_table(table)
        assert read_table(text, "f") == table
        assert (b'"sets"' in text) == (crowd >= MANY)
        assert write_table(read_table(text, "f")) == text


def test_what_is_read_is_shared_as_what_was_split_is() -> None:
    table = read_table(write_table(split_of(40)["w0"]), "f").table
    by_states: dict[tuple[str, str], set[int]] = {}
    for of, needs in table.skeleton.items():
        if of.process != "w0":
            by_states.setdefault((of.source, of.target), set()).add(id(needs))
    assert len(table.skeleton) > 150
    assert all(len(each) == 1 for each in by_states.values())


def test_files_grow_with_the_number_of_processes_and_not_with_its_square() -> None:
    few, many = (len(write_table(split_of(crowd)["w0"])) for crowd in (50, 100))
    assert many < 2 * few


def test_neighbours_alone_are_written_as_one() -> None:
    random = Random(1)
    for _ in range(300):
        references = [
            Reference(*random.choice([("q0", "q1"), ("q1", "q2")]), "")
            for _ in range(random.randint(0, 30))
        ]
        named = [
            Reference(source, f"p{number}", target)
            for number, (source, target, _) in enumerate(references)
        ]
        sets = Sets()
        written = sets.references(named)
        assert WrittenOut(sets.written).references(written) == tuple(named)


def broken(change: Callable[[dict[str, Any]], None]) -> str:
    document = json.loads(write_table(split_of(MANY)["w0"]))
    change(document)
    with pytest.raises(DocumentError) as raised:
        read_table(json.dumps(document).encode(), "w0.json")
    return str(raised.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda d: d["sets"][0].append("w99"),
            "sets[0][8]: 'w99' is none of the processes",
        ),
        (
            lambda d: d["sets"][0].append("w1"),
            "sets[0][8]: 'w1' comes twice: keep one of the two",
        ),
        (
            lambda d: d["sets"].append([]),
            "should have a process: split the property again",
        ),
        (
            lambda d: d["rows"][1].update(pre=["q0", 9, "q1"]),
            "rows[1].pre: 9 is the place of no set, and there are 3: split the property again",
        ),
        (
            lambda d: d["rows"][1]["vio"].append(["q1", -1, "q0"]),
            "rows[1].vio: -1 is the place of no set",
        ),
        (
            lambda d: d["readers"][0].update(by=7),
            "readers[0].by: 7 is the place of no set",
        ),
        (
            lambda d: d["skeleton"][0].update(of=["q0", 0, "q1"]),
            "skeleton[0].of: (q0, @0, q1) is its own, which the rows describe: take it out",
        ),
        (lambda d: d.pop("sets"), "is the place of no set, and there are 0"),
        (
            lambda d: d["rows"].append(d["rows"][1]),
            "comes twice: keep one of the two",
        ),
        (
            lambda d: d["skeleton"].pop(0),
            "has no row in the skeleton: split the property again",
        ),
    ],
)
def test_what_is_wrong_with_sets_is_told(
    change: Callable[[dict[str, Any]], None], told: str
) -> None:
    assert told in broken(change)


def test_a_small_file_cannot_stand_for_a_large_table() -> None:
    def grow(document: dict[str, Any]) -> None:
        document["processes"] = [*document["processes"], *[f"p{n}" for n in range(1000)]]
        document["sets"].append(document["processes"][1:])
        document["rows"] += [{**document["rows"][1], "pre": ["q0", 3, "q1"]}] * 2500

    assert "at most 2000000 are supported: use a smaller property" in broken(grow)
