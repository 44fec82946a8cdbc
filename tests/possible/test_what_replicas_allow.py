"""What applications with replicas allow: at least what one process each does, and all that
simulated runs do; against brute force over roles."""

from __future__ import annotations

from itertools import permutations

import pytest

from choreomon.actors.compilation import compile_application
from choreomon.core.message import Label
from choreomon.core.roles import NO_ROLES
from choreomon.documents.actors import application_from_document
from choreomon.documents.read import Document, parse_document
from choreomon.possible.applications import ApplicationProtocol
from choreomon.possible.run import run_events
from choreomon.possible.search import possibility, possible_slowly
from choreomon.properties.automaton import (
    SequenceAutomaton,
    StatedTransition,
    sequence_automaton,
)
from choreomon.properties.reference import formations
from choreomon.properties.roles import automaton_over_slots
from simulator.run import simulation
from tests.possible.following import after

APPLICATION = """
application:
  processes:
    - id: shop
      variables: {packed: false}
      handlers:
        pack: [{assign: {packed: true}}]
        ship:
          - if: packed
            then: [{send: {to: carrier, message: parcel}}]
            else: [{send: {to: carrier, message: empty}}]
    - {id: carrier, handlers: {parcel: [], empty: []}}
  start: [{to: shop, message: pack}, {to: shop, message: ship, at: 5}]
"""
ALONE = parse_document(APPLICATION, "alone.yaml")
TWO = parse_document(f"roles: {{shop: {{slots: 2, balance: random}}}}\n{APPLICATION}", "two.yaml")
THREE = parse_document(f"roles: {{shop: 3, carrier: 2}}\n{APPLICATION}", "three.yaml")


def protocol(document: Document) -> ApplicationProtocol:
    assert document.application is not None
    application = application_from_document(document.application)
    return ApplicationProtocol(compile_application(application, document.replicas))


def then(first: Label, second: Label) -> SequenceAutomaton:
    return sequence_automaton(
        initial=["q0"],
        final=["q2"],
        transitions=[StatedTransition("q0", first, "q1"), StatedTransition("q1", second, "q2")],
    )


def pairs(document: Document) -> dict[tuple[Label, Label], bool]:
    """For each two labels over roles, whether the one may come before the other one."""
    one, roles = protocol(document), document.replicas.roles
    labels = sorted({roles.of_roles(label) for label in one.labels})
    return {
        pair: possibility(automaton_over_slots(then(*pair), roles), one).answer == "possible"
        for pair in permutations(labels, 2)
    }


@pytest.mark.parametrize("document", [ALONE, TWO])
def test_answers_are_those_of_brute_force_over_roles(document: Document) -> None:
    """Brute force judges each run by the property over slots, whose runs over roles form the
    property over roles as well."""
    one, roles = protocol(document), document.replicas.roles
    for pair, possible in pairs(document).items():
        over = automaton_over_slots(then(*pair), roles)
        assert (possible_slowly(over, one, 8) is not None) == possible
        run = possibility(over, one).run
        found = formations(then(*pair), list(map(roles.of_roles, run)))
        assert bool(found) == possible


def test_more_replicas_allow_all_that_fewer_do() -> None:
    alone, two, three = map(pairs, (ALONE, TWO, THREE))
    assert {pair for pair in alone if alone[pair]} < {pair for pair in two if two[pair]}
    assert {pair for pair in two if two[pair]} <= {pair for pair in three if three[pair]}


@pytest.mark.parametrize("document", [TWO, THREE])
def test_simulated_runs_are_runs_of_the_application(document: Document) -> None:
    one = protocol(document)
    for seed in range(10):
        states = set(one.initial())
        for event in simulation(document).run(seed, keep_events=True).kept_events:
            states = after(one, states, event.label)
            assert states, f"seed {seed}: {event}"


def test_many_messages_of_the_environment_are_many_states_only_when_they_are_looked_at() -> None:
    """Any of three replicas may get each: 3 ** 60 states to begin with would never be listed."""
    many = 'start: [{to: shop, message: pack, repeat: {count: "1..60", every: 5}}, '
    text = APPLICATION.replace("start: [", many, 1)
    document = parse_document(f"roles: {{shop: 3}}\n{text}", "many.yaml")
    one = protocol(document)
    assert len(one.initial()) == 1
    pack, ship = sorted(label for label in one.labels if label.message.receiver == "shop/1")
    found = possibility(then(pack, ship), one, max_states=50)
    assert (found.answer, found.states) == ("unknown", 50)


def test_messages_of_slots_are_found_by_their_roles_in_pictures() -> None:
    one, roles = protocol(THREE), THREE.replicas.roles
    pair = next(pair for pair in pairs(THREE) if str(pair[1]) == "handle shop -> carrier : empty")
    run = possibility(automaton_over_slots(then(*pair), roles), one).run
    assert any(event.sent_at is not None for event in run_events(run, one.processes, roles))
    assert all(event.sent_at is None for event in run_events(run, one.processes, NO_ROLES))
