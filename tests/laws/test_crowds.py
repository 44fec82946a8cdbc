"""What many processes may do is kept as one: monitors judge it as all orders do."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from choreomon.core.message import BEGIN
from choreomon.core.stated_rule import RuleStates, StatedRule
from choreomon.monitor.precise import PRECISE
from choreomon.monitor.record_by_record import SOUND
from choreomon.monitor.rules import Rules
from choreomon.properties.owned import owned
from choreomon.properties.resting import MANY
from choreomon.properties.tables import transition_tables
from tests.laws.crowds import crowded
from tests.laws.drawn import Dense, draw_dense_automaton, draw_scripts, processes
from tests.laws.every_event import Played
from tests.laws.families import SLOW
from tests.laws.interleaving import System, play, weighted
from tests.laws.several_rules import judged


def played(random: Random, rules: Rules = PRECISE) -> Played:
    """A run of a property of which any of a crowd may take what the first process may."""
    begin = BEGIN if rules is PRECISE and random.random() < 0.3 else None
    few = processes(2)
    drawn = draw_dense_automaton(random, few, Dense(states=(3, 4), labels=(2, 3), begin=begin))
    automaton, names = crowded(drawn, few, random.randint(MANY, MANY + 2))
    automaton = replace(
        automaton, rules=(RuleStates(StatedRule("crowd"), frozenset(automaton.states)),)
    )
    scripts = draw_scripts(random, automaton, names, events=(4, 9), noise=0.0)
    run = play(System(automaton, names, rules), scripts, weighted(random, SLOW))
    return judged(run, precise=rules is PRECISE)


@pytest.mark.parametrize("rules", [PRECISE, SOUND])
def test_what_any_of_a_crowd_may_do_is_judged_as_all_orders_judge_it(rules: Rules) -> None:
    runs = [played(Random(f"crowd {number}"), rules) for number in range(150)]
    assert [each.wrong for each in runs if each.wrong] == []
    assert sum(each.violated for each in runs) > 40
    assert sum(each.possibly for each in runs) > 10


def test_crowds_are_told_as_one() -> None:
    found = 0
    for number in range(50):
        random = Random(f"told {number}")
        few = processes(2)
        drawn = draw_dense_automaton(random, few, Dense(states=(3, 4), labels=(2, 3)))
        automaton, names = crowded(drawn, few, MANY)
        for table in transition_tables(automaton, names, "precise").values():
            found += sum(len(each.processes) == MANY for each in owned(table.skeleton))
    assert found > 100
