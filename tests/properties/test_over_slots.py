"""A property over slots is formed where the one over roles is."""

from __future__ import annotations

from random import Random

from choreomon.core.message import Label
from choreomon.core.roles import Roles
from choreomon.properties.automaton import StatedTransition, sequence_automaton
from choreomon.properties.reference import formations
from choreomon.properties.roles import automaton_over_slots
from tests.laws.drawn import draw_automaton, processes


def test_transitions_are_one_for_each_slot_of_their_owner() -> None:
    random = Random(1)
    by_role = draw_automaton(random, processes(3))
    roles = Roles({"P1": 4})
    over = automaton_over_slots(by_role, roles)
    expected = sum(4 if t.label.process == "P1" else 1 for t in by_role.forward)
    assert len(over.forward) == expected
    assert automaton_over_slots(over, roles) == over


def test_the_classification_of_transitions_is_that_of_those_written_out() -> None:
    for seed in range(300):
        random = Random(f"written out {seed}")
        names = processes(3)
        by_role = draw_automaton(random, names)
        roles = Roles({name: random.randint(1, 3) for name in names})
        over = automaton_over_slots(by_role, roles)
        stated = [
            StatedTransition(t.source, label, t.target)
            for t in (*by_role.forward, *by_role.backward)
            for label in roles.labels(t.label)
        ]
        written = sequence_automaton(
            initial=by_role.initial, final=by_role.final, transitions=stated
        )
        assert {*written.forward} == {*over.forward}
        assert {*written.backward} == {*over.backward}


def test_it_is_formed_exactly_where_the_property_over_roles_is() -> None:
    formed = 0
    for seed in range(400):
        random = Random(f"roles {seed}")
        names = processes(3)
        by_role = draw_automaton(random, names)
        roles = Roles({name: random.randint(1, 3) for name in names})
        over = automaton_over_slots(by_role, roles)
        events: list[Label] = [random.choice(by_role.labels) for _ in range(14)]
        at_slots = [random.choice(roles.labels(label)) for label in events]
        assert [roles.of_roles(label) for label in at_slots] == events
        indices = [each.index for each in formations(by_role, events)]
        assert [each.index for each in formations(over, at_slots)] == indices
        formed += len(indices)
    assert formed > 200
