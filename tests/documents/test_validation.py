"""Names that refer to nothing, and what else a shape cannot say."""

from __future__ import annotations

import pytest

from tests.documents.documents_for_tests import EXAMPLE, SEQUENCES, parsed, problems, variation

LEAVE = "application.processes[0].handlers.leave"
SECOND = "property.automaton.transitions[1].on"
TURN_ON = 'on: "P1 -> P3 : turnOn"'


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "part"),
    [
        # processes, starts, sends
        (
            "id: P3",
            "id: P2",
            16,
            "application.processes[2].id",
            "the id 'P2' is that of process number 2, too",
        ),
        ("id: P3", "id: env", 16, "application.processes[2].id", "'env' is reserved"),
        (
            "start: [{to: P1",
            "start: [{to: P11",
            18,
            "application.start[0].to",
            "unknown process 'P11'; did you mean 'P1'?",
        ),
        (
            "start: [{to: P1",
            "start: [{to: env",
            18,
            "application.start[0].to",
            "'env' receives nothing",
        ),
        (
            "message: leave, at",
            "message: leav, at",
            18,
            "application.start[0].message",
            "P1 has no handler for 'leav' (it has leave, resume); did you mean 'leave'?",
        ),
        (
            "{to: P2, message: turnOff}",
            "{to: X, message: turnOff}",
            8,
            f"{LEAVE}[0].send.to",
            "unknown process 'X'; the processes are P1, P2, P3",
        ),
        (
            "{to: P2, message: turnOff}",
            "{to: env, message: turnOff}",
            8,
            f"{LEAVE}[0].send.to",
            "'env' receives nothing",
        ),
        (
            "{to: P2, message: turnOff}",
            "{to: P2, message: go}",
            8,
            f"{LEAVE}[0].send.message",
            "P2 has no handler for 'go' (it has turnOff): add one, if only an empty one",
        ),
        (
            "{to: P3, message: turnOn}",
            "{to: P3, message: go}",
            11,
            f"{LEAVE}[2].then[0].send.message",
            "P3 has no handler for 'go'",
        ),
        (
            "else: []",
            "else: [{send: {to: P2, message: go}}]",
            12,
            f"{LEAVE}[2].else[0].send.message",
            "P2 has no handler for 'go'",
        ),
        # variables
        (
            "assign: {away: true}",
            "assign: {awy: true}",
            9,
            f"{LEAVE}[1].assign.awy",
            "P1 declares no variable 'awy'; did you mean 'away'?",
        ),
        (
            "assign: {away: true}",
            "assign: {away: 1}",
            9,
            f"{LEAVE}[1].assign.away",
            "away is a boolean, so it cannot become 1: assign a boolean",
        ),
        (
            "assign: {away: true}",
            "assign: {floor: true}",
            9,
            f"{LEAVE}[1].assign.floor",
            "floor is an integer, so it cannot become true: assign an integer",
        ),
        ("- if: away", "- if: floor", 10, f"{LEAVE}[2].if", "a condition needs a boolean variable"),
        (
            "- if: away",
            "- if: {not: floor}",
            10,
            f"{LEAVE}[2].if.not",
            "a condition needs a boolean variable",
        ),
        (
            "- if: away",
            "- if: home",
            10,
            f"{LEAVE}[2].if",
            "P1 declares no variable 'home'; its variables are away, floor",
        ),
        (
            "- if: away",
            "- if: {not: home}",
            10,
            f"{LEAVE}[2].if.not",
            "declares no variable 'home'",
        ),
        # links
        (
            "links: [{from: P1, to: P3",
            "links: [{from: P9, to: P3",
            21,
            "network.links[0].from",
            "unknown process 'P9'",
        ),
        (
            "links: [{from: P1, to: P3",
            "links: [{from: P1, to: P9",
            21,
            "network.links[0].to",
            "unknown process 'P9'",
        ),
        (
            "links: [{from: P1, to: P3",
            "links: [{from: env, to: P3",
            21,
            "network.links[0].from",
            "'env' has no links",
        ),
        (
            "delay: {constant: 50}}]",
            "delay: {constant: 50}},\n    {from: P1, to: P3, delay: {constant: 1}}]",
            22,
            "network.links[1]",
            "the link from P1 to P3 is number 1 of this list, too",
        ),
        # labels
        (TURN_ON, 'on: "P1 -> P9 : turnOn"', 33, SECOND, "unknown process 'P9'"),
        (TURN_ON, 'on: "P9 -> P3 : turnOn"', 33, SECOND, "unknown process 'P9'"),
        (
            TURN_ON,
            'on: "P1 -> P3 : turnon"',
            33,
            SECOND,
            "P3 has no handler for 'turnon' (it has turnOn); did you mean 'turnOn'?",
        ),
        (
            TURN_ON,
            'on: "env -> P1 : leave"',
            33,
            SECOND,
            "'env' has no monitor that could watch it send: write \"handle env -> P1 : leave\"",
        ),
        (TURN_ON, 'on: "P1 -> env : leave"', 33, SECOND, "'env' receives nothing"),
        (TURN_ON, 'on: "env -> env : leave"', 33, SECOND, "'env' receives nothing"),
        (
            '{not: "P2 -> P1 : resume"}',
            '{and: [true, {not: "P2 -> P9 : resume"}]}',
            35,
            "property.automaton.transitions[3].when.and[1].not",
            "unknown process 'P9'",
        ),
        # the automaton
        (
            "initial: [q0]",
            "initial: [q0, q9]",
            29,
            "property.automaton.initial[1]",
            "unknown state 'q9': no transition mentions it; the states are q0, q1, q2",
        ),
        ("final: [q2]", "final: [q9]", 30, "property.automaton.final[0]", "unknown state 'q9'"),
        (
            "{from: q1, to: q0,",
            "{from: q1, to: q7,",
            34,
            "property.automaton.transitions[2]",
            "is neither forward",
        ),
        (
            TURN_ON,
            TURN_ON + ", backward: true",
            33,
            "property.automaton.transitions[1]",
            "stated to be backward",
        ),
        (
            '{from: q1, to: q1, when: {not: "P2 -> P1 : resume"}}',
            '{from: q1, to: q1, on: "P2 -> P1 : resume"}',
            35,
            "property.automaton.transitions[3]",
            "the self-loop of q1 forbids P1 -> P2 : turnOff",
        ),
    ],
)
def test_what_refers_to_nothing_is_told(
    old: str, new: str, line: int, field: str, part: str
) -> None:
    matching = [
        problem
        for problem in problems(variation(old, new))
        if (problem.line, problem.field) == (line, field)
    ]
    assert len(matching) == 1
    assert part in matching[0].message


@pytest.mark.parametrize(
    ("old", "new", "field", "part"),
    [
        ("after: [1, 1]", "after: [0, 1]", "cancel[0].after", "1 <= first <= last <= 1"),
        ("after: [1, 1]", "after: [1, 2]", "cancel[0].after", "1 <= first <= last <= 1"),
        ("after: [1, 1]", "after: [1, 0]", "cancel[0].after", "1 <= first <= last <= 1"),
        ("back_to: 0", "back_to: 1", "cancel[0].back_to", "0 <= back_to <= 0"),
        ("back_to: 0", "back_to: -1", "cancel[0].back_to", "0 <= back_to <= 0"),
    ],
)
def test_a_cancellation_lies_within_its_sequence_and_leads_back(
    old: str, new: str, field: str, part: str
) -> None:
    (problem,) = problems(variation(old, new, SEQUENCES))
    assert (problem.line, problem.field) == (4, f"property.sequences[0].{field}")
    assert part in problem.message


def test_problems_of_all_kinds_are_told_together() -> None:
    text = variation("message: leave, at", "message: leav, at")
    text = variation("initial: [q0]", "initial: [q9]", text)
    text = variation("- if: away", "- if: floor", text)
    text = variation("P1 -> P3 : turnOn", "P1 -> P9 : turnOn", text)
    assert [problem.line for problem in problems(text)] == [10, 18, 29, 33]


def test_a_label_that_nobody_ever_sends_is_a_warning() -> None:
    document = parsed(variation(TURN_ON, 'on: "P3 -> P1 : resume"'))
    (warning,) = document.warnings
    assert (warning.line, warning.field) == (33, SECOND)
    assert warning.message == (
        'nothing ever happens that is labelled "P3 -> P1 : resume": '
        "no handler of P3 sends resume to P1"
    )


def test_a_warning_is_given_once_for_each_label() -> None:
    text = variation(TURN_ON, 'on: "P3 -> P1 : resume"')
    text = variation("P2 -> P1 : resume", "P3 -> P1 : resume", text)
    text = variation("P2 -> P1 : resume", "P3 -> P1 : resume", text)
    assert [warning.line for warning in parsed(text).warnings] == [33]


def test_sends_within_conditionals_count_as_sent() -> None:
    assert parsed(EXAMPLE).warnings == ()
    moved = variation("else: []", "else: [{send: {to: P1, message: resume}}]")
    moved = variation(TURN_ON, 'on: "P1 -> P1 : resume"', moved)
    assert parsed(moved).warnings == ()


def test_a_label_of_the_environment_needs_a_start() -> None:
    assert parsed(variation(TURN_ON, 'on: "handle env -> P1 : leave"')).warnings == ()
    (warning,) = parsed(variation(TURN_ON, 'on: "handle env -> P1 : resume"')).warnings
    assert "no entry of application.start sends resume to P1" in warning.message


NEVER_STARTED = """\
application:
  processes:
    - id: A
      handlers:
        go: [{send: {to: B, message: m}}]
        never: [{send: {to: B, message: n}}, {send: {to: A, message: never}}]
    - id: B
      handlers:
        m: []
        n: []
  start: [{to: A, message: go}]
property:
  sequences:
    - steps: ["A -> B : m", "A -> B : n", "handle A -> B : n", "A -> B : n"]
"""


def test_where_a_property_is_never_formed_handlers_and_labels_that_cannot_happen_are_warnings() -> (
    None
):
    handlers = "application.processes[0].handlers.never", "application.processes[1].handlers.n"
    never = "can never run, and the property never be formed: neither application.start nor a "
    only = "A sends n to B only when it handles never, which it never does"
    nothing = "nothing ever happens that is labelled"
    assert warned(NEVER_STARTED) == [
        (6, handlers[0], f"{never}handler that can run sends never to A"),
        (10, handlers[1], f"{never}handler that can run sends n to B"),
        (14, "property.sequences[0].steps[1]", f'{nothing} "A -> B : n": {only}'),
        (14, "property.sequences[0].steps[2]", f'{nothing} "handle A -> B : n": {only}'),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{to: A, message: go}", "{to: A, message: go}, {to: A, message: never}"),
        ("m: []", "m: [{send: {to: A, message: never}}]"),
        (
            "go: [",
            "go: [{if: b, then: [], else: [{send: {to: A, message: never}}]}, ",
        ),
        ("sequences:\n", 'sequences:\n    - steps: ["handle env -> A : go", "A -> B : m"]\n'),
    ],
)
def test_where_the_property_may_be_formed_what_cannot_happen_is_no_mistake(
    old: str, new: str
) -> None:
    text = variation("id: A\n", "id: A\n      variables: {b: true}\n", NEVER_STARTED)
    assert len(warned(text)) == 4
    assert warned(variation(old, new, text)) == []


def test_where_nobody_sends_a_step_at_all_only_that_is_told() -> None:
    text = variation("{send: {to: B, message: n}}, ", "", NEVER_STARTED)
    assert [line for line, _, message in warned(text) if "no handler of A sends n" in message] == [
        line for line, _, _ in warned(text)
    ]


def test_without_an_application_names_of_processes_are_not_checked() -> None:
    text = variation("P1 -> P3 : turnOn", "somebody -> P9 : whatever", SEQUENCES)
    assert parsed(text).warnings == ()


def test_without_an_application_env_is_still_not_to_be_watched() -> None:
    (problem,) = problems(variation("P1 -> P3 : turnOn", "env -> P3 : turnOn", SEQUENCES))
    assert (problem.line, problem.field) == (3, "property.sequences[0].steps[1]")
    (problem,) = problems(variation("P1 -> P3 : turnOn", "P1 -> env : turnOn", SEQUENCES))
    assert problem.message == "'env' receives nothing: name a process as receiver"


def warned(text: str) -> list[tuple[int, str, str]]:
    return [(told.line, told.field, told.message) for told in parsed(text).warnings]


def test_an_application_that_nothing_starts_is_a_warning_where_there_is_a_property() -> None:
    text = variation("start: [{to: P1, message: leave, at: 0}]", "")
    ((line, field, message),) = warned(text)
    assert (line, field) == (2, "application.start")
    assert message.startswith("has no message, so nothing ever happens: give at least one")
    assert warned(variation("[{to: P1, message: leave, at: 0}]", "[]"))[0][0] == 18
    assert warned(text[: text.index("property:")]) == []


def test_a_part_that_is_empty_is_a_warning() -> None:
    application = EXAMPLE[: EXAMPLE.index("property:")]
    assert warned(f"{application}property:\n") == [
        (25, "property", "is empty, so nothing is forbidden: fill it, or leave it out")
    ]
    assert warned(f"application:\n{SEQUENCES}") == [
        (1, "application", "is empty, so nothing runs: fill it, or leave it out")
    ]


AUTOMATON = """\
property:
  automaton:
    initial: [q0, q1]
    final: [q2]
    transitions:
      - {from: q0, to: q1, on: "A -> B : m"}
      - {from: q1, to: q2, on: "A -> B : n"}
      - {from: q2, to: q0, on: "A -> B : v"}
      - {from: q1, to: q1, when: {not: "A -> B : n"}}
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "field"),
    [
        ("[q0, q1]", "[q0, q1, q0]", 3, "initial[2]"),
        ("[q2]", "[q2, q2]", 4, "final[1]"),
        (
            "transitions:\n",
            'transitions:\n      - {from: q2, to: q0, on: "A->B:v", backward: true}\n',
            9,
            "transitions[3]",
        ),
        (
            "transitions:\n",
            'transitions:\n      - {from: q1, to: q1, when: {not: "A->B:n"}}\n',
            10,
            "transitions[4]",
        ),
    ],
)
def test_what_an_automaton_states_twice_is_a_warning(
    old: str, new: str, line: int, field: str
) -> None:
    assert warned(AUTOMATON) == []
    ((told_line, told_field, message),) = warned(variation(old, new, AUTOMATON))
    assert (told_line, told_field) == (line, f"property.automaton.{field}")
    assert message.startswith("is stated twice, first as number ")


def test_a_transition_on_another_label_is_not_stated_twice() -> None:
    other = '- {from: q0, to: q1, on: "handle A -> B : m"}\n      - {from: q0'
    assert warned(variation("- {from: q0", other, AUTOMATON)) == []


def test_what_sequences_state_twice_is_a_warning() -> None:
    cancel = '{on: "P2 -> P1 : resume", after: [1, 1], back_to: 0}'
    (told,) = warned(variation(cancel, f"{cancel}, {cancel}", SEQUENCES))
    assert told == (
        4,
        "property.sequences[0].cancel[1]",
        "is stated twice, first as number 1 of this list: leave this one out",
    )
    sequence = SEQUENCES[SEQUENCES.index("    - steps") :]
    (told,) = warned(SEQUENCES + sequence)
    assert told[:2] == (5, "property.sequences[1]")
    assert warned(SEQUENCES + variation("resume", "again", sequence)) == []


def test_a_state_that_is_initial_and_final_is_a_warning() -> None:
    not_by_starting = "q1 is initial, too: the sequence is not formed by starting there, only by "
    assert warned(variation("[q2]", "[q2, q1]", AUTOMATON)) == [
        (4, "property.automaton.final[1]", f"{not_by_starting}a forward transition into it")
    ]
    text = variation('      - {from: q2, to: q0, on: "A -> B : v"}\n', "", AUTOMATON)
    ((_, _, message),) = warned(variation("[q2]", "[q2, q0]", text))
    assert message.endswith("only by a forward transition into it, of which there is none")


def test_a_final_state_that_nothing_leads_to_is_a_warning_beside_one_that_is_reached() -> None:
    text = variation("[q2]", "[q2, q3]", AUTOMATON) + "      - {from: q3, to: q3, when: true}\n"
    ((line, field, message),) = warned(text)
    assert (line, field) == (4, "property.automaton.final[1]")
    assert message.startswith("no forward transition leads into q3, so no sequence ends there")


def test_a_sequence_that_can_never_be_formed_is_told_at_the_final_states() -> None:
    text = AUTOMATON[: AUTOMATON.index("      - ")] + "      - {from: q2, to: q2, when: true}\n"
    (problem,) = problems(variation("[q0, q1]", "[q2]", text))
    assert (problem.line, problem.field) == (4, "property.automaton.final")
    assert "can never be formed" in problem.message
