"""The shape of documents: one clear sentence for each mistake, with line and field."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from choreomon.files.source_positions import read_positioned
from tests.documents.documents_for_tests import EXAMPLE, SEQUENCES, parsed, problems, variation

SECOND = "property.automaton.transitions[1]"
LOOP = "property.automaton.transitions[3]"
LEAVE = "application.processes[0].handlers.leave"


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "part"),
    [
        # keys
        ("name: smart", "nam: smart", 1, "nam", "is no key of this mapping; did you mean 'name'?"),
        (
            "rules:",
            "zzz:",
            26,
            "property.zzz",
            "known here: for_each, rules, undecidable_self_loop, automaton",
        ),
        ("max_events", "max_event", 24, "network.max_event", "did you mean 'max_events'?"),
        ("in_order", "inorder", 23, "network.monitoring.inorder", "did you mean 'in_order'?"),
        (
            "    - id: P2",
            "    - name: P2",
            14,
            "application.processes[1].id",
            "is missing: give the name of the process",
        ),
        ("then: [{send", "the: [{send", 11, f"{LEAVE}[2].the", "did you mean 'then'?"),
        (
            "from: q0, ",
            "",
            32,
            "property.automaton.transitions[0].from",
            "is missing: give a state",
        ),
        # types
        (
            "id: P2",
            "id: 2",
            14,
            "application.processes[1].id",
            "should be text, not 2 (put it in quotes)",
        ),
        (
            "id: P2",
            'id: "a\\tb"',
            14,
            "application.processes[1].id",
            "has U+0009 as character 2, and all characters of a name are printable: leave it out; "
            "should be a name of 1 to 200 printable characters, not 'a\\tb'",
        ),
        (
            "{turnOn: []}",
            "{turnOn: }",
            17,
            "application.processes[2].handlers.turnOn",
            "should be a list, not nothing (write [] for an empty one)",
        ),
        (
            "{turnOn: []}",
            "",
            17,
            "application.processes[2].handlers",
            "should be a mapping, not nothing (write {} for an empty one)",
        ),
        (
            "{turnOn: []}",
            '{"": []}',
            17,
            "application.processes[2].handlers['']",
            "should be a name",
        ),
        (
            "in_order: true",
            "in_order: yes",
            23,
            "network.monitoring.in_order",
            "should be true or false, not 'yes'",
        ),
        (
            "in_order: true",
            "in_order: 1",
            23,
            "network.monitoring.in_order",
            "should be true or false, not 1",
        ),
        (
            "max_events: 1000000",
            "max_events: 1e6",
            24,
            "network.max_events",
            "should be an integer, not 1000000.0",
        ),
        (
            "max_events: 1000000",
            "max_events: true",
            24,
            "network.max_events",
            "should be an integer, not true",
        ),
        ("max_events: 1000000", "max_events: 0", 24, "network.max_events", "should be at least 1"),
        (
            "rules: sound",
            "rules: exact",
            26,
            "property.rules",
            "should be 'precise', 'sound' or 'paper', not 'exact'",
        ),
        (
            "loop: reject",
            "loop: ignore",
            27,
            "property.undecidable_self_loop",
            "should be 'reject' or 'cancel'",
        ),
        (
            '{not: "P2 -> P1 : resume"}',
            '{and: {not: "P2 -> P1 : resume"}}',
            35,
            f"{LOOP}.when.and",
            "should be a list, not a mapping (put [ ] around it for a list of one)",
        ),
        (
            '{not: "P2 -> P1 : resume"}',
            '{and: "P2 -> P1 : resume"}',
            35,
            f"{LOOP}.when.and",
            "not 'P2 -> P1 : resume' (put [ ] around it for a list of one)",
        ),
        (
            "initial: [q0]",
            "initial: q0",
            29,
            "property.automaton.initial",
            "should be a list, not 'q0'",
        ),
        ("initial: [q0]", "initial: []", 29, "property.automaton.initial", "should not be empty"),
        ("name: smart-home", "name: ''", 1, "name", "should be one line of text"),
        ("name: smart-home", 'name: "a\\nb"', 1, "name", "should be one line of text"),
        ("at: 0", "at: -1", 18, "application.start[0].at", "should be at least 0, not -1"),
        ("at: 0", "at: .inf", 18, "application.start[0].at", "should be a finite number, not inf"),
        ("at: 0", "at: 1e13", 18, "application.start[0].at", "should be at most 1e+12"),
        ("at: 0", f"at: {'9' * 400}", 18, "application.start[0].at", "is too large"),
        ("at: 0", f"at: !!float {'9' * 400}", 18, "application.start[0].at", "'9999"),
        (
            "away: false",
            "away: 1.5",
            5,
            "application.processes[0].variables.away",
            "should be an integer, true or false, not 1.5",
        ),
        (
            "away: false",
            "away: no",
            5,
            "application.processes[0].variables.away",
            "should be an integer, true or false, not 'no'",
        ),
        # durations
        ("{uniform: [1, 20]}", "{uniform: [20, 1]}", 20, "network.delay.uniform", "least <= most"),
        (
            "{uniform: [1, 20]}",
            "{uniform: [1]}",
            20,
            "network.delay.uniform",
            "should be two numbers in a list, not a list of 1",
        ),
        (
            "{uniform: [1, 20]}",
            "{uniform: [-1, 20]}",
            20,
            "network.delay.uniform[0]",
            "should be at least 0, not -1",
        ),
        (
            "{uniform: [1, 20]}",
            "{uniform: 5}",
            20,
            "network.delay.uniform",
            "should be two numbers in a list, not 5",
        ),
        (
            "{uniform: [1, 20]}",
            "{exponential: 0}",
            20,
            "network.delay.exponential",
            "should be greater than 0, not 0",
        ),
        (
            "{uniform: [1, 20]}",
            "{lognormal: [0, 1]}",
            20,
            "network.delay.lognormal[0]",
            "should be greater than 0, not 0",
        ),
        (
            "{uniform: [1, 20]}",
            "{lognormal: [1, -1]}",
            20,
            "network.delay.lognormal[1]",
            "should be at least 0, not -1",
        ),
        (
            "{uniform: [1, 20]}",
            "{lognormal: [1, 11]}",
            20,
            "network.delay.lognormal[1]",
            "should be at most 10",
        ),
        (
            "{uniform: [1, 20]}",
            "{constant: .nan}",
            20,
            "network.delay.constant",
            "should be a finite number, not nan",
        ),
        (
            "{uniform: [1, 20]}",
            "{constant: '5'}",
            20,
            "network.delay.constant",
            "should be a number, not '5'",
        ),
        (
            "{uniform: [1, 20]}",
            "{unifrom: [1, 20]}",
            20,
            "network.delay",
            "not a mapping of 'unifrom'; did you mean 'uniform'?",
        ),
        ("{uniform: [1, 20]}", "20", 20, "network.delay", "should be {uniform: [least, most]}"),
        ("{uniform: [1, 20]}", "{}", 20, "network.delay", "not an empty mapping"),
        (
            "{uniform: [1, 20]}",
            "{constant: 1, uniform: [1, 2]}",
            20,
            "network.delay",
            "has both uniform and constant",
        ),
        (
            "in_order: true",
            "deadline: 0",
            23,
            "network.monitoring.deadline",
            "should be greater than 0, not 0",
        ),
        # statements
        (
            "- send: {to: P2, message: turnOff}",
            "- sned: {}",
            8,
            f"{LEAVE}[0]",
            "not a mapping of 'sned'; did you mean 'send'?",
        ),
        (
            "- send: {to: P2, message: turnOff}",
            "- turnOff",
            8,
            f"{LEAVE}[0]",
            "should be one statement",
        ),
        (
            "- send: {to: P2, message: turnOff}",
            "- {send: {to: P2, message: turnOff}, assign: {}}",
            8,
            f"{LEAVE}[0]",
            "has both send and assign",
        ),
        (
            "- send: {to: P2, message: turnOff}",
            "- {send: {to: P2, message: turnOff}, else: []}",
            8,
            f"{LEAVE}[0].else",
            "is no key of this mapping",
        ),
        (
            "{to: P2, message: turnOff}",
            "turnOff",
            8,
            f"{LEAVE}[0].send",
            "should be a mapping of to, message, with, not 'turnOff'",
        ),
        ("assign: {away: true}", "assign: {}", 9, f"{LEAVE}[1].assign", "should not be empty"),
        (
            "assign: {away: true}",
            "assign: {away: on}",
            9,
            f"{LEAVE}[1].assign.away",
            "should be an integer, true or false, not 'on'",
        ),
        (
            "- if: away",
            "- if: true",
            10,
            f"{LEAVE}[2].if",
            "should be a boolean variable or {not: variable}, not true",
        ),
        (
            "- if: away",
            "- if: not away",
            10,
            f"{LEAVE}[2].if",
            "{not: variable}, not 'not away'; did you mean {not: away}?",
        ),
        (
            "- if: away",
            "- if: away == true",
            10,
            f"{LEAVE}[2].if",
            "should be a boolean variable or {not: variable}, not 'away == true'",
        ),
        ("- if: away", "- if: {nto: away}", 10, f"{LEAVE}[2].if", "{not: variable}, not a mapping"),
        ("- if: away", "- if: {not: {not: away}}", 10, f"{LEAVE}[2].if.not", "should be text"),
        (
            "- if: away",
            "- if: floor > 2",
            10,
            f"{LEAVE}[2].if",
            "not 'floor > 2'; nothing is compared: integers can only be assigned constants, and ",
        ),
        (
            "assign: {away: true}",
            "assign: {floor: floor + 1}",
            9,
            f"{LEAVE}[1].assign.floor",
            "not 'floor + 1'; values are constants, nothing is computed",
        ),
        # times
        (
            "at: 0",
            "at: 50ms",
            18,
            "application.start[0].at",
            "not '50ms' (times are milliseconds without a unit: 50)",
        ),
        (
            "{constant: 50}",
            "{constant: 1.5 s}",
            21,
            "network.links[0].delay.constant",
            "not '1.5 s' (times are milliseconds without a unit: 1500)",
        ),
        (
            "{uniform: [1, 20]}",
            "{uniform: [1, 2h]}",
            20,
            "network.delay.uniform[1]",
            "not '2h' (times are milliseconds without a unit)",
        ),
        # a list of one
        (
            "[{send: {to: P1, message: resume}}]",
            "{send: {to: P1, message: resume}}",
            15,
            "application.processes[1].handlers.turnOff",
            "should be a list, not a mapping (put [ ] around it for a list of one)",
        ),
        (
            "[{send: {to: P3, message: turnOn}}]",
            "{send: {to: P3, message: turnOn}}",
            11,
            f"{LEAVE}[2].then",
            "should be a list, not a mapping (put [ ] around it for a list of one)",
        ),
        (
            "initial: [q0]",
            "initial: q0",
            29,
            "property.automaton.initial",
            "should be a list, not 'q0' (put [ ] around it for a list of one)",
        ),
        # transitions and formulas
        (
            'on: "P1 -> P3 : turnOn"',
            'on: "P1 > P3 : turnOn"',
            33,
            f"{SECOND}.on",
            "should be a label \"[handle] SENDER -> RECEIVER : NAME\", not 'P1 > P3 : turnOn'"
            '; did you mean "P1 -> P3 : turnOn"?',
        ),
        (
            'on: "P1 -> P3 : turnOn"',
            "on: {P1 -> P3 : turnOn}",
            33,
            f"{SECOND}.on",
            'put it in quotes: "P1 -> P3 : turnOn"',
        ),
        (
            '{not: "P2 -> P1 : resume"}',
            "{not: {P2 -> P1: resume}}",
            35,
            f"{LOOP}.when.not",
            'put it in quotes: "P2 -> P1 : resume"',
        ),
        ('on: "P1 -> P3 : turnOn"', "on: 5", 33, f"{SECOND}.on", "should be a label"),
        (
            'on: "P1 -> P3 : turnOn"',
            'on: "P1 -> P3 : turnOn", when: true',
            33,
            SECOND,
            "has both on and when",
        ),
        (
            'on: "P1 -> P3 : turnOn"',
            "when: true",
            33,
            SECOND,
            "should lead from q1 to q1; write on:",
        ),
        ('on: "P1 -> P3 : turnOn"', "on1: 1", 33, SECOND, "should be {from: STATE, to: STATE"),
        (
            '{from: q1, to: q2, on: "P1 -> P3 : turnOn"}',
            "q1",
            33,
            SECOND,
            "should be {from: STATE, to: STATE",
        ),
        (
            'on: "P1 -> P3 : turnOn"',
            'on: "P1 -> P3 : turnOn", backward: maybe',
            33,
            f"{SECOND}.backward",
            "should be true or false, not 'maybe'",
        ),
        (
            'when: {not: "P2 -> P1 : resume"}',
            'on: "P1 -> P2 : turnOff", backward: true',
            35,
            LOOP,
            "neither forward nor backward: leave backward out",
        ),
        (
            '{not: "P2 -> P1 : resume"}',
            "false",
            35,
            f"{LOOP}.when",
            "should be a formula: true, a label, {not: formula} or {and: [formula, formula]}, "
            "not false",
        ),
        ('{not: "P2 -> P1 : resume"}', "{nto: true}", 35, f"{LOOP}.when", "did you mean 'not'?"),
        ('{not: "P2 -> P1 : resume"}', "{and: []}", 35, f"{LOOP}.when.and", "should not be empty"),
        (
            '{not: "P2 -> P1 : resume"}',
            "{and: [true, {not: 1}]}",
            35,
            f"{LOOP}.when.and[1].not",
            "should be a formula",
        ),
        ('{not: "P2 -> P1 : resume"}', "tru", 35, f"{LOOP}.when", "should be a label"),
    ],
)
def test_a_mistake_in_the_shape_is_told_once(
    old: str, new: str, line: int, field: str, part: str
) -> None:
    found = problems(variation(old, new))
    matching = [problem for problem in found if (problem.line, problem.field) == (line, field)]
    assert len(matching) == 1
    assert part in matching[0].message
    # A key that is another is a missing one, too; and that is all.
    missing = [problem for problem in found if "is missing" in problem.message]
    unknown = [problem for problem in found if "is no key of this mapping" in problem.message]
    assert len(found) == len({*matching, *missing, *unknown}) <= 2


@pytest.mark.parametrize(
    ("old", "new", "field", "part"),
    [
        ("after: [1, 1]", "after: 1", "cancel[0].after", "should be [first, last]"),
        ("after: [1, 1]", "after: [1, 1, 1]", "cancel[0].after", "should be [first, last]"),
        ("after: [1, 1]", "after: [1, 1.5]", "cancel[0].after[1]", "should be an integer, not 1.5"),
        ("back_to: 0", "back_to: '0'", "cancel[0].back_to", "should be an integer"),
        ('["P1 -> P2 : turnOff", "P1 -> P3 : turnOn"]', "[]", "steps", "should not be empty"),
        ('"P1 -> P2 : turnOff", ', "turnOff, ", "steps[0]", "should be a label"),
    ],
)
def test_a_mistake_in_the_shape_of_a_sequence_is_told(
    old: str, new: str, field: str, part: str
) -> None:
    (problem,) = problems(variation(old, new, SEQUENCES))
    assert problem.field == f"property.sequences[0].{field}"
    assert problem.line == (4 if field.startswith("cancel") else 3)
    assert part in problem.message


@pytest.mark.parametrize(
    ("step", "right"),
    [
        ("P1 -> P2 : turnOff", ': "P1 -> P2 : turnOff"'),
        ("handle P1->P2: 7", ': "handle P1 -> P2 : 7"'),
        ("P1 -> P2 :", ', as in "A -> B : m"'),
        ("P1 -> P2 : true", ', as in "A -> B : m"'),
        ("Handle P1 \u2192 P2 : m", ': "handle P1 -> P2 : m"'),
        ("P 1 -> P2 : m", """: '"P 1" -> P2 : m'"""),
        ("P1 -> {P2} : m", ', as in "A -> B : m"'),
    ],
)
def test_a_label_without_quotes_in_a_list_is_told_to_need_them(step: str, right: str) -> None:
    (problem,) = problems(f"property:\n  sequences:\n  - steps:\n    - {step}\n")
    assert (problem.line, problem.field) == (4, "property.sequences[0].steps[0]")
    assert problem.message == f"is a label that YAML takes for a mapping: put it in quotes{right}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("handlers: {turnOn: []}", "handlers: {turnOn: {to: P1}}"),
        ("handlers: {turnOn: []}", "handlers: {turnOn: nothing}"),
        ("at: 0", "at: noon"),
        ("- if: away", "- if: not always"),
        ("{away: true}", "{away: yes}"),
    ],
)
def test_a_hint_is_only_given_where_it_helps(old: str, new: str) -> None:
    for problem in problems(variation(old, new)):
        assert "put [ ]" not in problem.message
        assert "milliseconds" not in problem.message
        assert "nothing is" not in problem.message


@pytest.mark.parametrize("step", ["{a: b}", "{}", "{A -> B: m, C -> D: m}", "{not: A -> B}"])
def test_any_other_mapping_is_only_no_label(step: str) -> None:
    (problem,) = problems(f"property: {{sequences: [{{steps: [{step}]}}]}}\n")
    assert problem.message.endswith('RECEIVER : NAME", not a mapping')


def test_an_automaton_and_sequences_exclude_each_other() -> None:
    text = (
        SEQUENCES + "  automaton: {initial: [a], final: [b], transitions: ["
        '{from: a, to: b, on: "P1 -> P2 : m"}]}\n'
    )
    (problem,) = problems(text)
    assert (problem.line, problem.field) == (1, "property")
    assert problem.message == "has both automaton and sequences: keep one of the two"


def test_a_property_needs_an_automaton_or_sequences() -> None:
    (problem,) = problems("name: x\nproperty: {rules: paper}\n")
    assert (problem.line, problem.field) == (2, "property")
    assert "has neither automaton nor sequences" in problem.message


def test_a_document_needs_an_application_or_a_property() -> None:
    (problem,) = problems("\nname: x\n")
    assert (problem.line, problem.field) == (2, "")
    assert "has neither application nor property" in problem.message


def test_all_mistakes_are_told_in_the_order_of_the_lines() -> None:
    text = variation("rules: sound", "rules: no", variation("id: P2", "id: 2"))
    text = variation("at: 0", "at: x", text)
    assert [problem.line for problem in problems(text)] == [14, 18, 26]


def test_conditionals_nest_as_deep_as_documents_may() -> None:
    inner = "[]"
    for _ in range(26):
        inner = f"[{{if: away, then: {inner}}}]"
    assert parsed(variation("resume: []", f"resume: {inner}"))


def test_formulas_nest_as_deep_as_documents_may() -> None:
    formula = '"P2 -> P1 : resume"'
    for _ in range(55):
        formula = f"{{not: {formula}}}"
    assert parsed(variation('{not: "P2 -> P1 : resume"}', formula))


def renamings(value: object) -> Iterator[tuple[str, object]]:
    """Every copy of `value` in which one key is another."""
    if isinstance(value, dict):
        for renamed in value:
            yield (
                renamed,
                {f"{key}_x" if key == renamed else key: inner for key, inner in value.items()},
            )
            for within, inner in renamings(value[renamed]):
                yield within, {**value, renamed: inner}
    elif isinstance(value, list):
        for position, item in enumerate(value):
            for within, inner in renamings(item):
                yield within, [*value[:position], inner, *value[position + 1 :]]


def test_nothing_in_the_example_is_left_unread() -> None:
    """Another name for any key is noticed; `floor` is a variable that nothing uses."""
    value = read_positioned(EXAMPLE, "f.yaml", as_json=False).value
    changes = [(key, changed) for key, changed in renamings(value) if key != "floor"]
    assert len(changes) > 60
    for key, changed in changes:
        assert problems(json.dumps(changed)), key
