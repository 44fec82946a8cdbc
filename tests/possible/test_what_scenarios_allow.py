"""What applications and protocols of the scenarios allow, and that simulated runs are allowed."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from choreomon.actors.compilation import compile_application
from choreomon.documents.actors import application_from_document
from choreomon.documents.read import Document, load_document
from choreomon.possible.applications import ApplicationProtocol
from choreomon.possible.interactions import InteractionProtocol
from choreomon.possible.run import run_events
from choreomon.possible.search import each_sequence, possibility, possible_slowly
from simulator.run import simulation
from tests.possible.following import after

SCENARIOS = Path(__file__).parents[2] / "scenarios"
NAMES = sorted(path.stem for path in SCENARIOS.glob("*.yaml"))

BY_APPLICATION = {
    "broker": ("possible", "impossible"),
    "lock": ("possible", "possible"),
    "orders": ("unknown",),
    "payment-saga": ("possible", "possible", "possible"),
    "replicas": ("unknown",),
    "tool-calls": ("unknown",),
}
"""For each rule, or sequence; of all scenarios that are not named, the one is possible. Orders, or
conversations, that do not know of each other have more orders of events than the bound allows."""


def read(name: str) -> Document:
    return load_document(SCENARIOS / f"{name}.yaml").over_slots()


def application(document: Document) -> ApplicationProtocol:
    assert document.application is not None
    application = application_from_document(document.application)
    return ApplicationProtocol(compile_application(application, document.replicas))


@pytest.mark.parametrize("name", NAMES)
def test_what_applications_allow_does_not_depend_on_time(name: str) -> None:
    """So the conforming twin, which differs from the other one in times, has the same answer."""
    document = read(name)
    assert document.property is not None
    found = [
        possibility(each, application(document)).answer
        for each in each_sequence(document.property.automaton)
    ]
    assert tuple(found) == BY_APPLICATION.get(name.rpartition("-")[0], ("possible",))


@pytest.mark.parametrize(
    ("name", "states"), [("broker", (308, 0)), ("lock", (46, 46)), ("payment-saga", (47, 67, 27))]
)
def test_no_protocol_of_a_scenario_allows_what_its_property_forbids(
    name: str, states: tuple[int, ...]
) -> None:
    document = read(f"{name}-violating")
    assert document.property is not None
    assert document.interaction is not None
    automaton = document.property.automaton
    protocol = InteractionProtocol(document.interaction.interaction, automaton.labels)
    found = [possibility(each, protocol) for each in each_sequence(automaton)]
    assert [one.answer for one in found] == ["impossible"] * len(states)
    assert tuple(one.states for one in found) == states


@pytest.mark.parametrize("name", NAMES)
def test_simulated_runs_are_runs_of_the_application(name: str) -> None:
    document = read(name)
    protocol = application(document)
    for seed in range(5):
        states = set(protocol.initial())
        for event in simulation(document).run(seed, keep_events=True).kept_events:
            states = after(protocol, states, event.label)
            assert states, f"seed {seed}: {event}"


def test_a_shortest_run_of_an_application_is_as_long_as_the_definition_says() -> None:
    document = read("fig2-self-loop-violating")
    assert document.property is not None
    protocol = application(document)
    found = possibility(document.property.automaton, protocol)
    assert possible_slowly(document.property.automaton, protocol, len(found.run)) == len(found.run)


def test_the_events_of_a_run_know_what_was_sent_before() -> None:
    document = read("lock-violating")
    assert document.property is not None
    protocol = application(document)
    run = possibility(document.property.automaton, protocol).run
    events = run_events(run, protocol.processes)
    assert tuple(event.label for event in events) == run
    for event in events:
        sent = None if event.sent_at is None else events[event.sent_at]
        if event.kind == "handle" and event.message.sender != "env":
            assert sent is not None
            assert (sent.message, sent.kind) == (event.message, "send")
            assert all(a <= b for a, b in zip(sent.clock, event.clock, strict=True))
    assert len(set(chain.from_iterable(event.clock for event in events))) > 2
