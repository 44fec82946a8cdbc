"""Which properties may be for each instance, beside a slow definition of it."""

from __future__ import annotations

from random import Random

import pytest

from choreomon.core.message import SEND, Label, Message
from choreomon.properties import instances
from choreomon.properties.automaton import SequenceAutomaton
from choreomon.properties.certain_cancellations import certain_cancellations
from choreomon.properties.instances import Parameters, instance_defects
from choreomon.properties.progress import rules_of
from choreomon.properties.tables import closure, transition_tables
from tests.laws.drawn import draw_automaton, processes

PROCESSES = processes(4)


def test_a_binding_is_in_the_order_of_names_however_they_are_written() -> None:
    message = Message("a", "m", "b")
    parameters = Parameters(("tenant", "order"), {message: ("tenant", "order")})
    values = {"tenant": "x", "order": "7"}
    expected = (("order", "7"), ("tenant", "x"))
    assert parameters.binding(Label(SEND, message), values) == expected


def may_be(automaton: SequenceAutomaton, parameters: Parameters) -> bool:
    """Whether each label carries all that what it rests on does, to the end, and each reference is
    for one set of parameters."""
    tables = transition_tables(automaton, PROCESSES, "precise", parameters)
    needs = {
        reference: needed
        for table in tables.values()
        for reference, needed in table.skeleton.items()
    }
    carried: dict[object, set[frozenset[str]]] = {}
    for t in (*automaton.forward, *automaton.backward):
        carried.setdefault(t.reference, set()).add(frozenset(parameters.of(t.label)))
    for t in (*automaton.forward, *automaton.backward):
        own = {*parameters.of(t.label)}
        for reference in closure(needs, [t.reference]):
            if not all(own.issuperset(each) for each in carried[reference]):
                return False
    for rule in rules_of(automaton):
        names = {name for label in rule.automaton.labels for name in parameters.of(label)}
        for t in rule.automaton.forward:
            if t.target in rule.automaton.final and names.difference(parameters.of(t.label)):
                return False
    return all(len(names) == 1 for names in carried.values())


def judged(runs: int) -> list[tuple[bool, bool]]:
    """Whether random properties may be, and whether they are refused."""
    found = []
    random = Random(7)
    for _ in range(runs):
        automaton = draw_automaton(random, PROCESSES)
        last = {t.label.message for t in automaton.forward if t.target in automaton.final}
        names = ("a", "b")
        carried = {
            message: names
            if message in last and random.random() < 0.9
            else tuple(name for name in names if random.random() < 0.7)
            for message in dict.fromkeys(label.message for label in automaton.labels)
        }
        parameters = Parameters(names, carried)
        refused = bool([*instance_defects(automaton, parameters, {})])
        found.append((may_be(automaton, parameters), refused))
    return found


def test_a_property_is_refused_where_a_label_carries_less_than_what_it_rests_on() -> None:
    found = judged(1500)
    assert all(may != refused for may, refused in found)
    assert sum(may for may, _ in found) > 150
    assert sum(not may for may, _ in found) > 150


def test_what_may_cancel_a_step_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted bug: pre-transitions alone."""
    monkeypatch.setattr(instances, "vio_transitions", lambda *_: ())
    assert any(may == refused for may, refused in judged(300))


def test_cancellations_that_look_at_nothing_may_carry_less() -> None:
    found = 0
    random = Random(11)
    for _ in range(300):
        automaton = draw_automaton(random, PROCESSES)
        certain = certain_cancellations(automaton)
        messages = {label.message for label in automaton.labels}
        steps = {t.label.message for t in automaton.forward}
        looking = {t.label.message for t in automaton.backward if t.reference not in certain}
        bare = (
            {t.label.message for t in automaton.backward if t.reference in certain}
            - steps
            - looking
        )
        if not bare:
            continue
        carried = {message: () if message in bare else ("a",) for message in messages}
        parameters = Parameters(("a",), carried)
        shared = [
            defect
            for defect in instance_defects(automaton, parameters, {})
            if "does the same" not in defect.message
        ]
        assert shared == []
        found += 1
    assert found > 50
