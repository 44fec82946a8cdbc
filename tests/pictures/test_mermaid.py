from __future__ import annotations

import re
from dataclasses import replace

import pytest
from diagram_grammars import read_mermaid
from examples_to_draw import EVENTS, POSSIBLY, PROCESSES, SMART_HOME, automaton, events
from hypothesis import given
from hypothesis import strategies as st

from choreomon.core.message import SEND, Message
from choreomon.core.run import RunEvent
from choreomon.pictures.as_text.mermaid import automaton_flowchart, escaped, run_sequence_diagram
from choreomon.pictures.as_text.run_text import mermaid_run
from choreomon.pictures.space_time.diagram import space_time_picture
from choreomon.pictures.space_time.highlights import Highlight, highlights_of
from choreomon.pictures.space_time.window import View

HOSTILE = ["end", "End", 'say "x"', "a;b", "a#b", "<script>", "%%{init}%%", "`code`", "a|b", "[x]"]


def decoded(text: str) -> str:
    return re.sub(r"#(\d+);", lambda code: chr(int(code[1])), text)


def test_an_automaton_is_a_flowchart_with_dotted_backward_transitions() -> None:
    assert automaton_flowchart(SMART_HOME) == (
        "flowchart LR\n"
        '    s0(("q0"))\n'
        '    s1(("q1"))\n'
        '    s2((("q2")))\n'
        '    start_s0[" "]:::start --> s0\n'
        '    s0 -->|"P1 → P2 : turnOff"| s1\n'
        '    s1 -->|"P1 → P3 : turnOn"| s2\n'
        '    s1 -.->|"P2 → P1 : resume"| s0\n'
        '    s1 -->|"not P2 → P1 : resume"| s1\n'
        "    classDef start fill:none,stroke:none\n"
    )


def test_a_run_is_a_sequence_diagram_with_notes_where_something_is_judged() -> None:
    text = run_sequence_diagram(EVENTS, PROCESSES, highlights_of(POSSIBLY), [POSSIBLY])
    assert text.splitlines() == [
        "sequenceDiagram",
        "    participant p0 as env",
        "    participant p1 as P1",
        "    participant p2 as P2",
        "    participant p3 as P3",
        "    p0-)p1: leave",
        "    p1-)p2: turnOff",
        "    Note over p1: step 1 (event 1, 1 ms)",
        "    p1-)p3: turnOn",
        "    p2-)p1: resume",
        "    Note over p2: message that may cancel a step (event 4, 4 ms)",
        "    Note over p3: step 2, P3 declares possibly violated (event 5, turnOn handled, 5 ms)",
    ]


def test_what_messages_carry_is_drawn() -> None:
    carrying = [replace(event, values=(("a", "x"), ("b", "17"))) for event in EVENTS]
    assert "    p1-)p2: turnOff(x, 17)\n" in run_sequence_diagram(carrying, PROCESSES)
    assert "P1->>P2: turnOff(x, 17)\n" in mermaid_run(carrying, PROCESSES)
    messages = space_time_picture(carrying, PROCESSES).structure["messages"]
    assert "turnOff(x, 17)" in [message["name"] for message in messages]


def test_a_step_that_no_record_names_is_called_earlier() -> None:
    text = run_sequence_diagram(
        EVENTS, PROCESSES, [Highlight(1, "earlier", 1), Highlight(2, "step", 2)]
    )
    assert "earlier step 1 (event 1, 1 ms)" in text
    assert "p1: step 2 (event 2, 2 ms)" in text


def test_runs_are_diagrams_of_the_language_whatever_names_are_in_them() -> None:
    plain = read_mermaid(
        run_sequence_diagram(EVENTS, PROCESSES, highlights_of(POSSIBLY), [POSSIBLY])
    )
    assert plain.count("participant") == 4
    assert plain.count("message") == 4
    for name in (*HOSTILE, "wrap:x"):
        sent = RunEvent(0, 0, SEND, name, Message(name, name, "other"), ())
        assert read_mermaid(run_sequence_diagram([sent], [name, "other"])) == [
            "participant",
            "participant",
            "message",
        ]


def test_a_long_run_says_which_events_are_not_shown() -> None:
    text = run_sequence_diagram(events(*["P1>P2:ping"] * 90), PROCESSES, view=View(bound=3))
    assert "    Note over p0,p2: events 3–89 not shown" in map(decoded, text.splitlines())
    assert text.count("ping") == 3


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_encoded_and_can_be_read_back(name: str) -> None:
    code = escaped(name)
    assert decoded(code) == name
    assert not re.search(r"\bend\b", code, re.IGNORECASE)
    assert not set(re.sub(r"#\d+;", "", code)) & set('"#;<>`|[]{}%')


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_add_no_line_to_a_diagram(name: str) -> None:
    made = automaton(["q0"], ["q1"], [("q0", f"P -> Q : {name}", "q1")])
    assert len(automaton_flowchart(made).splitlines()) == 6
    diagram = run_sequence_diagram(events(f"P>Q:{name}"), ("P", "Q"))
    assert len(diagram.splitlines()) == 4


@given(st.text())
def test_any_text_stays_on_one_line_and_ends_nothing(text: str) -> None:
    code = escaped(text)
    assert len(code.splitlines()) <= 1
    assert not set(re.sub(r"#\d+;", "", code)) & set('"#;<>`|')
