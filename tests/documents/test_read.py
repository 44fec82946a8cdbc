"""Documents from files and texts, as values ready for use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from choreomon.core.errors import DocumentError
from choreomon.core.message import Label, Message
from choreomon.documents.compilation import LoadedProperty
from choreomon.documents.durations import (
    ConstantDuration,
    ExponentialDuration,
    LognormalDuration,
    UniformDuration,
)
from choreomon.documents.read import Document, load_document, parse_document
from choreomon.documents.shape import AssignStatement, IfStatement, NotCondition, SendStatement
from choreomon.files.source_positions import read_positioned
from choreomon.properties.automaton import Transition
from choreomon.properties.formula import And, Atom, Not, Truth
from choreomon.properties.sequences import Cancellation, MessageSequence
from tests.documents.documents_for_tests import (
    EXAMPLE,
    EXAMPLE_FILE,
    SEQUENCES,
    parsed,
    variation,
)

TURN_OFF = Label("send", Message("P1", "turnOff", "P2"))
TURN_ON = Label("send", Message("P1", "turnOn", "P3"))
RESUME = Label("send", Message("P2", "resume", "P1"))


def property_of(document: Document) -> LoadedProperty:
    assert document.property is not None
    return document.property


def test_the_documented_example_loads_as_it_is_meant() -> None:
    document = load_document(EXAMPLE_FILE)
    assert (document.name, document.processes) == ("smart-home", ("P1", "P2", "P3"))
    assert document.warnings == ()
    application = document.application
    assert application is not None
    first = application.processes[0]
    assert first.variables == {"away": False, "floor": 0}
    send, assign, condition = first.handlers["leave"]
    assert isinstance(send, SendStatement)
    assert (send.send.to, send.send.message) == ("P2", "turnOff")
    assert isinstance(assign, AssignStatement)
    assert assign.assign == {"away": True}
    assert isinstance(condition, IfStatement)
    assert (condition.condition, len(condition.then), condition.otherwise) == ("away", 1, ())
    assert first.handlers["resume"] == ()
    assert [(s.to, s.message, s.at) for s in application.start] == [("P1", "leave", 0)]
    network = document.network
    assert network.delay == UniformDuration(uniform=(1, 20))
    assert [(x.source, x.target, x.delay) for x in network.links] == [
        ("P1", "P3", ConstantDuration(constant=50))
    ]
    assert (network.service, network.max_events) == (ConstantDuration(constant=0), 1_000_000)
    loaded = property_of(document)
    assert (loaded.rules, loaded.sequences) == ("sound", ())
    assert loaded.automaton.forward == (
        Transition("q0", TURN_OFF, "q1"),
        Transition("q1", TURN_ON, "q2"),
    )
    assert loaded.automaton.backward == (Transition("q1", RESUME, "q0"),)
    assert [loop.formula for loop in loaded.automaton.self_loops] == [Not(Atom(RESUME))]


def test_json_and_yaml_of_the_same_values_are_the_same_document() -> None:
    value = read_positioned(EXAMPLE, "f", as_json=False).value
    from_json = parse_document(json.dumps(value, indent="\t"), "home.json")
    from_yaml = parse_document(EXAMPLE, "home.json.yaml")
    assert from_json.application == from_yaml.application
    assert from_json.network == from_yaml.network
    assert property_of(from_json).automaton == property_of(from_yaml).automaton


def test_the_suffix_json_decides_in_any_case_of_letters() -> None:
    with pytest.raises(DocumentError, match="is not JSON"):
        parse_document("name: x", "A.JSON")


def test_what_is_left_out_has_its_default() -> None:
    document = parse_document(
        "application: {processes: [{id: P}], start: []}", "somewhere/pinger.v2.yaml"
    )
    assert document.name == "pinger.v2"
    assert document.property is None
    assert document.application is not None
    assert document.application.processes[0].handlers == {}
    network = document.network
    assert network.delay == UniformDuration(uniform=(1, 20))
    assert network.service == network.monitoring.service == ConstantDuration(constant=0)
    assert network.links == ()
    assert network.monitoring.in_order is True
    assert network.monitoring.deadline is None
    assert network.max_events == 1_000_000


def test_a_start_without_a_time_is_at_once() -> None:
    document = parsed(variation("message: leave, at: 0", "message: leave"))
    assert document.application is not None
    assert document.application.start[0].at == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{exponential: 2.5}", ExponentialDuration(exponential=2.5)),
        ("{lognormal: [10, 0]}", LognormalDuration(lognormal=(10, 0))),
        ("{constant: 0}", ConstantDuration(constant=0)),
        ("{uniform: [3, 3]}", UniformDuration(uniform=(3, 3))),
    ],
)
def test_every_distribution_is_read(text: str, expected: object) -> None:
    document = parsed(variation("delay: {uniform: [1, 20]}", f"delay: {text}"))
    assert document.network.delay == expected


def test_the_deadline_of_monitors_is_read() -> None:
    document = parsed(variation("in_order: true", "in_order: false, deadline: 250"))
    assert document.network.monitoring.in_order is False
    assert document.network.monitoring.deadline == 250


def test_a_negated_condition_is_read() -> None:
    document = parsed(variation("- if: away", "- if: {not: away}"))
    assert document.application is not None
    statement = document.application.processes[0].handlers["leave"][2]
    assert isinstance(statement, IfStatement)
    assert isinstance(statement.condition, NotCondition)
    assert statement.condition.variable == "away"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("when: true", Truth()),
        ('when: "P1 -> P3 : turnOn"', Atom(TURN_ON)),
        ('when: {and: [true, {not: "P2 -> P1 : resume"}]}', And((Truth(), Not(Atom(RESUME))))),
    ],
)
def test_every_formula_is_read(text: str, expected: object) -> None:
    changed = variation('when: {not: "P2 -> P1 : resume"}', text)
    changed = variation("undecidable_self_loop: reject", "undecidable_self_loop: cancel", changed)
    (loop,) = property_of(parsed(changed)).automaton.self_loops
    assert loop.formula == expected


def test_a_label_from_a_state_to_itself_is_a_self_loop() -> None:
    changed = variation('when: {not: "P2 -> P1 : resume"}', 'on: "P1 -> P2 : turnOff"')
    (loop,) = property_of(parsed(changed)).automaton.self_loops
    assert (loop.state, loop.formula) == ("q1", Atom(TURN_OFF))


def test_an_undecidable_self_loop_cancels_where_the_author_asks_for_it() -> None:
    changed = variation('when: {not: "P2 -> P1 : resume"}', 'when: {not: "P1 -> P2 : turnOff"}')
    with pytest.raises(DocumentError, match="undecidable_self_loop: cancel"):
        parsed(changed)
    changed = variation("undecidable_self_loop: reject", "undecidable_self_loop: cancel", changed)
    assert Transition("q1", TURN_OFF, "q0") in property_of(parsed(changed)).automaton.backward


def test_sequences_are_compiled_and_kept() -> None:
    document = parsed(SEQUENCES)
    loaded = property_of(document)
    assert loaded.sequences == (
        MessageSequence((TURN_OFF, TURN_ON), (Cancellation(RESUME, (1, 1), 0),)),
    )
    assert [t.label for t in loaded.automaton.forward] == [TURN_OFF, TURN_ON]
    assert [t.label for t in loaded.automaton.backward] == [RESUME]


def test_too_large_a_property_is_refused_before_it_is_built() -> None:
    steps = ['"P1 -> P2 : turnOff"'] * 20_000
    cancel = ['{on: "P2 -> P1 : resume", after: [1, 19999], back_to: 0}'] * 5_000
    sequence = f"{{steps: [{', '.join(steps)}], cancel: [{', '.join(cancel)}]}}"
    with pytest.raises(DocumentError, match="comes to 100015000 transitions; at most 4096"):
        parsed(f"property: {{sequences: [{sequence}]}}")


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("initial: [q0]", f"initial: [{', '.join(['q0'] * 257)}]", "initial: comes to 257 states"),
        ("final: [q2]", f"final: [{', '.join(['q2'] * 257)}]", "final: comes to 257 states"),
        (
            "    transitions:\n",
            "    transitions:\n"
            + 4093 * ('      - {from: q0, to: q1, on: "P1 -> P2 : turnOff"}\n'),
            "transitions: comes to 4097 transitions",
        ),
        (
            '{not: "P2 -> P1 : resume"}',
            f"{{and: [{', '.join(['true'] * 4096)}]}}",
            "transitions: comes to 4097 parts of formulas",
        ),
    ],
)
def test_too_large_an_automaton_is_refused(old: str, new: str, field: str) -> None:
    with pytest.raises(DocumentError, match=f"property.automaton.{field}"):
        parsed(variation(old, new))


def test_the_rules_of_the_paper_can_be_asked_for() -> None:
    assert property_of(parsed(variation("rules: sound", "rules: paper"))).rules == "paper"


def test_without_an_application_processes_are_those_of_labels_in_order() -> None:
    text = variation('"P1 -> P2 : turnOff"', '"handle env -> C : go", "B -> A : m"', SEQUENCES)
    document = parsed(text)
    assert document.application is None
    assert document.processes == ("C", "B", "A", "P1", "P3", "P2")


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"none\.yaml: cannot be read: there is no such file"):
        load_document(tmp_path / "none.yaml")
    with pytest.raises(DocumentError, match="is a directory: name a file in it"):
        load_document(str(tmp_path))
    with pytest.raises(DocumentError, match="cannot be read"):
        load_document("a\0b")
    with pytest.raises(DocumentError, match="cannot be read"):
        load_document(tmp_path / ("n" * 5000))


def test_a_file_of_the_limit_and_more_is_refused_without_reading_it_all(tmp_path: Path) -> None:
    file = tmp_path / "large.yaml"
    with file.open("wb") as stream:
        stream.truncate(1 << 40)
    with pytest.raises(DocumentError, match="is larger than"):
        load_document(file)


def test_reading_documents_imports_nothing_heavy() -> None:
    code = (
        "import sys, choreomon.documents.read, choreomon.logs.trace, choreomon.reports.results;"
        "print(sorted({'matplotlib', 'rich', 'click', 'simulator', 'numpy'} & set(sys.modules)))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert shown.stdout == "[]\n"
