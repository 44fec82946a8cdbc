"""One file for all slots of a role."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.agent_files.table_file import SplitTable, read_table, write_table
from choreomon.core.errors import DocumentError
from choreomon.core.roles import Roles
from choreomon.properties.roles import automaton_over_slots
from choreomon.properties.tables import RULES_NAMES, RulesName, transition_tables
from tests.laws.drawn import draw_automaton, processes

SYSTEM = "9f0c6ab1d2e34f5061728394a5b6c7d8"


def tables_of(random: Random, rules: RulesName, most: int) -> tuple[Roles, dict[str, SplitTable]]:
    names = processes(3)
    roles = Roles({name: random.randint(1, most) for name in names if random.random() < 0.8})
    automaton = automaton_over_slots(draw_automaton(random, names), roles)
    slots = roles.processes(names)
    made = transition_tables(automaton, slots, rules)
    return roles, {
        slot: SplitTable(SYSTEM, "drawn", rules, slots, made[slot], roles=roles) for slot in slots
    }


@pytest.mark.parametrize("rules", RULES_NAMES)
@pytest.mark.parametrize("most", [3, 12])
def test_the_file_of_a_role_has_the_table_of_each_slot(rules: RulesName, most: int) -> None:
    of_slots = 0
    for seed in range(60):
        roles, tables = tables_of(Random(f"{rules} {most} {seed}"), rules, most)
        for slot, table in tables.items():
            first = roles.slots_of(table.named)[0]
            for written in (write_table(table), write_table(tables[first])):
                read = read_table(written, "role.json")
                assert read.process == first
                assert read.at(slot) == table
            of_slots += read.process != slot
    assert of_slots > 60


def test_a_process_without_replicas_is_at_home_only() -> None:
    drawn = (tables_of(Random(f"home {seed}"), "precise", 3) for seed in range(50))
    roles, tables = next(each for each in drawn if len(each[0].slots) == 2)
    alone = next(each for each in tables if roles.role_of(each) == each)
    read = read_table(write_table(tables[alone]), "alone.json")
    assert (read.named, read.process) == (alone, alone)
    assert read.at(next(iter(tables))) is read


def text_of_a_role() -> bytes:
    for seed in range(50):
        roles, tables = tables_of(Random(f"text {seed}"), "precise", 3)
        for table in tables.values():
            if table.table.rows and roles.slots.get(table.named, 0) > 1:
                return write_table(table)
    raise AssertionError


@pytest.mark.parametrize(
    ("roles", "told"),
    [
        (b'{"nobody": 2}', "roles.nobody: 'nobody' is none of the processes: split the property"),
        (b'{"P1": 0}', "roles.P1: should be at least 1, not 0: split the property again"),
        (b'{"P1": 4000}', "roles: come to 4000 slots; at most 1024 processes are supported"),
    ],
)
def test_what_is_wrong_with_roles(roles: bytes, told: str) -> None:
    before, rest = text_of_a_role().split(b'"roles": ', 1)
    text = before + b'"roles": ' + roles + rest[rest.index(b"}") + 1 :]
    with pytest.raises(DocumentError) as caught:
        read_table(text, "role.json")
    assert any(told in str(problem) for problem in caught.value.problems)


def test_a_label_of_another_process_is_told_as_before() -> None:
    text = text_of_a_role()
    place = text.index(b'"on": "') + len(b'"on": "')
    wrong = text[:place] + b"nobody -> P9 : x" + text[text.index(b'"', place) :]
    with pytest.raises(DocumentError, match="is watched by nobody, and this is the table of"):
        read_table(wrong, "role.json")
